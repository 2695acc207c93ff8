/* Memory of calloc() between guard bytes: what a library that is not ours writes before or behind what it was
 * given is found, as no sanitizer does. In what is linked statically only: the linker puts these in the place
 * of the usual functions (-Wl,--wrap). */
#ifndef DAP_TEST_GUARDS_H
#define DAP_TEST_GUARDS_H

#include "mpi_test.h"

#include <stdint.h>

/* What was found since guards_start(). */
typedef struct guards_found {
  int64_t freed;          /* pieces of memory whose guards were looked at: all that was freed */
  int64_t broken;         /* of these: that were written outside */
  int64_t bytes;          /* of the first of them */
  int64_t before, behind; /* how far that was written on either side, bytes */
} guards_found;

/* From now on, and until guards_stop(), what is allocated has guards. Not collective. */
void guards_start(void);
guards_found guards_stop(void);

/* Stops, and expects that something was looked at, and that nothing was written outside. */
#define EXPECT_GUARDS()                                                                                      \
  do {                                                                                                       \
    const guards_found found_ = guards_stop();                                                               \
    EXPECT(found_.freed > 0);                                                                                \
    EXPECT_MSG(found_.broken == 0, "%d pieces: %d bytes before and %d behind one of %d", (int)found_.broken, \
               (int)found_.before, (int)found_.behind, (int)found_.bytes);                                   \
  } while (0)

#endif

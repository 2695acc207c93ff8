/* Memory of calloc() between guard bytes: what a library that is not ours writes before or behind what it was
 * given is found, as no sanitizer does. In what is linked statically only: the linker puts these in the place
 * of the usual functions (-Wl,--wrap). */
#ifndef DAP_TEST_GUARDS_H
#define DAP_TEST_GUARDS_H

#include <stdbool.h>

/* From now on, and until guards_stop(), what is allocated has guards. Not collective. */
void guards_start(void);

/* Stops. Records a failure as EXPECT() does, and returns false, unless some of the memory was freed, whose
 * guards were then looked at, and nothing was written outside. */
bool guards_stop(void);

#endif

/* Makes the buffers of several arrays with the same layout. Each buffer is like the buffer of one
 * test_side, and has its own memory. */
#ifndef DAP_TEST_MANY_H
#define DAP_TEST_MANY_H

#include <dapbridge/shared.h>

#include "side.h"

/* Which of the buffers are in memory of the library's. */
typedef enum many_memory {
  MANY_PRIVATE,
  MANY_SHARED,
  MANY_MIXED /* every second one, the last among them */,
  MANY_KINDS
} many_memory;

enum { MANY_MOST = 100 };

typedef struct many_sides {
  int count;
  test_side sides[MANY_MOST]; /* [count], poisoned */
  void *data[MANY_MOST];      /* [count] side_data() of each */
  unsigned char *privately;   /* memory of all, */
  dap_array shared;           /* and the same that the processes of a communicator share */
} many_sides;

/* Collective on `comm`. Ended with many_free(), before side_free() of `like`. */
void many_make(MPI_Comm comm, const test_side *like, int count, many_memory memory, many_sides *many);
void many_free(many_sides *many);

#endif

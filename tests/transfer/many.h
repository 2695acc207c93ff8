/* Makes the buffers of several arrays with the same layout. Each buffer is like the buffer of one
 * test_side, and has its own memory. */
#ifndef DAP_TEST_MANY_H
#define DAP_TEST_MANY_H

#include <dapbridge/shared.h>

#include "side.h"

/* Which of the buffers are in shared memory that the library has allocated. */
typedef enum many_memory {
  MANY_PRIVATE,
  MANY_SHARED,
  MANY_MIXED /* every second one, and always the last */,
  MANY_KINDS
} many_memory;

enum { MANY_MOST = 100 };

typedef struct many_sides {
  int count;
  test_side sides[MANY_MOST]; /* [count] poisoned at first */
  void *data[MANY_MOST];      /* [count] side_data() of each side */
  unsigned char *privately;   /* private memory for all buffers */
  dap_array shared;           /* shared memory for all buffers */
} many_sides;

/* Collective on `comm`, whose processes share the memory. Call many_free() before side_free() of `like`. */
void many_make(MPI_Comm comm, const test_side *like, int count, many_memory memory, many_sides *many);
void many_free(many_sides *many);

#endif

/* Doubles of two axes, each of which says by its value which element it is. */
#ifndef DAP_TEST_BOARD_H
#define DAP_TEST_BOARD_H

#include <dapbridge/plan.h>
#include <dapbridge/shared.h>

enum { BOARD_MOST = 2048 /* rows, and columns, of a process */ };

typedef struct board {
  dap_layout *layout;
  dap_array array;
  bool holds; /* this process has a part */
} board;

/* In memory of the library's if `shares`. Collective on `comm`. Ended with board_free(). */
board board_make(MPI_Comm comm, const dap_dist dists[2], dap_order order, bool shares);
void board_free(board *b);
dap_side board_side(const board *b);

/* Writes the elements of `rank`, which is this process; then, how many are not what they should be. */
void board_fill(const board *b, int rank);
int64_t board_wrong(const board *b, int rank);

#endif

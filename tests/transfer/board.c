#include "board.h"

#include "mpi_test.h"

board board_make(MPI_Comm comm, const dap_dist dists[2], dap_order order, bool shares)
{
  board b = {0};
  dap_error err = {0};
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  EXPECT_OK(dap_layout_create(2, dists, &b.layout, &err), &err);
  b.holds = rank < dists[0].procs * dists[1].procs;
  if (shares)
    EXPECT_OK(dap_array_alloc(comm, b.layout, DAP_F8, order, &b.array, NULL, &err), &err);
  else if (b.holds)
    EXPECT_OK(dap_array_init(&b.array, b.layout, rank, DAP_F8, order, NULL, &err), &err);
  return b;
}

void board_free(board *b)
{
  dap_array_release(&b->array);
  dap_layout_destroy(&b->layout);
}

dap_side board_side(const board *b)
{
  return (dap_side){.layout = b->layout, .strides = b->holds ? b->array.strides : NULL};
}

/* ---- elements by their global indices ---------------------------------------------------------------- */

static double value(int64_t i, int64_t j)
{
  return (double)(i * 7919 + j);
}

/* Writes every element, or counts those that are not what they should be. Rows and columns are looked up
 * once: layouts are products of their axes. */
static int64_t walk(const board *b, int rank, bool writes)
{
  static int64_t at[2][BOARD_MOST];
  const int64_t *shape = b->array.shape;
  const bool is_empty = !b->holds || shape[0] == 0 || shape[1] == 0;
  int64_t wrong = 0;
  dap_error err = {0};
  if (!is_empty && (shape[0] > BOARD_MOST || shape[1] > BOARD_MOST)) return -1;
  for (int k = 0; k < 2 && !is_empty; k++)
    for (int64_t i = 0; i < shape[k]; i++) {
      int64_t local[2] = {0}, global[2] = {0};
      local[k] = i;
      if (dap_layout_globalize(b->layout, rank, local, global, NULL, &err)) return -1;
      at[k][i] = global[k];
    }
  for (int64_t i = 0; i < shape[0] && !is_empty; i++)
    for (int64_t j = 0; j < shape[1]; j++) {
      double *element =
          (double *)(void *)((char *)b->array.data + i * b->array.strides[0] + j * b->array.strides[1]);
      if (writes)
        *element = value(at[0][i], at[1][j]);
      else
        wrong += *element != value(at[0][i], at[1][j]);
    }
  return wrong;
}

void board_fill(const board *b, int rank)
{
  EXPECT_INT(walk(b, rank, true), 0);
}

int64_t board_wrong(const board *b, int rank)
{
  return walk(b, rank, false);
}

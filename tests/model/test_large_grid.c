/* Joins a million parts. Time must not grow faster than the number of processes, and memory must not keep
 * the parts. */
#include "mpi_test.h"

#include <dapbridge/join.h>
#include <inttypes.h>
#include <time.h>

enum { SIDE = 1000 /* processes along each axis */, ELEMENTS = 1000000, BLOCK = 64, HALO = 3 };

/* Computes the part at (row, column) when it is requested: blocks of rows that are dealt round robin, and
 * ranges of columns with communication padding. */
static dap_status part_of(void *context, int rank, dap_array *part, dap_error *err)
{
  const int64_t row = rank / SIDE, column = rank % SIDE, width = ELEMENTS / SIDE;
  const int64_t rounds = ELEMENTS / (BLOCK * SIDE), rest = ELEMENTS % (BLOCK * SIDE) - row * BLOCK;
  const int64_t low = column > 0 ? HALO : 0, high = column < SIDE - 1 ? HALO : 0;
  static double element;
  (void)context;
  (void)err;
  *part = (dap_array){.abi = DAP_ARRAY_ABI, .version = "0.10.0", .dim_count = 2, .ndim = 2, .dtype = DAP_F8};
  part->dims[0] = (dap_dim){.dist_type = 'c',
                            .size = ELEMENTS,
                            .proc_grid_size = SIDE,
                            .proc_grid_rank = row,
                            .start = row * BLOCK,
                            .block_size = BLOCK};
  part->dims[1] = (dap_dim){.dist_type = 'b',
                            .size = ELEMENTS,
                            .proc_grid_size = SIDE,
                            .proc_grid_rank = column,
                            .start = column * width - low,
                            .stop = (column + 1) * width + high,
                            .padding = {low, high}};
  part->shape[0] = rounds * BLOCK + (rest <= 0 ? 0 : rest < BLOCK ? rest : BLOCK);
  part->shape[1] = width + low + high;
  part->data = &element; /* strides are 0 */
  return DAP_OK;
}

static void joins_a_million_parts(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_cyclic(ELEMENTS, SIDE, BLOCK), dap_dist_padded(ELEMENTS, SIDE, HALO)};
  const dap_join join = {.nprocs = SIDE * SIDE, .part = part_of};
  dap_layout *joined = NULL, *layout = NULL;
  dap_error err = {0};
  const clock_t begin = clock();
  EXPECT_OK(dap_layout_join(&join, &joined, &err), &err);
  print_message("%d parts joined in %.2f s\n", SIDE * SIDE, (double)(clock() - begin) / CLOCKS_PER_SEC);
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT(dap_layout_is_equal(joined, layout));
  EXPECT(dap_layout_hash(joined) == dap_layout_hash(layout));
  SETTLE();
  EXPECT_INT(dap_layout_count(joined), INT64_C(1000000000000));
  const int64_t last[] = {ELEMENTS - 1, ELEMENTS - 1}, middle[] = {HALO, HALO};
  int64_t local[2], global[2];
  int rank = -1;
  bool owned = false;
  EXPECT_OK(dap_layout_locate(joined, last, &rank, local, &err), &err);
  EXPECT_INT(rank, (ELEMENTS - 1) / BLOCK % SIDE * SIDE + SIDE - 1);
  EXPECT(local[0] == (int64_t)15 * BLOCK + 63 && local[1] == HALO + 999);
  EXPECT_OK(dap_layout_globalize(joined, 5 * SIDE + 7, middle, global, &owned, &err), &err);
  EXPECT(owned && global[0] == 5 * BLOCK + HALO && global[1] == 7000);
  dap_layout_destroy(&joined);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(joins_a_million_parts)};

MPI_TEST_MAIN(tests)

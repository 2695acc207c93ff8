/* What the rows of the vector tests say. */
#include "vector_test.h"

#include "random_array.h"

PetscScalar scalar_of(int64_t index)
{
  PetscScalar value;
  value_of(scalar_dtype(), index, &value);
  return value;
}

/* Lengths in thirds, or with nothing on the odd processes. */
static void share_out(vector_cut cut, int64_t size, int procs, int64_t lengths[])
{
  int64_t left = size;
  for (int c = procs - 1; c > 0; c--) {
    lengths[c] = cut == HOLES ? (c % 2 ? 0 : size / procs) : left * (c % 3) / 4;
    left -= lengths[c];
  }
  lengths[0] = left;
}

static dap_dist deal_lists(vector_cut cut, int64_t size, int procs, test_random *random, random_memory *lists)
{
  const dap_dist dist = lists_by_lot(random, size, procs, cut == OVERLAPS, lists);
  if (cut == GHOSTS) add_copies(procs, lists);
  return dist;
}

static dap_dist cut_axis(vector_cut cut, int64_t size, int procs, test_random *random, int64_t lengths[],
                         random_memory *lists)
{
  switch (cut) {
  case IRREGULAR:
  case HOLES:
    share_out(cut, size, procs, lengths);
    return dap_dist_lengths(size, procs, lengths);
  case CYCLIC:
  case ROTATED:
  case ONE_BLOCK:
  case ROTATED_BLOCK: {
    const bool one = cut == ONE_BLOCK || cut == ROTATED_BLOCK;
    dap_dist dist = dap_dist_cyclic(size, procs, one ? (size + procs - 1) / procs : 2);
    dist.first_owner = (cut == ROTATED || cut == ROTATED_BLOCK) ? 1 % procs : 0;
    return dist;
  }
  case LISTS:
  case GHOSTS:
  case OVERLAPS:
    return deal_lists(cut, size, procs, random, lists);
  case ASCENDING:
    share_out(IRREGULAR, size, procs, lengths);
    for (int64_t c = 0, next = 0; c < procs; c++) {
      lists->lengths[c] = lengths[c];
      lists->indices[c] = lists->lists[c];
      for (int64_t i = 0; i < lengths[c]; i++) lists->lists[c][i] = next++;
    }
    return dap_dist_unstructured(size, procs, lists->lengths, lists->indices);
  case COPIES:
    return dap_dist_replicated(size, procs);
  default:
    return dap_dist_even(size, procs);
  }
}

dap_layout *vector_layout(const vector_row *row)
{
  int procs[4] = {1, 1, 1, 1}, dims[2] = {0};
  int64_t lengths[4][BRUTE_PROCS];
  static random_memory lists[4];
  test_random random = test_random_init(23);
  dap_dist dist[4] = {{0}};
  dap_layout *layout = NULL;
  dap_error err;
  MPI_Dims_create(test_nprocs(), 2, dims);
  if (row->axis == GRID) memcpy(procs, dims, sizeof dims);
  if (row->axis >= 0) procs[row->axis] = test_nprocs();
  for (int k = 0; k < row->ndim; k++) {
    const bool is_cut = k == row->axis || (row->axis == GRID && k < 2);
    dist[k] = cut_axis(is_cut ? row->cut : EVEN, row->size[k], procs[k], &random, lengths[k], &lists[k]);
    dist[k].halo = row->halo[k];
    dist[k].periodic = dist[k].wraps = row->wraps[k];
    for (int side = 0; side < 2 && is_cut; side++) dist[k].boundary[side] = row->boundary[side];
  }
  EXPECT_OK(dap_layout_create(row->ndim, dist, &layout, &err), &err);
  if (row->shuffled) layout = shuffled_layout(&random, layout);
  if (row->assembled) layout = assembled_layout(MPI_COMM_WORLD, layout);
  return layout;
}

/* A row of the table of sources as a layout. */
#include "harness_impl.h"

#include "variants.h"

enum { SHUFFLE = 5, LISTS = 6 }; /* streams of random numbers */

static void must(dap_status status, const dap_error *err)
{
  if (!status) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static dap_dist with_lengths(int64_t size, int procs, source_cut cut, int64_t lengths[])
{
  int64_t rest = size;
  for (int c = 0; c < procs; c++) {
    int64_t wish = cut == CUT_LAST ? 0 : c < 2 ? 3 * c + 1 : rest / 2;
    if (c == procs - 1 || wish > rest) wish = rest;
    lengths[c] = wish;
    rest -= wish;
  }
  return dap_dist_lengths(size, procs, lengths);
}

/* Widths that the sizes leave no room for are 0. */
static dap_dist with_padding(int64_t size, int procs)
{
  dap_dist d = dap_dist_ceil(size, procs);
  const int64_t each = (size + procs - 1) / procs, last = size - (procs - 1) * each;
  d.halo = last >= 2 ? 2 : last >= 1 ? 1 : 0;
  return d;
}

static dap_dist with_boundary(int64_t size, int procs)
{
  dap_dist d = dap_dist_even(size, procs);
  d.boundary[0] = d.boundary[1] = size >= (int64_t)2 * procs ? 1 : 0;
  return d;
}

static dap_dist cut_axis(source_cut cut, int block, int64_t size, int procs, variant_lists *lists)
{
  test_random random = test_random_init(LISTS);
  dap_dist d = dap_dist_cyclic(size, procs, block);
  switch (cut) {
  case CUT_EVEN:
    return dap_dist_even(size, procs);
  case CUT_CEIL:
    return dap_dist_ceil(size, procs);
  case CUT_UNEVEN:
  case CUT_LAST:
    return with_lengths(size, procs, cut, lists->lengths);
  case CUT_ROTATED:
    d.first_owner = procs - 1;
    return d;
  case CUT_PADDED:
    return with_padding(size, procs);
  case CUT_BOUNDARY:
    return with_boundary(size, procs);
  case CUT_LISTED:
  case CUT_OVERLAP:
    return variant_dist(&random, size, procs, cut == CUT_OVERLAP, lists);
  case CUT_COPIES:
    return dap_dist_replicated(size, procs);
  case CUT_CYCLIC:
    break;
  }
  return d;
}

dap_layout *source_layout(const source *s, int ndim, const int64_t size[2], const int grid[2])
{
  static variant_lists lists[2]; /* too large for a stack */
  dap_dist dists[2];
  dap_layout *layout;
  dap_error err = {0};
  for (int k = 0; k < ndim; k++)
    dists[k] = cut_axis(s->axes[k].cut, s->axes[k].block, size[k], grid[k], &lists[k]);
  must(dap_layout_create(ndim, dists, &layout, &err), &err);
  test_random random = test_random_init(SHUFFLE);
  if (s->shuffled) layout = variant_shuffle(&random, layout);
  if (s->assembled) layout = variant_assemble(MPI_COMM_WORLD, layout);
  return layout;
}

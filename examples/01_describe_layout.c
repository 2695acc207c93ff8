/* Shows where every element of a 5 x 9 array is stored. The rows are distributed irregularly over two
 * processes, the columns in blocks of two over two processes. Layouts need no MPI: one process can ask
 * about all processes. Succeeds if every element is found where the layout says. */
#include <dapbridge.h>

#include <inttypes.h>
#include <stdio.h>

static int fail(const dap_error *err)
{
  fprintf(stderr, "%s\n", err->text);
  return 1;
}

/* Returns the number of elements that are not where the layout says. */
static int count_lost(const dap_layout *layout)
{
  int lost = 0;
  for (int64_t i = 0; i < 5; i++)
    for (int64_t j = 0; j < 9; j++) {
      const int64_t global[] = {i, j};
      int64_t local[2] = {-1, -1}, again[2] = {-1, -1};
      int rank = -1;
      const bool found = !dap_layout_locate(layout, global, &rank, local, NULL) &&
                         !dap_layout_globalize(layout, rank, local, again, NULL, NULL);
      if (!found || again[0] != i || again[1] != j) lost++;
    }
  return lost;
}

int main(void)
{
  dap_layout *layout;
  dap_error err;
  const int64_t rows[] = {1, 4};
  const dap_dist dists[] = {dap_dist_lengths(5, 2, rows), dap_dist_cyclic(9, 2, 2)};
  if (dap_layout_create(2, dists, &layout, &err)) return fail(&err);

  char text[512];
  dap_layout_describe(layout, text, sizeof text);
  printf("%s\n", text);

  /* Who owns element (3, 7), and where in that process's buffer is it? */
  int rank;
  int64_t local[2], global[2] = {3, 7};
  if (dap_layout_locate(layout, global, &rank, local, &err)) return fail(&err);
  printf("element (3, 7) is element (%" PRId64 ", %" PRId64 ") on rank %d\n", local[0], local[1], rank);

  /* Conversely, which element is the last in rank 1's buffer? */
  local[0] = dap_layout_extent(layout, 0, 0) - 1;
  local[1] = dap_layout_extent(layout, 1, 1) - 1;
  if (dap_layout_globalize(layout, 1, local, global, NULL, &err)) return fail(&err);
  printf("the last element on rank 1 is (%" PRId64 ", %" PRId64 ")\n\n", global[0], global[1]);

  /* The dictionaries that the processes would export. */
  for (int coord = 0; coord < 2; coord++) {
    dap_dim dim;
    if (dap_layout_dim(layout, NULL, 0, coord, &dim, &err)) return fail(&err);
    printf("axis 0 on row %d of the grid: dist_type '%c', start %" PRId64 ", stop %" PRId64 "\n", coord,
           dim.dist_type, dim.start, dim.stop);
  }
  for (int coord = 0; coord < 2; coord++) {
    dap_dim dim;
    if (dap_layout_dim(layout, NULL, 1, coord, &dim, &err)) return fail(&err);
    printf("axis 1 on column %d of the grid: dist_type '%c', start %" PRId64 ", block_size %" PRId64 "\n",
           coord, dim.dist_type, dim.start, dim.block_size);
  }
  const int lost = count_lost(layout);
  if (lost > 0) fprintf(stderr, "%d elements are not where the layout says\n", lost);
  dap_layout_destroy(&layout);
  return lost > 0 ? 1 : 0;
}

/* Views that are alive when MPI ends: they are restored after it without a word to others, and nothing is
 * got. As there is no MPI in the end, each process has its own verdict. */
#include "pair.h"
#include "toy.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(bool condition, const char *what)
{
  if (condition) return;
  (void)fprintf(stderr, "failed: %s\n", what);
  failures++;
}

int main(int argc, char **argv)
{
  int rank, nprocs;
  dap_layout *layout = NULL;
  dap_array local;
  dap_error err = {.rank = -1};
  toy_matrix moved, shared;
  pair_matrix pair;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  const dap_dist dists[2] = {dap_dist_even(4, 1), dap_dist_even(11, nprocs)};
  expect(!dap_layout_create(2, dists, &layout, &err), err.text);
  expect(!dap_array_init(&local, layout, rank, DAP_F8, DAP_ORDER_F, NULL, &err), err.text);
  const dap_darray array = {layout, &local};
  const toy_options never = {.sharing = DAP_SHARE_NEVER};
  expect(!toy_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, &never, &moved, &err), err.text);
  expect(!toy_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, NULL, &shared, &err), err.text);
  expect(!pair_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, NULL, &pair, &err), err.text);
  MPI_Finalize();

  const char *over = "MPI has been finalised";
  expect(toy_restore(&moved, &err) == DAP_ERR_LIBRARY && strstr(err.text, over), "restore of a moved view");
  expect(toy_store(&shared, &err) == DAP_ERR_LIBRARY && strstr(err.text, over), "store of a shared view");
  expect(toy_restore(&shared, &err) == DAP_ERR_LIBRARY && strstr(err.text, over), "restore of a shared view");
  expect(pair_released == 0, "a view uses its form");
  expect(pair_restore(&pair, &err) == DAP_ERR_LIBRARY && strstr(err.text, over),
         "restore of a kept form's view");
  expect(pair_released == 1, "the form went with its last user");
  expect(!pair_restore(&pair, &err) && !toy_restore(&moved, &err), "restored again");
  expect(!moved.slab && moved.reason[0], "what is left is the report");
  expect(toy_get(MPI_COMM_WORLD, array, DAP_READ, NULL, &moved, &err) == DAP_ERR_LIBRARY &&
             strstr(err.text, over),
         "get without MPI");
  dap_array_release(&local);
  dap_layout_destroy(&layout);
  return failures > 0;
}

/* Makes PETSc views before MPI_Init, with invalid layouts, after PetscFinalize() and after MPI_Finalize.
 * Each call must return a status with a text, and must not end the program. Each process has its own
 * verdict. */
#include "any_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(bool condition, const char *when, const char *kind, dap_status s, const dap_error *err)
{
  if (condition) return;
  (void)fprintf(stderr, "failed %s: %s: status %d, %s\n", when, kind, (int)s, err->text);
  failures++;
}

/* Gets a view of each kind, and ends it if it was got. */
static void get_all(const char *when, dap_darray array, dap_status want, const char *text)
{
  for (any_kind kind = FIELD; kind < KINDS; kind++) {
    any_view v = {.kind = kind};
    dap_error err = {.rank = -1};
    const dap_status s = any_get(MPI_COMM_WORLD, &v, array, DAP_READ, &err);
    expect(s == want && strstr(err.text, text), when, any_names[kind], s, &err);
    if (!s) expect(!any_do(&v, RESTORE, &err), when, "its end", s, &err);
  }
}

static dap_darray make(int procs, int rank, dap_array *array)
{
  const dap_dist dists[2] = {dap_dist_even(8, procs), dap_dist_local(8)};
  dap_layout *layout;
  if (dap_layout_create(2, dists, &layout, NULL) ||
      dap_array_init(array, layout, rank, scalar_dtype(), DAP_ORDER_C, NULL, NULL))
    abort();
  return (dap_darray){layout, array};
}

static void end(dap_darray array)
{
  dap_layout *layout = (dap_layout *)array.layout;
  dap_array_release((dap_array *)array.local);
  dap_layout_destroy(&layout);
}

int main(int argc, char **argv)
{
  static char foreign[4096], before[sizeof foreign]; /* no layout */
  dap_array local;
  int procs, rank;
  memset(foreign, 0x5a, sizeof foreign);
  memcpy(before, foreign, sizeof before);
  dap_darray array = make(1, 0, &local);
  get_all("before MPI_Init", array, DAP_ERR_LIBRARY, "MPI is not running");
  end(array);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  array = make(procs, rank, &local);
  const dap_darray wrong = {(const dap_layout *)(const void *)foreign, &local};
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return EXIT_FAILURE;
  get_all("within", array, DAP_OK, "");
  get_all("of no layout", wrong, DAP_ERR_ARG, "not a layout");
  if (memcmp(foreign, before, sizeof foreign) != 0) failures++;
  if (PetscFinalize()) return EXIT_FAILURE;
  get_all("after PetscFinalize", array, DAP_ERR_LIBRARY, "PETSc has been");
  MPI_Finalize();
  get_all("after MPI_Finalize", array, DAP_ERR_LIBRARY, "MPI has been");
  end(array);
  return failures > 0;
}

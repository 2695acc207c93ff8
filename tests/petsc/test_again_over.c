/* Live fields on one DMDA that PETSc's end takes along: with the argument "mpi" while MPI goes on, else after
 * PETSc finalised it too. What PETSc forgot is lost, so leaks are none of this program's business. As there
 * may be no MPI in the end, each process has its own verdict. */
#include <dapbridge/petsc.h>

#include <stdio.h>
#include <string.h>

#include "sanitizer.h"

#if UNDER_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

static int failures;

static void expect(bool condition, const char *what)
{
  if (condition) return;
  (void)fprintf(stderr, "failed: %s\n", what);
  failures++;
}

typedef struct view {
  dap_layout *layout;
  dap_array array;
  dap_petsc_field field;
} view;

/* Rows over all processes, or over none but the one that has index 0 of them; as `options` want it. */
static void get(view *v, const dap_petsc_field_options *options)
{
  dap_error err = {.rank = -1};
  int procs = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const dap_dist dists[2] = {dap_dist_padded(4 * procs, procs, 1), dap_dist_even(5, 1)};
  const dap_dtype type = sizeof(PetscScalar) == sizeof(PetscReal) ? DAP_F8 : DAP_C16;
  expect(!dap_layout_create(2, dists, &v->layout, &err), err.text);
  expect(!dap_array_init(&v->array, v->layout, rank, type, DAP_ORDER_C, NULL, &err), err.text);
  expect(!dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){v->layout, &v->array}, DAP_READ_WRITE, options,
                              &v->field, &err),
         err.text);
}

static void drop(view *v)
{
  expect(!v->field.handle.view && !v->field.dm && !v->field.global && !v->field.local, "nothing is left");
  dap_array_release(&v->array);
  dap_layout_destroy(&v->layout);
}

/* No call finds PETSc, or MPI; the last ends the view. */
static void end_after(view *v, bool has_mpi)
{
  const char *text = has_mpi ? "PETSc has been finalised" : "MPI has been finalised";
  static dap_status (*const calls[])(dap_petsc_field *, dap_error *) = {
      dap_petsc_field_load, dap_petsc_field_store, dap_petsc_field_halo, dap_petsc_field_restore};
  static const char *const names[] = {"load", "store", "halo", "restore"};
  for (int i = 0; i < 4; i++) {
    dap_error err = {.rank = -1};
    const dap_status s = calls[i](&v->field, &err);
    expect(s == DAP_ERR_LIBRARY, names[i]);
    expect(strstr(err.text, text), err.text);
  }
  drop(v);
}

static void outlive(bool has_mpi)
{
  enum { COUNT = 4 };
  int rank = 0, over = 0;
  view views[COUNT], section;
  dap_error err = {.rank = -1};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  dap_petsc_field_options options = {.part = {.naxes = 1, .axes = (const int[]){1}}};
  get(&section, &options);
  const bool has_part = section.field.dm != NULL;
  expect(has_part == (rank == 0), "the section is on one process");
  get(&views[0], NULL);
  expect(!PetscObjectReference((PetscObject)views[0].field.dm), "a reference that nobody drops");
  options = (dap_petsc_field_options){.dm = views[0].field.dm};
  get(&views[1], &options); /* the same plans */
  options.sharing = DAP_SHARE_NEVER;
  get(&views[2], &options); /* others, of copies */
  get(&views[3], &options);
  expect(!dap_petsc_field_restore(&views[3].field, &err), err.text);
  drop(&views[3]);
  expect(!PetscFinalize(), "finalise");
  MPI_Finalized(&over);
  expect(!over == has_mpi, "MPI is over too");
  for (int i = 2; i >= 0; i--) end_after(&views[i], has_mpi);
  end_after(&section, has_mpi);
}

int main(int argc, char **argv)
{
  const bool has_mpi = argc > 1 && strcmp(argv[1], "mpi") == 0;
#if UNDER_SANITIZER
  __lsan_disable();
#endif
  if (has_mpi) MPI_Init(&argc, &argv);
  expect(!PetscInitialize(&argc, &argv, NULL, NULL), "start");
  outlive(has_mpi);
  if (has_mpi) MPI_Finalize();
  return failures > 0;
}

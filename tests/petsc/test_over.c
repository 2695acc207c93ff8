/* Views and imported arrays that are ended after PETSc was: with the argument "mpi" while MPI goes on, else
 * after PETSc finalised it too, as it does where it started it. What PETSc forgot is lost, so leaks are none
 * of this program's business. As there may be no MPI in the end, each process has its own verdict. */
#include <dapbridge/petsc.h>
#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>

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

/* A view that is not collective any more. */
static void expect_lost(dap_status status, const dap_error *err, bool has_mpi, const char *what)
{
  const char *text = has_mpi ? "PETSc has been finalised" : "MPI has been finalised";
  expect(status == DAP_ERR_LIBRARY && strstr(err->text, text), what);
}

/* A field and a matrix on one array: shared, or moved by plans that PETSc outlives. */
typedef struct pair {
  dap_layout *layout;
  dap_array array;
  dap_petsc_field field;
  dap_petsc_matrix matrix;
} pair;

static void get_pair(pair *p, dap_dist rows, int rank, dap_dtype type)
{
  dap_error err = {.rank = -1};
  const dap_dist dists[2] = {rows, dap_dist_even(5, 1)};
  expect(!dap_layout_create(2, dists, &p->layout, &err), err.text);
  expect(!dap_array_init(&p->array, p->layout, rank, type, DAP_ORDER_C, NULL, &err), err.text);
  expect(!dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){p->layout, &p->array}, DAP_READ_WRITE, NULL,
                              &p->field, &err),
         err.text);
  expect(!dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){p->layout, &p->array}, DAP_READ_WRITE, NULL,
                               &p->matrix, &err),
         err.text);
}

static void restore_pair(pair *p, bool has_mpi)
{
  dap_error err = {.rank = -1};
  expect_lost(dap_petsc_field_restore(&p->field, &err), &err, has_mpi, "restore a field");
  err = (dap_error){.rank = -1};
  expect_lost(dap_petsc_matrix_restore(&p->matrix, &err), &err, has_mpi, "restore a matrix");
  expect(!p->field.handle.view && !p->field.dm && !p->matrix.handle.view && !p->matrix.mat,
         "nothing is left of the pair");
  dap_array_release(&p->array);
  dap_layout_destroy(&p->layout);
}

static void outlive(bool has_mpi)
{
  enum { COUNT = 3 };
  PetscScalar memory[COUNT][16] = {{0}};
  int64_t odd[2][6] = {{4, 1, 11, 0, 7, 2}, {3, 5, 6, 8, 9, 10}};
  int procs = 0, rank = 0, over = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int64_t lengths[8] = {6, 6}, *const lists[8] = {odd[0], odd[1]};
  const dap_dist dists[COUNT] = {dap_dist_padded(6 * procs, procs, 1), dap_dist_cyclic(6 * procs, procs, 2),
                                 dap_dist_unstructured(12, procs, lengths, lists)};
  const dap_dtype type = sizeof(PetscScalar) == sizeof(PetscReal) ? DAP_F8 : DAP_C16;
  dap_layout *layouts[COUNT];
  dap_array arrays[COUNT], lent;
  dap_petsc_vector views[COUNT];
  dap_error err = {.rank = -1};
  Vec vec;
  for (int i = 0; i < COUNT; i++) {
    expect(!dap_layout_create(1, &dists[i], &layouts[i], &err), err.text);
    expect(!dap_array_init(&arrays[i], layouts[i], rank, type, DAP_ORDER_C, memory[i], &err), err.text);
    expect(!dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){layouts[i], &arrays[i]}, DAP_READ_WRITE, NULL,
                                 &views[i], &err),
           err.text);
  }
  expect(views[0].shared && !views[1].shared && views[2].ao, "one of each kind");
  pair pairs[2];
  get_pair(&pairs[0], dap_dist_even(4 * procs, procs), rank, type);
  get_pair(&pairs[1], dap_dist_cyclic(4 * procs, procs, 1), rank, type);
  expect(pairs[0].matrix.shared && !pairs[1].matrix.shared, "a shared and a moved pair");
  expect(!VecCreateMPI(MPI_COMM_WORLD, 3, PETSC_DECIDE, &vec), "vector");
  expect(!dap_petsc_vector_import(vec, &lent, NULL, &err), err.text);
  expect(!VecDestroy(&vec) && !PetscFinalize(), "finalise");
  MPI_Finalized(&over);
  expect(!over == has_mpi, "MPI is over too");
  for (int i = 0; i < COUNT; i++) {
    err = (dap_error){.rank = -1};
    const dap_status s = dap_petsc_vector_restore(&views[i], &err);
    expect_lost(s, &err, has_mpi, "restore");
    expect(!views[i].handle.view && !views[i].vec && !views[i].ao, "nothing is left");
    expect(dap_petsc_vector_restore(&views[i], &err) == DAP_OK, "restore again");
    dap_array_release(&arrays[i]);
    dap_layout_destroy(&layouts[i]);
  }
  for (int i = 0; i < 2; i++) restore_pair(&pairs[i], has_mpi);
  dap_array_release(&lent);
  expect(!lent.data && !lent.release, "release");
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

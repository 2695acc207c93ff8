/* Uses the PETSc adapter, with any PETSc: shares a C-order array as a field and computes its sum by PETSc. */
#include <dapbridge.h>
#include <dapbridge/petsc.h>
#include <stdio.h>

#ifdef PETSC_USE_COMPLEX
#define DTYPE DAP_C16
#else
#define DTYPE DAP_F8
#endif

enum { ROWS = 12, COLUMNS = 10 };

static dap_status fill(int rank, int nprocs, dap_layout **layout, dap_array *array, dap_error *err)
{
  const dap_dist dists[] = {dap_dist_even(ROWS, nprocs), dap_dist_even(COLUMNS, 1)};
  dap_status s = dap_layout_create(2, dists, layout, err);
  if (!s) s = dap_array_init(array, *layout, rank, DTYPE, DAP_ORDER_C, NULL, err);
  if (s) return s;
  PetscScalar *data = array->data;
  for (int64_t i = 0; i < dap_array_count(array); i++) data[i] = 0.5;
  return DAP_OK;
}

int main(int argc, char **argv)
{
  int rank, nprocs;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;

  dap_layout *layout = NULL;
  dap_array array = {0};
  dap_petsc_field field = {0};
  dap_error err = {0};
  const dap_petsc_field_options options = {.vectors = DAP_PETSC_GLOBAL};
  dap_status s = dap_agree(MPI_COMM_WORLD, fill(rank, nprocs, &layout, &array, &err), &err);
  if (!s)
    s = dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, &options, &field, &err);

  PetscScalar sum = 0;
  bool shared = false;
  if (!s) {
    const PetscScalar *data;
    if (VecSum(field.global, &sum) || VecGetArrayRead(field.global, &data)) sum = 0;
    shared = field.shared_global && (const void *)data == array.data;
    if (VecRestoreArrayRead(field.global, &data)) sum = 0;
    s = dap_petsc_field_restore(&field, &err);
  }
  int good = !s && shared && PetscRealPart(sum) == 0.5 * ROWS * COLUMNS;
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0)
    printf("petsc: %zu-byte numbers, %zu-byte indices, sum %g, status %s %s\n", sizeof(PetscScalar),
           sizeof(PetscInt), PetscRealPart(sum), dap_status_name(s), err.text);

  dap_array_release(&array);
  dap_layout_destroy(&layout);
  PetscFinalize();
  MPI_Finalize();
  return !good;
}

/* MATDENSE on the caller's buffer, and PETSc's own. */
#include "matrix_impl.h"

#include <stdlib.h>

static PetscErrorCode assemble(Mat mat)
{
  PetscCall(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
  return 0;
}

PetscErrorCode dap_dense_share(MPI_Comm comm, const dap_layout *layout, const dap_fit *fit, Mat *mat)
{
  const PetscInt rows = (PetscInt)dap_layout_size(layout, fit->cut);
  const PetscInt columns = (PetscInt)dap_layout_size(layout, 1 - fit->cut);
  const PetscInt here = (PetscInt)fit->owned;
  Mat dense = NULL;
  PetscCall(MatCreate(comm, &dense));
  *mat = dense;
  PetscCall(MatSetSizes(dense, here, rows == columns ? here : PETSC_DECIDE, rows, columns));
  PetscCall(MatSetType(dense, MATDENSE));
  /* Without gaps PETSc's own: it takes the 1 of a process without rows for a gap, and refuses on that one alone. */
  if (fit->gaps) PetscCall(MatDenseSetLDA(dense, (PetscInt)fit->lead));
  PetscCall(MatSeqDenseSetPreallocation(dense, fit->data)); /* each does nothing for the other type */
  PetscCall(MatMPIDenseSetPreallocation(dense, fit->data));
  PetscCall(assemble(dense));
  if (fit->gaps) PetscCall(dap_dense_repair(dense));
  if (fit->cut == 0) return 0;
  PetscCall(MatCreateTranspose(dense, mat));
  PetscCall(MatDestroy(&dense)); /* the view has a reference */
  return 0;
}

PetscErrorCode dap_dense_create(MPI_Comm comm, const dap_layout *layout, bool equal, Mat *mat)
{
  PetscInt size[2] = {(PetscInt)dap_layout_size(layout, 0), (PetscInt)dap_layout_size(layout, 1)};
  PetscInt here[2] = {PETSC_DECIDE, PETSC_DECIDE};
  for (int k = 0; k < 2 && equal; k++) PetscCall(PetscSplitOwnershipEqual(comm, &here[k], &size[k]));
  PetscCall(MatCreate(comm, mat));
  PetscCall(MatSetSizes(*mat, here[0], here[1], size[0], size[1]));
  PetscCall(MatSetType(*mat, MATDENSE));
  PetscCall(MatSetUp(*mat));
  return assemble(*mat);
}

static PetscErrorCode ask(Mat mat, PetscMPIInt *procs, const PetscInt **begins, PetscInt *columns,
                          PetscInt *lead)
{
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)mat), procs));
  PetscCall(MatGetOwnershipRanges(mat, begins));
  PetscCall(MatGetSize(mat, NULL, columns));
  PetscCall(MatDenseGetLDA(mat, lead));
  return 0;
}

dap_status dap_dense_layout(Mat mat, dap_layout **layout, int64_t strides[2], dap_error *err)
{
  PetscMPIInt procs = 0;
  PetscInt columns = 0, lead = 0;
  const PetscInt *begins = NULL;
  dap_catch caught;
  dap_catch_begin(&caught);
  const PetscErrorCode code = ask(mat, &procs, &begins, &columns, &lead);
  DAP_TRY(dap_catch_end(&caught, code, "asking the matrix for its layout", err));
  int64_t *lengths = calloc((size_t)procs, sizeof *lengths);
  DAP_REQUIRE(lengths, err, DAP_ERR_NOMEM, "no memory for %d processes", procs);
  for (int c = 0; c < procs; c++) lengths[c] = begins[c + 1] - begins[c];
  const dap_dist dist[2] = {dap_dist_lengths(begins[procs], procs, lengths), dap_dist_even(columns, 1)};
  const dap_status s = dap_layout_create(2, dist, layout, err);
  free(lengths);
  strides[0] = (int64_t)sizeof(PetscScalar);
  strides[1] = strides[0] * (lead > 1 ? lead : 1);
  return s;
}

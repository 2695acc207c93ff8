/* Makes a MATDENSE on the caller's buffer, or on PETSc's memory. */
#include "matrix_impl.h"

PetscErrorCode dap_dense_share(MPI_Comm comm, const dap_mat_block *block, Mat *mat)
{
  const PetscInt rows = (PetscInt)block->size[block->axis];
  const PetscInt columns = (PetscInt)block->size[1 - block->axis];
  const PetscInt here = (PetscInt)block->owned;
  Mat dense = NULL;
  PetscCall(MatCreate(comm, &dense));
  *mat = dense;
  PetscCall(MatSetSizes(dense, here, rows == columns ? here : PETSC_DECIDE, rows, columns));
  PetscCall(MatSetType(dense, MATDENSE));
  /* PETSc would take the 1 of a process without rows for a gap, and refuse on that process only. */
  if (block->has_gaps) PetscCall(MatDenseSetLDA(dense, (PetscInt)block->lead));
  PetscCall(MatSeqDenseSetPreallocation(dense, block->data)); /* does nothing for the other type */
  PetscCall(MatMPIDenseSetPreallocation(dense, block->data));
  PetscCall(dap_mat_assemble(dense));
  if (block->has_gaps) PetscCall(dap_dense_repair(dense));
  if (block->axis == 0) return 0;
  *mat = NULL;
  const PetscErrorCode code = MatCreateTranspose(dense, mat);
  PetscCall(MatDestroy(&dense)); /* the view has a reference */
  return code;
}

PetscErrorCode dap_dense_create(MPI_Comm comm, const int64_t sizes[2], bool equal, Mat *mat)
{
  PetscInt size[2] = {(PetscInt)sizes[0], (PetscInt)sizes[1]};
  PetscInt here[2] = {PETSC_DECIDE, PETSC_DECIDE};
  for (int k = 0; k < 2 && equal; k++) PetscCall(PetscSplitOwnershipEqual(comm, &here[k], &size[k]));
  PetscCall(MatCreate(comm, mat));
  PetscCall(MatSetSizes(*mat, here[0], here[1], size[0], size[1]));
  PetscCall(MatSetType(*mat, MATDENSE));
  PetscCall(MatSetUp(*mat));
  return dap_mat_assemble(*mat);
}

/* PetscSplitOwnership() gives the first processes one more; PetscSplitOwnershipEqual() divides by ceiling. */
dap_status dap_dense_expect(const int64_t sizes[2], int nprocs, bool equal, dap_layout **layout,
                            dap_error *err)
{
  const dap_dist rows = equal ? dap_dist_ceil(sizes[0], nprocs) : dap_dist_even(sizes[0], nprocs);
  const dap_dist dist[2] = {rows, dap_dist_even(sizes[1], 1)};
  return dap_layout_create(2, dist, layout, err);
}

static PetscErrorCode query_layout(Mat mat, PetscMPIInt *procs, const PetscInt **begins, PetscInt *columns,
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
  DAP_TRY(DAP_CATCH(query_layout(mat, &procs, &begins, &columns, &lead), "asking the matrix for its layout",
                    err));
  strides[0] = (int64_t)sizeof(PetscScalar);
  strides[1] = strides[0] * (lead > 1 ? lead : 1);
  return dap_petsc_layout_of(2, begins, procs, columns, layout, err);
}

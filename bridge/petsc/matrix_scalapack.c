/* Makes MATSCALAPACK matrices, and finds their layouts. PETSc does not tell where their memory is, so
 * MatConvert() moves elements to and from a MATDENSE in equal ranges of rows, by p?gemr2d
 * (src/mat/impls/scalapack/matscalapack.c). To set them one by one (MatSetValues) took four times as long. */
#include "matrix_impl.h"

#include <inttypes.h>

#if defined(PETSC_HAVE_SCALAPACK)
enum { HAS_SCALAPACK = true };
#else /* dap_matscalapack_check() refuses, so these are never called */
enum { HAS_SCALAPACK = false };
#define MatCreateScaLAPACK(comm, mb, nb, m, n, row, col, mat) ((void)(comm), (void)(mat), PETSC_ERR_SUP)
#define MatScaLAPACKSetBlockSizes(mat, mb, nb) ((void)(mb), (void)(nb), PETSC_ERR_SUP)
#define MatScaLAPACKGetBlockSizes(mat, mb, nb) ((void)(mb), (void)(nb), PETSC_ERR_SUP)
#endif

/* MatSetUp() demands that ranges of PetscSplitOwnershipEqual() are equal on all processes except the last. */
dap_status dap_matscalapack_check(const int64_t sizes[2], int nprocs, dap_error *err)
{
  DAP_REQUIRE(HAS_SCALAPACK, err, DAP_ERR_UNSUPPORTED, "this PETSc has no MATSCALAPACK");
  for (int k = 0; k < 2; k++) {
    const int64_t each = sizes[k] / nprocs + (sizes[k] % nprocs > 0);
    DAP_REQUIRE(sizes[k] <= DAP_BLAS_MAX, err, DAP_ERR_RANGE,
                "axis %d: %" PRId64 " elements exceed ScaLAPACK's integers", k, sizes[k]);
    DAP_REQUIRE(each * (nprocs - 1) <= sizes[k], err, DAP_ERR_UNSUPPORTED,
                "axis %d: MATSCALAPACK cannot spread %" PRId64
                " elements over %d processes: ranges of %" PRId64 " leave nothing to more than the last",
                k, sizes[k], nprocs, each);
  }
  return DAP_OK;
}

/* Keeps a matrix that could not be made from crashing when it is destroyed, on half a process grid. */
static PetscErrorCode disarm(const Mat *mat, PetscErrorCode code)
{
  if (code && *mat) (void)MatSetOperation(*mat, MATOP_DESTROY, NULL);
  return code;
}

PetscErrorCode dap_matscalapack_create(MPI_Comm comm, const int64_t sizes[2], const int64_t block_size[2],
                                       Mat *mat)
{
  PetscInt size[2] = {(PetscInt)sizes[0], (PetscInt)sizes[1]};
  PetscInt here[2] = {PETSC_DECIDE, PETSC_DECIDE}, block[2] = {0};
  for (int k = 0; k < 2; k++) PetscCall(PetscSplitOwnershipEqual(comm, &here[k], &size[k]));
  PetscCall(MatCreate(comm, mat));
  PetscCall(MatSetSizes(*mat, here[0], here[1], size[0], size[1]));
  PetscCall(disarm(mat, MatSetType(*mat, MATSCALAPACK)));
  for (int k = 0; k < 2; k++) block[k] = block_size[k] > 0 ? (PetscInt)block_size[k] : PETSC_DECIDE;
  if (block_size[0] > 0 || block_size[1] > 0) PetscCall(MatScaLAPACKSetBlockSizes(*mat, block[0], block[1]));
  PetscCall(MatSetUp(*mat));
  return dap_mat_assemble(*mat);
}

/* The conversion forbids entries from other processes, which is undone here. */
PetscErrorCode dap_matscalapack_fill(Mat mat, Mat dense)
{
  PetscCall(MatConvert(dense, MATSCALAPACK, MAT_REUSE_MATRIX, &mat));
  return MatSetOption(mat, MAT_NO_OFF_PROC_ENTRIES, PETSC_FALSE);
}

PetscErrorCode dap_matscalapack_read(Mat mat, Mat *dense)
{
  return MatConvert(mat, MATDENSE, MAT_INITIAL_MATRIX, dense);
}

/* ---- the layout ------------------------------------------------------------------------------------ */

typedef struct facts {
  PetscInt size[2], block[2];
  PetscMPIInt nprocs, procs[2], first[2];
} facts;

/* Finds the first index of this process; -1: there is none. */
static PetscErrorCode first_of(IS is, PetscInt *first)
{
  const PetscInt *indices = NULL;
  PetscInt count = 0;
  PetscCall(ISGetLocalSize(is, &count));
  PetscCall(ISGetIndices(is, &indices));
  *first = count > 0 ? indices[0] : -1;
  return ISRestoreIndices(is, &indices);
}

/* PETSc does not tell the process grid. But all matrices on a communicator have the same one. In blocks of
 * 1, a process has as many rows of a matrix with a row and a column for each process as the grid has
 * columns. */
static PetscErrorCode find_grid(MPI_Comm comm, facts *f)
{
  Mat probe = NULL;
  IS rows = NULL;
  PetscInt count = 0;
  PetscErrorCode code = disarm(&probe, MatCreateScaLAPACK(comm, 1, 1, f->nprocs, f->nprocs, 0, 0, &probe));
  if (!code) code = MatGetOwnershipIS(probe, &rows, NULL);
  if (!code) code = ISGetLocalSize(rows, &count);
  const PetscErrorCode last[] = {ISDestroy(&rows), MatDestroy(&probe)};
  for (int k = 0; k < 2 && !code; k++) code = last[k];
  PetscCall(code);
  f->procs[1] = (PetscMPIInt)count;
  f->procs[0] = f->nprocs / f->procs[1];
  return 0;
}

/* The grid's ranks are row-major. The process with row or column 0 is the first along that axis. */
static PetscErrorCode query_layout(Mat mat, facts *f)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)mat);
  IS is[2] = {NULL, NULL};
  PetscMPIInt rank = 0, mine[2] = {0};
  PetscCallMPI(MPI_Comm_size(comm, &f->nprocs));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(MatGetSize(mat, &f->size[0], &f->size[1]));
  PetscCall(MatScaLAPACKGetBlockSizes(mat, &f->block[0], &f->block[1]));
  PetscCall(find_grid(comm, f));
  PetscErrorCode code = MatGetOwnershipIS(mat, &is[0], &is[1]);
  for (int k = 0; k < 2; k++) {
    PetscInt first = -1;
    if (!code) code = first_of(is[k], &first);
    if (first == 0) mine[k] = k == 0 ? rank / f->procs[1] : rank % f->procs[1];
    const PetscErrorCode last = ISDestroy(&is[k]);
    if (!code) code = last;
  }
  PetscCallMPI(
      MPI_Allreduce(mine, f->first, 2, MPI_INT, MPI_MAX, comm)); /* also after an error: others wait */
  return code;
}

/* p?gemr2d counts the bytes of a process in 32 bits, and ends the program if that is not enough. */
static dap_status check_bytes(const dap_layout *layout, dap_error *err)
{
  int64_t most[2] = {0};
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < dap_layout_procs(layout, k); c++)
      if (dap_layout_owned(layout, k, c) > most[k]) most[k] = dap_layout_owned(layout, k, c);
  const int64_t rows = dap_layout_size(layout, 0) / dap_layout_nprocs(layout) + 1;
  const int64_t limit = INT32_MAX / (int64_t)sizeof(PetscScalar), columns = dap_layout_size(layout, 1);
  DAP_REQUIRE((most[0] == 0 || most[1] <= limit / most[0]) && columns <= limit / rows, err, DAP_ERR_RANGE,
              "a MATSCALAPACK of %" PRId64 " x %" PRId64
              " elements has more than 2^31 - 1 bytes on one process, "
              "which p?gemr2d cannot move",
              dap_layout_size(layout, 0), columns);
  return DAP_OK;
}

dap_status dap_matscalapack_layout(Mat mat, dap_layout **layout, dap_error *err)
{
  facts f = {.nprocs = 1};
  DAP_TRY(DAP_CATCH(query_layout(mat, &f), "asking the matrix for its layout", err));
  dap_dist dist[2];
  for (int k = 0; k < 2; k++) {
    dist[k] = dap_dist_cyclic(f.size[k], f.procs[k], f.block[k]);
    dist[k].first_owner = f.first[k];
  }
  DAP_TRY(dap_layout_create(2, dist, layout, err));
  return check_bytes(*layout, err);
}

/* Any vector with memory of its own as an array of one axis. */
#include "import_impl.h"

#include <dapbridge/petsc_vector.h>
#include <stdlib.h>

/* Types whose entries lie in one piece of memory of each process. */
static PetscErrorCode query_type(Vec vector, PetscBool *is_plain, VecType *type)
{
  PetscCall(VecGetType(vector, type));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)vector, is_plain, VECSEQ, VECMPI, ""));
  return 0;
}

static dap_status check_type(Vec vector, dap_error *err)
{
  PetscBool is_plain = PETSC_FALSE;
  VecType type = NULL;
  DAP_TRY(DAP_CATCH(query_type(vector, &is_plain, &type), "asking the vector for its type", err));
  DAP_REQUIRE(is_plain, err, DAP_ERR_UNSUPPORTED,
              "a vector of type %s has no memory that an array could be; those of types %s and %s have",
              type ? type : "none", VECSEQ, VECMPI);
  return DAP_OK;
}

static dap_status make_layout(Vec vector, int procs, dap_layout **layout, dap_error *err)
{
  const PetscInt *ranges = NULL;
  DAP_TRY(DAP_CATCH(VecGetOwnershipRanges(vector, &ranges), "asking the vector for its ranges", err));
  int64_t *lengths = calloc((size_t)procs, sizeof *lengths);
  DAP_REQUIRE(lengths, err, DAP_ERR_NOMEM, "no memory for %d processes", procs);
  for (int c = 0; c < procs; c++) lengths[c] = (int64_t)ranges[c + 1] - ranges[c];
  const dap_dist dist = dap_dist_lengths(ranges[procs], procs, lengths);
  const dap_status s = dap_layout_create(1, &dist, layout, err);
  free(lengths);
  return s;
}

static dap_status describe(MPI_Comm comm, Vec vector, const dap_array *array, dap_layout **layout, int *rank,
                           dap_error *err)
{
  int procs = 0;
  DAP_REQUIRE(array, err, DAP_ERR_ARG, "array is NULL");
  DAP_TRY(check_type(vector, err));
  DAP_TRY(dap_petsc_mpi(MPI_Comm_rank(comm, rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_petsc_mpi(MPI_Comm_size(comm, &procs), "MPI_Comm_size", err));
  return make_layout(vector, procs, layout, err);
}

dap_status dap_petsc_vector_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  DAP_TRY(dap_import_begin(vector, "vector", array, layout, err));
  MPI_Comm comm = PetscObjectComm((PetscObject)vector);
  dap_layout *made = NULL;
  int rank = 0;
  dap_status s =
      dap_agree_call(comm, "dap_petsc_vector_import", describe(comm, vector, array, &made, &rank, err), err);
  if (!s) s = dap_import_vec(vector, made, rank, array, err);
  return dap_import_end(comm, s, made, array, layout, err);
}

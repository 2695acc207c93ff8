/* Gives any vector with memory of its own as an array of one axis. */
#include "import_impl.h"

#include <dapbridge/petsc_vector.h>

/* Only these types have their entries in one piece of memory of each process. */
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

static dap_status describe(dap_import *import, dap_error *err)
{
  Vec vector = (Vec)import->object;
  const PetscInt *begins = NULL;
  int procs = 0;
  DAP_TRY(check_type(vector, err));
  DAP_TRY(dap_petsc_mpi(MPI_Comm_size(import->comm, &procs), "MPI_Comm_size", err));
  DAP_TRY(DAP_CATCH(VecGetOwnershipRanges(vector, &begins), "asking the vector for its ranges", err));
  return dap_petsc_layout_of(1, begins, procs, 1, &import->layout, err);
}

dap_status dap_petsc_vector_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err)
{
  static const dap_import_type type = {
      .name = "vector", .function = "dap_petsc_vector_import", .describe = describe, DAP_IMPORT_VECTOR};
  return dap_import_run(&type, (PetscObject)vector, array, layout, err);
}

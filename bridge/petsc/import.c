/* Vectors of a DMDA as arrays that share their memory. */
#include "import_impl.h"

#include <dapbridge/petsc_vector.h>
#include <inttypes.h>

static dap_status count_entries(Vec vector, int64_t *entries, dap_error *err)
{
  PetscInt count = 0;
  DAP_TRY(DAP_CATCH(VecGetLocalSize(vector, &count), "asking the vector for its size", err));
  *entries = count;
  return DAP_OK;
}

/* ---- global ----------------------------------------------------------------------------------------- */

/* The vector is a global one of its DMDA. */
static dap_status check_global(Vec vector, const dap_facts *f, dap_error *err)
{
  int same = MPI_UNEQUAL;
  int64_t entries = 0;
  const int code =
      MPI_Comm_compare(PetscObjectComm((PetscObject)vector), PetscObjectComm((PetscObject)f->dm), &same);
  DAP_TRY(dap_petsc_mpi(code, "MPI_Comm_compare", err));
  DAP_TRY(count_entries(vector, &entries, err));
  const int64_t points = (int64_t)f->length[0] * f->length[1] * f->length[2] * f->dof;
  DAP_REQUIRE((same == MPI_IDENT || same == MPI_CONGRUENT) && entries == points, err, DAP_ERR_ARG,
              "the vector has %" PRId64 " entries here, a global vector of its DMDA has %" PRId64
              " on all processes of the DMDA",
              entries, points);
  return DAP_OK;
}

static dap_status describe_global(Vec vector, const dap_array *array, dap_layout **layout, int *rank,
                                  dap_error *err)
{
  dap_facts f;
  DAP_REQUIRE(array, err, DAP_ERR_ARG, "array is NULL");
  DAP_TRY(dap_facts_query(vector, &f, err));
  DAP_TRY(check_global(vector, &f, err));
  DAP_TRY(dap_facts_layout(&f, false, layout, err));
  const int code = MPI_Comm_rank(PetscObjectComm((PetscObject)vector), rank);
  DAP_TRY(dap_petsc_mpi(code, "MPI_Comm_rank", err));
  return dap_facts_check(&f, false, *layout, *rank, err);
}

dap_status dap_petsc_field_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  DAP_TRY(dap_import_begin(vector, "vector", array, layout, err));
  MPI_Comm comm = PetscObjectComm((PetscObject)vector);
  dap_layout *made = NULL;
  int rank = 0;
  dap_status s = describe_global(vector, array, &made, &rank, err);
  s = dap_agree_call(comm, "dap_petsc_field_import", s, err);
  if (!s) s = dap_import_vec(vector, made, rank, array, err);
  return dap_import_end(comm, s, made, array, layout, err);
}

/* ---- local ------------------------------------------------------------------------------------------ */

/* The vector is a local one of its DMDA. */
static dap_status check_local(Vec vector, const dap_facts *f, dap_error *err)
{
  int size = 0;
  int64_t entries = 0;
  const int code = MPI_Comm_size(PetscObjectComm((PetscObject)vector), &size);
  DAP_TRY(dap_petsc_mpi(code, "MPI_Comm_size", err));
  DAP_TRY(count_entries(vector, &entries, err));
  const int64_t points = (int64_t)f->ghost_length[0] * f->ghost_length[1] * f->ghost_length[2] * f->dof;
  DAP_REQUIRE(size == 1 && entries == points, err, DAP_ERR_ARG,
              "the vector has %" PRId64 " entries here, on a communicator of %d, a local vector of its DMDA "
              "has %" PRId64 " on one of its own",
              entries, size, points);
  return DAP_OK;
}

static dap_status import_local(Vec local, const dap_facts *f, dap_array *array, dap_layout **layout,
                               dap_error *err)
{
  int rank = 0;
  DAP_REQUIRE(array, err, DAP_ERR_ARG, "array is NULL");
  DAP_TRY(check_local(local, f, err));
  DAP_TRY(dap_facts_layout(f, true, layout, err));
  const int code = MPI_Comm_rank(PetscObjectComm((PetscObject)f->dm), &rank);
  DAP_TRY(dap_petsc_mpi(code, "MPI_Comm_rank", err));
  DAP_TRY(dap_facts_check(f, true, *layout, rank, err));
  return dap_import_vec(local, *layout, rank, array, err);
}

dap_status dap_petsc_field_import_local(Vec local, dap_array *array, dap_layout **layout, dap_error *err)
{
  dap_error text = {.rank = -1};
  dap_facts f = {.dm = NULL};
  if (!err) err = &text;
  DAP_TRY(dap_import_begin(local, "local", array, layout, err));
  dap_status s = dap_facts_query(local, &f, err);
  if (s == DAP_ERR_ARG || !f.dm) return s; /* without a DMDA there is nobody to agree with */
  dap_layout *made = NULL;
  if (!s) s = import_local(local, &f, array, &made, err);
  return dap_import_end(PetscObjectComm((PetscObject)f.dm), s, made, array, layout, err);
}

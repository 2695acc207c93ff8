/* Gives vectors of a DMDA as arrays that share their memory. */
#include "import_impl.h"

#include <dapbridge/petsc_vector.h>
#include <inttypes.h>

/* Checks that the vector is a local one of its DMDA, with ghosts, or a global one. */
static dap_status check_vector(Vec vector, const dap_facts *f, bool ghosts, dap_error *err)
{
  MPI_Comm wanted = ghosts ? MPI_COMM_SELF : PetscObjectComm((PetscObject)f->dm);
  const PetscInt *length = ghosts ? f->ghost_length : f->length;
  const int64_t points = (int64_t)length[0] * length[1] * length[2] * f->dof;
  int same = MPI_UNEQUAL;
  PetscInt entries = 0;
  DAP_TRY(dap_petsc_mpi(MPI_Comm_compare(PetscObjectComm((PetscObject)vector), wanted, &same),
                        "MPI_Comm_compare", err));
  DAP_TRY(DAP_CATCH(VecGetLocalSize(vector, &entries), "asking the vector for its size", err));
  DAP_REQUIRE((same == MPI_IDENT || same == MPI_CONGRUENT) && entries == points, err, DAP_ERR_ARG,
              "the vector has %" PRId64 " entries here, a %s vector of its DMDA has %" PRId64 " on %s",
              (int64_t)entries, ghosts ? "local" : "global", points,
              ghosts ? "each process alone" : "all processes of the DMDA");
  return DAP_OK;
}

static dap_status describe(dap_import *import, dap_error *err)
{
  const bool ghosts = import->type->is_local;
  dap_facts f;
  DAP_TRY(dap_facts_query((Vec)import->object, &f, err));
  DAP_TRY(check_vector((Vec)import->object, &f, ghosts, err));
  DAP_TRY(dap_facts_layout(&f, ghosts, &import->layout, err));
  return dap_facts_check(&f, ghosts, import->layout, import->rank, err);
}

static dap_status find_comm(dap_import *import, dap_error *err)
{
  dap_facts f = {.dm = NULL};
  const dap_status s = dap_facts_query((Vec)import->object, &f, err);
  if (f.dm && s != DAP_ERR_ARG) import->comm = PetscObjectComm((PetscObject)f.dm);
  return s;
}

dap_status dap_petsc_field_import(Vec vector, dap_array *array, dap_layout **layout, dap_error *err)
{
  static const dap_import_type type = {
      .name = "vector", .function = "dap_petsc_field_import", .describe = describe, DAP_IMPORT_VECTOR};
  return dap_import_run(&type, (PetscObject)vector, array, layout, err);
}

dap_status dap_petsc_field_import_local(Vec local, dap_array *array, dap_layout **layout, dap_error *err)
{
  static const dap_import_type type = {.name = "local",
                                       .function = "dap_petsc_field_import_local",
                                       .find_comm = find_comm,
                                       .describe = describe,
                                       .is_local = true,
                                       DAP_IMPORT_VECTOR};
  return dap_import_run(&type, (PetscObject)local, array, layout, err);
}

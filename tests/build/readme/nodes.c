/* Compiles code of bridge/docs/petsc.md: a ghosted vector. */
#include <dapbridge/petsc_vector.h>

int nodes(MPI_Comm comm, int64_t size, int procs, const int64_t lengths[], const int64_t owned[],
          const int64_t *const indices[], dap_darray array, const PetscInt tetrahedron[4],
          const PetscScalar forces[12], int fail(const dap_error *))
{
  dap_error err;
#include "nodes.inc"
  (void)dists;
  return dap_petsc_vector_restore(&v, &err) ? fail(&err) : 0;
}

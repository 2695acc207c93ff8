/* PETSc's binary file of a vector. */
#include <dapbridge/petsc_vector.h>

dap_status save_vector(MPI_Comm comm, dap_darray a, dap_error *err);

#include "files_petsc.inc"

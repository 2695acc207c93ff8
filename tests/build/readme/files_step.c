/* A step of an HDF5 dataset. */
#include <dapbridge/hdf5.h>

dap_status save_step(MPI_Comm comm, dap_darray u, dap_error *err);

#include "files_step.inc"

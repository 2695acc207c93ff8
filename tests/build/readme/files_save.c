/* The page's checkpoint. */
#include <dapbridge/shared.h>

dap_status save(MPI_Comm comm, dap_darray a, dap_error *err);
dap_status restart(MPI_Comm comm, dap_layout **layout, dap_array *local, dap_error *err);

#include "files_save.inc"

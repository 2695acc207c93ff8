/* Rows of a file. */
#include <dapbridge/file.h>

dap_status load_rows(MPI_Comm comm, dap_darray rows, dap_error *err);

#include "files_part.inc"

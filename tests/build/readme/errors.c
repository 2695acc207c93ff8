#include <dapbridge/linalg.h>

dap_status solve_or_say_why(MPI_Comm comm, dap_darray a, dap_darray b);

#include "errors.inc"

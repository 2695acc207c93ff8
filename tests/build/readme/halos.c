#include <dapbridge/plan.h>

void compute(const dap_array *local);
dap_status steps(MPI_Comm comm, dap_darray u, int count, dap_error *err);

#include "halos.inc"

#include <dapbridge/plan.h>

void compute(const dap_array *local);
dap_status steps(MPI_Comm comm, int64_t n, int count, dap_error *err);

#include "halos.inc"

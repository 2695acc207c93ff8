#include <dapbridge/plan.h>

void compute(const dap_array *local);

#include "halos.inc"

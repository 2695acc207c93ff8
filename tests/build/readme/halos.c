/* Compiles code of bridge/docs/halos.md: functions that update halos. */
#include <dapbridge/plan.h>

void compute(const dap_array *local);

#include "halos.inc"

/* The dense solve of linalg.md. */
#include <dapbridge/linalg.h>

void fill(dap_array *a, dap_array *b);
dap_status solve(int rank, int64_t n, dap_error *err);

#include "solve.inc"

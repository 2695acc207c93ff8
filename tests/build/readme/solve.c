/* The dense solve of linalg.md. */
#include <dapbridge/linalg.h>

void fill(dap_array *a, dap_array *b);

#include "solve.inc"

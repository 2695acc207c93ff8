/* Compiles code of bridge/docs/linalg.md: a dense solve. */
#include <dapbridge/linalg.h>

void fill(dap_array *a, dap_array *b);

#include "solve.inc"

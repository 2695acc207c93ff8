/* Converts all element types to and from double. */
#include "convert.h"

typedef double working;

#define half_of dap_half_of
#define REAL_TABLE dap_working_double
#include "convert_real.h"

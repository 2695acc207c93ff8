/* Converts all element types to and from long double. */
#include "convert.h"

typedef long double working;

#define half_of dap_half_of_long
#define REAL_TABLE dap_working_long_double
#include "convert_real.h"

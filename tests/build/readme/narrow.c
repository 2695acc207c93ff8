/* Compiles code of bridge/docs/petsc.md: "Say which points your operator has". */
#include <dapbridge/petsc.h>

dap_status narrow(dap_darray array, dap_petsc_field *field, dap_error *err)
{
#include "narrow.inc"
  return dap_petsc_field_get(PETSC_COMM_WORLD, array, DAP_READ_WRITE, &options, field, err);
}

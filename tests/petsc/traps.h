/* What the trap tests share: an array of two axes over all processes, whose elements have the values of their
 * indices. */
#ifndef DAP_TRAPS_H
#define DAP_TRAPS_H

#include "field_test.h"

void traps_make(dap_dist rows, dap_dist columns, dap_order order, dap_layout **layout, dap_array *array);
void traps_drop(dap_layout **layout, dap_array *array);

/* As a field, to read and write. */
dap_status traps_get(const dap_layout *layout, const dap_array *array, const dap_petsc_field_options *options,
                     dap_petsc_field *field, dap_error *err);

/* Calls `work` for each element of this process's buffer, with its indices and whether it owns it. */
typedef void traps_visitor(PetscScalar *at, const int64_t global[2], bool owned, void *context);
void traps_visit(const dap_layout *layout, const dap_array *array, traps_visitor *work, void *context);

#endif

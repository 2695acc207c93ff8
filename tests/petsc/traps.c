/* The array of the trap tests. */
#include "traps.h"

void traps_make(dap_dist rows, dap_dist columns, dap_order order, dap_layout **layout, dap_array *array)
{
  const dap_dist dists[] = {rows, columns};
  dap_error err;
  EXPECT_OK(dap_layout_create(2, dists, layout, &err), &err);
  EXPECT_OK(dap_array_init(array, *layout, test_rank(), scalar_dtype(), order, NULL, &err), &err);
  fill_global(*layout, test_rank(), array);
}

void traps_drop(dap_layout **layout, dap_array *array)
{
  dap_array_release(array);
  dap_layout_destroy(layout);
}

dap_status traps_get(const dap_layout *layout, const dap_array *array, const dap_petsc_field_options *options,
                     dap_petsc_field *field, dap_error *err)
{
  return dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, array}, DAP_READ_WRITE, options, field,
                             err);
}

void traps_visit(const dap_layout *layout, const dap_array *array, traps_visitor *work, void *context)
{
  for (int64_t i = 0; i < array->shape[0]; i++)
    for (int64_t j = 0; j < array->shape[1]; j++) {
      const int64_t local[2] = {i, j};
      int64_t global[2];
      bool owned = false;
      char *at = (char *)array->data + i * array->strides[0] + j * array->strides[1];
      EXPECT_OK(dap_layout_globalize(layout, test_rank(), local, global, &owned, NULL), NULL);
      work((PetscScalar *)(void *)at, global, owned, context);
    }
}

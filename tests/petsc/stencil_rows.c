/* Arrays of the rows, and their fields. */
#include "stencil_rows.h"

dap_layout *stencil_lay(const stencil_row *r, dap_error *err)
{
  dap_layout *layout = NULL;
  dap_dist dist[4];
  for (int k = 0; k < r->ndim + r->dof_axes; k++) {
    const int procs = k == 0 ? test_nprocs() : 1;
    dist[k] = k < r->ndim ? dap_dist_padded(r->size[k], procs, r->halo) : dap_dist_local(r->size[k]);
    dist[k].periodic = dist[k].wraps = k < r->ndim && r->periodic;
  }
  EXPECT_OK(dap_layout_create(r->ndim + r->dof_axes, dist, &layout, err), err);
  return layout;
}

dap_petsc_field_options stencil_options(const stencil_row *r)
{
  return (dap_petsc_field_options){.sharing = DAP_SHARE_OR_FAIL,
                                   .vectors = DAP_PETSC_LOCAL,
                                   .width = r->halo, /* one process has no halo to see it by */
                                   .star = r->star,
                                   .dof_axes = r->dof_axes,
                                   .matrix_width = r->matrix_width,
                                   .matrix_star = r->matrix_star};
}

bool stencil_make(const stencil_row *r, const dap_petsc_field_options *options, stencil_field *m)
{
  dap_error err = {0};
  *m = (stencil_field){.layout = stencil_lay(r, &err)};
  EXPECT_OK(dap_array_init(&m->array, m->layout, test_rank(), scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
  return EXPECT_OK(dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){m->layout, &m->array}, DAP_READ_WRITE,
                                       options, &m->field, &err),
                   &err);
}

void stencil_end(stencil_field *m)
{
  dap_error err = {0};
  EXPECT_OK(dap_petsc_field_restore(&m->field, &err), &err);
  dap_array_release(&m->array);
  dap_layout_destroy(&m->layout);
}

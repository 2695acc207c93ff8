/* Converts results that are numbers of columns: C counts them from 0, Fortran from 1. */
#include "fortran_linalg_call.h"

/* C stores numbers in all elements except the communication padding. */
void dap_f_count_from_1(const dap_f_array *p)
{
  if (!p || !dap_f_array_has_part(p) || dap_array_count(&p->local) == 0) return;
  int coords[DAP_MAX_NDIM];
  int64_t halo[2];
  dap_layout_coords(p->layout, p->rank, coords);
  dap_layout_halo(p->layout, 0, coords[0], halo);
  for (int64_t i = halo[0]; i < p->local.shape[0] - halo[1]; i++) {
    void *number = (char *)p->local.data + i * p->local.strides[0];
    if (p->dtype == DAP_I8)
      ++*(int64_t *)number;
    else
      ++*(int32_t *)number;
  }
}

/* The first look at a tall matrix and at B: are their elements finite, and how large are they? */
#include "tsqr_impl.h"

#include <inttypes.h>
#include <math.h>

/* Says where the chunk that was read, number `c`, has an element that is not finite. */
static dap_status place(const dap_linalg_call *call, const dap_tsqr *t, int64_t c, const dap_layout *layout,
                        dap_error *err)
{
  const int64_t item = dap_dtype_size(call->lib->dtype), total = t->rows * t->n;
  int64_t at = 0, local[2], global[2];
  while (at < total && isfinite(dap_linalg_largest_part(call, (const char *)t->chunk.v + at * item, 1))) at++;
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, call->rank, coords);
  local[t->along] = c * t->rows + at % t->rows;
  local[1 - t->along] = at / t->rows;
  for (int k = 0; k < 2; k++) {
    int64_t halo[2];
    dap_layout_halo(layout, k, coords[k], halo);
    local[k] += halo[0];
  }
  DAP_TRY(dap_layout_globalize(layout, call->rank, local, global, NULL, err));
  return dap_fail(err, DAP_ERR_NUMERIC, "%s has an element that is not finite, at (%" PRId64 ", %" PRId64 ")",
                  call->arguments.operands[0].name, global[0], global[1]);
}

static dap_status scan(const dap_linalg_call *call, const dap_tsqr *t, const dap_layout *layout, double *most,
                       dap_error *err)
{
  for (int64_t c = 0; c < t->chunks; c++) {
    DAP_TRY(dap_tsqr_read(t, &t->from, c, t->chunk.v, err));
    const double size = dap_linalg_largest_part(call, t->chunk.v, t->rows * t->n);
    if (!isfinite(size)) return place(call, t, c, layout, err);
    *most = fmax(*most, size);
  }
  return DAP_OK;
}

dap_status dap_tsqr_scan(dap_linalg_call *call, const dap_tsqr *t, const dap_layout *layout, double *most)
{
  *most = 0;
  DAP_TRY(dap_agree(call->comm, scan(call, t, layout, most, call->err), call->err));
  return dap_linalg_most(call, most, 1);
}

static dap_status scan_beside(const dap_linalg_call *call, const dap_tsqr *t, double *most, dap_error *err)
{
  for (int64_t c = 0; c < t->chunks; c++) {
    DAP_TRY(dap_tsqr_read(t, &t->beside, c, t->chunk.v, err));
    const double size = dap_linalg_largest_part(call, t->chunk.v, t->rows * t->nrhs);
    *most = isfinite(size) ? fmax(*most, size) : INFINITY;
  }
  return DAP_OK;
}

dap_status dap_tsqr_scan_beside(dap_linalg_call *call, const dap_tsqr *t, double *most)
{
  *most = 0;
  DAP_TRY(dap_agree(call->comm, scan_beside(call, t, most, call->err), call->err));
  DAP_TRY(dap_linalg_most(call, most, 1));
  if (!isfinite(*most)) *most = 0;
  return DAP_OK;
}

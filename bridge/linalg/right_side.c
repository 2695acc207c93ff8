/* Right-hand sides. As a matrix is solved with from the left or from the right, they can be shared whether
 * they lie on its grid as they are, or transposed. */
#include "system_impl.h"

dap_status dap_linalg_view_right_side(dap_linalg_call *call, int i, const dap_scalapack_matrix *like,
                                      dap_scalapack_matrix **view)
{
  /* trsm and lapiv take any blocks, from any process on */
  dap_scalapack_options options = {.aligned_with = like,
                                   .needs = {.any_sources = true, .align = DAP_ALIGN_GRID}};
  const char ops[2] = {like->op, like->op == 'N' ? 'T' : 'N'};
  for (int k = 0; k < 2; k++) {
    options.op = ops[k];
    const dap_status status = dap_linalg_share(call, i, &options, view);
    if (status != DAP_ERR_SHARE) return status;
  }
  options.op = 'N';
  return dap_linalg_view(call, i, &options, view);
}

void dap_linalg_triangular(const dap_linalg_call *call, char uplo, char trans, char diag,
                           const dap_scalapack_matrix *a, const dap_scalapack_matrix *s)
{
  const char side = dap_linalg_side(s);
  call->lib->trsm(&side, &uplo, &trans, &diag, &s->m, &s->n, call->lib->one, a->data, &a->ia, &a->ja, a->desc,
                  s->data, &s->ia, &s->ja, s->desc);
}

/* Computes C = alpha op(A) op(B) + beta C. */
#include "system_impl.h"

enum { A, B, C, OPERANDS };

dap_linalg_scalar dap_linalg_scalar_of(const char *name, const double given[2], double otherwise)
{
  return (dap_linalg_scalar){name, {given ? given[0] : otherwise, given ? given[1] : 0}};
}

dap_linalg_number dap_linalg_number_of(const dap_linalg_call *call, const double parts[2])
{
  if (call->lib->real == DAP_F4) return (dap_linalg_number){.singles = {(float)parts[0], (float)parts[1]}};
  return (dap_linalg_number){.doubles = {parts[0], parts[1]}};
}

/* Sorts operands by descending size, with C first among equals. The first one is the last to be moved. */
static void sort_by_size(const dap_linalg_call *call, int order[OPERANDS])
{
  static const int usual[OPERANDS] = {C, A, B};
  for (int i = 0; i < OPERANDS; i++) {
    int at = i;
    const int64_t count = dap_layout_count(call->arguments.operands[usual[i]].operand.layout);
    for (; at > 0 && dap_layout_count(call->arguments.operands[order[at - 1]].operand.layout) < count; at--)
      order[at] = order[at - 1];
    order[at] = usual[i];
  }
}

static bool is_conjugated(const dap_linalg_call *call, int i)
{
  return i != C && dap_linalg_chosen(call, i) == 'C' && dap_linalg_is_complex(call);
}

/* A view with op 'T' is the transposed array, so it goes in with the other TRANS. If C's view has op 'T', the
 * transposed product op(B)^T op(A)^T is computed. gemm then has a conjugate transpose only of operands that
 * are seen like C. So operands that are conjugated must be seen like C. */
static dap_status take_views(dap_linalg_call *call, dap_scalapack_matrix *views[OPERANDS])
{
  int order[OPERANDS], leader;
  sort_by_size(call, order);
  DAP_TRY(dap_linalg_view_first(call, order, OPERANDS, "gemm", &leader));
  const dap_scalapack_matrix *like = views[leader] = &call->views[leader];
  if (leader != C) {
    const char op = is_conjugated(call, leader) ? like->op : 0;
    DAP_TRY(dap_linalg_view_aligned(call, C, "gemm", like, op, &views[C]));
  }
  for (int i = 0; i < C; i++) {
    const char op = is_conjugated(call, i) ? views[C]->op : 0;
    if (i != leader) DAP_TRY(dap_linalg_view_aligned(call, i, "gemm", like, op, &views[i]));
  }
  return DAP_OK;
}

/* Returns TRANS for operand `i`, beside C's view. */
static char letter(const dap_linalg_call *call, int i, const dap_scalapack_matrix *view, char op_of_c)
{
  if (is_conjugated(call, i)) return 'C'; /* seen like C */
  return (dap_linalg_chosen(call, i) != 'N') != (view->op != op_of_c) ? 'T' : 'N';
}

static dap_status multiply(dap_linalg_call *call)
{
  const dap_linalg_number alpha = dap_linalg_number_of(call, call->arguments.scalars[0].parts),
                          beta = dap_linalg_number_of(call, call->arguments.scalars[1].parts);
  const dap_scalapack_int k =
      (dap_scalapack_int)(dap_linalg_chosen(call, A) == 'N' ? dap_linalg_cols(call, A)
                                                            : dap_linalg_rows(call, A));
  dap_scalapack_matrix *views[OPERANDS];
  if (dap_linalg_rows(call, C) == 0 || dap_linalg_cols(call, C) == 0) return DAP_OK;
  if (k == 0) { /* beta C: gemm does not read the others */
    DAP_TRY(dap_linalg_view(call, C, &(dap_scalapack_options){.routine = "gemm"}, &views[C]));
    views[A] = views[B] = views[C];
    call->arguments.choices[A].value = call->arguments.choices[B].value = 'N';
  } else {
    DAP_TRY(take_views(call, views));
  }
  DAP_TRY(dap_linalg_headroom(call));
  const dap_scalapack_matrix *c = views[C];
  const int first = c->op == 'N' ? A : B, second = c->op == 'N' ? B : A;
  const dap_scalapack_matrix *x = views[first], *y = views[second];
  const char trans_x = letter(call, first, x, c->op), trans_y = letter(call, second, y, c->op);
  call->lib->gemm(&trans_x, &trans_y, &c->m, &c->n, &k, &alpha, DAP_MATRIX(x), DAP_MATRIX(y), &beta,
                  DAP_MATRIX(c));
  return DAP_OK;
}

dap_status dap_linalg_multiply(MPI_Comm comm, char trans_a, char trans_b, const double alpha[2], dap_darray a,
                               dap_darray b, const double beta[2], dap_darray c,
                               const dap_linalg_options *options, dap_error *err)
{
  const bool reads_c = beta && (beta[0] != 0 || beta[1] != 0);
  const dap_linalg_arguments arguments = {
      __func__, multiply,
      .operands = {{"A", a, DAP_LINALG_INPUT, trans_a == 'N' ? "m[k]" : "k[m]"},
                   {"B", b, DAP_LINALG_INPUT, trans_b == 'N' ? "k[n]" : "n[k]"},
                   {"C", c, reads_c ? DAP_LINALG_UPDATE : DAP_LINALG_RESULT, "m[n]"}},
      .choices = {{"trans_a", trans_a, "NTC"}, {"trans_b", trans_b, "NTC"}},
      .scalars = {dap_linalg_scalar_of("alpha", alpha, 1), dap_linalg_scalar_of("beta", beta, 0)}};
  return dap_linalg_run(comm, &arguments, options, err);
}

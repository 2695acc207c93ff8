/* C = alpha op(A) op(B) + beta C.
 *
 * A view with op 'T' is the transposed array, so it goes in with the other TRANS. If C's view has op 'T', the
 * transposed product op(B)^T op(A)^T is computed. gemm then has a conjugate transpose only of operands that
 * are seen like C, so these must be seen so. */
#include "system_impl.h"

enum { A, B, C, OPERANDS };

typedef struct product {
  char trans[2];                /* of A and B */
  dap_linalg_number factors[2]; /* alpha, beta */
  int64_t m, n, k;
} product;

static dap_status check_extents(dap_linalg_call *call, product *p)
{
  const bool transposed[2] = {p->trans[A] != 'N', p->trans[B] != 'N'};
  p->m = transposed[A] ? dap_linalg_cols(call, A) : dap_linalg_rows(call, A);
  p->k = transposed[A] ? dap_linalg_rows(call, A) : dap_linalg_cols(call, A);
  p->n = transposed[B] ? dap_linalg_rows(call, B) : dap_linalg_cols(call, B);
  DAP_TRY(dap_linalg_fits(call, B, transposed[B] ? p->n : p->k, transposed[B] ? p->k : p->n));
  return dap_linalg_fits(call, C, p->m, p->n);
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

static dap_status take_views(dap_linalg_call *call, const product *p, dap_scalapack_matrix *views[OPERANDS])
{
  int order[OPERANDS], leader;
  bool conjugated[OPERANDS] = {false};
  for (int i = 0; i < C; i++) conjugated[i] = p->trans[i] == 'C' && dap_linalg_is_complex(call);
  sort_by_size(call, order);
  DAP_TRY(dap_linalg_view_first(call, order, OPERANDS, "gemm", &leader));
  const dap_scalapack_matrix *like = views[leader] = &call->views[leader];
  if (leader != C)
    DAP_TRY(dap_linalg_view_aligned(call, C, "gemm", like, conjugated[leader] ? like->op : 0, &views[C]));
  for (int i = 0; i < C; i++) {
    if (i != leader)
      DAP_TRY(dap_linalg_view_aligned(call, i, "gemm", like, conjugated[i] ? views[C]->op : 0, &views[i]));
  }
  return DAP_OK;
}

/* Returns TRANS for the view of an operand whose op is `trans`, beside C's view. */
static char letter(const dap_linalg_call *call, char trans, const dap_scalapack_matrix *view, char op_of_c)
{
  if (trans == 'C' && dap_linalg_is_complex(call)) return 'C'; /* seen like C */
  return (trans != 'N') != (view->op != op_of_c) ? 'T' : 'N';
}

static void compute(const dap_linalg_call *call, const product *p,
                    dap_scalapack_matrix *const views[OPERANDS])
{
  const dap_linalg_scalar alpha = dap_linalg_scalar_of(call, p->factors[0].parts),
                          beta = dap_linalg_scalar_of(call, p->factors[1].parts);
  dap_scalapack_matrix *c = views[C];
  const int first = c->op == 'N' ? A : B, second = c->op == 'N' ? B : A;
  const dap_scalapack_matrix *x = views[first], *y = views[second];
  const char trans_x = letter(call, p->trans[first], x, c->op),
             trans_y = letter(call, p->trans[second], y, c->op);
  const dap_scalapack_int k = (dap_scalapack_int)p->k;
  call->lib->gemm(&trans_x, &trans_y, &c->m, &c->n, &k, &alpha, DAP_MATRIX(x), DAP_MATRIX(y), &beta,
                  DAP_MATRIX(c));
}

static dap_status multiply(dap_linalg_call *call)
{
  product *p = call->arguments.context;
  dap_scalapack_matrix *views[OPERANDS];
  DAP_TRY(dap_linalg_check_numbers(call, p->factors, 2));
  DAP_TRY(check_extents(call, p));
  if (p->m == 0 || p->n == 0) return DAP_OK;
  if (p->k == 0) { /* beta C: gemm does not read the others */
    DAP_TRY(dap_linalg_view(call, C, &(dap_scalapack_options){.routine = "gemm"}, &views[C]));
    views[A] = views[B] = views[C];
    p->trans[A] = p->trans[B] = 'N';
  } else {
    DAP_TRY(take_views(call, p, views));
  }
  DAP_TRY(dap_linalg_headroom(call));
  compute(call, p, views);
  return DAP_OK;
}

dap_status dap_linalg_multiply(MPI_Comm comm, char trans_a, char trans_b, const double alpha[2], dap_darray a,
                               dap_darray b, const double beta[2], dap_darray c,
                               const dap_linalg_options *options, dap_error *err)
{
  product p = {
      .trans = {trans_a, trans_b},
      .factors = {dap_linalg_number_of("alpha", alpha, 1), dap_linalg_number_of("beta", beta, 0)},
  };
  const bool reads_c = p.factors[1].parts[0] != 0 || p.factors[1].parts[1] != 0;
  const dap_linalg_arguments arguments = {
      __func__, multiply, &p,
      .operands = {{"A", a, DAP_LINALG_INPUT, .ndim = 0},
                   {"B", b, DAP_LINALG_INPUT, .ndim = 0},
                   {"C", c, reads_c ? DAP_LINALG_UPDATE : DAP_LINALG_RESULT, .ndim = 0}},
      .choices = {{"trans_a", trans_a, "NTC"}, {"trans_b", trans_b, "NTC"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

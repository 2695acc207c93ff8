/* C = alpha A A' + beta C in one triangle of C.
 *
 * A's buffer is M = A or M = A^T, so A A^T is M M^T or M^T M. C's buffer is N = C, or C^T, which is C itself
 * if it is symmetric and conj(C) if it is Hermitian, with the other triangle. If A is seen like C, conj(A
 * A^H) = conj(M^T conj(M)) = M^H M, as without conjugation. If it is not, no routine computes it, so complex
 * operands of a Hermitian product must be seen alike. */
#include "system_impl.h"

enum { A, C };

typedef struct rank_k {
  char form, uplo, trans;
  dap_linalg_number factors[2]; /* alpha, beta */
  int64_t n, k;
} rank_k;

static dap_status check(dap_linalg_call *call, rank_k *p)
{
  DAP_TRY(dap_linalg_check_numbers(call, p->factors, 2));
  for (int i = 0; i < 2 && p->form == 'H'; i++)
    DAP_REQUIRE(p->factors[i].parts[1] == 0, call->err, DAP_ERR_ARG,
                "%s[1] is %g, with form 'H' it must be 0", p->factors[i].name, p->factors[i].parts[1]);
  DAP_TRY(dap_linalg_square(call, C));
  p->n = dap_linalg_rows(call, C);
  p->k = p->trans == 'N' ? dap_linalg_cols(call, A) : dap_linalg_rows(call, A);
  return dap_linalg_fits(call, A, p->trans == 'N' ? p->n : p->k, p->trans == 'N' ? p->k : p->n);
}

static bool is_hermitian(const dap_linalg_call *call, const rank_k *p)
{
  return p->form == 'H' && dap_linalg_is_complex(call);
}

/* The larger operand leads, so it is the last to be moved. */
static dap_status take_views(dap_linalg_call *call, const rank_k *p, dap_scalapack_matrix **c,
                             dap_scalapack_matrix **a)
{
  static const int orders[2][2] = {{C, A}, {A, C}};
  dap_scalapack_matrix *other;
  int leader;
  if (p->k == 0) { /* beta C: syrk does not read A */
    DAP_TRY(dap_linalg_view(call, C, &(dap_scalapack_options){.routine = "syrk"}, c));
    *a = *c;
    return DAP_OK;
  }
  DAP_TRY(dap_linalg_view_first(call, orders[p->k > p->n], 2, "syrk", &leader));
  const dap_scalapack_matrix *like = &call->views[leader];
  DAP_TRY(dap_linalg_view_aligned(call, leader == C ? A : C, "syrk", like,
                                  is_hermitian(call, p) ? like->op : 0, &other));
  *c = &call->views[C];
  *a = &call->views[A];
  return DAP_OK;
}

static dap_status compute(dap_linalg_call *call)
{
  rank_k *p = call->arguments.context;
  dap_scalapack_matrix *c, *a, copy;
  const bool both = p->uplo == 'A';
  DAP_TRY(check(call, p));
  if (p->n == 0) return DAP_OK;
  DAP_TRY(take_views(call, p, &c, &a));
  DAP_TRY(dap_linalg_headroom(call));
  if (both) DAP_TRY(dap_linalg_space_like(call, c, call->lib->dtype, &copy)); /* before C is written to */
  const bool hermitian = is_hermitian(call, p), forward = (p->trans == 'N') == (a->op == 'N');
  const char uplo = dap_linalg_triangle(p->uplo == 'U' ? 'U' : 'L', c->op);
  const char trans = forward || p->k == 0 ? 'N' : hermitian ? 'C' : 'T';
  const dap_linalg_scalar alpha = dap_linalg_scalar_of(call, p->factors[0].parts),
                          beta = dap_linalg_scalar_of(call, p->factors[1].parts);
  const dap_scalapack_int k = (dap_scalapack_int)p->k;
  dap_psyrk *routine = hermitian ? call->lib->herk : call->lib->syrk;
  routine(&uplo, &trans, &c->n, &k, &alpha, DAP_MATRIX(a), &beta, DAP_MATRIX(c));
  if (hermitian) dap_linalg_make_diagonal_real(call, c); /* herk keeps them if k is 0 */
  if (both) dap_linalg_mirror(call, uplo, hermitian ? 'C' : 'T', c, &copy);
  return DAP_OK;
}

dap_status dap_linalg_rank_k(MPI_Comm comm, char form, char uplo, char trans, const double alpha[2],
                             dap_darray a, const double beta[2], dap_darray c,
                             const dap_linalg_options *options, dap_error *err)
{
  rank_k p = {
      .form = form,
      .uplo = uplo,
      .trans = trans,
      .factors = {dap_linalg_number_of("alpha", alpha, 1), dap_linalg_number_of("beta", beta, 0)},
  };
  const bool reads_c = uplo != 'A' || p.factors[1].parts[0] != 0 || p.factors[1].parts[1] != 0;
  const dap_linalg_arguments arguments = {
      __func__, compute, &p,
      .operands = {{"A", a, DAP_LINALG_INPUT, .ndim = 0},
                   {"C", c, reads_c ? DAP_LINALG_UPDATE : DAP_LINALG_RESULT, .ndim = 2}},
      .choices = {{"form", form, "HS"}, {"uplo", uplo, "LUA"}, {"trans", trans, "NT"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

/* Computes C = alpha A A' + beta C in one triangle of C. */
#include "system_impl.h"

enum { A, C };

enum { FORM, UPLO, TRANS };    /* of call.arguments.choices */
enum { ALPHA, BETA, SCALARS }; /* of call.arguments.scalars */

/* Sets k, the extent of A over which is summed. */
static dap_status check(dap_linalg_call *call, int64_t n, int64_t *k)
{
  const bool plain = dap_linalg_chosen(call, TRANS) == 'N';
  for (int i = 0; i < SCALARS && dap_linalg_chosen(call, FORM) == 'H'; i++) {
    const dap_linalg_scalar *s = &call->arguments.scalars[i];
    DAP_REQUIRE(s->parts[1] == 0, call->err, DAP_ERR_ARG, "%s[1] is %g, with form 'H' it must be 0", s->name,
                s->parts[1]);
  }
  *k = plain ? dap_linalg_cols(call, A) : dap_linalg_rows(call, A);
  return dap_linalg_fits(call, A, plain ? n : *k, plain ? *k : n);
}

static bool is_hermitian(const dap_linalg_call *call)
{
  return dap_linalg_chosen(call, FORM) == 'H' && dap_linalg_is_complex(call);
}

/* The larger operand leads, so it is the last to be moved.
 *
 * A's buffer is M = A or M = A^T, so A A^T is M M^T or M^T M. C's buffer is N = C, or C^T, which is C itself
 * if it is symmetric and conj(C) if it is Hermitian, with the other triangle. If A is seen like C, conj(A
 * A^H) = conj(M^T conj(M)) = M^H M, as without conjugation. If it is not, no routine computes the product, so
 * complex operands of a Hermitian product must be seen alike. */
static dap_status take_views(dap_linalg_call *call, int64_t n, int64_t k, dap_scalapack_matrix **c,
                             dap_scalapack_matrix **a)
{
  static const int orders[2][2] = {{C, A}, {A, C}};
  dap_scalapack_matrix *other;
  int leader;
  if (k == 0) { /* beta C: syrk does not read A */
    DAP_TRY(dap_linalg_view(call, C, &(dap_scalapack_options){.routine = "syrk"}, c));
    *a = *c;
    return DAP_OK;
  }
  DAP_TRY(dap_linalg_view_first(call, orders[k > n], 2, "syrk", &leader));
  const dap_scalapack_matrix *like = &call->views[leader];
  DAP_TRY(dap_linalg_view_aligned(call, leader == C ? A : C, "syrk", like, is_hermitian(call) ? like->op : 0,
                                  &other));
  *c = &call->views[C];
  *a = &call->views[A];
  return DAP_OK;
}

static dap_status compute(dap_linalg_call *call)
{
  const int64_t n = dap_linalg_rows(call, C);
  const bool both = dap_linalg_chosen(call, UPLO) == 'A', hermitian = is_hermitian(call);
  dap_scalapack_matrix *c, *a, copy;
  int64_t sum = 0;
  DAP_TRY(check(call, n, &sum));
  if (n == 0) return DAP_OK;
  DAP_TRY(take_views(call, n, sum, &c, &a));
  DAP_TRY(dap_linalg_headroom(call));
  if (both)
    DAP_TRY(dap_linalg_space_of(call, c, c->m, c->n, call->lib->dtype, &copy)); /* before C is written to */
  const bool forward = (dap_linalg_chosen(call, TRANS) == 'N') == (a->op == 'N');
  const char uplo = dap_linalg_triangle(dap_linalg_chosen(call, UPLO) == 'U' ? 'U' : 'L', c->op);
  const char trans = forward || sum == 0 ? 'N' : hermitian ? 'C' : 'T';
  const dap_linalg_number alpha = dap_linalg_number_of(call, call->arguments.scalars[ALPHA].parts),
                          beta = dap_linalg_number_of(call, call->arguments.scalars[BETA].parts);
  const dap_scalapack_int k = (dap_scalapack_int)sum;
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
  const bool reads_c = uplo != 'A' || (beta && (beta[0] != 0 || beta[1] != 0));
  const dap_linalg_arguments arguments = {
      __func__, compute,
      .operands = {{"A", a, DAP_LINALG_INPUT, "*[*]"},
                   {"C", c, reads_c ? DAP_LINALG_UPDATE : DAP_LINALG_RESULT, "nn"}},
      .choices = {{"form", form, "HS"}, {"uplo", uplo, "LUA"}, {"trans", trans, "NT"}},
      .scalars = {dap_linalg_scalar_of("alpha", alpha, 1), dap_linalg_scalar_of("beta", beta, 0)}};
  return dap_linalg_run(comm, &arguments, options, err);
}

/* The expert solver: the method of LAPACK's gesvx and gerfs, for all right-hand sides at once. */
#include "refined_impl.h"

enum { A, B, X };
enum { MOST_STEPS = 5 }; /* as gerfs */

/* Results besides X. */
typedef struct results {
  double *forward, *backward; /* the caller's; may be NULL */
  dap_linalg_refinement refinement;
} results;

static dap_status check(dap_linalg_call *call, const results *r)
{
  static const char *const names[] = {"forward: whether it is NULL", "backward: whether it is NULL"};
  const uint64_t words[] = {r->forward == NULL, r->backward == NULL};
  DAP_TRY(dap_agree_words(call->comm, words, names, 2, call->err));
  DAP_TRY(dap_linalg_square(call, A));
  const int64_t n = dap_linalg_rows(call, A), nrhs = dap_linalg_cols(call, B);
  DAP_TRY(dap_linalg_fits(call, B, n, nrhs));
  return dap_linalg_fits(call, X, n, nrhs);
}

/* Reserves a panel of M: as many rounds of its grid as have about 256 columns. */
static dap_status make_panel(dap_refined *p)
{
  enum { USUAL = 256 };
  dap_scalapack_matrix like = *p->m;
  const dap_linalg_part part = dap_linalg_part_of(p->call, p->m);
  const int64_t round = (int64_t)p->m->desc[DAP_NB] * part.procs[1];
  const int64_t width = round * (round < USUAL ? USUAL / round : 1);
  if (width < like.n) like.n = like.desc[DAP_N] = (dap_scalapack_int)width;
  return dap_linalg_space_like(p->call, &like, p->call->lib->real, &p->panel);
}

static dap_status make_columns(dap_refined *p, const dap_scalapack_matrix *b)
{
  dap_scalapack_matrix *const of_type[] = {&p->x, &p->b, &p->r}, *const real[] = {&p->size_x, &p->bound};
  for (int k = 0; k < 3; k++)
    DAP_TRY(dap_linalg_columns_beside(p->call, p->m, dap_linalg_cols(p->call, B), of_type[k]));
  for (int k = 0; k < 2; k++) DAP_TRY(dap_linalg_space_like(p->call, &p->x, p->call->lib->real, real[k]));
  DAP_TRY(make_panel(p));
  if (p->x.n == 0) return DAP_OK;
  dap_linalg_copy_seen(p->call, b, &p->b);
  if (p->e.conjugate) dap_linalg_conjugate(p->call, &p->b);
  return DAP_OK;
}

/* Factors F, and finds the condition number. */
static dap_status factor(dap_refined *p, dap_linalg_refinement *out)
{
  dap_linalg_call *call = p->call;
  const char norm = call->arguments.choices[0].value == 'N' ? '1' : 'I';
  double norm_of_f, norm_of_inverse;
  dap_lu lu;
  dap_scalapack_int *pivots;
  DAP_TRY(dap_linalg_finite(call, p->m, 'A'));
  DAP_TRY(dap_refined_scale(p));
  DAP_TRY(dap_linalg_norm_of(call, norm, &p->f, &norm_of_f));
  DAP_TRY(dap_lu_factor(call, &p->f, &lu));
  DAP_TRY(dap_lu_regular(call, &lu));
  DAP_TRY(dap_linalg_norm_of_inverse(call, &p->f, 0, dap_linalg_norm_seen(norm, p->m->op), &norm_of_inverse));
  out->rcond = dap_linalg_reciprocal(norm_of_f, norm_of_inverse);
  const int rows = p->m->op == 'N' ? 0 : 1; /* of A */
  out->scaled_rows = p->exponents[rows];
  out->scaled_columns = p->exponents[1 - rows];
  DAP_TRY(dap_lu_pivots(call, &lu, &pivots));
  return dap_lu_align(call, pivots, &p->x, &p->swaps);
}

/* Clears the columns of the correction that have converged, or no longer improve. */
static void clear_settled(const dap_refined *p, const bool goes_on[])
{
  const dap_linalg_part part = dap_linalg_part_of(p->call, &p->r);
  for (int64_t col = 0; col < part.extents[1]; col++)
    for (int64_t row = 0; row < part.extents[0] && !goes_on[dap_linalg_global(&part, 1, col)]; row++)
      dap_linalg_set(&part, row, col, (const double[2]){0, 0});
}

static dap_status correct(const dap_refined *p)
{
  const dap_linalg_routines *lib = p->call->lib;
  const dap_scalapack_matrix *r = &p->r, *x = &p->x;
  DAP_TRY(dap_refined_solve(p, p->e.trans, r));
  lib->geadd("N", &x->m, &x->n, lib->one, DAP_MATRIX(r), lib->one, DAP_MATRIX(x));
  return DAP_OK;
}

/* Goes on with a column while each step at least halves its backward error. Sets errors [nrhs] to the
 * last. */
static dap_status refine(dap_refined *p, double errors[], int *steps)
{
  double *now;
  bool *goes_on;
  const int64_t nrhs = p->x.n;
  DAP_TRY(dap_linalg_work(p->call, nrhs, DAP_F8, &now));
  DAP_TRY(dap_linalg_work(p->call, nrhs, DAP_BOOL, &goes_on));
  for (int64_t j = 0; j < nrhs; j++) errors[j] = 3, goes_on[j] = true;
  for (*steps = 0;; ++*steps) {
    bool any = false;
    dap_refined_residual(p);
    DAP_TRY(dap_refined_backward(p, now));
    for (int64_t j = 0; j < nrhs; j++) {
      goes_on[j] = goes_on[j] && *steps < MOST_STEPS && now[j] > p->eps && 2 * now[j] <= errors[j];
      errors[j] = now[j];
      any = any || goes_on[j];
    }
    if (!any) return DAP_OK;
    clear_settled(p, goes_on);
    DAP_TRY(correct(p));
  }
}

static dap_status solve(dap_linalg_call *call)
{
  results *out = call->arguments.context;
  dap_refined p = {.call = call, .eps = call->lib->eps / 2};
  dap_scalapack_matrix *m, *b, *x;
  double *errors;
  DAP_TRY(check(call, out));
  DAP_TRY(dap_linalg_view(call, A, &(dap_scalapack_options){.routine = "getrf"}, &m));
  DAP_TRY(dap_linalg_view_right_side(call, B, m, &b));
  DAP_TRY(dap_linalg_view_right_side(call, X, m, &x));
  p.m = m;
  p.e = dap_equation_of(call->arguments.choices[0].value, m->op, 'N');
  DAP_TRY(make_columns(&p, b));
  DAP_TRY(factor(&p, &out->refinement));
  DAP_TRY(dap_linalg_work(call, p.x.n, DAP_F8, &errors));
  if (p.x.n == 0) return DAP_OK;

  dap_linalg_copy_part(call, &p.b, &p.x);
  DAP_TRY(dap_refined_solve(&p, p.e.trans, &p.x));
  DAP_TRY(refine(&p, errors, &out->refinement.steps));
  for (int64_t j = 0; j < p.x.n && out->backward; j++) out->backward[j] = errors[j];
  if (out->forward) DAP_TRY(dap_refined_forward(&p, out->forward));
  if (p.e.conjugate) dap_linalg_conjugate(call, &p.x);
  dap_linalg_copy_seen(call, &p.x, x);
  return DAP_OK;
}

dap_status dap_linalg_solve_refined(MPI_Comm comm, char trans, dap_darray a, dap_darray b, dap_darray x,
                                    double forward[], double backward[], dap_linalg_refinement *refinement,
                                    const dap_linalg_options *options, dap_error *err)
{
  results r = {.refinement = {0}};
  r.forward = forward;
  r.backward = backward;
  const dap_linalg_arguments arguments = {__func__, solve, &r,
                                          .operands = {{"A", a, DAP_LINALG_INPUT, .ndim = 2},
                                                       {"B", b, DAP_LINALG_INPUT, .ndim = 0},
                                                       {"X", x, DAP_LINALG_RESULT, .ndim = 0}},
                                          .choices = {{"trans", trans, "NTC"}}};
  const dap_status status = dap_linalg_run(comm, &arguments, options, err);
  if (!status && refinement) *refinement = r.refinement;
  return status;
}

/* Computes singular values and vectors. */
#include "room_impl.h"
#include "svd_impl.h"

#include <inttypes.h>
#include <stdio.h>

enum { A, U, S, VT };

/* Takes the three matrices on one grid, with the same op.
 *
 * With op 'T' the matrix M is A^T = (U S VT)^T = VT^T S U^T. Its left singular vectors are VT seen with op
 * 'T', and its right ones are U. Nothing is conjugated. So all operands have the same op, and U and VT change
 * places. */
static dap_status take_views(dap_linalg_call *call, const char *routine, dap_linalg_svd_problem *p)
{
  int order[3], count = 0, leader;
  order[count++] = A;
  if (call->given[U]) order[count++] = U;
  if (call->given[VT]) order[count++] = VT;
  DAP_TRY(dap_linalg_view_first(call, order, count, routine, &leader));
  const dap_scalapack_matrix *like = &call->views[leader];
  for (int k = 0; k < count; k++) {
    dap_scalapack_matrix *view;
    if (order[k] != leader) DAP_TRY(dap_linalg_view_aligned(call, order[k], routine, like, like->op, &view));
  }
  const bool transposed = like->op == 'T';
  const int left = transposed ? VT : U, right = transposed ? U : VT;
  p->a = &call->views[A];
  p->left = call->given[left] ? &call->views[left] : NULL;
  p->right = call->given[right] ? &call->views[right] : NULL;
  return DAP_OK;
}

/* ---- QR iteration ---------------------------------------------------------------------------------- */

/* Gives vectors that are not wanted a spare matrix if M has fewer lines of the other kind than there are
 * processes, because gesvd compares the results of processes that compute vectors. */
static dap_status fill_in(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  const dap_scalapack_matrix *a = p->a;
  if (p->left && !p->right && a->m < call->nprocs) {
    DAP_TRY(dap_linalg_space_of(call, a, p->k, a->n, call->lib->dtype, &p->spare));
    p->right = &p->spare;
  } else if (p->right && !p->left && a->n < call->nprocs) {
    DAP_TRY(dap_linalg_space_of(call, a, a->m, p->k, call->lib->dtype, &p->spare));
    p->left = &p->spare;
  }
  return DAP_OK;
}

static void call_driver(const dap_linalg_call *call, const dap_linalg_svd_problem *p, dap_workspace *w,
                        void *rwork)
{
  const dap_scalapack_matrix *a = p->a, *u = p->left ? p->left : a, *vt = p->right ? p->right : a;
  const char *job_u = p->left ? "V" : "N", *job_vt = p->right ? "V" : "N";
  if (dap_linalg_is_complex(call))
    call->lib->cgesvd(job_u, job_vt, &a->m, &a->n, DAP_MATRIX(a), p->s, DAP_MATRIX(u), DAP_MATRIX(vt),
                      w->work, &w->lwork, rwork, &w->info);
  else
    call->lib->gesvd(job_u, job_vt, &a->m, &a->n, DAP_MATRIX(a), p->s, DAP_MATRIX(u), DAP_MATRIX(vt), w->work,
                     &w->lwork, &w->info);
}

/* Decomposes by ScaLAPACK's gesvd. M must have as many rows or columns as there are processes. A process
 * takes QR steps if it has a row of the left or a column of the right vectors, dealt one by one. Others take
 * another algorithm, whose values differ in the last bits. gesvd calls that an error, or hangs, for example
 * with M 1 x 2 on 4 processes. Collective. */
static dap_status by_gesvd(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  dap_workspace w = {.routine = "gesvd", .bound = dap_room_vectors(2, p->a), .may_fail = true};
  void *rwork;
  DAP_TRY(fill_in(call, p));
  /* SRC/pzgesvd.f */
  DAP_TRY(dap_linalg_work(call, 1 + 4 * dap_room_larger(p->a->m, p->a->n), call->lib->real, &rwork));
  while (dap_workspace_next(call, &w)) call_driver(call, p, &w, rwork);
  p->info = w.info;
  return w.status;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

typedef dap_status algorithm(dap_linalg_call *call, dap_linalg_svd_problem *p);

static dap_status check_convergence(dap_linalg_call *call, const dap_linalg_svd_problem *p)
{
  if (p->info == p->k + 1)
    return dap_linalg_numeric(call, p->info, "the processes computed different singular values");
  if (p->info > 0)
    return dap_linalg_numeric(call, p->info, "%" PRId64 " superdiagonals did not converge to 0",
                              (int64_t)p->info);
  return dap_linalg_finite_values(call, p->k, p->s, "singular value");
}

static void say(dap_linalg_call *call, const char *method, const char *why)
{
  (void)snprintf(call->report->method, sizeof call->report->method, "%s%.400s", method, why);
}

/* Chooses the algorithm, and writes it into the report. Reserves the memory of divide and conquer, without
 * which QR iteration takes its place. */
static dap_status choose(dap_linalg_call *call, dap_linalg_svd_problem *p, algorithm **run)
{
  const dap_svd_solver solver = call->options.svd.solver;
  const int blocks = call->block_count;
  *run = by_gesvd;
  say(call, "QR iteration", "");
  if (solver == DAP_SVD_GESVD) return DAP_OK;
  const dap_status status = dap_linalg_gesdd_make_room(call, p);
  if (!status || solver == DAP_SVD_GESDD) {
    *run = dap_linalg_svd_gesdd;
    say(call, "divide and conquer", "");
    return status;
  }
  if (status != DAP_ERR_NOMEM && status != DAP_ERR_RANGE) return status;
  dap_linalg_work_free(call, blocks); /* gesvd needs the memory */
  say(call, "QR iteration, as divide and conquer is not possible: ", call->err->text);
  return DAP_OK;
}

static dap_status by_views(dap_linalg_call *call, dap_linalg_svd_problem *p)
{
  const int64_t m = dap_linalg_rows(call, A), n = dap_linalg_cols(call, A);
  algorithm *run = dap_linalg_svd_gathered;
  /* gesvd does not span the grid, or makes no reflector: see no_row_pair in model/routines.c */
  const bool tiny = (m < call->nprocs && n < call->nprocs) || m * n == 2;
  DAP_TRY(take_views(call, tiny ? "geadd" : "gesvd", p));
  DAP_TRY(dap_linalg_finite(call, p->a, 'A'));
  if (tiny)
    say(call, "LAPACK on process 0", "");
  else
    DAP_TRY(choose(call, p, &run));
  return run(call, p);
}

static dap_status decompose(dap_linalg_call *call)
{
  const int64_t m = dap_linalg_rows(call, A), n = dap_linalg_cols(call, A), k = m < n ? m : n;
  DAP_REQUIRE(call->options.svd.solver >= DAP_SVD_AUTO && call->options.svd.solver <= DAP_SVD_GESDD,
              call->err, DAP_ERR_ARG, "options: svd.solver %d is not one of dap_svd_solver",
              (int)call->options.svd.solver);
  if (k == 0) return DAP_OK;
  dap_linalg_svd_problem p = {.k = (dap_scalapack_int)k};
  DAP_TRY(dap_linalg_work(call, k, call->lib->real, &p.s));
  DAP_TRY(dap_linalg_svd_is_tall(call) ? dap_linalg_svd_tall(call, p.s, &p.info) : by_views(call, &p));
  DAP_TRY(check_convergence(call, &p));
  return dap_linalg_store_replicated(call, S, p.s);
}

dap_status dap_linalg_svd(MPI_Comm comm, dap_darray a, dap_darray u, dap_darray s, dap_darray vt,
                          const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      __func__, decompose,
      .operands = {{"A", a, DAP_LINALG_WORK, "mn"},
                   {"U", u, DAP_LINALG_RESULT, "ms", .optional = true},
                   {"S", s, DAP_LINALG_RESULT, "s", .real = true},
                   {"VT", vt, DAP_LINALG_RESULT, "sn", .optional = true}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

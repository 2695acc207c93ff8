/* Solves least squares with a tall matrix A = Q R, where R X is the first n rows of Q^H B, which stands
 * beside A. Q is not formed. Process 0 solves with R, and a plan moves X from there. */
#include "tsqr_impl.h"

#include <math.h>

enum { A, B, X };

typedef struct problem {
  int64_t n, nrhs;
  dap_tsqr qr;
  void *r;                /* [n + nrhs][n] */
  dap_linalg_rank *found; /* NULL: columns are not pivoted */
  dap_tsqr_pivoted pivoted;
} problem;

bool dap_linalg_least_squares_is_tall(const dap_linalg_call *call)
{
  const int64_t columns = dap_linalg_cols(call, A) + dap_linalg_cols(call, B);
  return dap_tsqr_is_faster(call, dap_linalg_rows(call, A), columns) &&
         (dap_tsqr_may_move(call) || dap_tsqr_are_direct(call, B, 0));
}

static dap_status make_room(dap_linalg_call *call, problem *p)
{
  dap_tsqr *t = &p->qr;
  t->n = p->n, t->nrhs = p->nrhs;
  DAP_TRY(dap_tsqr_take(call, A, 0, dap_tsqr_are_direct(call, A, 0), NULL,
                        "each process has whole rows, which are only read", &t->a));
  DAP_TRY(dap_tsqr_take(call, B, 0, dap_tsqr_are_direct(call, B, 0), t->a.layout,
                        "it lies as A does, and is only read", &t->b));
  DAP_TRY(dap_tsqr_make_room(call, &p->qr));
  if (p->found) DAP_TRY(dap_tsqr_pivot_room(call, p->n, p->nrhs, &p->pivoted));
  return dap_linalg_work(call, (p->n + p->nrhs) * p->n, call->lib->dtype, &p->r);
}

static dap_status factor(dap_linalg_call *call, problem *p)
{
  double most, most_b;
  DAP_TRY(dap_tsqr_move(call, A, &p->qr.a, false, "it is factored in block rows"));
  DAP_TRY(dap_tsqr_scan(call, &p->qr, false, &most));
  DAP_TRY(dap_tsqr_move(call, B, &p->qr.b, false, "its rows go where those of A are"));
  DAP_TRY(dap_tsqr_scan(call, &p->qr, true, &most_b));
  p->qr.sigma = dap_linalg_scale_factor(call, most);
  p->qr.sigma_b = dap_linalg_scale_factor(call, most_b);
  return dap_tsqr_factor(call, &p->qr, p->r);
}

dap_status dap_linalg_full_rank(dap_linalg_call *call, dap_scalapack_int zero)
{
  return dap_linalg_check_info(call, "the diagonal", zero, "A has not full rank: element",
                               " of its factor's diagonal is 0");
}

/* Checks the diagonal of R, which process 0 has. */
static dap_status check_rank(dap_linalg_call *call, const problem *p)
{
  const int64_t step = (p->n + 1) * call->lib->item;
  dap_scalapack_int zero = 0;
  for (int64_t i = 0; i < p->n && zero == 0 && call->rank == 0; i++)
    if (dap_linalg_largest_part(call, (const char *)p->r + i * step, 1) == 0) zero = (dap_scalapack_int)i + 1;
  return dap_linalg_full_rank(call, zero);
}

/* Multiplies X by sigma / sigma_b, powers of 2 whose quotient may exceed the type. */
static void scale_back(const dap_linalg_call *call, const problem *p, void *x)
{
  const int power = ilogb(p->qr.sigma) - ilogb(p->qr.sigma_b);
  const int64_t count = p->n * p->nrhs * call->lib->parts;
  const dap_dtype real = call->lib->real;
  for (int64_t i = 0; i < count && power != 0; i++)
    dap_linalg_put_real(real, x, i, ldexp(dap_linalg_get_real(real, x, i), power));
}

static dap_status solve(dap_linalg_call *call, problem *p)
{
  void *x = (char *)p->r + p->n * p->n * call->lib->item;
  DAP_TRY(p->found ? dap_tsqr_pivot(call, &p->pivoted, p->r, p->found) : check_rank(call, p));
  if (call->rank == 0) {
    if (p->found)
      dap_tsqr_pivot_solve(call, &p->pivoted, p->r, p->found->rank, x);
    else
      dap_tsqr_solve(call, "U", p->n, p->n, p->nrhs, p->r, x);
    scale_back(call, p, x);
  }
  const dap_linalg_whole whole = {X, x, p->n, p->nrhs, call->lib->dtype, false};
  return dap_linalg_move_wholes(call, &whole, 1, true);
}

dap_status dap_linalg_least_squares_tall(dap_linalg_call *call, dap_linalg_rank *found)
{
  problem p = {.n = dap_linalg_cols(call, A),
               .nrhs = dap_linalg_cols(call, B),
               .qr.comm = MPI_COMM_NULL,
               .found = found};
  dap_status status = make_room(call, &p);
  if (!status) status = factor(call, &p);
  if (!status) status = solve(call, &p);
  dap_tsqr_close(&p.qr);
  return status;
}

/* Least squares with a tall matrix: A = Q R, so R X is the first n rows of Q^H B, which stands beside A.
 *
 * Q is not formed, and A and B are only read. Process 0 solves with R, and a plan moves X from there. A is
 * used where it is if each process has whole rows, and so is B if it lies as A does. Else a copy in such rows
 * takes its place. */
#include "tsqr_impl.h"

#include <inttypes.h>
#include <math.h>

enum { A, B, X };

/* BLAS' own (BLAS/SRC/dtrsm.f), by the same rules as in scalapack_calls.h. */
typedef void blas_trsm(const char *side, const char *uplo, const char *trans, const char *diag,
                       const dap_scalapack_int *m, const dap_scalapack_int *n, const void *alpha,
                       const void *a, const dap_scalapack_int *lda, void *b, const dap_scalapack_int *ldb);
blas_trsm strsm_, dtrsm_, ctrsm_, ztrsm_;

typedef struct problem {
  int64_t n, nrhs;
  bool has_a, has_b;        /* are used where they are */
  dap_tsqr_copy of_a, of_b; /* else */
  const dap_layout *rows;   /* A's or its copy's */
  dap_tsqr qr;
  void *r; /* [n + nrhs][n] */
} problem;

/* ---- where it is done -------------------------------------------------------------------------------- */

static const dap_layout *layout_of(const dap_linalg_call *call, int i)
{
  return call->arguments.operands[i].operand.layout;
}

bool dap_linalg_least_squares_is_tall(const dap_linalg_call *call)
{
  const int64_t columns = dap_linalg_cols(call, A) + dap_linalg_cols(call, B);
  if (!dap_tsqr_is_faster(call, dap_linalg_rows(call, A), columns)) return false;
  return call->options.sharing != DAP_SHARE_OR_FAIL ||
         (dap_tsqr_is_direct(call, 0) && dap_tsqr_is_alike(layout_of(call, A), layout_of(call, B), 0));
}

static dap_status take_operands(dap_linalg_call *call, problem *p)
{
  p->has_a = dap_tsqr_is_direct(call, 0);
  p->has_b = p->has_a && dap_tsqr_is_alike(layout_of(call, A), layout_of(call, B), 0);
  if (p->has_a)
    p->qr.from = dap_tsqr_part(call, A, "each process has whole rows, which are only read");
  else
    DAP_TRY(dap_tsqr_make_copy(call, A, 0, NULL, &p->of_a));
  p->rows = p->has_a ? layout_of(call, A) : p->of_a.layout;
  if (!p->has_a) p->qr.from = p->of_a.part;
  if (p->has_b)
    p->qr.beside = dap_tsqr_part(call, B, "it lies as A does, and is only read");
  else
    DAP_TRY(dap_tsqr_make_copy(call, B, 0, p->rows, &p->of_b));
  if (!p->has_b) p->qr.beside = p->of_b.part;
  return DAP_OK;
}

static dap_status make_room(dap_linalg_call *call, problem *p)
{
  p->qr.n = p->n, p->qr.nrhs = p->nrhs;
  DAP_TRY(take_operands(call, p));
  DAP_TRY(dap_tsqr_make_room(call, &p->qr));
  return dap_linalg_work(call, (p->n + p->nrhs) * p->n, call->lib->dtype, &p->r);
}

/* ---- steps ------------------------------------------------------------------------------------------- */

static dap_status factor(dap_linalg_call *call, problem *p)
{
  double most, most_b;
  if (!p->has_a) DAP_TRY(dap_tsqr_move(call, A, &p->of_a, false, "it is factored in block rows"));
  DAP_TRY(dap_tsqr_scan(call, &p->qr, p->rows, &most));
  if (!p->has_b) DAP_TRY(dap_tsqr_move(call, B, &p->of_b, false, "its rows go where those of A are"));
  DAP_TRY(dap_tsqr_scan_beside(call, &p->qr, &most_b));
  p->qr.sigma = dap_linalg_scale_factor(call, most);
  p->qr.sigma_b = dap_linalg_scale_factor(call, most_b);
  return dap_tsqr_factor(call, &p->qr, p->r);
}

dap_status dap_linalg_full_rank(dap_linalg_call *call, const char *routine, dap_scalapack_int zero)
{
  DAP_TRY(dap_linalg_info(call, routine, &zero));
  if (zero == 0) return DAP_OK;
  return dap_linalg_numeric(
      call, zero, "A has not full rank: element %" PRId64 " of its factor's diagonal is 0", (int64_t)zero);
}

/* Element i of R's diagonal is 0. */
static bool is_zero(const dap_linalg_call *call, const problem *p, int64_t i)
{
  return dap_linalg_largest_part(call, (const char *)p->r + i * (p->n + 1) * dap_dtype_size(call->lib->dtype),
                                 1) == 0;
}

static dap_status check_rank(dap_linalg_call *call, const problem *p)
{
  dap_scalapack_int zero = 0;
  for (int64_t i = 0; i < p->n && zero == 0 && call->rank == 0; i++)
    if (is_zero(call, p, i)) zero = (dap_scalapack_int)i + 1;
  return dap_linalg_full_rank(call, "geqrt", zero);
}

/* Times sigma / sigma_b, powers of 2 whose quotient may exceed the type. */
static void scale_back(const dap_linalg_call *call, const problem *p, void *x)
{
  const int power = ilogb(p->qr.sigma) - ilogb(p->qr.sigma_b);
  const int64_t count = p->n * p->nrhs * (dap_linalg_is_complex(call) ? 2 : 1);
  for (int64_t i = 0; i < count && power != 0; i++) {
    if (call->lib->real == DAP_F4)
      ((float *)x)[i] = ldexpf(((float *)x)[i], power);
    else
      ((double *)x)[i] = ldexp(((double *)x)[i], power);
  }
}

static dap_status solve(dap_linalg_call *call, const problem *p)
{
  const bool single = call->lib->real == DAP_F4, is_complex = dap_linalg_is_complex(call);
  blas_trsm *const trsm = is_complex ? (single ? ctrsm_ : ztrsm_) : single ? strsm_ : dtrsm_;
  const dap_scalapack_int n = (dap_scalapack_int)p->n, nrhs = (dap_scalapack_int)p->nrhs;
  void *x = (char *)p->r + p->n * p->n * dap_dtype_size(call->lib->dtype);
  DAP_TRY(check_rank(call, p));
  if (call->rank == 0) {
    trsm("L", "U", "N", "N", &n, &nrhs, call->lib->one, p->r, &n, x, &n);
    scale_back(call, p, x);
  }
  const dap_linalg_whole whole = {.operand = X, .data = x};
  return dap_linalg_return_whole(call, p->n, p->nrhs, call->lib->dtype, &whole, 1);
}

dap_status dap_linalg_least_squares_tall(dap_linalg_call *call)
{
  problem p = {.n = dap_linalg_cols(call, A), .nrhs = dap_linalg_cols(call, B), .qr.comm = MPI_COMM_NULL};
  dap_status status = make_room(call, &p);
  if (!status) status = factor(call, &p);
  if (!status) status = solve(call, &p);
  dap_tsqr_close(&p.qr);
  dap_tsqr_destroy(&p.of_a);
  dap_tsqr_destroy(&p.of_b);
  return status;
}

/* Computes QR factors with column pivoting, and the rank that they reveal. */
#include "qr_impl.h"

#include <inttypes.h>
#include <math.h>

enum { A };

dap_status dap_linalg_check_tolerance(dap_linalg_call *call, double tolerance)
{
  DAP_REQUIRE(!isnan(tolerance), call->err, DAP_ERR_ARG, "tolerance is NaN");
  return DAP_OK;
}

/* geqpf works on one column at a time. larf writes ONE_MORE element than geqpf asks for if a process has rows
 * and no columns. Source: SRC/pdgeqpf.f, SRC/pdlarf.f. */
enum { ONE_MORE = 1 };
static dap_status factor(dap_linalg_call *call, const dap_scalapack_matrix *a, dap_scalapack_int *pivots,
                         void *tau)
{
  const bool single = call->lib->real == DAP_F4, is_complex = dap_linalg_is_complex(call);
  dap_workspace w = {
      .routine = "geqpf", .bound = dap_room_panels(1, a), .more = ONE_MORE, .has_reals = is_complex};
  while (dap_workspace_next(call, &w)) {
    if (is_complex)
      (single ? pcgeqpf_ : pzgeqpf_)(&a->m, &a->n, DAP_MATRIX(a), pivots, tau, w.work, &w.lwork, w.rwork,
                                     &w.lrwork, &w.info);
    else
      (single ? psgeqpf_ : pdgeqpf_)(&a->m, &a->n, DAP_MATRIX(a), pivots, tau, w.work, &w.lwork, &w.info);
  }
  return w.status;
}

/* Gathers the pivots of all columns from the process row that has row 0. Others may have found other norms if
 * the matrix has one row. */
static dap_status gather_order(dap_linalg_call *call, const dap_scalapack_matrix *a,
                               const dap_scalapack_int *pivots, int64_t **order)
{
  const dap_linalg_part part = dap_linalg_part_of(call, a);
  DAP_TRY(dap_linalg_work(call, a->n, DAP_I8, order));
  for (int64_t j = 0; j < part.extents[1] && part.coords[0] == 0; j++)
    (*order)[dap_linalg_global(&part, 1, j)] = pivots[j] - 1;
  return dap_linalg_reduce(call, *order, a->n, MPI_INT64_T, MPI_SUM);
}

/* More rows do not count: the errors of R hardly grow with them, and from 8 million rows on the product with
 * the epsilon of single precision exceeds 1. The rule is the same for each way to find R. */
enum { MOST_ROWS = 65536 };

dap_status dap_linalg_find_rank(dap_linalg_call *call, const double sizes[], int64_t k,
                                dap_linalg_rank *found)
{
  const int64_t longer = dap_room_larger(dap_linalg_rows(call, A), dap_linalg_cols(call, A));
  const double usual = (double)dap_room_smaller(longer, MOST_ROWS) * call->lib->eps;
  const double tolerance = found->tolerance < 0 ? usual : found->tolerance;
  for (int64_t i = 0; i < k; i++) { /* the same on every process */
    if (!isfinite(sizes[i]))
      return dap_linalg_numeric(call, i + 1,
                                "A's elements are too large: R(%" PRId64 ", %" PRId64
                                ") in its QR factors is not finite",
                                i + 1, i + 1);
  }
  found->rank = 0;
  while (found->rank < k && sizes[found->rank] > tolerance * sizes[0]) found->rank++;
  return DAP_OK;
}

static dap_status measure_diagonal(dap_linalg_call *call, const dap_linalg_qr_factors *f,
                                   dap_linalg_rank *found)
{
  const dap_linalg_part part = dap_linalg_part_of(call, f->a);
  double *sizes;
  DAP_TRY(dap_linalg_work(call, f->k, DAP_F8, &sizes));
  for (int64_t at[2] = {-1, -1}; dap_linalg_next_diagonal(&part, 0, at);)
    sizes[dap_linalg_global(&part, 0, at[0])] = dap_linalg_size(&part, at[0], at[1]);
  DAP_TRY(dap_linalg_sums(call, sizes, f->k));
  return dap_linalg_find_rank(call, sizes, f->k, found);
}

/* geqpf and orgqr take any blocks, so a tall matrix is shared in block rows, with workspace for its few
 * columns. ormqr and ormlq need square blocks, and workspace of their square. Block rows in square blocks
 * would give it the square of a process's rows, so blocks have an upper bound, unless the caller decides. */
dap_status dap_linalg_pivoted_view(dap_linalg_call *call, bool reflected, dap_linalg_qr_factors *f)
{
  const bool is_tall =
      dap_linalg_rows(call, A) >= DAP_LONG_SIZE && dap_linalg_cols(call, A) <= DAP_USUAL_BLOCK;
  const bool is_given = call->options.sharing == DAP_SHARE_OR_FAIL || call->options.block_size;
  dap_scalapack_options options = {.op = 'N'};
  if (!is_tall || reflected)
    options.needs =
        (dap_matrix_needs){.square_blocks = true, .most_block = is_given ? 0 : DAP_FAST_BLOCK_MOST};
  DAP_TRY(dap_linalg_view(call, A, &options, &f->a));
  f->k = f->a->m < f->a->n ? f->a->m : f->a->n;
  return DAP_OK;
}

dap_status dap_linalg_pivoted_factor(dap_linalg_call *call, dap_linalg_rank *found, dap_linalg_qr_factors *f,
                                     int64_t **order)
{
  const dap_scalapack_matrix *a = f->a;
  DAP_TRY(dap_linalg_finite(call, a, 'A'));
  int64_t extents[2];
  dap_scalapack_int *pivots;
  dap_linalg_local(a, extents);
  DAP_TRY(dap_linalg_work(call, extents[1], dap_linalg_integer(), &pivots));
  DAP_TRY(dap_linalg_work(call, extents[1], call->lib->dtype, &f->tau));
  DAP_TRY(factor(call, a, pivots, f->tau));
  DAP_TRY(gather_order(call, a, pivots, order));
  return measure_diagonal(call, f, found);
}

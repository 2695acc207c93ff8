/* Solves linear systems with band matrices. A tridiagonal one is a band with a diagonal on either side,
 * because ScaLAPACK's dtsv does not pivot, and ptsv gains little over pbsv. */
#include "banded_impl.h"

#include <dapbridge/linalg_banded.h>
#include <inttypes.h>

/* ---- a grid of one row ------------------------------------------------------------------------------- */

/* A view of one number on each process. It keeps a BLACS context alive. */
typedef struct row_grid {
  dap_scalapack_matrix view;
  double number;
} row_grid;

/* Opens a grid of all processes in the order of their ranks. Collective. */
static dap_status open_grid(dap_linalg_call *call, row_grid *grid)
{
  *grid = (row_grid){.number = 0};
  const dap_dist dists[2] = {dap_dist_local(1), dap_dist_cyclic(call->nprocs, call->nprocs, 1)};
  const dap_scalapack_options options = {.op = 'N'};
  dap_layout *layout;
  dap_array array = {0};
  dap_status status = dap_layout_create(2, dists, &layout, call->err);
  if (!status)
    status = dap_array_init(&array, layout, call->rank, DAP_F8, DAP_ORDER_F, &grid->number, call->err);
  status = dap_agree(call->comm, status, call->err);
  if (!status)
    status = dap_scalapack_get(call->comm, (dap_darray){layout, &array}, DAP_READ, &options, &grid->view,
                               call->err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  return status;
}

/* Factors and solves. One process needs no grid. */
static dap_status factor(dap_linalg_call *call, const dap_banded *band)
{
  row_grid grid = {.number = 0};
  if (band->procs > 1) DAP_TRY(open_grid(call, &grid));
  const dap_status status = dap_linalg_banded_factor(call, band, grid.view.desc[DAP_CTXT]);
  (void)dap_scalapack_discard(&grid.view, NULL);
  return status;
}

static dap_status check_diagonals(dap_linalg_call *call, int64_t lower, int64_t upper)
{
  DAP_REQUIRE(lower >= 0 && upper >= 0, call->err, DAP_ERR_ARG,
              "lower is %" PRId64 " and upper %" PRId64 ", they must be at least 0", lower, upper);
  const int64_t rows = dap_linalg_rows(call, 0);
  DAP_REQUIRE(lower < rows && rows - lower - 1 == upper, call->err, DAP_ERR_ARG,
              "AB has %" PRId64 " rows, with lower %" PRId64 " and upper %" PRId64
              " it must have one more than both together",
              rows, lower, upper);
  return DAP_OK;
}

/* Solves with the matrix of `pieces` and operand `b`, the last one. */
static dap_status solve(dap_linalg_call *call, dap_banded *band, const dap_banded_piece pieces[], int count,
                        int b)
{
  DAP_REQUIRE(call->options.sharing != DAP_SHARE_OR_FAIL, call->err, DAP_ERR_SHARE,
              "%s must be moved: a band is factored in storage of its own", call->arguments.operands[0].name);
  band->nrhs = dap_linalg_cols(call, b);
  DAP_TRY(dap_linalg_fits(call, b, band->n, band->nrhs));
  if (band->n == 0 || band->nrhs == 0) return DAP_OK;
  DAP_TRY(dap_linalg_banded_place(call, band));
  DAP_TRY(dap_linalg_banded_load(call, band, pieces, count, b));
  DAP_TRY(factor(call, band));
  return dap_linalg_banded_store(call, band, b);
}

static int64_t one_less(int64_t n)
{
  return n > 0 ? n - 1 : 0;
}

static dap_status solve_banded(dap_linalg_call *call)
{
  enum { AB, B };
  dap_banded *band = call->arguments.context;
  DAP_TRY(check_diagonals(call, band->lower, band->upper));
  band->n = dap_linalg_cols(call, AB);
  return solve(call, band, &(dap_banded_piece){.operand = AB, .above = band->upper}, 1, B);
}

dap_status dap_linalg_banded_solve(MPI_Comm comm, int64_t lower, int64_t upper, dap_darray ab, dap_darray b,
                                   const dap_linalg_options *options, dap_error *err)
{
  dap_banded band = {.kind = 'G', .lower = lower, .upper = upper};
  const dap_linalg_arguments arguments = {
      __func__, solve_banded, &band, .words = {{"lower", (uint64_t)lower}, {"upper", (uint64_t)upper}},
      .operands = {{"AB", ab, DAP_LINALG_INPUT, "**"}, {"B", b, DAP_LINALG_UPDATE, "*[*]"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

static dap_status solve_positive_banded(dap_linalg_call *call)
{
  enum { AB, B };
  const char uplo = dap_linalg_chosen(call, 0);
  const int64_t rows = dap_linalg_rows(call, AB), beside = rows - 1;
  DAP_REQUIRE(rows > 0, call->err, DAP_ERR_ARG, "AB has no rows, the main diagonal is one");
  dap_banded band = {.kind = uplo,
                     .n = dap_linalg_cols(call, AB),
                     .lower = uplo == 'L' ? beside : 0,
                     .upper = uplo == 'U' ? beside : 0};
  return solve(call, &band, &(dap_banded_piece){.operand = AB, .above = band.upper}, 1, B);
}

dap_status dap_linalg_positive_banded_solve(MPI_Comm comm, char uplo, dap_darray ab, dap_darray b,
                                            const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      __func__, solve_positive_banded,
      .operands = {{"AB", ab, DAP_LINALG_INPUT, "**"}, {"B", b, DAP_LINALG_UPDATE, "*[*]"}},
      .choices = {{"uplo", uplo, "LU"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

static dap_status solve_tridiagonal(dap_linalg_call *call)
{
  enum { DL, D, DU, B };
  static const dap_banded_piece pieces[3] = {{DL, -1, 0}, {D, 0, 0}, {DU, 1, 1}};
  const int64_t n = dap_linalg_rows(call, D);
  DAP_TRY(dap_linalg_fits(call, DL, one_less(n), 1));
  DAP_TRY(dap_linalg_fits(call, DU, one_less(n), 1));
  dap_banded band = {.kind = 'G', .n = n, .lower = 1, .upper = 1};
  return solve(call, &band, pieces, 3, B);
}

dap_status dap_linalg_tridiagonal_solve(MPI_Comm comm, dap_darray dl, dap_darray d, dap_darray du,
                                        dap_darray b, const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {__func__, solve_tridiagonal,
                                          .operands = {{"DL", dl, DAP_LINALG_INPUT, "*"},
                                                       {"D", d, DAP_LINALG_INPUT, "n"},
                                                       {"DU", du, DAP_LINALG_INPUT, "*"},
                                                       {"B", b, DAP_LINALG_UPDATE, "*[*]"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

static dap_status solve_positive_tridiagonal(dap_linalg_call *call)
{
  enum { D, E, B };
  static const dap_banded_piece pieces[2] = {{D, 0, 0}, {E, -1, 0}};
  const int64_t n = dap_linalg_rows(call, D);
  DAP_TRY(dap_linalg_fits(call, E, one_less(n), 1));
  dap_banded band = {.kind = 'L', .n = n, .lower = 1};
  return solve(call, &band, pieces, 2, B);
}

dap_status dap_linalg_positive_tridiagonal_solve(MPI_Comm comm, dap_darray d, dap_darray e, dap_darray b,
                                                 const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {__func__, solve_positive_tridiagonal,
                                          .operands = {{"D", d, DAP_LINALG_INPUT, "n"},
                                                       {"E", e, DAP_LINALG_INPUT, "*"},
                                                       {"B", b, DAP_LINALG_UPDATE, "*[*]"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

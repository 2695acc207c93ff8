/* Schur form, eigenvalues and eigenvectors of general matrices: process 0 gets the whole matrix, calls LAPACK
 * (schur_lapack.c), and sends back the results. */
#include "schur_impl.h"

#include <dapbridge/linalg_schur.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { A }; /* operand 0 of both functions */

typedef dap_scalapack_int algorithm(const dap_linalg_call *call, const dap_linalg_general *g,
                                    const dap_linalg_general_room *room);

/* ---- to process 0, and back -------------------------------------------------------------------------- */

static dap_status check_finite(const dap_linalg_call *call, const dap_linalg_general *g, dap_error *err)
{
  const int parts = dap_linalg_is_complex(call) ? 2 : 1;
  for (int64_t k = 0; k < parts * g->n * g->n && call->rank == 0; k++) {
    const int64_t at = k / parts;
    DAP_REQUIRE(isfinite(dap_linalg_get_real(call, g->a, k)), err, DAP_ERR_NUMERIC,
                "A has an element that is not finite, at (%" PRId64 ", %" PRId64 ")", at % g->n, at / g->n);
  }
  return DAP_OK;
}

/* To all processes. Eigenvalues of huge elements may exceed the type's range. */
static dap_status spread_values(dap_linalg_call *call, const dap_linalg_general *g)
{
  MPI_Datatype type = call->lib->real == DAP_F4 ? MPI_FLOAT : MPI_DOUBLE;
  DAP_TRY(dap_linalg_mpi(call, MPI_Bcast(g->w, (int)(2 * g->n), type, 0, call->comm), "MPI_Bcast"));
  return dap_linalg_general_finite(call, g);
}

/* ---- the computation --------------------------------------------------------------------------------- */

#define BEYOND "beyond that use SLEPc on the same array (bridge/docs/linalg.md, general eigenvalues)"

/* LAPACK's integers count the elements of A. */
static dap_status check_order(dap_linalg_call *call, int64_t n)
{
  const int64_t most_elements = sizeof(dap_scalapack_int) == 4 ? INT32_MAX : INT64_MAX;
  int64_t most = (int64_t)sqrt((double)most_elements);
  while (most > most_elements / most) most--;
  DAP_REQUIRE(n <= most, call->err, DAP_ERR_RANGE,
              "A has %" PRId64 " rows; LAPACK on one process can have %" PRId64 ": " BEYOND, n, most);
  return DAP_OK;
}

/* `vectors`: the type of the vectors. */
static dap_status make_space(dap_linalg_call *call, dap_dtype vectors, dap_linalg_general *g,
                             dap_linalg_general_room *room)
{
  const int64_t whole = call->rank == 0 ? g->n * g->n : 0;
  DAP_TRY(dap_linalg_work(call, whole, call->lib->dtype, &g->a));
  DAP_TRY(dap_linalg_work(call, g->has_vectors ? whole : 0, vectors, &g->vectors));
  DAP_TRY(dap_linalg_work(call, g->n, dap_linalg_complex(call), &g->w));
  return dap_linalg_general_make_room(call, g, room);
}

/* Adds to an error of process 0 what to do about it. */
static dap_status name_limit(dap_linalg_call *call, int64_t n, dap_status status)
{
  if (status != DAP_ERR_NOMEM || call->err->rank != 0) return status;
  (void)dap_fail(call->err, DAP_ERR_NOMEM,
                 "no memory for the whole of A, %" PRId64 " x %" PRId64 ", and work space: " BEYOND, n, n);
  call->err->rank = 0;
  return status;
}

/* A becomes what the algorithm makes of it. */
static dap_status compute(dap_linalg_call *call, algorithm *run, dap_dtype vectors, dap_linalg_general *g)
{
  dap_linalg_general_room room;
  DAP_TRY(check_order(call, g->n));
  DAP_TRY(name_limit(call, g->n, make_space(call, vectors, g, &room)));
  DAP_TRY(dap_linalg_fetch_whole(call, A, g->n, g->n, call->lib->dtype, g->a));
  DAP_TRY(dap_agree(call->comm, check_finite(call, g, call->err), call->err));
  dap_scalapack_int info = call->rank == 0 ? run(call, g, &room) : 0;
  DAP_TRY(dap_linalg_info(call, "QR iteration of LAPACK", &info));
  if (info > 0)
    return dap_linalg_numeric(call, info, "the eigenvalues up to number %" PRId64 " did not converge",
                              (int64_t)info);
  return spread_values(call, g);
}

/* ---- the functions ----------------------------------------------------------------------------------- */

static dap_status begin(dap_linalg_call *call)
{
  DAP_REQUIRE(call->options.sharing != DAP_SHARE_OR_FAIL, call->err, DAP_ERR_SHARE,
              "A must be moved: it keeps its values");
  DAP_TRY(dap_linalg_square(call, A));
  (void)snprintf(call->report->method, sizeof call->report->method, "LAPACK on process 0");
  return DAP_OK;
}

static dap_status schur(dap_linalg_call *call)
{
  enum { T = 1, Z, W };
  dap_linalg_general g = {.n = dap_linalg_rows(call, A), .has_vectors = call->given[Z]};
  DAP_TRY(begin(call));
  DAP_TRY(dap_linalg_fits(call, T, g.n, g.n));
  DAP_TRY(dap_linalg_fits(call, Z, g.n, g.n));
  DAP_TRY(dap_linalg_fits(call, W, g.n, 1));
  if (g.n == 0) return DAP_OK;
  DAP_TRY(compute(call, dap_linalg_general_schur, call->lib->dtype, &g));
  dap_linalg_whole wanted[2];
  int count = 0;
  if (call->given[T]) wanted[count++] = (dap_linalg_whole){T, g.a};
  if (call->given[Z]) wanted[count++] = (dap_linalg_whole){Z, g.vectors};
  DAP_TRY(dap_linalg_return_whole(call, g.n, g.n, call->lib->dtype, wanted, count));
  return call->given[W] ? dap_linalg_store_replicated(call, W, g.w) : DAP_OK;
}

dap_status dap_linalg_schur(MPI_Comm comm, dap_darray a, dap_darray t, dap_darray z, dap_darray w,
                            const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .function = __func__,
      .work = schur,
      .operands = {{"A", a, DAP_LINALG_INPUT, .ndim = 2},
                   {"T", t, DAP_LINALG_RESULT, .ndim = 2, .optional = true},
                   {"Z", z, DAP_LINALG_RESULT, .ndim = 2, .optional = true},
                   {"W", w, DAP_LINALG_RESULT, .ndim = 1, .optional = true, .complex = true}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

static dap_status eig(dap_linalg_call *call)
{
  enum { W = 1, V };
  dap_linalg_general g = {.n = dap_linalg_rows(call, A), .has_vectors = call->given[V]};
  const dap_dtype wide = dap_linalg_complex(call);
  DAP_TRY(begin(call));
  DAP_TRY(dap_linalg_fits(call, W, g.n, 1));
  DAP_TRY(dap_linalg_fits(call, V, g.n, g.n));
  if (g.n == 0) return DAP_OK;
  DAP_TRY(compute(call, dap_linalg_general_eig, wide, &g));
  if (call->given[V])
    DAP_TRY(dap_linalg_return_whole(call, g.n, g.n, wide, &(dap_linalg_whole){V, g.vectors}, 1));
  return dap_linalg_store_replicated(call, W, g.w);
}

dap_status dap_linalg_eig(MPI_Comm comm, dap_darray a, dap_darray w, dap_darray v,
                          const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .function = __func__,
      .work = eig,
      .operands = {{"A", a, DAP_LINALG_INPUT, .ndim = 2},
                   {"W", w, DAP_LINALG_RESULT, .ndim = 1, .complex = true},
                   {"V", v, DAP_LINALG_RESULT, .ndim = 2, .optional = true, .complex = true}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

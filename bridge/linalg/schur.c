/* Schur form, eigenvalues and eigenvectors of general matrices: where they are computed; by LAPACK on process
 * 0. */
#include "schur_impl.h"

#include <dapbridge/linalg_schur.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { A = DAP_SCHUR_A };

typedef dap_scalapack_int algorithm(const dap_linalg_call *call, const dap_linalg_general *g,
                                    const dap_linalg_general_room *room);

/* ---- to process 0, and back -------------------------------------------------------------------------- */

static dap_status check_finite(const dap_linalg_call *call, const dap_linalg_general *g, dap_error *err)
{
  const int parts = dap_linalg_is_complex(call) ? 2 : 1;
  for (int64_t k = 0; k < parts * g->n * g->n && call->rank == 0; k++) {
    const double x = call->lib->real == DAP_F4 ? (double)((const float *)g->a)[k] : ((const double *)g->a)[k];
    const int64_t at = k / parts;
    DAP_REQUIRE(isfinite(x), err, DAP_ERR_NUMERIC,
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

/* ---- both ---------------------------------------------------------------------------------------------- */

/* `vectors`: the type of the vectors. A becomes what the algorithm makes of it. */
static dap_status compute(dap_linalg_call *call, algorithm *run, dap_dtype vectors, dap_linalg_general *g)
{
  const int64_t most = sizeof(dap_scalapack_int) == 4 ? INT32_MAX : INT64_MAX;
  dap_linalg_general_room room;
  DAP_REQUIRE(g->n <= most / 64 && g->n <= most / g->n, call->err, DAP_ERR_RANGE,
              "A has more elements than LAPACK's integers count");
  const int64_t whole = call->rank == 0 ? g->n * g->n : 0;
  DAP_TRY(dap_linalg_work(call, whole, call->lib->dtype, &g->a));
  DAP_TRY(dap_linalg_work(call, g->has_vectors ? whole : 0, vectors, &g->vectors));
  DAP_TRY(dap_linalg_work(call, g->n, dap_linalg_complex(call), &g->w));
  DAP_TRY(dap_linalg_general_make_room(call, g, &room));
  DAP_TRY(dap_linalg_fetch_whole(call, A, g->n, g->n, call->lib->dtype, g->a));
  DAP_TRY(dap_agree(call->comm, check_finite(call, g, call->err), call->err));
  dap_scalapack_int info = call->rank == 0 ? run(call, g, &room) : 0;
  DAP_TRY(dap_linalg_info(call, "QR iteration of LAPACK", &info));
  if (info > 0)
    return dap_linalg_numeric(call, info, "the eigenvalues up to number %" PRId64 " did not converge",
                              (int64_t)info);
  return DAP_OK;
}

/* ---- the functions ----------------------------------------------------------------------------------- */

/* The most rows that LAPACK's integers of 32 bits count the elements of. One process is the default up to
 * there: bridge/docs/linalg.md. */
enum { MOST_OF_ONE = 46340 };

/* How many processes compute by hseqr, into the report, too; 0: LAPACK does, on one. */
static dap_status choose(dap_linalg_call *call, int64_t n, bool has_vectors, int *procs)
{
  const dap_schur_solver solver = call->options.schur.solver;
  const bool can = !dap_linalg_is_complex(call) && !has_vectors;
  DAP_REQUIRE(solver >= DAP_SCHUR_AUTO && solver <= DAP_SCHUR_HSEQR, call->err, DAP_ERR_ARG,
              "options: schur.solver %d is none of dap_schur_solver", (int)solver);
  DAP_REQUIRE(solver != DAP_SCHUR_HSEQR || can, call->err, DAP_ERR_UNSUPPORTED,
              "options: schur.solver: hseqr is for real matrices, and without eigenvectors");
  DAP_REQUIRE(call->options.sharing != DAP_SHARE_OR_FAIL, call->err, DAP_ERR_SHARE,
              "A must be moved: it keeps its values");
  DAP_TRY(dap_linalg_square(call, A));
  const bool too_large = sizeof(dap_scalapack_int) == 4 && n > MOST_OF_ONE;
  const bool by_all = solver == DAP_SCHUR_HSEQR || (solver == DAP_SCHUR_AUTO && can && too_large);
  *procs = by_all ? dap_linalg_schur_procs(call) : 0;
  const char *method = *procs == 0              ? "LAPACK on process 0"
                       : *procs == call->nprocs ? "QR iteration on all processes"
                                                : "QR iteration on all processes but the last";
  (void)snprintf(call->report->method, sizeof call->report->method, "%s", method);
  return DAP_OK;
}

static dap_status by_hseqr(dap_linalg_call *call, dap_linalg_general *g, int procs, bool has_form)
{
  return procs < call->nprocs ? dap_linalg_schur_fewer(call, g, has_form)
                              : dap_linalg_schur_hseqr(call, g, has_form);
}

static dap_status schur(dap_linalg_call *call)
{
  enum { T = DAP_SCHUR_T, Z = DAP_SCHUR_Z, W = DAP_SCHUR_W };
  dap_linalg_general g = {.n = dap_linalg_rows(call, A), .has_vectors = call->given[Z]};
  int procs;
  DAP_TRY(choose(call, g.n, false, &procs));
  DAP_TRY(dap_linalg_fits(call, T, g.n, g.n));
  DAP_TRY(dap_linalg_fits(call, Z, g.n, g.n));
  DAP_TRY(dap_linalg_fits(call, W, g.n, 1));
  if (g.n == 0) return DAP_OK;
  DAP_TRY(procs ? by_hseqr(call, &g, procs, true)
                : compute(call, dap_linalg_general_schur, call->lib->dtype, &g));
  DAP_TRY(spread_values(call, &g));
  if (!procs) {
    dap_linalg_whole wanted[2];
    int count = 0;
    if (call->given[T]) wanted[count++] = (dap_linalg_whole){T, g.a};
    if (call->given[Z]) wanted[count++] = (dap_linalg_whole){Z, g.vectors};
    DAP_TRY(dap_linalg_return_whole(call, g.n, g.n, call->lib->dtype, wanted, count));
  }
  return call->given[W] ? dap_linalg_store_replicated(call, W, g.w) : DAP_OK;
}

dap_status dap_linalg_schur(MPI_Comm comm, dap_darray a, dap_darray t, dap_darray z, dap_darray w,
                            const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .function = __func__,
      .operands = {{"A", a, DAP_LINALG_INPUT, .ndim = 2},
                   {"T", t, DAP_LINALG_RESULT, .ndim = 2, .optional = true},
                   {"Z", z, DAP_LINALG_RESULT, .ndim = 2, .optional = true},
                   {"W", w, DAP_LINALG_RESULT, .ndim = 1, .optional = true, .complex = true}}};
  dap_linalg_call call;
  dap_status status = dap_linalg_begin(&call, comm, &arguments, options, err);
  if (!status) status = schur(&call);
  return dap_linalg_end(&call, status);
}

static dap_status eig(dap_linalg_call *call)
{
  enum { W = 1, V };
  dap_linalg_general g = {.n = dap_linalg_rows(call, A), .has_vectors = call->given[V]};
  const dap_dtype wide = dap_linalg_complex(call);
  int procs;
  DAP_TRY(choose(call, g.n, g.has_vectors, &procs));
  DAP_TRY(dap_linalg_fits(call, W, g.n, 1));
  DAP_TRY(dap_linalg_fits(call, V, g.n, g.n));
  if (g.n == 0) return DAP_OK;
  DAP_TRY(procs ? by_hseqr(call, &g, procs, false) : compute(call, dap_linalg_general_eig, wide, &g));
  DAP_TRY(spread_values(call, &g));
  if (call->given[V])
    DAP_TRY(dap_linalg_return_whole(call, g.n, g.n, wide, &(dap_linalg_whole){V, g.vectors}, 1));
  return dap_linalg_store_replicated(call, W, g.w);
}

dap_status dap_linalg_eig(MPI_Comm comm, dap_darray a, dap_darray w, dap_darray v,
                          const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .function = __func__,
      .operands = {{"A", a, DAP_LINALG_INPUT, .ndim = 2},
                   {"W", w, DAP_LINALG_RESULT, .ndim = 1, .complex = true},
                   {"V", v, DAP_LINALG_RESULT, .ndim = 2, .optional = true, .complex = true}}};
  dap_linalg_call call;
  dap_status status = dap_linalg_begin(&call, comm, &arguments, options, err);
  if (!status) status = eig(&call);
  return dap_linalg_end(&call, status);
}

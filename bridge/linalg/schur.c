/* Computes Schur forms, eigenvalues and eigenvectors of general matrices. Process 0 gets the whole matrix,
 * calls LAPACK's gees or geev, and sends back the results. Real matrices get complex eigenvalues and
 * eigenvectors as well. */
#include "linalg_impl.h"

#include <dapbridge/linalg_schur.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { A }; /* operand 0 of both functions */

typedef struct general {
  int64_t n;
  bool has_vectors; /* vectors are wanted */
  /* Column-major without gaps, on process 0; NULL elsewhere. */
  void *a;       /* [n * n] overwritten, by gees with T */
  void *vectors; /* [n * n] Schur vectors, of A's type, or eigenvectors, complex */
  void *w;       /* [n] complex, on every process */
  /* Workspace. */
  void *work, *rwork, *real[2];
  void *packed; /* [n * n] real: the vectors as geev returns them, if a real matrix gets complex ones */
  dap_scalapack_int lwork;
} general;

/* Computes on process 0, and returns LAPACK's info. */
typedef dap_scalapack_int algorithm(const dap_linalg_call *call, general *g);

/* Returns the complex type of the matrix's precision. */
static dap_dtype complex_of(const dap_linalg_call *call)
{
  return call->lib->real == DAP_F4 ? DAP_C8 : DAP_C16;
}

/* ---- LAPACK ------------------------------------------------------------------------------------------ */

/* Prototypes of LAPACK (SRC/dgees.f, SRC/dgeev.f and their counterparts). Their rules are those of
 * scalapack_calls.h. LAPACK does not call `select`, because nothing is sorted. */
typedef void lapack_gees(const char *jobvs, const char *sort, const void *select, const dap_scalapack_int *n,
                         void *a, const dap_scalapack_int *lda, dap_scalapack_int *sdim, void *wr, void *wi,
                         void *vs, const dap_scalapack_int *ldvs, void *work, const dap_scalapack_int *lwork,
                         dap_scalapack_int *bwork, dap_scalapack_int *info);
typedef void lapack_cgees(const char *jobvs, const char *sort, const void *select, const dap_scalapack_int *n,
                          void *a, const dap_scalapack_int *lda, dap_scalapack_int *sdim, void *w, void *vs,
                          const dap_scalapack_int *ldvs, void *work, const dap_scalapack_int *lwork,
                          void *rwork, dap_scalapack_int *bwork, dap_scalapack_int *info);
typedef void lapack_geev(const char *jobvl, const char *jobvr, const dap_scalapack_int *n, void *a,
                         const dap_scalapack_int *lda, void *wr, void *wi, void *vl,
                         const dap_scalapack_int *ldvl, void *vr, const dap_scalapack_int *ldvr, void *work,
                         const dap_scalapack_int *lwork, dap_scalapack_int *info);
typedef void lapack_cgeev(const char *jobvl, const char *jobvr, const dap_scalapack_int *n, void *a,
                          const dap_scalapack_int *lda, void *w, void *vl, const dap_scalapack_int *ldvl,
                          void *vr, const dap_scalapack_int *ldvr, void *work, const dap_scalapack_int *lwork,
                          void *rwork, dap_scalapack_int *info);
lapack_gees sgees_, dgees_;
lapack_cgees cgees_, zgees_;
lapack_geev sgeev_, dgeev_;
lapack_cgeev cgeev_, zgeev_;

/* Sets number k of an array of complex numbers. */
static void put(const dap_linalg_call *call, void *complexes, int64_t k, double re, double im)
{
  dap_linalg_put_real(call->lib->real, complexes, 2 * k, re);
  dap_linalg_put_real(call->lib->real, complexes, 2 * k + 1, im);
}

static dap_status check_values(dap_linalg_call *call, const general *g)
{
  if (dap_linalg_finite_values(call, 2 * g->n, g->w, "part") == DAP_OK) return DAP_OK;
  const int64_t k = (call->report->info - 1) / 2;
  return dap_linalg_numeric(call, k + 1, "eigenvalue %" PRId64 " exceeds the range of %s", k + 1,
                            dap_dtype_name(call->lib->dtype));
}

static void join_values(const dap_linalg_call *call, general *g)
{
  for (int64_t k = 0; k < g->n; k++)
    put(call, g->w, k, dap_linalg_get_real(call->lib->real, g->real[0], k),
        dap_linalg_get_real(call->lib->real, g->real[1], k));
}

/* The vectors of a pair of eigenvalues are two columns, the real and the imaginary part. Source:
 * SRC/dgeev.f. */
static void join_vectors(const dap_linalg_call *call, general *g)
{
  const int64_t n = g->n;
  for (int64_t j = 0; j < n; j++) {
    const bool is_pair = dap_linalg_get_real(call->lib->real, g->real[1], j) != 0 && j + 1 < n;
    for (int64_t i = 0; i < n; i++) {
      const double re = dap_linalg_get_real(call->lib->real, g->packed, i + j * n);
      const double im = is_pair ? dap_linalg_get_real(call->lib->real, g->packed, i + (j + 1) * n) : 0;
      put(call, g->vectors, i + j * n, re, im);
      if (is_pair) put(call, g->vectors, i + (j + 1) * n, re, -im);
    }
    if (is_pair) j++;
  }
}

static dap_scalapack_int find_schur(const dap_linalg_call *call, general *g)
{
  const dap_scalapack_int n = (dap_scalapack_int)g->n;
  const bool single = call->lib->real == DAP_F4;
  const char *job = g->has_vectors ? "V" : "N";
  dap_scalapack_int sorted, unused, info = 0;
  if (dap_linalg_is_complex(call)) {
    (single ? cgees_ : zgees_)(job, "N", NULL, &n, g->a, &n, &sorted, g->w, g->vectors, &n, g->work,
                               &g->lwork, g->rwork, &unused, &info);
    return info;
  }
  (single ? sgees_ : dgees_)(job, "N", NULL, &n, g->a, &n, &sorted, g->real[0], g->real[1], g->vectors, &n,
                             g->work, &g->lwork, &unused, &info);
  join_values(call, g);
  return info;
}

/* Multiplies A by a power of 2 if its elements are very small or large, and returns that. geev also scales,
 * but its eigenvalues are as small as A. If the imaginary parts of a pair underflow to 0, the two columns of
 * its vectors look like two real vectors. */
static double scale(const dap_linalg_call *call, const general *g)
{
  const int64_t count = g->n * g->n;
  const double sigma = dap_linalg_scale_factor(call, dap_linalg_largest_part(call, g->a, count));
  dap_linalg_scale_back(call, call->lib->parts * count, 1 / sigma, g->a);
  return sigma;
}

static dap_scalapack_int find_eig(const dap_linalg_call *call, general *g)
{
  const dap_scalapack_int n = (dap_scalapack_int)g->n;
  const bool single = call->lib->real == DAP_F4;
  const char *job = g->has_vectors ? "V" : "N";
  const double sigma = scale(call, g);
  dap_scalapack_int info = 0;
  if (dap_linalg_is_complex(call)) {
    (single ? cgeev_ : zgeev_)("N", job, &n, g->a, &n, g->w, NULL, &n, g->vectors, &n, g->work, &g->lwork,
                               g->rwork, &info);
    dap_linalg_scale_back(call, 2 * g->n, sigma, g->w);
    return info;
  }
  (single ? sgeev_ : dgeev_)("N", job, &n, g->a, &n, g->real[0], g->real[1], NULL, &n, g->packed, &n, g->work,
                             &g->lwork, &info);
  if (g->has_vectors) join_vectors(call, g);
  for (int k = 0; k < 2; k++) dap_linalg_scale_back(call, g->n, sigma, g->real[k]);
  join_values(call, g);
  return info;
}

static dap_status check_finite(const dap_linalg_call *call, const general *g, dap_error *err)
{
  for (int64_t k = 0; k < g->n * g->n && call->rank == 0; k++)
    DAP_REQUIRE(isfinite(dap_linalg_largest_part(call, (const char *)g->a + k * call->lib->item, 1)), err,
                DAP_ERR_NUMERIC, "A has an element that is not finite, at (%" PRId64 ", %" PRId64 ")",
                k % g->n, k / g->n);
  return DAP_OK;
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

/* vectors: the type of the vectors. */
static dap_status make_space(dap_linalg_call *call, dap_dtype vectors, general *g)
{
  const int64_t n = call->rank == 0 ? g->n : 0;
  const dap_dtype real = call->lib->real;
  const bool is_packed = g->has_vectors && vectors != call->lib->dtype;
  g->lwork = (dap_scalapack_int)(64 * g->n); /* more than any routine needs, and enough for blocks */
  DAP_TRY(dap_linalg_work(call, n * n, call->lib->dtype, &g->a));
  DAP_TRY(dap_linalg_work(call, g->has_vectors ? n * n : 0, vectors, &g->vectors));
  DAP_TRY(dap_linalg_work(call, g->n, complex_of(call), &g->w));
  DAP_TRY(dap_linalg_work(call, 64 * n, call->lib->dtype, &g->work));
  DAP_TRY(dap_linalg_work(call, 2 * n, real, &g->rwork));
  for (int k = 0; k < 2; k++) DAP_TRY(dap_linalg_work(call, n, real, &g->real[k]));
  return dap_linalg_work(call, is_packed ? n * n : 0, real, &g->packed);
}

/* Gives an error of process 0 a text that says what to do. */
static dap_status name_limit(dap_linalg_call *call, int64_t n, dap_status status)
{
  if (status != DAP_ERR_NOMEM || call->err->rank != 0) return status;
  (void)dap_fail(call->err, DAP_ERR_NOMEM,
                 "no memory for the whole of A, %" PRId64 " x %" PRId64 ", and work space: " BEYOND, n, n);
  call->err->rank = 0;
  return status;
}

/* Moves A to process 0, runs the algorithm there, and sends the eigenvalues to all. */
static dap_status compute(dap_linalg_call *call, algorithm *run, dap_dtype vectors, general *g)
{
  DAP_TRY(check_order(call, g->n));
  DAP_TRY(name_limit(call, g->n, make_space(call, vectors, g)));
  const dap_linalg_whole whole = {A, g->a, g->n, g->n, call->lib->dtype, false};
  DAP_TRY(dap_linalg_move_wholes(call, &whole, 1, false));
  DAP_TRY(dap_agree(call->comm, check_finite(call, g, call->err), call->err));
  const dap_scalapack_int info = call->rank == 0 ? run(call, g) : 0;
  DAP_TRY(dap_linalg_check_info(call, "QR iteration of LAPACK", info, "the eigenvalues up to number",
                                " did not converge"));
  DAP_TRY(dap_linalg_spread(call, g->w, 2 * g->n));
  return check_values(call, g); /* if elements are huge, eigenvalues may exceed the range of the type */
}

/* ---- the functions ----------------------------------------------------------------------------------- */

static dap_status begin(dap_linalg_call *call)
{
  DAP_REQUIRE(call->options.sharing != DAP_SHARE_OR_FAIL, call->err, DAP_ERR_SHARE,
              "A must be moved: it keeps its values");
  (void)snprintf(call->report->method, sizeof call->report->method, "LAPACK on process 0");
  return DAP_OK;
}

static dap_status schur(dap_linalg_call *call)
{
  enum { T = 1, Z, W };
  general g = {.n = dap_linalg_rows(call, A), .has_vectors = call->given[Z]};
  DAP_TRY(begin(call));
  if (g.n == 0) return DAP_OK;
  DAP_TRY(compute(call, find_schur, call->lib->dtype, &g));
  const dap_linalg_whole results[2] = {{T, g.a, g.n, g.n, call->lib->dtype, false},
                                       {Z, g.vectors, g.n, g.n, call->lib->dtype, false}};
  DAP_TRY(dap_linalg_move_wholes(call, results, 2, true));
  return call->given[W] ? dap_linalg_store_replicated(call, W, g.w) : DAP_OK;
}

dap_status dap_linalg_schur(MPI_Comm comm, dap_darray a, dap_darray t, dap_darray z, dap_darray w,
                            const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      __func__, schur,
      .operands = {{"A", a, DAP_LINALG_INPUT, "nn"},
                   {"T", t, DAP_LINALG_RESULT, "nn", .optional = true},
                   {"Z", z, DAP_LINALG_RESULT, "nn", .optional = true},
                   {"W", w, DAP_LINALG_RESULT, "n", .optional = true, .complex = true}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

static dap_status eig(dap_linalg_call *call)
{
  enum { W = 1, V };
  general g = {.n = dap_linalg_rows(call, A), .has_vectors = call->given[V]};
  const dap_dtype wide = complex_of(call);
  DAP_TRY(begin(call));
  if (g.n == 0) return DAP_OK;
  DAP_TRY(compute(call, find_eig, wide, &g));
  const dap_linalg_whole vectors = {V, g.vectors, g.n, g.n, wide, false};
  DAP_TRY(dap_linalg_move_wholes(call, &vectors, 1, true));
  return dap_linalg_store_replicated(call, W, g.w);
}

dap_status dap_linalg_eig(MPI_Comm comm, dap_darray a, dap_darray w, dap_darray v,
                          const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      __func__, eig,
      .operands = {{"A", a, DAP_LINALG_INPUT, "nn"},
                   {"W", w, DAP_LINALG_RESULT, "n", .complex = true},
                   {"V", v, DAP_LINALG_RESULT, "nn", .optional = true, .complex = true}}};
  return dap_linalg_run(comm, &arguments, options, err);
}

/* LAPACK's gees and geev, whose eigenvalues and eigenvectors of real matrices are put together as complex
 * ones. */
#include "schur_impl.h"

#include <inttypes.h>
#include <math.h>

/* LAPACK's own (SRC/dgees.f, SRC/dgeev.f and their counterparts), by the same rules as in scalapack_calls.h.
 * `select` is not called, as nothing is sorted. */
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

dap_status dap_linalg_general_make_room(dap_linalg_call *call, const dap_linalg_general *g,
                                        dap_linalg_general_room *room)
{
  const int64_t n = call->rank == 0 ? g->n : 0;
  const dap_dtype real = call->lib->real;
  const bool is_real = !dap_linalg_is_complex(call);
  room->lwork = (dap_scalapack_int)(64 * g->n); /* more than the least of any, and enough for blocks */
  DAP_TRY(dap_linalg_work(call, 64 * n, call->lib->dtype, &room->work));
  DAP_TRY(dap_linalg_work(call, 2 * n, real, &room->rwork));
  for (int k = 0; k < 2; k++) DAP_TRY(dap_linalg_work(call, n, real, &room->real[k]));
  return dap_linalg_work(call, is_real && g->has_vectors ? n * n : 0, real, &room->packed);
}

/* Number k of an array of complex ones. */
static void put(const dap_linalg_call *call, void *complexes, int64_t k, double re, double im)
{
  dap_linalg_put_real(call, complexes, 2 * k, re);
  dap_linalg_put_real(call, complexes, 2 * k + 1, im);
}

dap_status dap_linalg_general_finite(dap_linalg_call *call, const dap_linalg_general *g)
{
  if (dap_linalg_finite_values(call, 2 * g->n, g->w, "part") == DAP_OK) return DAP_OK;
  const int64_t k = (call->report->info - 1) / 2;
  return dap_linalg_numeric(call, k + 1, "eigenvalue %" PRId64 " exceeds the range of %s", k + 1,
                            dap_dtype_name(call->lib->dtype));
}

static void join_values(const dap_linalg_call *call, const dap_linalg_general *g,
                        const dap_linalg_general_room *room)
{
  for (int64_t k = 0; k < g->n; k++)
    put(call, g->w, k, dap_linalg_get_real(call, room->real[0], k),
        dap_linalg_get_real(call, room->real[1], k));
}

/* A pair's vectors are two columns, its real and imaginary parts. Source: LAPACK, SRC/dgeev.f. */
static void join_vectors(const dap_linalg_call *call, const dap_linalg_general *g,
                         const dap_linalg_general_room *room)
{
  const int64_t n = g->n;
  for (int64_t j = 0; j < n; j++) {
    const bool is_pair = dap_linalg_get_real(call, room->real[1], j) != 0 && j + 1 < n;
    for (int64_t i = 0; i < n; i++) {
      const double re = dap_linalg_get_real(call, room->packed, i + j * n);
      const double im = is_pair ? dap_linalg_get_real(call, room->packed, i + (j + 1) * n) : 0;
      put(call, g->vectors, i + j * n, re, im);
      if (is_pair) put(call, g->vectors, i + (j + 1) * n, re, -im);
    }
    if (is_pair) j++;
  }
}

dap_scalapack_int dap_linalg_general_schur(const dap_linalg_call *call, const dap_linalg_general *g,
                                           const dap_linalg_general_room *room)
{
  const dap_scalapack_int n = (dap_scalapack_int)g->n;
  const bool single = call->lib->real == DAP_F4;
  const char *job = g->has_vectors ? "V" : "N";
  dap_scalapack_int sorted, unused, info = 0;
  if (dap_linalg_is_complex(call)) {
    (single ? cgees_ : zgees_)(job, "N", NULL, &n, g->a, &n, &sorted, g->w, g->vectors, &n, room->work,
                               &room->lwork, room->rwork, &unused, &info);
    return info;
  }
  (single ? sgees_ : dgees_)(job, "N", NULL, &n, g->a, &n, &sorted, room->real[0], room->real[1], g->vectors,
                             &n, room->work, &room->lwork, &unused, &info);
  join_values(call, g, room);
  return info;
}

/* Multiplies A, where its elements are very small or large, by a power of 2, which is returned. geev scales,
 * too, but eigenvalues come back as small as A: if the imaginary parts of a pair underflow to 0, the two
 * columns of its vectors look like two real vectors. */
static double scale(const dap_linalg_call *call, const dap_linalg_general *g)
{
  const int64_t count = g->n * g->n * (dap_linalg_is_complex(call) ? 2 : 1);
  double most = 0;
  for (int64_t k = 0; k < count; k++) most = fmax(most, fabs(dap_linalg_get_real(call, g->a, k)));
  const double sigma = dap_linalg_scale_factor(call, most);
  dap_linalg_scale_back(call, count, 1 / sigma, g->a);
  return sigma;
}

dap_scalapack_int dap_linalg_general_eig(const dap_linalg_call *call, const dap_linalg_general *g,
                                         const dap_linalg_general_room *room)
{
  const dap_scalapack_int n = (dap_scalapack_int)g->n;
  const bool single = call->lib->real == DAP_F4;
  const char *job = g->has_vectors ? "V" : "N";
  const double sigma = scale(call, g);
  dap_scalapack_int info = 0;
  if (dap_linalg_is_complex(call)) {
    (single ? cgeev_ : zgeev_)("N", job, &n, g->a, &n, g->w, NULL, &n, g->vectors, &n, room->work,
                               &room->lwork, room->rwork, &info);
    dap_linalg_scale_back(call, 2 * g->n, sigma, g->w);
    return info;
  }
  (single ? sgeev_ : dgeev_)("N", job, &n, g->a, &n, room->real[0], room->real[1], NULL, &n, room->packed, &n,
                             room->work, &room->lwork, &info);
  if (g->has_vectors) join_vectors(call, g, room);
  for (int k = 0; k < 2; k++) dap_linalg_scale_back(call, g->n, sigma, room->real[k]);
  join_values(call, g, room);
  return info;
}

/* Eigenvalues and eigenvectors of a Hermitian matrix.
 *
 * With op 'T' the matrix M is A^T = conj(A): the same eigenvalues, conjugate eigenvectors, the other
 * triangle. ScaLAPACK writes eigenvectors as columns, so Z is always seen with op 'N'. Of its drivers syev is
 * taken, which is right for every size and process grid; syevd is not where its own answer about workspace
 * is believed. */
#include "linalg_impl.h"

#include <inttypes.h>

enum { A, W, Z };

typedef struct problem {
  const dap_scalapack_matrix *a, *z; /* z is NULL where no vectors are wanted */
  char uplo;                         /* the triangle of M that holds A's */
  void *w;                           /* [n], on every process */
} problem;

/* The arguments that the real and the complex driver have, and the latter's. */
typedef struct space {
  void *work, *rwork;
  dap_scalapack_int lwork, lrwork;
} space;

/* The routine whose needs the views meet. With one element heev leaves Z as it was, so that no view of it is
 * given for heev; decompose() sets it, and what heevx needs will do. */
static const char *routine_for(const dap_linalg_call *call)
{
  if (!dap_linalg_is_complex(call)) return "syev";
  return dap_linalg_rows(call, A) > 1 ? "heev" : "heevx";
}

/* A leads if it can be shared, else Z if that can be; then the other is moved to where it lies. */
static dap_status take_views(dap_linalg_call *call, dap_scalapack_matrix **a, dap_scalapack_matrix **z)
{
  const char *routine = routine_for(call);
  const dap_scalapack_options first = {.routine = routine}, vectors = {.routine = routine, .op = 'N'};
  dap_status status = call->given[Z] ? dap_linalg_share(call, A, &first, a) : DAP_ERR_SHARE;
  if (status == DAP_ERR_SHARE && call->given[Z]) {
    status = dap_linalg_share(call, Z, &vectors, z);
    if (!status) return dap_linalg_view_aligned(call, A, routine, *z, 'N', a);
  }
  if (status == DAP_ERR_SHARE) status = dap_linalg_view(call, A, &first, a);
  if (!status && call->given[Z]) status = dap_linalg_view_aligned(call, Z, routine, *a, 'N', z);
  return status;
}

static dap_scalapack_int call_driver(const dap_linalg_call *call, const problem *p, const space *s)
{
  const dap_scalapack_matrix *a = p->a, *z = p->z ? p->z : a; /* not looked at without vectors */
  const char *job = p->z ? "V" : "N";
  dap_scalapack_int info = 0;
  if (dap_linalg_is_complex(call))
    call->lib->heev(job, &p->uplo, &a->n, a->data, &a->ia, &a->ja, a->desc, p->w, z->data, &z->ia, &z->ja,
                    z->desc, s->work, &s->lwork, s->rwork, &s->lrwork, &info);
  else
    call->lib->syev(job, &p->uplo, &a->n, a->data, &a->ia, &a->ja, a->desc, p->w, z->data, &z->ia, &z->ja,
                    z->desc, s->work, &s->lwork, &info);
  return info;
}

static dap_status run(dap_linalg_call *call, const problem *p, dap_scalapack_int *info)
{
  const dap_linalg_routines *lib = call->lib;
  double asked[2] = {0}, real_asked[2] = {0};
  space s = {.work = asked, .rwork = real_asked, .lwork = -1, .lrwork = -1};
  *info = call_driver(call, p, &s);
  DAP_TRY(dap_linalg_info(call, "syev, asked for its workspace", info));
  DAP_TRY(dap_linalg_work_sized(call, lib->dtype, asked, &s.lwork, &s.work));
  DAP_TRY(dap_linalg_work_sized(call, lib->real, real_asked, &s.lrwork, &s.rwork));
  *info = call_driver(call, p, &s);
  return dap_linalg_info(call, "syev", info);
}

static dap_status check_convergence(dap_linalg_call *call, const problem *p, dap_scalapack_int info)
{
  const int64_t n = p->a->n;
  if (info == n + 1) return dap_linalg_numeric(call, info, "the processes computed different eigenvalues");
  if (info > 0)
    return dap_linalg_numeric(call, info, "eigenvalue %" PRId64 " did not converge", (int64_t)info);
  return dap_linalg_finite_values(call, n, p->w, "eigenvalue");
}

/* Of one element heev leaves Z as it was. */
static void set_single_vector(const dap_linalg_call *call, const dap_scalapack_matrix *z)
{
  const dap_linalg_part part = dap_linalg_part_of(call, z);
  if (part.extents[0] > 0 && part.extents[1] > 0) dap_linalg_set(&part, 0, 0, (const double[2]){1, 0});
}

static dap_status decompose(dap_linalg_call *call)
{
  const int64_t n = dap_linalg_rows(call, A);
  DAP_TRY(dap_linalg_square(call, A));
  DAP_TRY(dap_linalg_fits(call, W, n, 1));
  DAP_TRY(dap_linalg_fits(call, Z, n, n));
  if (n == 0) return DAP_OK;
  dap_scalapack_matrix *a, *z = NULL;
  DAP_TRY(take_views(call, &a, &z));
  const bool lower = call->arguments.choices[0].value == 'L';
  problem p = {.a = a, .z = z, .uplo = lower == (a->op == 'N') ? 'L' : 'U'};
  DAP_TRY(dap_linalg_finite(call, a, p.uplo));
  DAP_TRY(dap_linalg_work(call, n, call->lib->real, &p.w));
  dap_scalapack_int info;
  DAP_TRY(run(call, &p, &info));
  DAP_TRY(check_convergence(call, &p, info));
  if (z && n == 1) set_single_vector(call, z);
  if (z && a->op == 'T') dap_linalg_conjugate(call, z);
  return dap_linalg_store_replicated(call, W, p.w);
}

dap_status dap_linalg_eigh(MPI_Comm comm, char uplo, dap_darray a, dap_darray w, dap_darray z,
                           const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .function = __func__,
      .operands = {{"A", a, DAP_LINALG_WORK, .ndim = 2},
                   {"W", w, DAP_LINALG_RESULT, .ndim = 1, .real = true},
                   {"Z", z, DAP_LINALG_RESULT, .ndim = 2, .optional = true}},
      .choices = {{"uplo", uplo, "LU"}},
  };
  dap_linalg_call call;
  dap_status status = dap_linalg_begin(&call, comm, &arguments, options, err);
  if (!status) status = decompose(&call);
  return dap_linalg_end(&call, status);
}

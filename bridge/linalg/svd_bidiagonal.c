/* Bidiagonal matrices on process 0: divide and conquer, or values alone.
 *
 * ScaLAPACK has no divide and conquer for them. LAPACK's takes 8/3 k^3 operations, nearly all in products.
 * The whole decomposition of a square matrix takes about 20 k^3. */
#include "svd_impl.h"

/* Prototypes of LAPACK (SRC/dbdsdc.f, SRC/dbdsqr.f). Their rules are those of scalapack_calls.h. */
typedef void lapack_bdsdc(const char *uplo, const char *compq, const dap_scalapack_int *n, void *d, void *e,
                          void *u, const dap_scalapack_int *ldu, void *vt, const dap_scalapack_int *ldvt,
                          void *q, dap_scalapack_int *iq, void *work, dap_scalapack_int *iwork,
                          dap_scalapack_int *info);
typedef void lapack_bdsqr(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *ncvt,
                          const dap_scalapack_int *nru, const dap_scalapack_int *ncc, void *d, void *e,
                          void *vt, const dap_scalapack_int *ldvt, void *u, const dap_scalapack_int *ldu,
                          void *c, const dap_scalapack_int *ldc, void *work, dap_scalapack_int *info);
lapack_bdsdc sbdsdc_, dbdsdc_;
lapack_bdsqr sbdsqr_, dbdsqr_;

dap_status dap_linalg_bidiagonal_make_room(dap_linalg_call *call, dap_linalg_bidiagonal *b)
{
  const dap_dtype real = call->lib->real;
  const int64_t k = call->rank == 0 ? b->k : 0, all = b->has_vectors ? k * k : 0;
  char *vectors;
  DAP_TRY(dap_linalg_work(call, 3 * all + 4 * k, real, &b->work));
  DAP_TRY(dap_linalg_work(call, 2 * all, real, &vectors));
  DAP_TRY(dap_linalg_work(call, 8 * k, dap_linalg_integer(), &b->iwork));
  DAP_TRY(dap_linalg_work(call, k, real, &b->d));
  DAP_TRY(dap_linalg_work(call, k, real, &b->e));
  b->u = vectors;
  b->vt = vectors + all * dap_dtype_size(real);
  return DAP_OK;
}

static dap_scalapack_int compute(const dap_linalg_call *call, dap_linalg_bidiagonal *b)
{
  const bool single = call->lib->real == DAP_F4;
  const dap_scalapack_int none = 0, one = 1;
  dap_scalapack_int info = 0;
  if (b->has_vectors)
    (single ? sbdsdc_ : dbdsdc_)(&b->uplo, "I", &b->k, b->d, b->e, b->u, &b->k, b->vt, &b->k, NULL, NULL,
                                 b->work, b->iwork, &info);
  else
    (single ? sbdsqr_ : dbdsqr_)(&b->uplo, &b->k, &none, &none, &none, b->d, b->e, NULL, &one, NULL, &one,
                                 NULL, &one, b->work, &info);
  return info;
}

dap_status dap_linalg_bidiagonal_decompose(dap_linalg_call *call, dap_linalg_bidiagonal *b,
                                           dap_scalapack_int *info)
{
  *info = call->rank == 0 ? compute(call, b) : 0;
  return dap_linalg_info(call, "bdsdc of LAPACK", info);
}

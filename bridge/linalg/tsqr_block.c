/* QR factors of one block by LAPACK's geqrt, and products with them by gemqrt and BLAS. */
#include "tsqr_impl.h"

#include <string.h>

/* Prototypes of LAPACK and BLAS (SRC/dgeqrt.f, SRC/dgemqrt.f, BLAS/SRC/dtrmm.f, BLAS/SRC/dgemm.f). Their
 * rules are those of scalapack_calls.h. */
typedef void lapack_geqrt(const dap_scalapack_int *m, const dap_scalapack_int *n, const dap_scalapack_int *nb,
                          void *a, const dap_scalapack_int *lda, void *t, const dap_scalapack_int *ldt,
                          void *work, dap_scalapack_int *info);
typedef void lapack_gemqrt(const char *side, const char *trans, const dap_scalapack_int *m,
                           const dap_scalapack_int *n, const dap_scalapack_int *k,
                           const dap_scalapack_int *nb, const void *v, const dap_scalapack_int *ldv,
                           const void *t, const dap_scalapack_int *ldt, void *c, const dap_scalapack_int *ldc,
                           void *work, dap_scalapack_int *info);
typedef void blas_gemm(const char *transa, const char *transb, const dap_scalapack_int *m,
                       const dap_scalapack_int *n, const dap_scalapack_int *k, const void *alpha,
                       const void *a, const dap_scalapack_int *lda, const void *b,
                       const dap_scalapack_int *ldb, const void *beta, void *c, const dap_scalapack_int *ldc);
lapack_geqrt sgeqrt_, dgeqrt_, cgeqrt_, zgeqrt_;
lapack_gemqrt sgemqrt_, dgemqrt_, cgemqrt_, zgemqrt_;
dap_blas_trmm strmm_, dtrmm_, ctrmm_, ztrmm_;
blas_gemm sgemm_, dgemm_, cgemm_, zgemm_;

typedef struct routines {
  lapack_geqrt *geqrt;
  lapack_gemqrt *gemqrt;
  dap_blas_trmm *trmm;
  blas_gemm *gemm;
} routines;

static routines routines_of(const dap_linalg_call *call)
{
  const bool single = call->lib->real == DAP_F4;
  if (dap_linalg_is_complex(call))
    return single ? (routines){cgeqrt_, cgemqrt_, ctrmm_, cgemm_}
                  : (routines){zgeqrt_, zgemqrt_, ztrmm_, zgemm_};
  return single ? (routines){sgeqrt_, sgemqrt_, strmm_, sgemm_}
                : (routines){dgeqrt_, dgemqrt_, dtrmm_, dgemm_};
}

void dap_tsqr_block_factor(const dap_linalg_call *call, const dap_tsqr *t, const dap_tsqr_block *block)
{
  const routines lib = routines_of(call);
  const char *adjoint = dap_linalg_is_complex(call) ? "C" : "T";
  const dap_scalapack_int rows = (dap_scalapack_int)block->rows, columns = (dap_scalapack_int)t->n,
                          nrhs = (dap_scalapack_int)t->nrhs;
  dap_scalapack_int info; /* is 0: it only says which argument is wrong */
  lib.geqrt(&rows, &columns, &columns, block->v, &rows, block->t, &columns, t->work, &info);
  if (nrhs == 0) return;
  void *beside = (char *)block->v + t->n * block->rows * dap_dtype_size(call->lib->dtype);
  lib.gemqrt("L", adjoint, &rows, &nrhs, &columns, &columns, block->v, &rows, block->t, &columns, beside,
             &rows, t->work, &info);
}

void dap_tsqr_block_triangle(const dap_linalg_call *call, const dap_tsqr *t, const dap_tsqr_block *block,
                             void *r, int64_t ld)
{
  const int64_t item = dap_dtype_size(call->lib->dtype), n = t->n;
  for (int64_t j = 0; j < n + t->nrhs; j++) {
    char *column = (char *)r + j * ld * item;
    const int64_t count = j < n ? j + 1 : n;
    memcpy(column, (const char *)block->v + j * block->rows * item, (size_t)(count * item));
    memset(column + count * item, 0, (size_t)((n - count) * item));
  }
}

/* Writes the ones and zeros of V that its storage leaves out. */
static void complete(const dap_linalg_call *call, int64_t n, const dap_tsqr_block *block)
{
  const size_t item = (size_t)dap_dtype_size(call->lib->dtype);
  for (int64_t j = 0; j < n; j++) {
    char *column = (char *)block->v + (size_t)(j * block->rows) * item;
    memset(column, 0, (size_t)j * item);
    memcpy(column + (size_t)j * item, call->lib->one, item);
  }
}

void dap_tsqr_block_expand(const dap_linalg_call *call, int64_t n, const dap_tsqr_block *block, const void *x,
                           int64_t ld, void *work, void *result)
{
  const routines lib = routines_of(call);
  const void *one = call->lib->one;
  const int64_t item = dap_dtype_size(call->lib->dtype);
  const dap_scalapack_int rows = (dap_scalapack_int)block->rows, columns = (dap_scalapack_int)n;
  memset(result, 0, (size_t)(n * block->rows * item));
  for (int64_t j = 0; j < n; j++) {
    const char *column = (const char *)x + j * ld * item;
    memcpy((char *)work + j * n * item, column, (size_t)(n * item));
    memcpy((char *)result + j * block->rows * item, column, (size_t)(n * item));
  }
  lib.trmm("L", "L", "C", "U", &columns, &columns, one, block->v, &rows, work, &columns);
  lib.trmm("L", "U", "N", "N", &columns, &columns, one, block->t, &columns, work, &columns);
  complete(call, n, block);
  lib.gemm("N", "N", &rows, &columns, &columns, call->lib->minus_one, block->v, &rows, work, &columns, one,
           result, &rows);
}

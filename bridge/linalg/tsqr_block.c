/* Computes QR factors of one block by LAPACK's geqrt, products with them, and solutions with triangles. */
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
typedef void blas_trmm(const char *side, const char *uplo, const char *trans, const char *diag,
                       const dap_scalapack_int *m, const dap_scalapack_int *n, const void *alpha,
                       const void *a, const dap_scalapack_int *lda, void *b, const dap_scalapack_int *ldb);
typedef void blas_gemm(const char *transa, const char *transb, const dap_scalapack_int *m,
                       const dap_scalapack_int *n, const dap_scalapack_int *k, const void *alpha,
                       const void *a, const dap_scalapack_int *lda, const void *b,
                       const dap_scalapack_int *ldb, const void *beta, void *c, const dap_scalapack_int *ldc);
lapack_geqrt sgeqrt_, dgeqrt_, cgeqrt_, zgeqrt_;
lapack_gemqrt sgemqrt_, dgemqrt_, cgemqrt_, zgemqrt_;
blas_trmm strmm_, dtrmm_, ctrmm_, ztrmm_, strsm_, dtrsm_, ctrsm_, ztrsm_; /* trsm is declared as trmm */
blas_gemm sgemm_, dgemm_, cgemm_, zgemm_;

/* By dap_linalg_routines.letter. */
static lapack_geqrt *const geqrt[] = {sgeqrt_, dgeqrt_, cgeqrt_, zgeqrt_};
static lapack_gemqrt *const gemqrt[] = {sgemqrt_, dgemqrt_, cgemqrt_, zgemqrt_};
static blas_trmm *const trmm[] = {strmm_, dtrmm_, ctrmm_, ztrmm_};
static blas_trmm *const trsm[] = {strsm_, dtrsm_, ctrsm_, ztrsm_};
static blas_gemm *const gemm[] = {sgemm_, dgemm_, cgemm_, zgemm_};

void dap_tsqr_block_factor(const dap_linalg_call *call, const dap_tsqr *t, const dap_tsqr_block *block)
{
  const char *adjoint = dap_linalg_is_complex(call) ? "C" : "T";
  const dap_scalapack_int rows = (dap_scalapack_int)block->rows, columns = (dap_scalapack_int)t->n,
                          nrhs = (dap_scalapack_int)t->nrhs;
  dap_scalapack_int info; /* is 0, because it only tells which argument is wrong */
  geqrt[call->lib->letter](&rows, &columns, &columns, block->v, &rows, block->t, &columns, t->work, &info);
  if (nrhs == 0) return;
  void *beside = (char *)block->v + t->n * block->rows * call->lib->item;
  gemqrt[call->lib->letter]("L", adjoint, &rows, &nrhs, &columns, &columns, block->v, &rows, block->t,
                            &columns, beside, &rows, t->work, &info);
}

void dap_tsqr_block_triangle(const dap_linalg_call *call, const dap_tsqr *t, const dap_tsqr_block *block,
                             void *r, int64_t ld)
{
  const int64_t item = call->lib->item, n = t->n;
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
  const size_t item = (size_t)call->lib->item;
  for (int64_t j = 0; j < n; j++) {
    char *column = (char *)block->v + (size_t)(j * block->rows) * item;
    memset(column, 0, (size_t)j * item);
    memcpy(column + (size_t)j * item, call->lib->one, item);
  }
}

void dap_tsqr_block_expand(const dap_linalg_call *call, int64_t n, const dap_tsqr_block *block, const void *x,
                           int64_t ld, void *work, void *result)
{
  const void *one = call->lib->one;
  const int64_t item = call->lib->item;
  const dap_scalapack_int rows = (dap_scalapack_int)block->rows, columns = (dap_scalapack_int)n;
  memset(result, 0, (size_t)(n * block->rows * item));
  for (int64_t j = 0; j < n; j++) {
    const char *column = (const char *)x + j * ld * item;
    memcpy((char *)work + j * n * item, column, (size_t)(n * item));
    memcpy((char *)result + j * block->rows * item, column, (size_t)(n * item));
  }
  trmm[call->lib->letter]("L", "L", "C", "U", &columns, &columns, one, block->v, &rows, work, &columns);
  trmm[call->lib->letter]("L", "U", "N", "N", &columns, &columns, one, block->t, &columns, work, &columns);
  complete(call, n, block);
  gemm[call->lib->letter]("N", "N", &rows, &columns, &columns, call->lib->minus_one, block->v, &rows, work,
                          &columns, one, result, &rows);
}

void dap_tsqr_solve(const dap_linalg_call *call, const char *uplo, int64_t rows, int64_t n, int64_t nrhs,
                    const void *r, void *x)
{
  const dap_scalapack_int order = (dap_scalapack_int)rows, ld = (dap_scalapack_int)n,
                          columns = (dap_scalapack_int)nrhs;
  trsm[call->lib->letter]("L", uplo, "N", "N", &order, &columns, call->lib->one, r, &ld, x, &ld);
}

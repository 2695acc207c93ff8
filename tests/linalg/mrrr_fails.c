#include "mrrr_fails.h"

#include "lapack.h"

#include <math.h>
#include <string.h>

static mrrr_fault fault;

void mrrr_fail(mrrr_fault next)
{
  fault = next;
}

/* The arguments of stemr of both types (LAPACK 3.11, SRC/dstemr.f). */
#define ARGUMENTS                                                                                            \
  const char *jobz, const char *range, const lapack_int *n, void *d, void *e, const void *vl,                \
      const void *vu, const lapack_int *il, const lapack_int *iu, lapack_int *m, void *w, void *z,           \
      const lapack_int *ldz, const lapack_int *nzc, lapack_int *isuppz, lapack_int *tryrac, void *work,      \
      const lapack_int *lwork, lapack_int *iwork, const lapack_int *liwork, lapack_int *info
#define NAMES                                                                                                \
  jobz, range, n, d, e, vl, vu, il, iu, m, w, z, ldz, nzc, isuppz, tryrac, work, lwork, iwork, liwork, info
void __real_sstemr_(ARGUMENTS), __real_dstemr_(ARGUMENTS);
void __wrap_sstemr_(ARGUMENTS), __wrap_dstemr_(ARGUMENTS);

/* `item`: bytes of a number. The vectors are columns of `z`. */
static void spoil(size_t item, int64_t n, lapack_int *m, char *z, lapack_int *info)
{
  const size_t column = (size_t)n * item;
  char *last = z + (size_t)(*m - 1) * column;
  if (fault == MRRR_GIVES_UP) *info = 22, *m = 0;
  if (fault == MRRR_FINDS_FEWER) --*m;
  if (fault == MRRR_REPEATS && *m > 1) memcpy(last, last - column, column);
  if (fault == MRRR_REPEATS && *m == 1) memset(last, 0, column);
  if (fault == MRRR_EXCHANGES && *m > 1) memcpy(z, last, column);
  if (fault == MRRR_EXCHANGES && *m == 1) memset(z, 0, column);
  if (fault == MRRR_GIVES_NAN && item == sizeof(float)) *(float *)last = NAN;
  if (fault == MRRR_GIVES_NAN && item == sizeof(double)) *(double *)last = (double)NAN;
}

void __wrap_sstemr_(ARGUMENTS)
{
  __real_sstemr_(NAMES);
  spoil(sizeof(float), *n, m, z, info);
}

void __wrap_dstemr_(ARGUMENTS)
{
  __real_dstemr_(NAMES);
  spoil(sizeof(double), *n, m, z, info);
}

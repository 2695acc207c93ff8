/* What the files of hand-written calls, and of the library's beside them, have in common. */
#ifndef DAP_BENCH_LINALG_BY_HAND_H
#define DAP_BENCH_LINALG_BY_HAND_H

#include "fail.h"
#include "linalg.h"
#include "numbers.h"

#include <stdlib.h>

typedef dap_scalapack_int integer;

static const integer one = 1;

/* A question for the work space that is needed. */
static const integer ask = -1;

/* An operand as arguments: data, first element, descriptor. */
#define AT(job, i) (job)->operands[i].array.data, &one, &one, (job)->operands[i].desc

/* The library's function of a row. */
#define LIBRARY(name) static dap_status name(linalg_job *j, const dap_linalg_options *o, dap_error *err)
#define ARRAY(i) linalg_array(j, i)

static inline void require(integer info, const char *routine)
{
  if (info) bench_fail("%s: info is %d", routine, (int)info);
}

static inline integer order_of(const linalg_job *job)
{
  return (integer)job->n;
}

static inline integer sides_of(const linalg_job *job)
{
  return (integer)dap_layout_size(job->operands[1].layout, 1);
}

static inline double *doubles(int64_t count)
{
  return bench_alloc(count * (int64_t)sizeof(double));
}

static inline integer *integers(int64_t count)
{
  return bench_alloc(count * (int64_t)sizeof(integer));
}

/* Elements of the first operand that this process has. */
static inline int64_t local_rows(const linalg_job *job)
{
  return job->operands[0].array.shape[0];
}

static inline int64_t local_cols(const linalg_job *job)
{
  return job->operands[0].array.shape[1];
}

/* Room for those of LU factors. */
static inline integer *pivots_of(const linalg_job *job)
{
  return integers(local_rows(job) + job->block);
}

/* linalg_systems.c: by factors in operand 0. All are collective.
 * log_of_diagonal: the logarithm of the determinant's absolute value.
 * four_solutions: what an estimate of the condition number takes.
 * inverse_by: of the factors in `operand`, over them. */
double linalg_log_of_diagonal(const linalg_job *job);
void linalg_four_solutions(const linalg_job *job, const integer pivots[]);
void linalg_hand_inverse_by(const linalg_job *job, int operand, const integer pivots[]);

#endif

/* Declares functions for the files that call ScaLAPACK by hand, and the library for comparison. */
#ifndef DAP_BENCH_LINALG_BY_HAND_H
#define DAP_BENCH_LINALG_BY_HAND_H

#include "fail.h"
#include "linalg.h"
#include "numbers.h"

#include <stdlib.h>

typedef dap_scalapack_int integer;

static const integer one = 1;

/* Value of an argument that asks a routine for the size of its work space. */
static const integer ask = -1;

/* Arguments for an operand: data, first element, descriptor. */
#define AT(job, i) (job)->operands[i].array.data, &one, &one, (job)->operands[i].desc

/* Defines the library's function of a row. */
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

/* Return the numbers of rows and columns of the first operand's part on this process. */
static inline int64_t local_rows(const linalg_job *job)
{
  return job->operands[0].array.shape[0];
}

static inline int64_t local_cols(const linalg_job *job)
{
  return job->operands[0].array.shape[1];
}

/* Allocates memory for the pivots of LU factors. */
static inline integer *pivots_of(const linalg_job *job)
{
  return integers(local_rows(job) + job->block);
}

/* linalg_systems.c: works with the factors in operand 0. All are collective. linalg_log_of_diagonal()
 * returns the logarithm of the determinant's absolute value. linalg_four_solutions() does the work of an
 * estimate of the condition number. linalg_hand_inverse_by() replaces the factors in `operand` by the
 * inverse. */
double linalg_log_of_diagonal(const linalg_job *job);
void linalg_four_solutions(const linalg_job *job, const integer pivots[]);
void linalg_hand_inverse_by(const linalg_job *job, int operand, const integer pivots[]);

#endif

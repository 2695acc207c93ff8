/* What the calls by hand have in common. */
#ifndef DAP_BENCH_LINALG_BY_HAND_H
#define DAP_BENCH_LINALG_BY_HAND_H

#include "fail.h"
#include "linalg.h"
#include "numbers.h"

typedef dap_scalapack_int integer;

static const integer one = 1;

/* An operand as arguments: data, first element, descriptor. */
#define AT(job, i) (job)->operands[i].array.data, &one, &one, (job)->operands[i].desc

static inline void require(integer info, const char *routine)
{
  if (info) bench_fail("%s: info is %d", routine, (int)info);
}

static inline integer order_of(const linalg_job *job)
{
  return (integer)job->n;
}

#endif

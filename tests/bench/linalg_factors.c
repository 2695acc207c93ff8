/* Factors that are kept: made before a run, and used in it. */
#include "linalg_by_hand.h"

void linalg_before_lu(linalg_job *job, bool by_hand)
{
  const integer n = order_of(job);
  dap_error err;
  integer info;
  if (!by_hand) {
    bench_require(dap_linalg_lu(MPI_COMM_WORLD, linalg_array(job, 0), NULL, &job->factors, &err), &err);
    return;
  }
  job->pivots = bench_alloc((job->operands[0].array.shape[0] + job->block) * (int64_t)sizeof(integer));
  pdgetrf_(&n, &n, AT(job, 0), job->pivots, &info);
  require(info, "pdgetrf");
}

void linalg_before_cholesky(linalg_job *job, bool by_hand)
{
  const integer n = order_of(job);
  dap_error err;
  integer info;
  if (!by_hand) {
    bench_require(dap_linalg_cholesky(MPI_COMM_WORLD, 'L', linalg_array(job, 0), NULL, &job->factors, &err),
                  &err);
    return;
  }
  pdpotrf_("L", &n, AT(job, 0), &info);
  require(info, "pdpotrf");
}

void linalg_hand_getrs(linalg_job *job)
{
  const integer n = order_of(job), sides = (integer)job->operands[1].cols;
  integer info;
  pdgetrs_("N", &n, &sides, AT(job, 0), job->pivots, AT(job, 1), &info);
  require(info, "pdgetrs");
}

void linalg_hand_potrs(linalg_job *job)
{
  const integer n = order_of(job), sides = (integer)job->operands[1].cols;
  integer info;
  pdpotrs_("L", &n, &sides, AT(job, 0), AT(job, 1), &info);
  require(info, "pdpotrs");
}

/* The real Schur form by hand. */
#include "linalg_by_hand.h"

#include <stdlib.h>

enum { TAU, WORK, REAL, IMAGINARY, SPACES };

static double *space(int64_t count)
{
  return bench_alloc(count * (int64_t)sizeof(double));
}

/* T over A, then to the second operand, and Z in the third. pdhseqr gets two windows of a third of the rows
 * beyond what it asks for, which is too little (bridge/docs/linalg.md). */
void linalg_hand_schur(linalg_job *job)
{
  const integer n = order_of(job), less = n - 2, three = 3, ask = -1;
  const int64_t window = job->n / 3 + 768,
                room = 2 * window * window + 64 * (job->n + job->block) + 7 * 64 * 64;
  const double zero = 0, unit = 1;
  double asked[8], *spaces[SPACES];
  spaces[TAU] = space(job->n);
  integer info, *integers = bench_alloc((2 * job->n + 1024 + 4 * 64 * 64) * (int64_t)sizeof(integer));
  pdgehrd_(&n, &one, &n, AT(job, 0), spaces[TAU], asked, &ask, &info);
  integer lwork = (integer)(asked[0] + (double)room);
  spaces[WORK] = space(lwork);
  pdgehrd_(&n, &one, &n, AT(job, 0), spaces[TAU], spaces[WORK], &lwork, &info);
  require(info, "pdgehrd");
  pdlaset_("A", &n, &n, &zero, &unit, AT(job, 2));
  pdormhr_("L", "N", &n, &n, &one, &n, AT(job, 0), spaces[TAU], AT(job, 2), spaces[WORK], &lwork, &info);
  require(info, "pdormhr");
  pdlaset_("L", &less, &less, &zero, &zero, job->operands[0].array.data, &three, &one, job->operands[0].desc);

  linalg_operand *a = &job->operands[0], *z = &job->operands[2];
  integer counted = -1;
  spaces[REAL] = space(job->n), spaces[IMAGINARY] = space(job->n);
  pdhseqr_("S", "V", &n, &one, &n, a->array.data, a->desc, spaces[REAL], spaces[IMAGINARY], z->array.data,
           z->desc, asked, &ask, integers, &counted, &info);
  counted = 2 * n + 1024 + 4 * 64 * 64;
  free(spaces[WORK]);
  lwork = (integer)(asked[0] + (double)room);
  spaces[WORK] = space(lwork);
  pdhseqr_("S", "V", &n, &one, &n, a->array.data, a->desc, spaces[REAL], spaces[IMAGINARY], z->array.data,
           z->desc, spaces[WORK], &lwork, integers, &counted, &info);
  require(info, "pdhseqr");
  pdlacpy_("A", &n, &n, AT(job, 0), AT(job, 1));
  for (int i = 0; i < SPACES; i++) free(spaces[i]);
  free(integers);
}

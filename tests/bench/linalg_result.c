/* Computes one number of a result, which distinguishes right results from wrong ones. */
#include "linalg.h"

#include <math.h>
#include <stdlib.h>

typedef struct sums {
  double by_rows, squares, trace, below; /* below: elements beneath the subdiagonal */
} sums;

static sums add_up(const linalg_job *job, const linalg_operand *o)
{
  const dap_array *a = &o->array;
  const bool is_complex = a->dtype == DAP_C16, is_flat = a->ndim < 2;
  int64_t *rows = linalg_indices(o, job->rank, 0), *cols = linalg_indices(o, job->rank, 1);
  sums s = {0};
  for (int64_t i = 0; i < a->shape[0]; i++)
    for (int64_t j = 0; j < (is_flat ? 1 : a->shape[1]); j++) {
      const double *x =
          (const double *)((const char *)a->data + i * a->strides[0] + (is_flat ? 0 : j * a->strides[1]));
      const double size = is_complex ? hypot(x[0], x[1]) : fabs(x[0]);
      s.by_rows += (double)(1 + rows[i]) * size;
      s.squares += size * size;
      if (rows[i] == cols[j]) s.trace += x[0];
      if (rows[i] > cols[j] + 1) s.below += size;
    }
  free(cols), free(rows);
  return s;
}

double linalg_result(const linalg_row *row, const linalg_job *job, bool by_hand)
{
  const int result = row->results[by_hand ? 0 : 1];
  if (result == LINALG_NOTHING) return 0;
  if (result == LINALG_VALUE) return job->value;
  const sums mine = add_up(job, &job->operands[result]);
  double all[4] = {mine.by_rows, mine.squares, mine.trace, mine.below};
  MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double norm = sqrt(all[1]);
  switch (row->compare) {
  case LINALG_NORM:
    return norm;
  case LINALG_SCHUR:
    return all[3] <= 1e-12 * norm ? norm + all[2] : NAN;
  default:
    return all[0];
  }
}

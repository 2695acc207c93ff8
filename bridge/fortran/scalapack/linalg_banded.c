/* linalg_banded.h and linalg_rank.h. */
#include "fortran_linalg_call.h"

#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_rank.h>

dap_status dap_f_linalg_banded_solve(const MPI_Fint *comm, const int64_t *lower, const int64_t *upper,
                                     const dap_f_array *ab, const dap_f_array *b,
                                     const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(banded_solve, *lower, *upper, dap_f_darray(ab), dap_f_darray(b));
}

dap_status dap_f_linalg_positive_banded_solve(const MPI_Fint *comm, const char *uplo, const dap_f_array *ab,
                                              const dap_f_array *b, const dap_linalg_options *options,
                                              dap_f_outcome *outcome)
{
  CALL(positive_banded_solve, *uplo, dap_f_darray(ab), dap_f_darray(b));
}

dap_status dap_f_linalg_tridiagonal_solve(const MPI_Fint *comm, const dap_f_array *dl, const dap_f_array *d,
                                          const dap_f_array *du, const dap_f_array *b,
                                          const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(tridiagonal_solve, dap_f_darray(dl), dap_f_darray(d), dap_f_darray(du), dap_f_darray(b));
}

dap_status dap_f_linalg_positive_tridiagonal_solve(const MPI_Fint *comm, const dap_f_array *d,
                                                   const dap_f_array *e, const dap_f_array *b,
                                                   const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(positive_tridiagonal_solve, dap_f_darray(d), dap_f_darray(e), dap_f_darray(b));
}

/* The numbers of columns that were stored, which is in all but communication padding, counted from 1. */
static void count_from_1(const dap_f_array *p)
{
  if (!p || !dap_f_array_has_part(p) || dap_array_count(&p->local) == 0) return;
  int coords[DAP_MAX_NDIM];
  int64_t halo[2];
  dap_layout_coords(p->layout, p->rank, coords);
  dap_layout_halo(p->layout, 0, coords[0], halo);
  for (int64_t i = halo[0]; i < p->local.shape[0] - halo[1]; i++) {
    void *number = (char *)p->local.data + i * p->local.strides[0];
    if (p->dtype == DAP_I8)
      ++*(int64_t *)number;
    else
      ++*(int32_t *)number;
  }
}

dap_status dap_f_linalg_qr_pivoted(const MPI_Fint *comm, const double *tolerance, const dap_f_array *a,
                                   const dap_f_array *q, const dap_f_array *r, const dap_f_array *p,
                                   int64_t *rank, const dap_linalg_options *options, dap_f_outcome *outcome)
{
  const dap_linalg_options all = dap_f_with_report(options, outcome);
  const dap_status status =
      dap_linalg_qr_pivoted(dap_f_comm(comm), tolerance ? *tolerance : -1, dap_f_darray(a), dap_f_darray(q),
                            dap_f_darray(r), dap_f_darray(p), rank, &all, &outcome->error);
  if (!status) count_from_1(p);
  return status;
}

dap_status dap_f_linalg_least_squares_rank(const MPI_Fint *comm, const double *tolerance,
                                           const dap_f_array *a, const dap_f_array *b, const dap_f_array *x,
                                           int64_t *rank, const dap_linalg_options *options,
                                           dap_f_outcome *outcome)
{
  CALL(least_squares_rank, tolerance ? *tolerance : -1, dap_f_darray(a), dap_f_darray(b), dap_f_darray(x),
       rank);
}

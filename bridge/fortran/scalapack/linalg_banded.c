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

dap_status dap_f_linalg_qr_pivoted(const MPI_Fint *comm, const double *tolerance, const dap_f_array *a,
                                   const dap_f_array *q, const dap_f_array *r, const dap_f_array *p,
                                   int64_t *rank, const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(qr_pivoted, tolerance ? *tolerance : -1, dap_f_darray(a), dap_f_darray(q), dap_f_darray(r),
       dap_f_darray(p), rank);
}

dap_status dap_f_linalg_least_squares_rank(const MPI_Fint *comm, const double *tolerance,
                                           const dap_f_array *a, const dap_f_array *b, const dap_f_array *x,
                                           int64_t *rank, const dap_linalg_options *options,
                                           dap_f_outcome *outcome)
{
  CALL(least_squares_rank, tolerance ? *tolerance : -1, dap_f_darray(a), dap_f_darray(b), dap_f_darray(x),
       rank);
}

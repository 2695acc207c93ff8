/* linalg.h: each function with handles for arrays, and what it says, error and report, in one place. */
#include "linalg_outcome.h"

dap_status dap_f_linalg_solve(const MPI_Fint *comm, const char *trans, const dap_f_array *a,
                              const dap_f_array *b, const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(solve, *trans, dap_f_darray(a), dap_f_darray(b));
}

dap_status dap_f_linalg_cholesky_solve(const MPI_Fint *comm, const char *uplo, const dap_f_array *a,
                                       const dap_f_array *b, const dap_linalg_options *options,
                                       dap_f_outcome *outcome)
{
  CALL(cholesky_solve, *uplo, dap_f_darray(a), dap_f_darray(b));
}

dap_status dap_f_linalg_least_squares(const MPI_Fint *comm, const dap_f_array *a, const dap_f_array *b,
                                      const dap_f_array *x, const dap_linalg_options *options,
                                      dap_f_outcome *outcome)
{
  CALL(least_squares, dap_f_darray(a), dap_f_darray(b), dap_f_darray(x));
}

dap_status dap_f_linalg_inverse(const MPI_Fint *comm, const dap_f_array *a, const dap_linalg_options *options,
                                dap_f_outcome *outcome)
{
  CALL(inverse, dap_f_darray(a));
}

dap_status dap_f_linalg_determinant(const MPI_Fint *comm, const dap_f_array *a, double sign[2], double *log,
                                    const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(determinant, dap_f_darray(a), sign, log);
}

dap_status dap_f_linalg_condition(const MPI_Fint *comm, const char *norm, const dap_f_array *a, double *rcond,
                                  const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(condition, *norm, dap_f_darray(a), rcond);
}

dap_status dap_f_linalg_multiply(const MPI_Fint *comm, const char *trans_a, const char *trans_b,
                                 const double alpha[2], const dap_f_array *a, const dap_f_array *b,
                                 const double beta[2], const dap_f_array *c,
                                 const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(multiply, *trans_a, *trans_b, alpha, dap_f_darray(a), dap_f_darray(b), beta, dap_f_darray(c));
}

dap_status dap_f_linalg_norm(const MPI_Fint *comm, const char *norm, const dap_f_array *a, double *value,
                             const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(norm, *norm, dap_f_darray(a), value);
}

dap_status dap_f_linalg_qr(const MPI_Fint *comm, const dap_f_array *a, const dap_f_array *q,
                           const dap_f_array *r, const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(qr, dap_f_darray(a), dap_f_darray(q), dap_f_darray(r));
}

dap_status dap_f_linalg_eigh(const MPI_Fint *comm, const char *uplo, const dap_f_array *a,
                             const dap_f_array *w, const dap_f_array *z, const dap_linalg_options *options,
                             dap_f_outcome *outcome)
{
  CALL(eigh, *uplo, dap_f_darray(a), dap_f_darray(w), dap_f_darray(z));
}

dap_status dap_f_linalg_eigh_generalized(const MPI_Fint *comm, const char *uplo, const dap_f_array *a,
                                         const dap_f_array *b, const dap_f_array *w, const dap_f_array *z,
                                         const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(eigh_generalized, *uplo, dap_f_darray(a), dap_f_darray(b), dap_f_darray(w), dap_f_darray(z));
}

dap_status dap_f_linalg_svd(const MPI_Fint *comm, const dap_f_array *a, const dap_f_array *u,
                            const dap_f_array *s, const dap_f_array *vt, const dap_linalg_options *options,
                            dap_f_outcome *outcome)
{
  CALL(svd, dap_f_darray(a), dap_f_darray(u), dap_f_darray(s), dap_f_darray(vt));
}

/* linalg_triangular.h. */
#include "fortran_linalg_call.h"

#include <dapbridge/linalg_triangular.h>

/* How a triangular matrix enters a product or an equation. */
typedef struct dap_f_triangle {
  char side, uplo, trans, diag;
} dap_f_triangle;

dap_status dap_f_linalg_triangular_solve(const MPI_Fint *comm, const dap_f_triangle *t, const double alpha[2],
                                         const dap_f_array *a, const dap_f_array *b,
                                         const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(triangular_solve, t->side, t->uplo, t->trans, t->diag, alpha, dap_f_darray(a), dap_f_darray(b));
}

dap_status dap_f_linalg_triangular_multiply(const MPI_Fint *comm, const dap_f_triangle *t,
                                            const double alpha[2], const dap_f_array *a, const dap_f_array *b,
                                            const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(triangular_multiply, t->side, t->uplo, t->trans, t->diag, alpha, dap_f_darray(a), dap_f_darray(b));
}

dap_status dap_f_linalg_rank_k(const MPI_Fint *comm, const char *form, const char *uplo, const char *trans,
                               const double alpha[2], const dap_f_array *a, const double beta[2],
                               const dap_f_array *c, const dap_linalg_options *options,
                               dap_f_outcome *outcome)
{
  CALL(rank_k, *form, *uplo, *trans, alpha, dap_f_darray(a), beta, dap_f_darray(c));
}

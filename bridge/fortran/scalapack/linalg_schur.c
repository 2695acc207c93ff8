/* linalg_schur.h. */
#include "fortran_linalg_call.h"

#include <dapbridge/linalg_schur.h>

dap_status dap_f_linalg_schur(const MPI_Fint *comm, const dap_f_array *a, const dap_f_array *t,
                              const dap_f_array *z, const dap_f_array *w, const dap_linalg_options *options,
                              dap_f_outcome *outcome)
{
  CALL(schur, dap_f_darray(a), dap_f_darray(t), dap_f_darray(z), dap_f_darray(w));
}

dap_status dap_f_linalg_eig(const MPI_Fint *comm, const dap_f_array *a, const dap_f_array *w,
                            const dap_f_array *v, const dap_linalg_options *options, dap_f_outcome *outcome)
{
  CALL(eig, dap_f_darray(a), dap_f_darray(w), dap_f_darray(v));
}

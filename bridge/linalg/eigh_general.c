/* A z = w B z. Both matrices are seen with the same op. With op 'T' everything is conjugate. */
#include "eigh_impl.h"
#include "system_impl.h"

#include <inttypes.h>

/* LAPACK's lascl, which stedc calls, ends the job if an element is not finite. */
static dap_status check_reduced(dap_linalg_call *call, const dap_eigh_problem *p)
{
  const dap_status status = dap_linalg_finite(call, p->a, p->uplo);
  if (status != DAP_ERR_NUMERIC) return status;
  return dap_linalg_numeric(call, 0,
                            "A is so large beside B that eigenvalues exceed the range of %s: scale A or B",
                            dap_dtype_name(call->lib->dtype));
}

dap_status dap_linalg_eigh_reduce(dap_linalg_call *call, const dap_eigh_problem *p)
{
  const dap_scalapack_matrix *a = p->a, *b = p->b;
  const dap_scalapack_int first_kind = 1;
  double scale[2]; /* is 1: SRC/pdsygst.f */
  const bool inside = dap_linalg_is_inside(a);
  dap_scalapack_int info = 0;
  if (inside) call->lib->potrf(&p->uplo, &b->n, DAP_MATRIX(b), &info);
  DAP_TRY(dap_linalg_info(call, "potrf", &info));
  if (info > 0)
    return dap_linalg_numeric(
        call, info, "B is not positive definite: the leading minor of order %" PRId64 " is not positive",
        (int64_t)info);
  if (inside) call->lib->sygst(&first_kind, &p->uplo, &a->n, DAP_MATRIX(a), DAP_MATRIX(b), scale, &info);
  DAP_TRY(dap_linalg_succeeds(call, "sygst", info));
  return check_reduced(call, p);
}

void dap_linalg_eigh_back(const dap_linalg_call *call, const dap_eigh_problem *p)
{
  dap_scalapack_matrix found = *p->z;
  found.n = (dap_scalapack_int)p->count;
  if (p->count > 0 && dap_linalg_is_inside(&found))
    dap_linalg_triangular(call, p->uplo, p->uplo == 'L' ? 'C' : 'N', 'N', p->b, &found);
}

/* A z = w B z as a standard problem, by ScaLAPACK on ELPA's grid: with B = L L^H it is C y = w y, where
 * C = inv(L) A inv(L^H) and z = inv(L^H) y; with B = U^H U accordingly. ELPA's own Cholesky factorisation is
 * not used: where B is not positive definite it returns on one process and leaves the others waiting
 * (2022.11, src/cholesky/elpa_cholesky_template.F90). */
#include "elpa_impl.h"

#include <inttypes.h>

/* X = inv(t(B)) X, side 'L', or X inv(t(B)), of the first `cols` columns. */
static void solve(const dap_elpa_call *call, char side, char uplo, char trans, const dap_scalapack_matrix *b,
                  const dap_scalapack_matrix *x, int64_t cols)
{
  const dap_scalapack_int n = (dap_scalapack_int)cols;
  call->lib->trsm(&side, &uplo, &trans, "N", &x->m, &n, call->lib->one, b->data, &b->ia, &b->ja, b->desc,
                  x->data, &x->ia, &x->ja, x->desc);
}

/* The triangle of B that is factorised. */
static char triangle_of(const dap_elpa_call *call)
{
  const char triangle = dap_elpa_triangle(call, DAP_ELPA_B);
  return triangle == 'A' ? 'L' : triangle;
}

/* On the grid. */
static dap_status reduce(const dap_elpa_call *call, dap_error *err)
{
  const dap_scalapack_matrix *a = &call->views[DAP_ELPA_A].matrix, *b = &call->views[DAP_ELPA_B].matrix;
  const char uplo = triangle_of(call);
  dap_scalapack_int info = 0;
  call->lib->potrf(&uplo, &b->n, b->data, &b->ia, &b->ja, b->desc, &info);
  if (info == 0) {
    solve(call, 'L', uplo, uplo == 'L' ? 'N' : 'C', b, a, call->size);
    solve(call, 'R', uplo, uplo == 'L' ? 'C' : 'N', b, a, call->size);
  }
  call->report->info = info > 0 ? info : 0;
  DAP_REQUIRE(info >= 0, err, DAP_ERR_LIBRARY, "potrf rejects its argument %d", (int)-info);
  DAP_REQUIRE(info == 0, err, DAP_ERR_NUMERIC,
              "B is not positive definite: its leading minor of order %" PRId64 " is not positive",
              (int64_t)info);
  return DAP_OK;
}

dap_status dap_elpa_reduce(dap_elpa_call *call)
{
  const bool inside = call->views[DAP_ELPA_A].matrix.data;
  const dap_status status = dap_agree(call->comm, inside ? reduce(call, call->err) : DAP_OK, call->err);
  if (status != DAP_ERR_NUMERIC) return status;
  int64_t *info = &call->report->info; /* the same on the grid, and 0 outside */
  const int code = MPI_Allreduce(MPI_IN_PLACE, info, 1, MPI_INT64_T, MPI_MAX, call->comm);
  dap_error own = {0};
  const dap_status mine =
      code == MPI_SUCCESS ? DAP_OK : dap_fail(&own, DAP_ERR_LIBRARY, "MPI_Allreduce failed");
  const dap_status told = dap_agree(call->comm, mine, &own);
  if (told) *call->err = own;
  return told ? told : status;
}

void dap_elpa_back(const dap_elpa_call *call)
{
  const dap_scalapack_matrix *z = &call->views[DAP_ELPA_Z].matrix, *b = &call->views[DAP_ELPA_B].matrix;
  const char uplo = triangle_of(call);
  if (z->data) solve(call, 'L', uplo, uplo == 'L' ? 'C' : 'N', b, z, call->wanted);
}

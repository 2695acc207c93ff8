/* A z = w B z as a standard problem, by ScaLAPACK on ELPA's grid: with B = L L^H it is C y = w y, where
 * C = inv(L) A inv(L^H) and z = inv(L^H) y; with B = U^H U accordingly. ELPA's own Cholesky factorisation is
 * not used: where B is not positive definite it returns on one process and leaves the others waiting
 * (2022.11, src/cholesky/elpa_cholesky_template.F90). */
#include "elpa_impl.h"

#include <inttypes.h>

/* The matrix of view `i` for ScaLAPACK, on the grid's communicator: shared, as ELPA's form is one of
 * ScaLAPACK's. Views of one communicator have one context. Collective on the grid. */
static dap_status describe(const dap_elpa_call *call, int i, dap_scalapack_matrix *matrix, dap_error *err)
{
  const dap_elpa_matrix *m = &call->views[i];
  const dap_view *view = dap_view_of(&dap_elpa_adapter, m);
  const dap_layout *layout = dap_elpa_form_of(view)->layout;
  MPI_Comm grid = dap_elpa_state_of(view)->grid;
  dap_array array;
  *matrix = (dap_scalapack_matrix){0};
  dap_status status = dap_array_init(&array, layout, m->place[0] * m->grid[1] + m->place[1], call->lib->dtype,
                                     DAP_ORDER_F, m->data, err);
  if (!status) array.strides[1] = array.strides[0] * m->local_nrows;
  status = dap_agree(grid, status, err);
  const dap_scalapack_options options = {
      .sharing = DAP_SHARE_OR_FAIL, .op = 'N', .needs = {.square_blocks = true}};
  if (!status)
    status = dap_scalapack_get(grid, (dap_darray){layout, &array}, DAP_READ_WRITE, &options, matrix, err);
  dap_array_release(&array);
  return status;
}

static dap_status describe_both(const dap_elpa_call *call, int i, int k, dap_scalapack_matrix views[2],
                                dap_error *err)
{
  views[1] = (dap_scalapack_matrix){0};
  DAP_TRY(describe(call, i, &views[0], err));
  return describe(call, k, &views[1], err);
}

static void forget(dap_scalapack_matrix views[2])
{
  for (int k = 0; k < 2; k++) (void)dap_scalapack_discard(&views[k], NULL);
}

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
  dap_scalapack_matrix views[2];
  const dap_scalapack_matrix *a = &views[0], *b = &views[1];
  const char uplo = triangle_of(call);
  dap_scalapack_int info = 0;
  dap_status status = describe_both(call, DAP_ELPA_A, DAP_ELPA_B, views, err);
  if (!status) {
    call->lib->potrf(&uplo, &b->n, b->data, &b->ia, &b->ja, b->desc, &info);
    if (info == 0) {
      solve(call, 'L', uplo, uplo == 'L' ? 'N' : 'C', b, a, call->size);
      solve(call, 'R', uplo, uplo == 'L' ? 'C' : 'N', b, a, call->size);
    }
  }
  forget(views);
  if (status) return status;
  call->report->info = info > 0 ? info : 0;
  DAP_REQUIRE(info >= 0, err, DAP_ERR_LIBRARY, "potrf rejects its argument %d", (int)-info);
  DAP_REQUIRE(info == 0, err, DAP_ERR_NUMERIC,
              "B is not positive definite: its leading minor of order %" PRId64 " is not positive",
              (int64_t)info);
  return DAP_OK;
}

dap_status dap_elpa_reduce(dap_elpa_call *call)
{
  const bool inside = call->views[DAP_ELPA_A].data;
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

static dap_status back(const dap_elpa_call *call, dap_error *err)
{
  dap_scalapack_matrix views[2];
  const char uplo = triangle_of(call);
  const dap_status status = describe_both(call, DAP_ELPA_Z, DAP_ELPA_B, views, err);
  if (!status) solve(call, 'L', uplo, uplo == 'L' ? 'C' : 'N', &views[1], &views[0], call->wanted);
  forget(views);
  return status;
}

dap_status dap_elpa_back(dap_elpa_call *call)
{
  const bool inside = call->views[DAP_ELPA_Z].data;
  return dap_agree(call->comm, inside ? back(call, call->err) : DAP_OK, call->err);
}

/* Finds where this process's part of the matrix is, and checks that ScaLAPACK's integers can count its
 * elements. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <string.h>

/* PBLAS computes addresses in 64 bits (PBLAS/SRC/PBtools.h, Mptr). */
bool dap_scalapack_is_pblas(const char *routine)
{
  static const char *const names[] = {"gemm", "gemv", "symm",  "hemm",  "syrk",  "herk", "trsm",
                                      "trmm", "tran", "tranu", "tranc", "geadd", "tradd"};
  if (!routine) return false;
  if (routine[0] == 'p' && routine[1]) routine += 2; /* "pdgemm" */
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
    if (strcmp(routine, names[k]) == 0) return true;
  return false;
}

dap_status dap_scalapack_check_reach(const dap_view *view, int64_t leading, int64_t columns,
                                     dap_status status, dap_error *err)
{
  if (dap_scalapack_state_of(view)->is_for_pblas || columns == 0) return DAP_OK;
  DAP_REQUIRE(leading <= DAP_SCALAPACK_INT_MAX / columns, err, status,
              "%" PRId64 " columns with a leading dimension of %" PRId64
              " on a process are more elements than ScaLAPACK's %d-bit integers count; only PBLAS takes them",
              columns, leading, (int)(8 * sizeof(dap_scalapack_int)));
  return DAP_OK;
}

dap_status dap_scalapack_place(const dap_view *view, char op, void **data, dap_scalapack_int *lld,
                               dap_error *why)
{
  *data = NULL;
  *lld = 1;
  if (view->member < 0) return DAP_OK;
  int64_t leading;
  DAP_TRY(dap_matrix_local((dap_darray){view->layout, &view->local}, view->member, op, data, &leading, why));
  DAP_REQUIRE(leading <= DAP_SCALAPACK_INT_MAX, why, DAP_ERR_SHARE,
              "a leading dimension of %" PRId64 " exceeds ScaLAPACK's %d-bit integers", leading,
              (int)(8 * sizeof *lld));
  const int axis = dap_scalapack_swap(op, 1);
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(view->layout, view->member, coords);
  const int64_t columns = dap_layout_owned(view->layout, axis, coords[axis]);
  DAP_TRY(dap_scalapack_check_reach(view, leading, columns, DAP_ERR_SHARE, why));
  *lld = (dap_scalapack_int)leading;
  return DAP_OK;
}

/* Finds the local part and leading dimension of a moved view. */
static void place_copy(const dap_view *view, void **data, dap_scalapack_int *lld)
{
  const dap_view_target *target = &view->targets[0];
  const int columns = dap_scalapack_swap(dap_scalapack_form_of(view)->op, 1);
  *data = view->memory[0];
  *lld = 1;
  if (target->member < 0) return;
  const int64_t leading = target->strides[columns] / dap_dtype_size(view->dtype);
  if (leading > 1)
    *lld = (dap_scalapack_int)leading; /* is the neighbour's, or the rows, and was checked to fit */
}

void dap_scalapack_locate(const dap_view *view, void **data, dap_scalapack_int *lld)
{
  const dap_scalapack_form *form = dap_scalapack_form_of(view);
  if (view->targets[0].shared)
    (void)dap_scalapack_place(view, form->op, data, lld, NULL); /* has succeeded before */
  else
    place_copy(view, data, lld);
  if (!view->targets[0].shared || (form->size[0] > 0 && form->size[1] > 0)) return;
  *data = NULL; /* the grid need not be the array's */
  *lld = form->size[0] > 1 ? (dap_scalapack_int)form->size[0] : 1;
}

dap_scalapack_int dap_scalapack_leading(const dap_view *view)
{
  void *data;
  dap_scalapack_int lld;
  dap_scalapack_locate(view, &data, &lld);
  return lld;
}

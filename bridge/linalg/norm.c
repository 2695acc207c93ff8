/* Norms. */
#include "linalg_impl.h"

#include <math.h>

static bool has_nan(const dap_linalg_call *call, const dap_scalapack_matrix *view)
{
  enum { LLD = 8 };
  int64_t extents[2];
  dap_linalg_local(view, extents);
  const int parts = dap_linalg_is_complex(call) ? 2 : 1; /* reals in an element */
  const bool single = call->lib->real == DAP_F4;
  for (int64_t j = 0; j < extents[1]; j++) {
    const int64_t first = j * view->desc[LLD] * parts;
    for (int64_t i = first; i < first + extents[0] * parts; i++)
      if (single ? isnan(((const float *)view->data)[i]) : isnan(((const double *)view->data)[i]))
        return true;
  }
  return false;
}

/* lange takes its largest values by comparison, which passes over NaN. Collective. */
static dap_status pass_on_nan(dap_linalg_call *call, const dap_scalapack_matrix *view, double *value)
{
  int found = has_nan(call, view);
  DAP_TRY(dap_linalg_mpi(call, MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, call->comm),
                         "MPI_Allreduce"));
  if (found) *value = NAN;
  return DAP_OK;
}

/* Columns of the array are rows of its transpose. */
static char seen(char norm, char op)
{
  if (op == 'N' || (norm != '1' && norm != 'I')) return norm;
  return norm == '1' ? 'I' : '1';
}

dap_status dap_linalg_norm_of(dap_linalg_call *call, char norm, const dap_scalapack_matrix *view,
                              double *value)
{
  int64_t extents[2];
  void *work;
  dap_linalg_local(view, extents);
  const int64_t most = extents[0] > extents[1] ? extents[0] : extents[1]; /* lange: Mp0 or Nq0 */
  DAP_TRY(dap_linalg_work(call, most, call->lib->dtype, &work));
  const char as_seen = seen(norm, view->op);
  *value = call->lib->lange(&as_seen, view, work);
  return pass_on_nan(call, view, value);
}

static dap_status find_norm(dap_linalg_call *call, char norm, double *value)
{
  double result = 0;
  if (dap_linalg_rows(call, 0) > 0 && dap_linalg_cols(call, 0) > 0) {
    dap_scalapack_matrix *view;
    DAP_TRY(dap_linalg_view(call, 0, &(dap_scalapack_options){.routine = "lange"}, &view));
    DAP_TRY(dap_linalg_norm_of(call, norm, view, &result));
  }
  *value = result;
  return DAP_OK;
}

dap_status dap_linalg_norm(MPI_Comm comm, char norm, dap_operand a, double *value,
                           const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      .operands = {{"A", a, DAP_LINALG_INPUT, .ndim = 2}},
      .choices = {{"norm", norm, "1IFM"}},
      .null = value ? NULL : "value",
  };
  dap_linalg_call call;
  dap_status status = dap_linalg_begin(&call, comm, &arguments, options, err);
  if (!status) status = find_norm(&call, norm, value);
  return dap_linalg_end(&call, status);
}

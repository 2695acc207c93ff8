/* Checks that all copies of an element are equal: each process reads its elements from their owners, and
 * compares. */
#include "transfer_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool has_copies(const dap_layout *layout)
{
  for (int k = 0; k < layout->ndim; k++)
    if (dap_has_ghosts(&layout->maps[k])) return true;
  return false;
}

/* Allocates a C-order buffer in native byte order, with the shape of `like`. */
static dap_status allocate_like(const dap_array *like, dap_array *array, dap_error *err)
{
  int64_t bytes = 0;
  *array = (dap_array){.dtype = like->dtype, .ndim = like->ndim};
  memcpy(array->shape, like->shape, sizeof array->shape);
  DAP_TRY(dap_array_set_strides(array, DAP_ORDER_C, NULL, &bytes, err));
  array->data = malloc((size_t)bytes + 1);
  DAP_REQUIRE(array->data, err, DAP_ERR_NOMEM, "no memory for %" PRId64 " bytes", bytes);
  return DAP_OK;
}

static dap_status check_form(MPI_Comm comm, const dap_layout *layout, const dap_array *local, int *rank,
                             dap_error *err)
{
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, rank), "MPI_Comm_rank", err));
  DAP_REQUIRE(local, err, DAP_ERR_ARG, "local must not be NULL");
  return dap_array_match_place((dap_darray){layout, local}, *rank, err);
}

/* Copies this process's elements twice: one copy stays, the other receives those of the owners. */
static dap_status copy_elements(const dap_array *local, dap_array *mine, dap_array *owners, dap_error *err)
{
  DAP_TRY(allocate_like(local, mine, err));
  DAP_TRY(allocate_like(local, owners, err));
  DAP_TRY(dap_array_copy(local, mine, err));
  return dap_array_copy(local, owners, err);
}

/* Replaces copies in `owners`, which holds this process's elements, by their owners' values. */
static dap_status fetch(MPI_Comm comm, const dap_layout *layout, const dap_array *mine, dap_array *owners,
                        dap_error *err)
{
  const dap_side side = {.layout = layout, .contiguous = true};
  dap_plan *plan = NULL;
  const dap_plan_arguments arguments = {.from = &side, .to = &side, .itemsize = dap_dtype_size(mine->dtype)};
  dap_status s = dap_plan_build(comm, "dap_replicas_check", &arguments, DAP_PLAN_COPIES, &plan, err);
  if (!s) s = dap_plan_run(plan, owners->data, owners->data, err);
  dap_plan_destroy(&plan);
  return s;
}

static dap_status fail_at(int rank, const dap_layout *layout, const dap_array *mine, int64_t position,
                          dap_error *err)
{
  int64_t local[DAP_MAX_NDIM], global[DAP_MAX_NDIM];
  for (int k = layout->ndim - 1; k >= 0; k--) {
    local[k] = position % mine->shape[k];
    position /= mine->shape[k];
  }
  DAP_TRY(dap_layout_globalize(layout, rank, local, global, NULL, err));
  char where[DAP_ERROR_TEXT / 2];
  dap_text text = dap_text_start(where, sizeof where);
  for (int k = 0; k < layout->ndim; k++) dap_text_add(&text, "%s%" PRId64, k ? ", " : "", global[k]);
  return dap_fail_rule(err, 18, DAP_ERR_BUFFER, "element (%s) differs from the one that its owner holds",
                       where);
}

static dap_status compare(int rank, const dap_layout *layout, const dap_array *mine, const dap_array *owners,
                          dap_error *err)
{
  const int64_t count = dap_array_count(mine), size = dap_dtype_size(mine->dtype);
  const char *a = mine->data, *b = owners->data;
  for (int64_t i = 0; i < count; i++)
    /* copy_elements() has allocated both. NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
    if (memcmp(a + i * size, b + i * size, (size_t)size) != 0) return fail_at(rank, layout, mine, i, err);
  return DAP_OK;
}

dap_status dap_replicas_check(MPI_Comm comm, dap_darray array, dap_error *err)
{
  const dap_layout *layout = array.layout;
  dap_error own = {0};
  int rank = 0;
  err = err ? err : &own;
  DAP_TRY(dap_comm_check(comm, err));
  DAP_TRY(dap_layout_agree(comm, "dap_replicas_check", layout, err));
  DAP_TRY(dap_agree(comm, check_form(comm, layout, array.local, &rank, err), err));
  if (!has_copies(layout)) return DAP_OK;
  dap_array mine = {0}, owners = {0};
  dap_status s = dap_agree(comm, copy_elements(array.local, &mine, &owners, err), err);
  if (!s) {
    s = fetch(comm, layout, &mine, &owners, err); /* this may fail on one process only */
    s = dap_agree(comm, s ? s : compare(rank, layout, &mine, &owners, err), err);
  }
  free(mine.data);
  free(owners.data);
  return s;
}

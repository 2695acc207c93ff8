/* The caller's array before PETSc sees it: is it one of these processes' and fit for the access; and the array that is
 * worked on in its place where its elements are not PetscScalars of this machine. */
#include "petsc_impl.h"

#include <stdlib.h>

/* A copy goes in whatever the access, since what the result leaves as it was must be there when all goes back. */
static dap_status check_type(dap_dtype dtype, dap_access access, bool lossy, dap_error *err)
{
  const char *name = dap_dtype_name(dtype), *scalar = dap_dtype_name(DAP_PETSC_DTYPE);
  DAP_REQUIRE(dap_dtype_size(dtype) > 0 && DAP_PETSC_DTYPE != DAP_NONE, err, DAP_ERR_BUFFER,
              "the elements are %s, PetscScalar is %s", name, scalar);
  DAP_RULE(
      20, lossy || dap_dtype_holds(DAP_PETSC_DTYPE, dtype), err, DAP_ERR_BUFFER,
      "the elements are %s, PetscScalar is %s, which can lose something of them; options.lossy allows it",
      name, scalar);
  DAP_RULE(20, lossy || access == DAP_READ || dap_dtype_holds(dtype, DAP_PETSC_DTYPE), err, DAP_ERR_BUFFER,
           "DAP_WRITE: the elements are %s, which can lose something of a PetscScalar, %s; options.lossy "
           "allows it",
           name, scalar);
  return DAP_OK;
}

dap_status dap_buffer_check(MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                            dap_access access, bool lossy, int *rank, dap_error *err)
{
  int size = 0;
  DAP_TRY(dap_petsc_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size", err));
  DAP_TRY(dap_petsc_mpi(MPI_Comm_rank(comm, rank), "MPI_Comm_rank", err));
  DAP_REQUIRE(size == dap_layout_nprocs(layout), err, DAP_ERR_ARG,
              "the layout is of %d processes, the communicator has %d", dap_layout_nprocs(layout), size);
  DAP_TRY(dap_array_match((dap_darray){layout, array}, *rank, err));
  DAP_TRY(check_type(array->dtype, access, lossy, err));
  if (access == DAP_READ) return DAP_OK;
  bool repeats = false;
  for (int k = 0; k < array->ndim; k++) repeats = repeats || (array->shape[k] > 1 && array->strides[k] == 0);
  DAP_RULE(19, !array->readonly, err, DAP_ERR_BUFFER, "DAP_WRITE to a read-only buffer");
  DAP_RULE(19, !repeats || dap_array_count(array) == 0, err, DAP_ERR_BUFFER,
           "DAP_WRITE to a buffer with a zero stride");
  return DAP_OK;
}

/* ---- the array that is worked on -------------------------------------------------------------------- */

/* A layout of one process that has these extents; dictionaries do not matter to it. */
static dap_status lay(const dap_array *array, dap_layout **layout, dap_error *err)
{
  dap_dist whole[DAP_MAX_NDIM];
  for (int k = 0; k < array->ndim; k++) whole[k] = dap_dist_even(array->shape[k], 1);
  return dap_layout_create(array->ndim, whole, layout, err);
}

/* A new buffer of the same extents and order. */
static dap_status make_like(const dap_array *array, const dap_layout *layout, dap_dtype dtype,
                            dap_array *made, dap_error *err)
{
  const int last = array->ndim > 0 ? array->ndim - 1 : 0;
  const bool is_wide =
      array->ndim > 0 && array->shape[0] > 1 && array->shape[last] > 1; /* else strides say nothing */
  const bool fortran = is_wide && llabs(array->strides[0]) < llabs(array->strides[last]);
  return dap_array_init(made, layout, 0, dtype, fortran ? DAP_ORDER_F : DAP_ORDER_C, NULL, err);
}

/* Copies with a change of type, by a plan of this process alone. */
static dap_status cast(const dap_layout *layout, const dap_array *from, const dap_array *to, dap_error *err)
{
  dap_plan *plan = NULL;
  const dap_side source = {.layout = layout, .strides = from->strides, .dtype = from->dtype};
  const dap_side target = {.layout = layout, .strides = to->strides, .dtype = to->dtype};
  dap_status s =
      dap_plan_create(MPI_COMM_SELF, &source, &target, 0, &(dap_plan_options){.lossy = true}, &plan, err);
  if (!s) s = dap_plan_run(plan, from->data, to->data, err);
  dap_plan_destroy(&plan);
  return s;
}

/* Either of the two may be in the other byte order; then by way of a copy in this one's. */
static dap_status convert(const dap_array *from, const dap_array *to, dap_error *err)
{
  if (from->dtype == to->dtype || dap_array_count(from) == 0) return dap_array_copy(from, to, err);
  const bool in = from->swapped, out = to->swapped;
  dap_layout *layout = NULL;
  dap_array between = {0};
  dap_status s = lay(from, &layout, err);
  if (!s && (in || out)) s = make_like(in ? from : to, layout, in ? from->dtype : to->dtype, &between, err);
  if (!s && in) s = dap_array_copy(from, &between, err);
  if (!s) s = cast(layout, in ? &between : from, out ? &between : to, err);
  if (!s && out) s = dap_array_copy(&between, to, err);
  dap_array_release(&between);
  dap_layout_destroy(&layout);
  return s;
}

dap_status dap_work_renew(dap_work *work, dap_error *err)
{
  return work->is_copy && dap_array_count(&work->array) > 0 ? convert(&work->origin, &work->array, err)
                                                            : DAP_OK;
}

dap_status dap_work_take(const dap_array *origin, dap_work *work, dap_error *err)
{
  work->origin = work->array = *origin;
  work->origin.release = work->array.release = NULL;
  work->is_copy = origin->swapped || origin->dtype != DAP_PETSC_DTYPE;
  if (!work->is_copy) return DAP_OK;
  dap_layout *layout = NULL;
  work->array = (dap_array){0};
  DAP_TRY(lay(origin, &layout, err));
  const dap_status s = make_like(origin, layout, DAP_PETSC_DTYPE, &work->array, err);
  dap_layout_destroy(&layout);
  return s ? s : dap_work_renew(work, err);
}

dap_status dap_work_give(const dap_work *work, dap_error *err)
{
  return work->is_copy && dap_array_count(&work->array) > 0 ? convert(&work->array, &work->origin, err)
                                                            : DAP_OK;
}

int64_t dap_work_bytes(const dap_work *work)
{
  return work->is_copy ? dap_array_bytes(&work->array) : 0;
}

dap_status dap_work_shares(const dap_work *work, dap_error *why)
{
  if (!work->is_copy || dap_array_count(&work->array) == 0) return DAP_OK;
  DAP_REQUIRE(work->origin.dtype == DAP_PETSC_DTYPE, why, DAP_ERR_SHARE,
              "the elements are %s, PetscScalar is %s", dap_dtype_name(work->origin.dtype),
              dap_dtype_name(DAP_PETSC_DTYPE));
  return dap_fail(why, DAP_ERR_SHARE, "the elements are in the other byte order");
}

void dap_work_release(dap_work *work)
{
  if (work->is_copy) dap_array_release(&work->array);
  *work = (dap_work){0};
}

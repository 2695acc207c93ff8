/* The caller's array before PETSc sees it: is it one of these processes, has it PetscScalar's type, is it in this
 * machine's byte order. */
#include "petsc_impl.h"

#include <inttypes.h>
#include <stdlib.h>

dap_status dap_buffer_check(MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                            dap_access access, int *rank, dap_error *err)
{
  int size = 0;
  DAP_TRY(dap_petsc_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size", err));
  DAP_TRY(dap_petsc_mpi(MPI_Comm_rank(comm, rank), "MPI_Comm_rank", err));
  DAP_REQUIRE(size == dap_layout_nprocs(layout), err, DAP_ERR_ARG,
              "the layout is of %d processes, the communicator has %d", dap_layout_nprocs(layout), size);
  const int ndim = dap_layout_ndim(layout);
  DAP_REQUIRE(array->ndim == ndim, err, DAP_ERR_BUFFER,
              "the buffer has %" PRId32 " dimensions, the layout %d", array->ndim, ndim);
  DAP_REQUIRE(array->dtype == DAP_PETSC_DTYPE, err, DAP_ERR_BUFFER, "the elements are %s, PetscScalar is %s",
              dap_dtype_name(array->dtype), dap_dtype_name(DAP_PETSC_DTYPE));
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(layout, *rank, coords);
  bool empty = false, repeats = false;
  for (int k = 0; k < ndim; k++) {
    const int64_t extent = dap_layout_extent(layout, k, coords[k]);
    DAP_REQUIRE(array->shape[k] == extent, err, DAP_ERR_BUFFER,
                "dim %d: the buffer's extent %" PRId64 " differs from the layout's %" PRId64, k,
                array->shape[k], extent);
    empty = empty || extent == 0;
    repeats = repeats || (extent > 1 && array->strides[k] == 0);
  }
  DAP_REQUIRE(empty || array->data, err, DAP_ERR_BUFFER, "the buffer has elements but data is NULL");
  const bool writes = access != DAP_READ;
  DAP_RULE(19, !writes || !array->readonly, err, DAP_ERR_BUFFER, "DAP_WRITE to a read-only buffer");
  DAP_RULE(19, !writes || empty || !repeats, err, DAP_ERR_BUFFER, "DAP_WRITE to a buffer with a zero stride");
  return DAP_OK;
}

/* A buffer of the same extents and order. Its dictionaries do not matter, so they are those of an array of one
 * process, which any layout has. */
static dap_status make_native(const dap_array *array, dap_array *native, dap_error *err)
{
  dap_dist whole[DAP_MAX_NDIM];
  const int last = array->ndim > 0 ? array->ndim - 1 : 0;
  const bool is_wide = array->shape[0] > 1 && array->shape[last] > 1; /* else strides say nothing */
  const bool fortran = is_wide && llabs(array->strides[0]) < llabs(array->strides[last]);
  dap_layout *here = NULL;
  for (int k = 0; k < array->ndim; k++) whole[k] = dap_dist_even(array->shape[k], 1);
  DAP_TRY(dap_layout_create(array->ndim, whole, &here, err));
  const dap_order order = fortran ? DAP_ORDER_F : DAP_ORDER_C;
  const dap_status s = dap_array_init(native, here, 0, array->dtype, order, NULL, err);
  dap_layout_destroy(&here);
  return s;
}

dap_status dap_buffer_native(const dap_array *array, dap_array *native, dap_error *err)
{
  *native = (dap_array){0};
  if (!array->swapped) return DAP_OK;
  DAP_TRY(make_native(array, native, err));
  return dap_array_copy(array, native, err);
}

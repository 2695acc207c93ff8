/* What a live view holds: the arguments, checked, and all that was made of them. */
#include "petsc_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- arguments ------------------------------------------------------------------------------------ */

static dap_status check_options(dap_access access, const dap_petsc_options *o, dap_error *err)
{
  DAP_REQUIRE(access >= DAP_READ && access <= DAP_READ_WRITE, err, DAP_ERR_ARG, "%d is no dap_access",
              (int)access);
  DAP_REQUIRE((unsigned)o->sharing <= DAP_SHARE_NEVER, err, DAP_ERR_ARG, "%d is no dap_sharing",
              (int)o->sharing);
  DAP_REQUIRE((o->vectors & ~(unsigned)(DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL)) == 0, err, DAP_ERR_ARG,
              "vectors %u is no sum of DAP_PETSC_GLOBAL and DAP_PETSC_LOCAL", o->vectors);
  DAP_REQUIRE(o->width >= 0, err, DAP_ERR_ARG, "the stencil width %" PRId64 " is negative", o->width);
  DAP_REQUIRE(o->boundary == DM_BOUNDARY_NONE || o->boundary == DM_BOUNDARY_GHOSTED, err, DAP_ERR_ARG,
              "boundary %d is neither DM_BOUNDARY_NONE nor DM_BOUNDARY_GHOSTED", (int)o->boundary);
  return DAP_OK;
}

static dap_status check_buffer(MPI_Comm comm, const dap_layout *layout, const dap_array *array,
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

/* The whole buffer is copied, whatever the access: what the vectors do not hold must be there when all of it is
 * copied back. */
static dap_status take_buffer(struct dap_petsc_state *state, const dap_array *array, dap_error *err)
{
  state->origin = *array;
  state->origin.release = NULL;
  state->data = array->data;
  if (!array->swapped) return DAP_OK;
  DAP_TRY(make_native(array, &state->native, err));
  state->data = state->native.data;
  return dap_array_copy(array, &state->native, err);
}

static const int64_t *strides_of(const struct dap_petsc_state *state)
{
  return state->origin.swapped ? state->native.strides : state->origin.strides;
}

/* ---- the stencil width ------------------------------------------------------------------------------ */

/* True iff some process has a neighbour, so that the array's halos say something. */
static bool shows_width(const dap_frame *array)
{
  for (int k = 0; k < array->grid_ndim; k++)
    if (array->axis[k].procs > 1 || array->axis[k].outer != DM_BOUNDARY_NONE) return true;
  return false;
}

static dap_status choose_width(const dap_frame *array, int64_t wanted, int64_t *width, dap_error *err)
{
  *width = wanted > 0 ? wanted : dap_frame_width(array);
  /* Not where one point, or none, is all that a line has: PETSc refuses a wider stencil there. */
  if (*width == 0 && !shows_width(array) && dap_ranges_fit(array, 0, 1, array->axis[0].size, 1)) *width = 1;
  for (int k = 0; k < array->grid_ndim; k++)
    for (int side = 0; side < 2; side++)
      DAP_REQUIRE(dap_frame_edge(array, k, side) <= *width, err, DAP_ERR_UNSUPPORTED,
                  "dim %d: boundary padding %" PRId64
                  " does not fit into the DMDA's ghost points, of stencil width %" PRId64,
                  k, dap_frame_edge(array, k, side), *width);
  return DAP_OK;
}

/* PETSc counts points, and the entries of each vector, in PetscInt. */
static dap_status check_range(const dap_frame *array, int64_t width, dap_error *err)
{
  DAP_REQUIRE(width <= PETSC_MAX_INT, err, DAP_ERR_RANGE, "the stencil width %" PRId64 " exceeds PetscInt",
              width);
  int64_t count = 1;
  for (int k = 0; k < array->ndim; k++) {
    const dap_frame_axis *a = &array->axis[k];
    const bool surrounded = k < array->grid_ndim && a->outer != DM_BOUNDARY_NONE;
    const int64_t ghosts = surrounded ? 2 * width : 0;
    DAP_REQUIRE(a->size <= PETSC_MAX_INT - ghosts && count <= PETSC_MAX_INT / (a->size + ghosts + 1), err,
                DAP_ERR_RANGE, "the array has more points than PetscInt counts, %" PRId64,
                (int64_t)PETSC_MAX_INT);
    count *= a->size + ghosts;
  }
  return DAP_OK;
}

dap_status dap_state_fill(struct dap_petsc_state *state, MPI_Comm comm, const dap_layout *layout,
                          const dap_array *array, dap_access access, const dap_petsc_options *options,
                          dap_error *err)
{
  int rank = 0;
  DAP_REQUIRE(layout && array, err, DAP_ERR_ARG, "%s is NULL", layout ? "array" : "layout");
  if (options) state->options = *options;
  DAP_TRY(check_options(access, &state->options, err));
  DAP_TRY(check_buffer(comm, layout, array, access, &rank, err));
  if (state->options.vectors == 0) state->options.vectors = DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL;
  state->access = access;
  DAP_TRY(take_buffer(state, array, err));
  DAP_TRY(dap_frame_init(layout, &state->options, rank, strides_of(state), &state->array, err));
  DAP_TRY(choose_width(&state->array, state->options.width, &state->options.width, err));
  return check_range(&state->array, state->options.width, err);
}

/* ---- the end ---------------------------------------------------------------------------------------- */

static PetscErrorCode destroy_objects(struct dap_petsc_state *state)
{
  if (state->locked && state->global) PetscCall(VecLockReadPop(state->global));
  if (state->locked && state->local) PetscCall(VecLockReadPop(state->local));
  PetscCall(VecDestroy(&state->global));
  PetscCall(VecDestroy(&state->local));
  PetscCall(DMDestroy(&state->dm));
  return 0;
}

dap_status dap_state_destroy(struct dap_petsc_state *state, dap_error *err)
{
  dap_status s = DAP_OK;
  dap_steps_release(&state->in);
  dap_steps_release(&state->out);
  PetscBool over = PETSC_FALSE;
  if (state->dm && PetscFinalized(&over) == 0 && !over) {
    dap_catch caught;
    dap_catch_begin(&caught);
    s = dap_catch_end(&caught, destroy_objects(state), "destroying the DMDA", err);
  }
  if (state->comm != MPI_COMM_NULL) {
    s = dap_agree(state->comm, s, err);
    const dap_status freed = dap_petsc_mpi(MPI_Comm_free(&state->comm), "MPI_Comm_free", err);
    if (!s) s = freed;
  }
  dap_array_release(&state->native);
  dap_frame_release(&state->array);
  dap_frame_release(&state->grid.local);
  dap_frame_release(&state->grid.global);
  free(state);
  return s;
}

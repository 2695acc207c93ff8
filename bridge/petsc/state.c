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
  DAP_REQUIRE(width <= PETSC_MAX_INT / 2, err, DAP_ERR_RANGE,
              "ghost points at both ends of stencil width %" PRId64 " exceed PetscInt", width);
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
  DAP_TRY(dap_buffer_check(comm, layout, array, access, state->options.lossy, &rank, err));
  if (state->options.vectors == 0) state->options.vectors = DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL;
  state->access = access;
  DAP_TRY(dap_work_take(array, &state->work, err));
  DAP_TRY(dap_frame_init(layout, &state->options, rank, state->work.array.strides, &state->array, err));
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

/* What needs other processes. */
static dap_status part(struct dap_petsc_state *state, dap_error *err)
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
  if (state->comm == MPI_COMM_NULL) return s;
  s = dap_agree(state->comm, s, err);
  const dap_status freed = dap_petsc_mpi(MPI_Comm_free(&state->comm), "MPI_Comm_free", err);
  return s ? s : freed;
}

/* Without MPI what communicators held is lost, and the plans stay. */
dap_status dap_state_destroy(struct dap_petsc_state *state, dap_error *err)
{
  const dap_status s = dap_petsc_has_mpi() ? part(state, err) : DAP_OK;
  dap_work_release(&state->work);
  dap_frame_release(&state->array);
  dap_frame_release(&state->grid.local);
  dap_frame_release(&state->grid.global);
  free(state);
  return s;
}

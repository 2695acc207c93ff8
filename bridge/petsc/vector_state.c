/* What a live view of a vector holds: the arguments, checked, and all that was made of them. */
#include "vector_impl.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct dap_petsc_vector_state dap_state;

/* ---- arguments ------------------------------------------------------------------------------------ */

static dap_status check_options(dap_access access, const dap_petsc_vector_options *o, dap_error *err)
{
  DAP_REQUIRE(access >= DAP_READ && access <= DAP_READ_WRITE, err, DAP_ERR_ARG, "%d is no dap_access",
              (int)access);
  DAP_REQUIRE((unsigned)o->sharing <= DAP_SHARE_NEVER, err, DAP_ERR_ARG, "%d is no dap_sharing",
              (int)o->sharing);
  DAP_REQUIRE(o->order == 0 || o->order == DAP_ORDER_C || o->order == DAP_ORDER_F, err, DAP_ERR_ARG,
              "%d is no dap_order", (int)o->order);
  DAP_REQUIRE(o->block_size >= 0, err, DAP_ERR_ARG, "the block size %" PRId64 " is negative", o->block_size);
  return DAP_OK;
}

/* PETSc counts entries, and bytes of them, in signed integers. */
static dap_status check_range(const dap_layout *layout, int64_t block_size, dap_error *err)
{
  const int64_t count = dap_layout_count(layout);
  DAP_REQUIRE(count <= PETSC_MAX_INT, err, DAP_ERR_RANGE,
              "the array has %" PRId64 " elements, more than PetscInt counts, %" PRId64, count,
              (int64_t)PETSC_MAX_INT);
  DAP_REQUIRE(block_size <= PETSC_MAX_INT, err, DAP_ERR_RANGE, "the block size %" PRId64 " exceeds PetscInt",
              block_size);
  DAP_REQUIRE(count % block_size == 0, err, DAP_ERR_UNSUPPORTED,
              "%" PRId64 " elements are no whole blocks of size %" PRId64, count, block_size);
  return DAP_OK;
}

dap_status dap_vector_fill(dap_state *state, MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                           dap_access access, const dap_petsc_vector_options *options, dap_error *err)
{
  DAP_REQUIRE(layout && array, err, DAP_ERR_ARG, "%s is NULL", layout ? "array" : "layout");
  if (options) state->options = *options;
  DAP_TRY(check_options(access, &state->options, err));
  DAP_TRY(dap_buffer_check(comm, layout, array, access, state->options.lossy, &state->rank, err));
  if (state->options.order == 0) state->options.order = DAP_ORDER_C;
  if (state->options.block_size == 0) state->options.block_size = 1;
  DAP_TRY(check_range(layout, state->options.block_size, err));
  state->access = access;
  state->layout = dap_layout_retain(layout);
  return dap_work_take(array, &state->work, err);
}

dap_status dap_vector_check_same(const dap_state *state, dap_error *err)
{
  static const char *const names[] = {"access",           "options: sharing",    "options: order",
                                      "options: natural", "options: block_size", "options: lossy",
                                      "the layout"};
  const dap_petsc_vector_options *o = &state->options;
  const uint64_t words[] = {(uint64_t)state->access,
                            (uint64_t)o->sharing,
                            (uint64_t)o->order,
                            o->natural,
                            (uint64_t)o->block_size,
                            o->lossy,
                            dap_layout_hash(state->layout)};
  return dap_agree_words(state->comm, words, names, (int)(sizeof words / sizeof words[0]), err);
}

/* ---- the end ---------------------------------------------------------------------------------------- */

static PetscErrorCode destroy_objects(dap_state *state)
{
  if (state->locked) PetscCall(VecLockReadPop(state->vec));
  PetscCall(VecDestroy(&state->vec));
  PetscCall(AODestroy(&state->ao));
  return 0;
}

/* What needs other processes. */
static dap_status part(dap_state *state, dap_error *err)
{
  dap_status s = DAP_OK;
  PetscBool over = PETSC_FALSE;
  dap_plan_destroy(&state->in);
  dap_plan_destroy(&state->out);
  if (state->vec && PetscFinalized(&over) == 0 && !over) {
    dap_catch caught;
    dap_catch_begin(&caught);
    s = dap_catch_end(&caught, destroy_objects(state), "destroying the vector", err);
  }
  if (state->comm == MPI_COMM_NULL) return s;
  s = dap_agree(state->comm, s, err);
  const dap_status freed = dap_petsc_mpi(MPI_Comm_free(&state->comm), "MPI_Comm_free", err);
  return s ? s : freed;
}

/* PETSc may have finalised MPI with itself: what communicators held is lost then, and the plans stay. */
dap_status dap_vector_destroy(dap_state *state, dap_error *err)
{
  const dap_status s = dap_petsc_has_mpi() ? part(state, err) : DAP_OK;
  dap_work_release(&state->work);
  dap_layout_destroy(&state->layout);
  dap_layout_destroy(&state->target_layout);
  free(state);
  return s;
}

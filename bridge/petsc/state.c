/* What a live view of a field holds: the arguments, checked, and all that was made of them. */
#include "petsc_impl.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct dap_petsc_state dap_state;

/* ---- arguments ------------------------------------------------------------------------------------ */

static dap_status check_options(dap_access access, const dap_petsc_field_options *o, dap_error *err)
{
  DAP_REQUIRE(access >= DAP_READ && access <= DAP_READ_WRITE, err, DAP_ERR_ARG,
              "access is %d, none of its values", (int)access);
  DAP_REQUIRE((unsigned)o->sharing <= DAP_SHARE_NEVER, err, DAP_ERR_ARG,
              "options: sharing is %d, none of its values", (int)o->sharing);
  DAP_REQUIRE((o->vectors & ~(unsigned)(DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL)) == 0, err, DAP_ERR_ARG,
              "vectors %u is no sum of DAP_PETSC_GLOBAL and DAP_PETSC_LOCAL", o->vectors);
  DAP_REQUIRE(o->width >= 0, err, DAP_ERR_ARG, "the stencil width %" PRId64 " is negative", o->width);
  DAP_REQUIRE(o->boundary == DM_BOUNDARY_NONE || o->boundary == DM_BOUNDARY_GHOSTED, err, DAP_ERR_ARG,
              "boundary %d is neither DM_BOUNDARY_NONE nor DM_BOUNDARY_GHOSTED", (int)o->boundary);
  DAP_REQUIRE(o->order == 0 || o->order == DAP_ORDER_C || o->order == DAP_ORDER_F, err, DAP_ERR_ARG,
              "%d is no dap_order", (int)o->order);
  DAP_REQUIRE(o->dof_axes >= 0, err, DAP_ERR_ARG, "dof_axes %d is negative", o->dof_axes);
  const dap_part *part = &o->part;
  DAP_REQUIRE(part->naxes >= 0 && part->naxes <= DAP_MAX_NDIM, err, DAP_ERR_ARG,
              "part: naxes %d is outside 0 .. %d", part->naxes, DAP_MAX_NDIM);
  DAP_REQUIRE((part->naxes > 0) == (part->axes != NULL), err, DAP_ERR_ARG, "part: naxes is %d, and axes %s",
              part->naxes, part->axes ? "is given" : "is NULL");
  DAP_REQUIRE(part->naxes > 0 || !part->start, err, DAP_ERR_ARG, "part: start is given, but no axes");
  DAP_REQUIRE(!part->shape, err, DAP_ERR_UNSUPPORTED,
              "part: a field has whole axes: shape must be NULL; dap_array_part() makes an array of a range");
  return DAP_OK;
}

/* Of which axes are picked, where, and what may be lost (FNV-1a): a kept kit has only their outcome here. */
static uint64_t fingerprint(const dap_petsc_field_options *o, int ndim)
{
  uint64_t hash = 14695981039346656037u;
  const uint64_t prime = 1099511628211u;
  hash = (hash ^ o->lossy) * prime;
  for (int j = 0; j < o->part.naxes; j++) hash = (hash ^ (uint64_t)(o->part.axes[j] + 1)) * prime;
  for (int k = 0; k < ndim && o->part.naxes > 0; k++)
    hash = (hash ^ (uint64_t)(o->part.start ? o->part.start[k] : 0)) * prime;
  return hash;
}

static dap_status take_whole(dap_state *state, const dap_layout *layout, const dap_array *array, int rank)
{
  state->layout = dap_layout_retain(layout);
  state->is_member = true;
  state->rank = rank;
  state->section = *array;
  state->section.release = NULL;
  return DAP_OK;
}

dap_status dap_state_fill(dap_state *state, MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                          dap_access access, const dap_petsc_field_options *options, dap_error *err)
{
  int rank = 0;
  DAP_REQUIRE(layout && array, err, DAP_ERR_ARG, "%s is NULL", layout ? "array" : "layout");
  if (options) state->options = *options;
  DAP_TRY(check_options(access, &state->options, err));
  DAP_TRY(dap_buffer_check(comm, layout, array, access, state->options.lossy, &rank, err));
  if (state->options.vectors == 0) state->options.vectors = DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL;
  state->access = access;
  DAP_TRY(options && options->part.naxes > 0 ? dap_state_section(state, layout, array, rank, err)
                                             : take_whole(state, layout, array, rank));
  state->choice = fingerprint(&state->options, dap_layout_ndim(layout));
  state->options.part.axes = NULL;
  state->options.part.start = NULL;
  return state->is_member ? dap_work_take(&state->section, &state->work, err) : DAP_OK;
}

/* ---- the same everywhere? ----------------------------------------------------------------------------- */

/* Layouts or options that differ between processes would hang in what follows. */
dap_status dap_state_check_same(const dap_state *state, MPI_Comm comm, const dap_layout *layout,
                                const dap_petsc_field_options *options, dap_error *err)
{
  enum { FIXED = 12 };
  static const char *const names[FIXED + 2 * DAP_MAX_NDIM] = {"access",
                                                              "options: sharing",
                                                              "options: vectors",
                                                              "options: width",
                                                              "options: order",
                                                              "options: star",
                                                              "options: dof_axes",
                                                              "options: boundary",
                                                              "options: strip_periodic",
                                                              "options: lossy",
                                                              "part: naxes",
                                                              "the layout",
                                                              "part: axes",
                                                              "part: axes",
                                                              "part: axes",
                                                              "part: axes",
                                                              "part: axes",
                                                              "part: axes",
                                                              "part: axes",
                                                              "part: axes",
                                                              "part: start",
                                                              "part: start",
                                                              "part: start",
                                                              "part: start",
                                                              "part: start",
                                                              "part: start",
                                                              "part: start",
                                                              "part: start"};
  const dap_petsc_field_options *o = &state->options;
  uint64_t words[FIXED + 2 * DAP_MAX_NDIM] = {(uint64_t)state->access,
                                              (uint64_t)o->sharing,
                                              o->vectors,
                                              (uint64_t)o->width,
                                              (uint64_t)o->order,
                                              o->star,
                                              (uint64_t)o->dof_axes,
                                              (uint64_t)o->boundary,
                                              o->strip_periodic,
                                              o->lossy,
                                              (uint64_t)o->part.naxes,
                                              dap_layout_hash(layout)};
  for (int j = 0; j < o->part.naxes; j++) words[FIXED + j] = (uint64_t)options->part.axes[j];
  for (int k = 0; o->part.naxes > 0 && options->part.start && k < dap_layout_ndim(layout); k++)
    words[FIXED + DAP_MAX_NDIM + k] = (uint64_t)options->part.start[k];
  return dap_agree_words(comm, words, names, (int)(sizeof words / sizeof words[0]), err);
}

/* ---- the end ---------------------------------------------------------------------------------------- */

static PetscErrorCode destroy_objects(dap_state *state)
{
  if (state->locked && state->global) PetscCall(VecLockReadPop(state->global));
  if (state->locked && state->local) PetscCall(VecLockReadPop(state->local));
  PetscCall(VecDestroy(&state->global));
  PetscCall(VecDestroy(&state->local));
  return DMDestroy(&state->dm);
}

/* A DMDA that PETSc's end took along cannot give its use of the kit back. */
static void bereave(dap_kit *kit)
{
  if (!kit || !kit->kept) return;
  kit->kept = false;
  dap_kit_release(kit);
}

/* What needs other processes. */
static dap_status part(dap_state *state, dap_error *err)
{
  PetscBool over = PETSC_FALSE;
  dap_status s = DAP_OK;
  if (state->dm && (PetscFinalized(&over) || over)) {
    bereave(state->kit);
  } else if (state->dm) {
    dap_catch caught;
    dap_catch_begin(&caught);
    s = dap_catch_end(&caught, destroy_objects(state), "destroying the vectors", err);
  }
  return state->kit ? dap_agree(state->kit->comm, s, err) : s;
}

/* Without MPI what communicators held is lost. */
dap_status dap_state_destroy(dap_state *state, dap_error *err)
{
  dap_status s = DAP_OK;
  if (dap_petsc_has_mpi()) {
    s = part(state, err);
    if (state->all != MPI_COMM_NULL) s = dap_agree(state->all, s, err);
    if (state->all != MPI_COMM_NULL) (void)MPI_Comm_free(&state->all);
  } else {
    bereave(state->kit);
  }
  dap_kit_release(state->kit);
  dap_work_release(&state->work);
  dap_array_release(&state->section);
  dap_layout_destroy(&state->layout);
  free(state);
  return s;
}

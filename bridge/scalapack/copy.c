/* The moved view: a buffer of its own in a block-cyclic layout, filled and written back by plans. */
#include "scalapack_impl.h"

#include <stdlib.h>

/* The layout of a moved view and who holds its parts. Process (i, j) of the layout is that of the matrix'
 * grid, so ranks[] carries the grid's map. */
typedef struct target {
  dap_layout *layout;
  int *ranks; /* [nprocs] */
  int member; /* this process among them; -1: outside */
} target;

static dap_status target_create(const dap_scalapack_request *request, const dap_scalapack_form *form,
                                target *to, dap_error *err)
{
  const dap_blacs_map *map = &form->map;
  const int extent[2] = {map->nprow, map->npcol};
  dap_dist dists[2];
  for (int k = 0; k < 2; k++) {
    const int dimension = dap_scalapack_swap(form->op, k);
    dists[k] = dap_dist_cyclic(form->size[dimension], extent[dimension], form->block[dimension]);
    dists[k].first_owner = form->source[dimension];
  }
  DAP_TRY(dap_layout_create(2, dists, &to->layout, err));
  const int nprocs = dap_layout_nprocs(to->layout);
  to->ranks = calloc((size_t)nprocs, sizeof *to->ranks);
  DAP_REQUIRE(to->ranks, err, DAP_ERR_NOMEM, "no memory for %d ranks", nprocs);
  to->member = -1;
  for (int process = 0; process < nprocs; process++) {
    int coords[DAP_MAX_NDIM];
    dap_layout_coords(to->layout, process, coords);
    to->ranks[process] = dap_blacs_map_rank(map, coords[dap_scalapack_swap(form->op, 0)],
                                            coords[dap_scalapack_swap(form->op, 1)]);
    if (to->ranks[process] == request->rank) to->member = process;
  }
  return DAP_OK;
}

/* The layout, this process' zeroed buffer, and the caller's. */
static dap_status prepare(const dap_scalapack_request *request, const dap_scalapack_form *form, target *to,
                          dap_scalapack_state *state, dap_error *err)
{
  DAP_TRY(target_create(request, form, to, err));
  if (to->member >= 0)
    DAP_TRY(dap_array_init(&state->copy, to->layout, to->member, request->dtype,
                           form->op == 'T' ? DAP_ORDER_C : DAP_ORDER_F, NULL, err));
  DAP_TRY(dap_scalapack_source_make(request, &state->source, err));
  if (!(request->access & DAP_READ)) return DAP_OK;
  return dap_scalapack_source_fetch(&state->source, &state->moved_bytes, err);
}

/* Runs a plan and counts what it moved. Collective; the status is this process' own. */
static dap_status run(dap_plan *plan, const void *from, void *to, int64_t *moved, dap_error *err)
{
  const dap_plan_stats stats = dap_plan_stats_get(plan);
  DAP_TRY(dap_plan_run(plan, from, to, err));
  *moved += stats.bytes_local + stats.bytes_sent;
  return DAP_OK;
}

/* Both plans are made here, so that restoring a view only moves. */
static dap_status move(const dap_scalapack_request *request, const target *to, dap_scalapack_state *state,
                       dap_error *err)
{
  const dap_array *array = dap_scalapack_source_array(&state->source);
  const int64_t item = dap_dtype_size(request->dtype);
  const dap_side origin = {
      .layout = request->layout, .ranks = request->ranks, .strides = array->strides, .start = request->start};
  const dap_side copy = {.layout = to->layout, .ranks = to->ranks, .strides = state->copy.strides};
  const dap_plan_options part = {.shape = request->shape};
  if (request->access & DAP_WRITE)
    DAP_TRY(dap_plan_create(request->comm, &copy, &origin, item, &part, &state->back, err));
  if (!(request->access & DAP_READ)) return DAP_OK;

  dap_plan *in;
  DAP_TRY(dap_plan_create(request->comm, &origin, &copy, item, &part, &in, err));
  const dap_status status = run(in, array->data, state->copy.data, &state->moved_bytes, err);
  dap_plan_destroy(&in);
  return dap_agree(request->comm, status, err);
}

dap_status dap_scalapack_copy_make(const dap_scalapack_request *request, const dap_scalapack_form *form,
                                   dap_scalapack_state *state, dap_error *err)
{
  target to = {0};
  dap_status status = prepare(request, form, &to, state, err);
  status = dap_agree(request->comm, status, err);
  if (!status) status = move(request, &to, state, err);
  free(to.ranks);
  dap_layout_destroy(&to.layout);
  return status;
}

dap_status dap_scalapack_copy_back(dap_scalapack_state *state, dap_error *err)
{
  const dap_scalapack_source *source = &state->source;
  void *data = dap_scalapack_source_array(source)->data;
  dap_status status = DAP_OK;
  if (source->part) /* what is beside the sub-matrix may have changed since: it is stored with it */
    status =
        dap_agree(state->grid->set->comm, dap_scalapack_source_fetch(source, &state->moved_bytes, err), err);
  if (!status) status = run(state->back, state->copy.data, data, &state->moved_bytes, err);
  if (!status) status = dap_scalapack_source_store(source, &state->moved_bytes, err);
  return dap_agree(state->grid->set->comm, status, err);
}

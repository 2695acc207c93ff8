/* Makes forms, which views of one kind share: the targets that share memory and why, the layouts of the
 * others, and the moves. */
#include "view_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- moved targets ------------------------------------------------------------------------------- */

static dap_status copy_ranks(dap_view *view, const int ranks[], dap_view_target *t, dap_error *err)
{
  int size = 0;
  const int nprocs = dap_layout_nprocs(t->layout);
  DAP_TRY(dap_mpi_check(MPI_Comm_size(view->comm, &size), "MPI_Comm_size", err));
  DAP_REQUIRE(nprocs <= size, err, DAP_ERR_ARG, "a target on %d processes, and the communicator has %d",
              nprocs, size);
  t->member = view->rank < nprocs ? view->rank : -1;
  if (!ranks) return DAP_OK;
  t->ranks = malloc((size_t)nprocs * sizeof *ranks);
  DAP_REQUIRE(t->ranks, err, DAP_ERR_NOMEM, "no memory for %d ranks", nprocs);
  t->member = -1;
  for (int i = 0; i < nprocs; i++) {
    t->ranks[i] = ranks[i];
    if (ranks[i] == view->rank) t->member = i;
  }
  return DAP_OK;
}

static dap_status set_strides(const dap_view *view, dap_order order, const int64_t strides[],
                              dap_view_target *t, dap_error *err)
{
  const int ndim = dap_layout_ndim(t->layout);
  int coords[DAP_MAX_NDIM] = {0};
  int64_t next = dap_dtype_size(dap_view_dtype(view));
  if (t->member < 0) return DAP_OK;
  dap_layout_coords(t->layout, t->member, coords);
  for (int i = 0; i < ndim; i++) {
    const int k = order == DAP_ORDER_F ? i : ndim - 1 - i;
    t->strides[k] = strides ? strides[k] : next;
    DAP_REQUIRE(dap_multiply(next, dap_layout_extent(t->layout, k, coords[k]), &next), err, DAP_ERR_RANGE,
                "a %s of more than 2^63 - 1 bytes", view->adapter->name);
  }
  return DAP_OK;
}

dap_status dap_view_lay(dap_view *view, int target, dap_layout *layout, const int ranks[], dap_order order,
                        const int64_t strides[], dap_error *err)
{
  dap_view_target *t = &view->targets[target];
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout is NULL");
  dap_layout_destroy(&t->layout);
  t->layout = layout;
  DAP_TRY(copy_ranks(view, ranks, t, err));
  return set_strides(view, order, strides, t, err);
}

/* ---- share or move ------------------------------------------------------------------------------- */

/* Removes the rank from the text if all processes give the same reason. Collective. */
static void drop_common_rank(dap_view *view, dap_status s, const dap_error *own, dap_error *why)
{
  const int64_t here = s ? (int64_t)dap_hash(0, own->text, strlen(own->text)) : 0;
  int64_t all[2] = {here, ~here};
  if (dap_reduce(view->comm, dap_live(view)->form->context, NULL, DAP_REDUCE_AND, all, 2, NULL)) return;
  if (all[0] == ~all[1]) memcpy(why->text, own->text, sizeof why->text);
}

/* Finds out whether all processes can share. Collective. */
static dap_status query_sharing(dap_view *view, int target, dap_error *why)
{
  const dap_adapter *adapter = view->adapter;
  DAP_REQUIRE(view->sharing != DAP_SHARE_NEVER, why, DAP_ERR_SHARE, "a copy was asked for");
  DAP_REQUIRE(adapter->share, why, DAP_ERR_SHARE, "the library takes no memory of others");
  dap_status s = dap_view_check_elements(view, why);
  if (!s) s = adapter->share(view, target, view->targets[target].reason, why);
  const dap_error own = *why;
  const dap_status agreed = dap_agree(view->comm, s, why);
  if (agreed == DAP_ERR_SHARE && view->sharing != DAP_SHARE_OR_FAIL) drop_common_rank(view, s, &own, why);
  return agreed;
}

static dap_status decide(dap_view *view, int target, dap_error *err)
{
  dap_view_target *t = &view->targets[target];
  const char *name = view->adapter->target_names[target];
  dap_error why = {.rank = -1};
  t->wanted = view->wanted >> target & 1;
  if (!t->wanted) (void)snprintf(t->reason, sizeof t->reason, "not wanted");
  if (!t->wanted) return DAP_OK;
  const dap_status s = query_sharing(view, target, &why);
  t->shared = s == DAP_OK;
  if (t->shared) return DAP_OK;
  (void)snprintf(t->reason, sizeof t->reason, "%s", why.text);
  if (s == DAP_ERR_SHARE && view->sharing != DAP_SHARE_OR_FAIL)
    return dap_agree(view->comm, view->adapter->lay(view, target, err), err);
  *err = why;
  if (s != DAP_ERR_SHARE) return s;
  (void)dap_fail(err, s, "the %s cannot share the buffer: %.400s", name ? name : view->adapter->name,
                 why.text);
  err->rank = why.rank;
  return s;
}

/* ---- plans --------------------------------------------------------------------------------------- */

/* Returns whether processes hold padding, ghosts or other copies. */
static bool has_halo(const dap_layout *layout)
{
  for (int k = 0; k < layout->ndim; k++)
    if (!dap_map_is_all_owned(&layout->maps[k])) return true;
  return false;
}

/* Returns the side of a plan, with the defaults of the end filled in. */
static dap_side complete(const dap_view *view, const dap_view_end *end)
{
  dap_side side = end->side;
  const bool is_array = end->target == DAP_VIEW_ARRAY;
  const dap_view_target *t = is_array ? NULL : &view->targets[end->target];
  if (!side.layout) {
    if (is_array && view->is_range && !side.part.shape)
      side.part = (dap_part){.start = view->start, .shape = view->shape};
    side.layout = is_array ? view->layout : t->layout;
    side.ranks = is_array ? view->ranks : t->ranks;
    side.strides = is_array ? view->local.strides : t->strides;
  }
  if (!side.dtype) side.dtype = is_array ? view->dtype : dap_view_dtype(view);
  if (is_array) side.swapped = view->local.swapped;
  return side;
}

static dap_status plan(dap_view *view, const dap_view_move *move, dap_plan **made, dap_error *err)
{
  static const double one[] = {1, 0};
  const dap_side from = complete(view, &move->from), to = complete(view, &move->to);
  const dap_plan_options options = {
      .fill_halos = move->fill_halos, .lossy = view->lossy, .beta = move->adds ? one : NULL};
  if (move->is_halo_update)
    return dap_plan_create_halo(view->comm, &to, 0, &(dap_plan_options){.allow_empty = true}, made, err);
  return dap_plan_create(view->comm, &from, &to, 0, &options, made, err);
}

dap_status dap_view_plan(dap_view *view, dap_view_phase phase, const dap_view_move *move, dap_error *err)
{
  dap_view_form *form = dap_live(view)->form;
  dap_view_steps *steps = &form->steps[phase];
  DAP_REQUIRE(steps->count < DAP_VIEW_MOVES, err, DAP_ERR_ARG, "more than %d moves", DAP_VIEW_MOVES);
  const dap_view_end *from = move->is_halo_update ? &move->to : &move->from;
  dap_view_step step = {
      .from = from->target, .to = move->to.target, .from_offset = from->offset, .to_offset = move->to.offset};
  DAP_TRY(plan(view, move, &step.plan, err));
  steps->step[steps->count++] = step;
  form->has_halo_plan = form->has_halo_plan || phase == DAP_VIEW_HALO;
  return DAP_OK;
}

dap_status dap_view_plan_halo(dap_view *view, dap_error *err)
{
  dap_view_form *form = dap_live(view)->form;
  const dap_view_move update = {.is_halo_update = true, .to = {.target = DAP_VIEW_ARRAY}};
  if (form->has_halo_plan) return DAP_OK;
  if (has_halo(view->layout)) DAP_TRY(dap_view_plan(view, DAP_VIEW_HALO, &update, err));
  form->has_halo_plan = true;
  return DAP_OK;
}

dap_status dap_view_plan_reverse(dap_view *view, dap_combine combine, dap_padding padding, dap_plan **plan,
                                 dap_error *err)
{
  dap_plan **kept =
      &dap_live(view)->form->reverse[(int)(combine - DAP_COMBINE_SUM) * DAP_VIEW_PADDINGS + (int)padding];
  const dap_side side = complete(view, &(dap_view_end){.target = DAP_VIEW_ARRAY});
  const dap_plan_options options = {.combine = combine, .padding = padding, .allow_empty = true};
  if (!*kept) DAP_TRY(dap_plan_create_halo_reverse(view->comm, &side, 0, &options, kept, err));
  *plan = *kept;
  return DAP_OK;
}

/* Moves all of the array to each moved target, and back; into its padding as well where that is wanted. */
dap_status dap_view_plan_usual(dap_view *view, dap_error *err)
{
  for (int t = 0; t < view->adapter->targets; t++) {
    const dap_view_target *target = &view->targets[t];
    if (!target->wanted || target->shared) continue;
    const dap_view_move in = {
        .from = {.target = DAP_VIEW_ARRAY}, .to = {.target = t}, .fill_halos = has_halo(target->layout)};
    const dap_view_move out = {
        .from = {.target = t}, .to = {.target = DAP_VIEW_ARRAY}, .fill_halos = view->adapter->fills_halos};
    dap_live(view)->form->out_fills = out.fill_halos;
    if (view->access & DAP_READ) DAP_TRY(dap_view_plan(view, DAP_VIEW_IN, &in, err));
    if (view->access & DAP_WRITE) DAP_TRY(dap_view_plan(view, DAP_VIEW_OUT, &out, err));
  }
  return DAP_OK;
}

/* ---- making -------------------------------------------------------------------------------------- */

/* Makes a communicator of the processes that have the part. */
static dap_status split(const dap_view *view, MPI_Comm *part, dap_error *err)
{
  const int color = view->member < 0 ? MPI_UNDEFINED : 0;
  DAP_TRY(dap_mpi_check(MPI_Comm_split(view->comm, color, view->member, part), "MPI_Comm_split", err));
  if (*part == MPI_COMM_NULL) return DAP_OK;
  return dap_mpi_check(MPI_Comm_set_errhandler(*part, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", err);
}

static MPI_Comm part_of(const dap_view *view, const dap_view_form *form)
{
  return view->adapter->part_comm && !view->is_apart ? form->comm : form->part;
}

static dap_status make(dap_view *view, dap_view_form *form, dap_error *err)
{
  const dap_adapter *adapter = view->adapter;
  DAP_TRY(dap_context_get(view->caller, NULL, &form->context, err));
  view->comm = form->comm = dap_context_comm(form->context);
  if (adapter->part_comm && view->is_apart)
    DAP_TRY(dap_agree(view->comm, split(view, &form->part, err), err));
  view->part = part_of(view, form);
  if (adapter->prepare) DAP_TRY(dap_agree(view->comm, adapter->prepare(view, err), err));
  for (int t = 0; t < adapter->targets; t++) DAP_TRY(decide(view, t, err));
  DAP_TRY(adapter->plan ? adapter->plan(view, err) : dap_view_plan_usual(view, err));
  form->halo_is_own = form->has_halo_plan;
  if (!(view->access & DAP_WRITE) || !adapter->fills_halos || form->out_fills) return DAP_OK;
  return dap_view_plan_halo(view, err);
}

dap_status dap_view_form_create(dap_view *view, dap_error *err)
{
  dap_view_form *form = calloc(1, sizeof *form);
  void *own = calloc(1, view->adapter->form_size + 1);
  dap_status s = DAP_OK;
  if (!form || !own) s = dap_fail(err, DAP_ERR_NOMEM, "no memory for a %s", view->adapter->name);
  s = dap_agree(view->caller, s, err);
  if (s) {
    free(form);
    free(own);
    return s;
  }
  *form = (dap_view_form){
      .users = 1, .kind = dap_live(view)->kind, .comm = MPI_COMM_NULL, .part = MPI_COMM_NULL, .own = own};
  dap_view_form_use(view, form);
  return make(view, form, err); /* the end of the view releases the form */
}

/* ---- using -------------------------------------------------------------------------------------- */

void dap_view_form_use(dap_view *view, dap_view_form *form)
{
  dap_live(view)->form = form;
  view->comm = form->comm;
  view->part = part_of(view, form);
  view->form = form->own;
  view->targets = form->targets;
}

void dap_view_form_release(dap_view_form *form)
{
  if (!form || --form->users > 0) return;
  for (int p = 0; p < DAP_VIEW_PHASES; p++)
    for (int i = 0; i < form->steps[p].count; i++) dap_plan_destroy(&form->steps[p].step[i].plan);
  for (int i = 0; i < DAP_VIEW_REVERSES; i++) dap_plan_destroy(&form->reverse[i]);
  if (form->part != MPI_COMM_NULL && dap_mpi_is_running()) (void)MPI_Comm_free(&form->part);
  for (int t = 0; t < DAP_VIEW_TARGETS; t++) {
    dap_layout_destroy(&form->targets[t].layout);
    free(form->targets[t].ranks);
  }
  if (form->kind.adapter->release) form->kind.adapter->release(form->own);
  dap_context_release(&form->context);
  free(form->own);
  free(form);
}

/* Gets, loads, stores, restores and describes views. */
#include "seconds.h"
#include "view_impl.h"

#include <dapbridge/log.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the handle ---------------------------------------------------------------------------------- */

/* Returns the mark of a handle that lies where it was filled. */
static uint64_t magic_of(const dap_view_handle *handle)
{
  return UINT64_C(0x76696577ff646170) ^ (uint64_t)(uintptr_t)handle;
}

static dap_view_handle *handle_of(const dap_adapter *adapter, void *object)
{
  return (dap_view_handle *)(void *)((char *)object + adapter->handle);
}

dap_view *dap_view_of(const dap_adapter *adapter, const void *object)
{
  const void *at = object ? (const char *)object + adapter->handle : NULL;
  const dap_view_handle *handle = at;
  return handle && handle->magic == magic_of(handle) ? handle->view : NULL;
}

/* Finds the live view of an object. DAP_OK with NULL means that there is nothing to end. */
static dap_status find_view(const dap_adapter *adapter, void *object, dap_view **view, dap_error *err)
{
  *view = dap_view_of(adapter, object);
  DAP_REQUIRE(*view || !object || !handle_of(adapter, object)->view, err, DAP_ERR_ARG,
              "the %s is a copy of a live view, not the view", adapter->name);
  DAP_REQUIRE(!*view || (*view)->adapter == adapter, err, DAP_ERR_ARG, "the view is a %s, not a %s",
              (*view)->adapter->name, adapter->name);
  return DAP_OK;
}

static void show(const dap_view *view, bool lives, void *object)
{
  const dap_adapter *adapter = view->adapter;
  const dap_view_handle handle = *handle_of(adapter, object);
  memset(object, 0, adapter->object_size);
  if (lives) *handle_of(adapter, object) = handle;
  if (adapter->show) adapter->show(view, lives, object);
}

/* ---- the log -------------------------------------------------------------------------------------- */

/* Reads MPI's clock if the log is on. */
static double start_clock(void)
{
  return dap_log_is_on() ? MPI_Wtime() : 0;
}

/* Logs a line for each target of a view: the seconds since `start`, and the bytes moved since then. `before`
 * is the number of bytes that had been moved at `start`. */
static void log_view(const dap_view *view, const char *what, int64_t before, double start)
{
  for (int t = 0; t < view->adapter->targets && dap_log_is_on(); t++) {
    const char *name = view->adapter->target_names[t];
    if (!view->targets[t].wanted) continue;
    dap_log("%s %s: %s, %" PRId64 " bytes, %s: %s", name ? name : view->adapter->name, what,
            view->targets[t].shared ? "shared" : "moved", view->moved_bytes - before,
            dap_say_seconds(MPI_Wtime() - start).text, view->targets[t].reason);
  }
}

/* ---- the end ------------------------------------------------------------------------------------- */

/* Closes objects that need the library and other processes. Agreed, if something could fail. */
static dap_status close_objects(dap_view *view, dap_error *err)
{
  const dap_adapter *adapter = view->adapter;
  if (!adapter->close || view->comm == MPI_COMM_NULL || !dap_mpi_is_running()) return DAP_OK;
  const dap_status s = adapter->is_alive && adapter->is_alive(NULL) ? DAP_OK : adapter->close(view, err);
  return dap_view_agree_call(view, s, err);
}

/* Closes and frees a view, which may be half made or NULL. Collective. */
static dap_status end(dap_view *view, dap_error *err)
{
  if (!view) return DAP_OK;
  const dap_adapter *adapter = view->adapter;
  const dap_status s = close_objects(view, err);
  if (adapter->drop) adapter->drop(view);
  dap_view_form_release(dap_live(view)->form);
  for (int t = 0; t < DAP_VIEW_TARGETS; t++) dap_lines_free(view->memory[t]);
  dap_array_release(&view->local);
  dap_layout_destroy(&view->layout);
  free(view->ranks);
  free(dap_live(view)->own);
  free(dap_live(view));
  return s;
}

/* ---- get ----------------------------------------------------------------------------------------- */

static dap_view *create(const dap_adapter *adapter, const dap_view_request *request)
{
  const size_t options = (adapter->options_size + 63) / 64 * 64;
  dap_live_view *live = calloc(1, sizeof *live);
  char *own = calloc(1, options + adapter->state_size + 1);
  if (!live || !own) {
    free(live);
    free(own);
    return NULL;
  }
  if (request->options) memcpy(own, request->options, adapter->options_size);
  live->own = own;
  live->view = (dap_view){.adapter = adapter,
                          .comm = MPI_COMM_NULL,
                          .caller = request->comm,
                          .part = MPI_COMM_NULL,
                          .access = request->access,
                          .sharing = request->sharing,
                          .lossy = request->lossy,
                          .options = own,
                          .wanted = (1u << adapter->targets) - 1,
                          .keep = true,
                          .state = own + options};
  return &live->view;
}

/* Allocates the memories of moved targets. */
static dap_status allocate(dap_view *view, dap_error *err)
{
  for (int i = 0; i < view->adapter->targets; i++) {
    const dap_view_target *t = &view->targets[i];
    int coords[DAP_MAX_NDIM];
    int64_t span = 0, extents[DAP_MAX_NDIM];
    if (!t->wanted || t->shared || t->member < 0) continue;
    dap_layout_coords(t->layout, t->member, coords);
    for (int k = 0; k < dap_layout_ndim(t->layout); k++)
      extents[k] = dap_layout_extent(t->layout, k, coords[k]);
    DAP_REQUIRE(dap_span(dap_layout_ndim(t->layout), extents, t->strides,
                         dap_dtype_size(dap_view_dtype(view)), &span),
                err, DAP_ERR_RANGE, "the memory of a %s exceeds 2^63 - 1 bytes", view->adapter->name);
    if (span == 0) continue;
    view->memory[i] = dap_lines_allocate(span);
    DAP_REQUIRE(view->memory[i], err, DAP_ERR_NOMEM, "no memory for %" PRId64 " bytes of a %s", span,
                view->adapter->name);
  }
  return DAP_OK;
}

/* Returns whether the view has memory of its own, on any process. */
static bool has_memory(const dap_view *view)
{
  bool is_moved = false;
  for (int t = 0; t < view->adapter->targets; t++)
    is_moved = is_moved || (view->targets[t].wanted && !view->targets[t].shared);
  return is_moved && !view->adapter->get_memory;
}

static dap_status open(dap_view *view, dap_error *err)
{
  if (has_memory(view)) DAP_TRY(dap_agree(view->comm, allocate(view, err), err));
  if (view->adapter->open) DAP_TRY(dap_agree(view->comm, view->adapter->open(view, err), err));
  DAP_TRY(dap_view_form_keep(view, err));
  const bool reads = view->access & DAP_READ && dap_live(view)->form->steps[DAP_VIEW_IN].count > 0;
  return reads ? dap_view_run(view, DAP_VIEW_IN, err) : DAP_OK;
}

/* Agrees on the arguments, and finds the view's form or makes one. Collective. */
static dap_status begin(dap_view *view, const dap_view_request *request, const char *function,
                        const void *object, bool *is_kept, dap_error *err)
{
  dap_status s = view ? dap_view_check(view, request, object, err)
                      : dap_fail(err, DAP_ERR_NOMEM, "no memory for a view");
  if (!s) dap_view_classify(view, request);
  uint64_t kept = s ? 0 : dap_view_form_find(view);
  DAP_TRY(dap_view_agree(view, request, function, s, &kept, err));
  if (!kept) return dap_view_form_create(view, err);
  dap_view_form_reuse(view, kept);
  *is_kept = true;
  return DAP_OK;
}

dap_status dap_view_get(const dap_adapter *adapter, const dap_view_request *request, void *object,
                        dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  if (object) memset(object, 0, adapter->object_size);
  DAP_TRY(dap_comm_check(request->comm, err));
  const double start = start_clock();
  dap_view *view = create(adapter, request);
  bool is_kept = false; /* the view takes the form of an earlier one */
  dap_status s =
      begin(view, request, adapter->function ? adapter->function : "dap_view_get", object, &is_kept, err);
  if (!s) s = open(view, err);
  if (s) {
    (void)end(view, NULL);
    return s;
  }
  view->caller = MPI_COMM_NULL;
  dap_view_handle *handle = handle_of(adapter, object);
  *handle = (dap_view_handle){.view = view, .magic = magic_of(handle)};
  show(view, true, object);
  log_view(view, is_kept ? "got by plans that were kept" : "got", 0, start);
  return DAP_OK;
}

/* ---- restore, discard ---------------------------------------------------------------------------- */

static dap_status check_alive(const dap_view *view, dap_error *err)
{
  DAP_TRY(dap_mpi_check_running(err));
  return view->adapter->is_alive ? view->adapter->is_alive(err) : DAP_OK;
}

static dap_status store(dap_view *view, dap_error *err)
{
  DAP_TRY(dap_view_run(view, DAP_VIEW_OUT, err));
  const dap_view_form *form = dap_live(view)->form;
  if (!view->adapter->fills_halos || form->out_fills || form->steps[DAP_VIEW_HALO].count == 0) return DAP_OK;
  return dap_view_run(view, DAP_VIEW_HALO, err);
}

static dap_status finish(const dap_adapter *adapter, void *object, bool stores, dap_error *err)
{
  static const char *const names[] = {"dap_view_discard", "dap_view_restore"};
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  dap_view *view = NULL;
  DAP_TRY(find_view(adapter, object, &view, err));
  if (!view) return DAP_OK;
  dap_live(view)->function = names[stores];
  dap_status s = check_alive(view, err);
  const int64_t before = view->moved_bytes;
  const double start = s ? 0 : start_clock();
  if (!s && stores && view->access & DAP_WRITE) s = store(view, err);
  if (!s) log_view(view, stores ? "restored" : "discarded", before, start);
  show(view, false, object);
  const dap_status ended = end(view, s ? NULL : err);
  return s ? s : ended;
}

dap_status dap_view_restore(const dap_adapter *adapter, void *object, dap_error *err)
{
  return finish(adapter, object, true, err);
}

dap_status dap_view_discard(const dap_adapter *adapter, void *object, dap_error *err)
{
  return finish(adapter, object, false, err);
}

/* ---- load, store, halo --------------------------------------------------------------------------- */

/* Finds the live view of an object, for a function that needs this access. */
static dap_status find_live(const dap_adapter *adapter, void *object, const char *function, dap_access needed,
                            dap_view **view, dap_error *err)
{
  DAP_REQUIRE(object, err, DAP_ERR_ARG, "%s is NULL", adapter->name);
  DAP_TRY(find_view(adapter, object, view, err));
  DAP_REQUIRE(*view, err, DAP_ERR_ARG, "the %s is not a live view", adapter->name);
  DAP_REQUIRE((*view)->access & needed, err, DAP_ERR_ARG, "the %s was not got with %s", adapter->name,
              needed == DAP_READ ? "DAP_READ" : "DAP_WRITE");
  dap_live(*view)->function = function;
  return check_alive(*view, err);
}

static dap_status load(dap_view *view, dap_error *err)
{
  return dap_view_run(view, DAP_VIEW_IN, err);
}

static dap_status update_halo(dap_view *view, dap_error *err)
{
  DAP_TRY(dap_view_plan_halo(view, err));
  return dap_view_run(view, DAP_VIEW_HALO, err);
}

/* Does `step` with the live view of an object, and shows the result. */
static dap_status use(const dap_adapter *adapter, void *object, const char *function, dap_access needed,
                      dap_status (*step)(dap_view *view, dap_error *err), dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  dap_view *view = NULL;
  DAP_TRY(find_live(adapter, object, function, needed, &view, err));
  const dap_status s = step(view, err);
  show(view, true, object);
  return s;
}

dap_status dap_view_load(const dap_adapter *adapter, void *object, dap_error *err)
{
  return use(adapter, object, "dap_view_load", DAP_READ, load, err);
}

dap_status dap_view_store(const dap_adapter *adapter, void *object, dap_error *err)
{
  return use(adapter, object, "dap_view_store", DAP_WRITE, store, err);
}

dap_status dap_view_halo(const dap_adapter *adapter, void *object, dap_error *err)
{
  return use(adapter, object, "dap_view_halo", DAP_WRITE, update_halo, err);
}

/* ---- the halo, reversed --------------------------------------------------------------------------- */

static dap_status check_reverse(dap_combine combine, dap_padding padding, dap_error *err)
{
  DAP_REQUIRE(combine >= DAP_COMBINE_SUM && combine <= DAP_COMBINE_MIN, err, DAP_ERR_ARG,
              "combine %d is not a dap_combine", (int)combine);
  DAP_REQUIRE(padding >= DAP_PADDING_KEEP && padding <= DAP_PADDING_REFRESH, err, DAP_ERR_ARG,
              "padding %d is not a dap_padding", (int)padding);
  return DAP_OK;
}

/* Agrees that the arguments, which choose the plans, are the same. */
static dap_status agree_reverse(dap_view *view, dap_combine combine, dap_padding padding, dap_error *err)
{
  static const char *const names[] = {"combine", "padding"};
  const uint64_t words[] = {(uint64_t)combine, (uint64_t)padding};
  return dap_view_agree_arguments(view, words, names, 2, check_reverse(combine, padding, err), err);
}

/* Returns whether the adapter's moves refresh padding. Otherwise the plan does, in each copy along replicated
 * axes. */
static bool refreshes_by_moves(dap_view *view, dap_padding padding)
{
  return padding == DAP_PADDING_REFRESH && dap_live(view)->form->halo_is_own;
}

/* Makes all plans first, so that a failure here has changed nothing. */
static dap_status plan_reverse(dap_view *view, dap_combine combine, dap_padding padding, dap_plan **plan,
                               dap_error *err)
{
  const dap_adapter *adapter = view->adapter;
  if (adapter->plan_reverse) DAP_TRY(adapter->plan_reverse(view, combine, padding, err));
  const dap_padding by_plan = refreshes_by_moves(view, padding) ? DAP_PADDING_KEEP : padding;
  return dap_view_plan_reverse(view, combine, by_plan, plan, err);
}

dap_status dap_view_halo_reverse(const dap_adapter *adapter, void *object, dap_combine combine,
                                 dap_padding padding, dap_error *err)
{
  dap_error text = {.rank = -1};
  if (!err) err = &text;
  dap_view *view = NULL;
  dap_plan *plan = NULL;
  if (combine == DAP_COMBINE_NONE) combine = DAP_COMBINE_SUM;
  DAP_TRY(find_live(adapter, object, "dap_view_halo_reverse", DAP_WRITE, &view, err));
  DAP_TRY(agree_reverse(view, combine, padding, err));
  DAP_TRY(plan_reverse(view, combine, padding, &plan, err));
  DAP_TRY(dap_view_run_in_place(view, plan, err));
  if (dap_live(view)->form->steps[DAP_VIEW_REVERSE].count > 0)
    DAP_TRY(dap_view_run(view, DAP_VIEW_REVERSE, err));
  if (adapter->add_reverse) DAP_TRY(dap_agree(view->comm, adapter->add_reverse(view, padding, err), err));
  return refreshes_by_moves(view, padding) ? dap_view_run(view, DAP_VIEW_HALO, err) : DAP_OK;
}

/* ---- in words ------------------------------------------------------------------------------------ */

static void add_target(dap_text *text, const dap_view *view, int target)
{
  const dap_view_target *t = &view->targets[target];
  const char *name = view->adapter->target_names[target];
  dap_text_add(text, "%s %s", name ? name : view->adapter->name,
               t->shared   ? "shared: "
               : t->wanted ? "moved: "
                           : "");
  dap_text_add(text, "%s\n", t->reason);
}

size_t dap_view_describe(const dap_adapter *adapter, const void *object, char *text, size_t capacity)
{
  dap_text out = dap_text_start(text, text ? capacity : 0);
  const dap_view *view = dap_view_of(adapter, object);
  if (!view) {
    dap_text_add(&out, "no live view");
    return out.length;
  }
  char head[DAP_ERROR_TEXT] = "";
  if (adapter->describe) (void)adapter->describe(view, head, sizeof head);
  dap_text_add(&out, "%s", head[0] ? head : adapter->name);
  if (adapter->targets == 1) {
    dap_text_add(&out, "; %s, %" PRId64 " bytes moved: %s", view->targets[0].shared ? "shared" : "moved",
                 view->moved_bytes, view->targets[0].reason);
    return out.length;
  }
  dap_text_add(&out, "\n");
  for (int t = 0; t < adapter->targets; t++) add_target(&out, view, t);
  dap_text_add(&out, "bytes moved: %" PRId64 "\n", view->moved_bytes);
  return out.length;
}

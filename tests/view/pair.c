#include "pair.h"

#include <dapbridge/comm.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

int pair_prepared, pair_released;
bool pair_is_usable = true;

enum { ROWS, COLUMNS };
enum { IS_C = 1, IS_F = 2 }; /* votes */

typedef struct form {
  char order;
} form;

typedef struct state {
  int members;
} state;

static dap_status fail_if_asked(const dap_view *view, const char *where, dap_error *err)
{
  const pair_options *o = view->options;
  if (!o->fails || strcmp(o->fails, where) != 0 || view->rank != o->fails_on) return DAP_OK;
  return dap_fail(err, DAP_ERR_LIBRARY, "%s fails as asked", where);
}

/* ---- asked for each view ------------------------------------------------------------------------- */

static dap_status check(dap_view *view, dap_error *err)
{
  const pair_options *o = view->options;
  const int ndim = dap_layout_ndim(view->layout);
  if (ndim != 2) return dap_fail(err, DAP_ERR_UNSUPPORTED, "%d axes are no matrix", ndim);
  if (view->dtype != DAP_F4 && view->dtype != DAP_F8)
    return dap_fail(err, DAP_ERR_BUFFER, "%s is no element of a pair's", dap_dtype_name(view->dtype));
  if (o->rows_only) view->wanted = 1u << ROWS;
  return DAP_OK;
}

static int words(const dap_view *view, dap_view_word w[])
{
  const pair_options *o = view->options;
  w[0] = (dap_view_word){"options: tag", (uint64_t)o->tag};
  w[1] = (dap_view_word){"options: rows_only", o->rows_only};
  w[2] = (dap_view_word){NULL, (uint64_t)o->colour};
  return 3;
}

static uint64_t vote(const dap_view *view)
{
  const dap_array *a = &view->local;
  const int64_t size = dap_dtype_size(view->dtype);
  uint64_t votes = 0;
  if (dap_array_count(a) == 0) return IS_C | IS_F;
  if (a->strides[1] == size && a->strides[0] == size * a->shape[1]) votes |= IS_C;
  if (a->strides[0] == size && a->strides[1] == size * a->shape[0]) votes |= IS_F;
  return votes;
}

static bool is_usable(const dap_view *view, const void *own)
{
  (void)view, (void)own;
  return pair_is_usable;
}

/* ---- asked for each form ------------------------------------------------------------------------- */

static dap_status prepare(dap_view *view, dap_error *err)
{
  ((form *)view->form)->order = view->votes & IS_C ? 'C' : view->votes & IS_F ? 'F' : '-';
  pair_prepared++;
  return fail_if_asked(view, "prepare", err);
}

/* Positions of the range in this process's buffer, along an axis in ranges. */
static void find_window(const dap_view *view, int axis, int64_t *position, int64_t *first, int64_t *count)
{
  const int64_t start = view->start[axis], stop = start + view->shape[axis];
  int coords[DAP_MAX_NDIM];
  *position = *first = *count = 0;
  if (view->member < 0) return;
  dap_layout_coords(view->layout, view->member, coords);
  for (dap_run run = {0}; dap_layout_next_run(view->layout, axis, coords[axis], &run);) {
    const int64_t from = run.global > start ? run.global : start;
    const int64_t to = run.global + run.length < stop ? run.global + run.length : stop;
    if (to <= from) continue;
    *position = run.local + from - run.global;
    *first = from - start;
    *count = to - from;
  }
}

/* Rows are spread in ranges, columns whole, or the other way round. */
static dap_status share(dap_view *view, int target, char reason[], dap_error *why)
{
  const int spread = target, whole = 1 - target;
  if (dap_layout_axis(view->layout, spread).dist_type != 'b' || dap_layout_procs(view->layout, whole) > 1)
    return dap_fail(why, DAP_ERR_SHARE, "not in ranges of %s", target == ROWS ? "rows" : "columns");
  if (((form *)view->form)->order == '-') return dap_fail(why, DAP_ERR_SHARE, "in no order on all processes");
  (void)snprintf(reason, DAP_ERROR_TEXT, "ranges of %s", target == ROWS ? "rows" : "columns");
  return DAP_OK;
}

static dap_status lay(dap_view *view, int target, dap_error *err)
{
  int procs = 1;
  dap_layout *layout = NULL;
  if (MPI_Comm_size(view->comm, &procs)) return dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_size failed");
  const dap_dist dists[2] = {dap_dist_even(view->shape[0], target == ROWS ? procs : 1),
                             dap_dist_even(view->shape[1], target == ROWS ? 1 : procs)};
  const dap_status s = dap_layout_create(2, dists, &layout, err);
  return s ? s
           : dap_view_lay(view, target, layout, NULL, target == ROWS ? DAP_ORDER_C : DAP_ORDER_F, NULL, err);
}

/* What is written comes from the rows; columns are a copy that is only read. */
static dap_status plan(dap_view *view, dap_error *err)
{
  for (int t = ROWS; t <= COLUMNS; t++) {
    const dap_view_target *target = &view->targets[t];
    const dap_view_move in = {.from = {.target = DAP_VIEW_ARRAY}, .to = {.target = t}};
    const dap_view_move out = {.from = {.target = t}, .to = {.target = DAP_VIEW_ARRAY}};
    if (!target->wanted || target->shared) continue;
    if (view->access & DAP_READ) {
      const dap_status s = dap_view_plan(view, DAP_VIEW_IN, &in, err);
      if (s) return s;
    }
    if (view->access & DAP_WRITE && t == ROWS) {
      const dap_status s = dap_view_plan(view, DAP_VIEW_OUT, &out, err);
      if (s) return s;
    }
  }
  return dap_agree(view->comm, fail_if_asked(view, "plan", err), err);
}

static void release(void *own)
{
  (void)own;
  pair_released++;
}

/* ---- done for each view -------------------------------------------------------------------------- */

/* Counts the part's processes by asking them. */
static dap_status open(dap_view *view, dap_error *err)
{
  state *s = view->state;
  int one = 1;
  if (view->part == MPI_COMM_NULL) return DAP_OK;
  if (MPI_Allreduce(&one, &s->members, 1, MPI_INT, MPI_SUM, view->part))
    return dap_fail(err, DAP_ERR_LIBRARY, "MPI_Allreduce failed");
  return DAP_OK;
}

/* ---- what the caller sees ------------------------------------------------------------------------ */

static void show_shared(const dap_view *view, int target, pair_block *block)
{
  int64_t position[2], first[2], count[2];
  for (int k = 0; k < 2; k++) find_window(view, k, &position[k], &first[k], &count[k]);
  block->first = first[target];
  block->count = count[target];
  if (count[0] == 0 || count[1] == 0) return;
  block->data = view->local.data;
  for (int k = 0; k < 2; k++) {
    block->strides[k] = view->local.strides[k];
    block->data = (char *)block->data + position[k] * block->strides[k];
  }
}

static void show_moved(const dap_view *view, int target, pair_block *block)
{
  const dap_view_target *t = &view->targets[target];
  for (int i = 0; i < t->member; i++) block->first += dap_layout_owned(t->layout, target, i);
  if (t->member >= 0) block->count = dap_layout_owned(t->layout, target, t->member);
  block->data = view->memory[target];
  for (int k = 0; k < 2; k++) block->strides[k] = t->strides[k];
}

static void show(const dap_view *view, bool lives, void *object)
{
  pair_matrix *m = object;
  pair_block *const blocks[] = {&m->rows, &m->columns};
  m->moved_bytes = view->moved_bytes;
  for (int t = 0; t < 2; t++) {
    const dap_view_target *target = &view->targets[t];
    blocks[t]->shared = target->shared;
    memcpy(blocks[t]->reason, target->reason, sizeof target->reason);
    if (!lives || !target->wanted) continue;
    if (target->shared)
      show_shared(view, t, blocks[t]);
    else
      show_moved(view, t, blocks[t]);
  }
  if (!lives) return;
  m->members = ((state *)view->state)->members;
  m->order = ((form *)view->form)->order;
  for (int k = 0; k < 2; k++) m->size[k] = view->shape[k];
}

static const dap_adapter adapter = {
    .name = "pair",
    .object_size = sizeof(pair_matrix),
    .handle = offsetof(pair_matrix, handle),
    .options_size = sizeof(pair_options),
    .form_size = sizeof(form),
    .state_size = sizeof(state),
    .targets = 2,
    .target_names = {"rows", "columns"},
    .ranges = true,
    .part_comm = true,
    .keeps_forms = true,
    .check = check,
    .words = words,
    .vote = vote,
    .is_usable = is_usable,
    .prepare = prepare,
    .share = share,
    .lay = lay,
    .plan = plan,
    .release = release,
    .open = open,
    .show = show,
};

dap_status pair_get(MPI_Comm comm, dap_darray array, dap_access access, const pair_options *options,
                    pair_matrix *matrix, dap_error *err)
{
  const pair_options o = options ? *options : (pair_options){.tag = 0};
  const dap_view_request request = {
      .comm = comm, .array = array, .access = access, .sharing = o.sharing, .part = o.part, .options = &o};
  return dap_view_get(&adapter, &request, matrix, err);
}

dap_status pair_restore(pair_matrix *matrix, dap_error *err)
{
  return dap_view_restore(&adapter, matrix, err);
}

dap_status pair_load(pair_matrix *matrix, dap_error *err)
{
  return dap_view_load(&adapter, matrix, err);
}

size_t pair_describe(const pair_matrix *matrix, char *text, size_t capacity)
{
  return dap_view_describe(&adapter, matrix, text, capacity);
}

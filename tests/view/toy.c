#include "toy.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int toy_alive, toy_in_use;
bool toy_is_over;

/* ---- sharing the buffer, or placing the elements ------------------------------------------------- */

static dap_status fail_if_asked(const dap_view *view, const char *where, dap_error *err)
{
  const toy_options *o = view->options;
  if (!o->fails || strcmp(o->fails, where) != 0 || view->rank != o->fails_on) return DAP_OK;
  return dap_fail(err, DAP_ERR_LIBRARY, "%s fails as asked", where);
}

static dap_status check(dap_view *view, dap_error *err)
{
  const int ndim = dap_layout_ndim(view->layout);
  if (ndim != 2) return dap_fail(err, DAP_ERR_UNSUPPORTED, "%d axes are no matrix", ndim);
  return fail_if_asked(view, "check", err);
}

static int64_t columns_of(const dap_layout *layout, int process)
{
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, process, coords);
  return dap_layout_owned(layout, 1, coords[1]);
}

static dap_status share(dap_view *view, int target, char reason[], dap_error *why)
{
  const dap_layout *layout = view->layout;
  const int64_t rows = view->shape[0], columns = view->shape[1];
  const int procs = view->nprocs;
  (void)target;
  if (view->is_apart || dap_layout_procs(layout, 0) > 1 || dap_layout_axis(layout, 0).dist_type != 'b')
    return dap_fail(why, DAP_ERR_SHARE, "rows are not whole on every process");
  if (dap_layout_axis(layout, 1).dist_type != 'b')
    return dap_fail(why, DAP_ERR_SHARE, "columns are not in ranges");
  for (int i = 0; i < procs; i++)
    if (columns_of(layout, i) != columns / procs + (i < columns % procs))
      return dap_fail(why, DAP_ERR_SHARE, "rank %d has %" PRId64 " columns", i, columns_of(layout, i));
  const int64_t *shape = view->local.shape, *strides = view->local.strides;
  if (shape[0] != rows) return dap_fail(why, DAP_ERR_SHARE, "there are rows of padding");
  if ((rows > 1 && strides[0] != 8) || (shape[1] > 1 && strides[1] != 8 * rows))
    return dap_fail(why, DAP_ERR_SHARE, "not column-major without gaps");
  (void)snprintf(reason, DAP_ERROR_TEXT, "even slabs of columns, column-major");
  return fail_if_asked(view, "share", why);
}

static dap_status lay(dap_view *view, int target, dap_error *err)
{
  int procs = 1;
  dap_layout *layout = NULL;
  if (MPI_Comm_size(view->comm, &procs)) return dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_size failed");
  const dap_dist dists[2] = {dap_dist_even(view->shape[0], 1), dap_dist_even(view->shape[1], procs)};
  dap_status s = dap_layout_create(2, dists, &layout, err);
  if (!s) s = dap_view_lay(view, target, layout, NULL, DAP_ORDER_F, NULL, err);
  return s ? s : fail_if_asked(view, "lay", err);
}

/* Returns the first column that this process owns; columns before it are padding. */
static double *first_owned(const dap_view *view)
{
  int coords[DAP_MAX_NDIM];
  int64_t halo[2];
  if (dap_array_count(&view->local) == 0) return NULL;
  dap_layout_coords(view->layout, view->member, coords);
  dap_layout_halo(view->layout, 1, coords[1], halo);
  return (double *)(void *)((char *)view->local.data + halo[0] * view->local.strides[1]);
}

/* ---- the library's objects ----------------------------------------------------------------------- */

static dap_status open(dap_view *view, dap_error *err)
{
  toy_slab *slab = view->state;
  const dap_view_target *t = &view->targets[0];
  const bool is_shared = t->shared;
  *slab = (toy_slab){.is_open = true,
                     .is_own = !is_shared,
                     .rows = view->shape[0],
                     .columns = is_shared ? columns_of(view->layout, view->member)
                                          : columns_of(t->layout, t->member)};
  toy_alive++;
  if (is_shared) slab->memory = first_owned(view);
  if (!is_shared) slab->memory = calloc((size_t)(slab->rows * slab->columns) + 1, sizeof(double));
  if (!is_shared && !slab->memory) return dap_fail(err, DAP_ERR_NOMEM, "no memory for a slab");
  return fail_if_asked(view, "open", err);
}

static dap_status get_memory(dap_view *view, int target, dap_access access, void **memory, dap_error *err)
{
  toy_slab *slab = view->state;
  (void)target, (void)access;
  if (fail_if_asked(view, "get_memory", err)) return DAP_ERR_LIBRARY;
  slab->in_use++;
  toy_in_use++;
  *memory = slab->memory;
  return DAP_OK;
}

static dap_status restore_memory(dap_view *view, int target, dap_access access, void *memory, dap_error *err)
{
  toy_slab *slab = view->state;
  (void)target, (void)memory;
  slab->in_use--;
  toy_in_use--;
  if (access & DAP_WRITE) slab->changes++;
  return fail_if_asked(view, "restore_memory", err);
}

static dap_status changed(dap_view *view, int target, dap_error *err)
{
  (void)target;
  ((toy_slab *)view->state)->changes++;
  return fail_if_asked(view, "changed", err);
}

static dap_status is_alive(dap_error *err)
{
  return toy_is_over ? dap_fail(err, DAP_ERR_LIBRARY, "toy has been finalised") : DAP_OK;
}

static dap_status close(dap_view *view, dap_error *err)
{
  toy_slab *slab = view->state;
  if (slab->is_open) toy_alive--;
  return fail_if_asked(view, "close", err);
}

static void drop(dap_view *view)
{
  toy_slab *slab = view->state;
  if (slab->is_own) free(slab->memory);
}

/* ---- the caller's functions ---------------------------------------------------------------------- */

static void show(const dap_view *view, bool lives, void *object)
{
  toy_matrix *matrix = object;
  const dap_view_target *t = &view->targets[0];
  matrix->shared = t->shared;
  matrix->moved_bytes = view->moved_bytes;
  memcpy(matrix->reason, t->reason, sizeof matrix->reason);
  if (!lives) return;
  matrix->slab = view->state;
  for (int i = 0; i < (t->shared ? view->member : t->member); i++)
    matrix->first += columns_of(t->shared ? view->layout : t->layout, i);
}

static int describe(const dap_view *view, char *text, size_t capacity)
{
  return snprintf(text, capacity, "%" PRId64 " x %" PRId64 " matrix", view->shape[0], view->shape[1]);
}

static const dap_adapter adapter = {
    .name = "matrix",
    .function = "toy_get",
    .object_size = sizeof(toy_matrix),
    .handle = offsetof(toy_matrix, handle),
    .options_size = sizeof(toy_options),
    .state_size = sizeof(toy_slab),
    .targets = 1,
    .dtype = DAP_F8,
    .dtype_name = "toy's double",
    .fills_halos = true,
    .check = check,
    .share = share,
    .lay = lay,
    .open = open,
    .get_memory = get_memory,
    .restore_memory = restore_memory,
    .changed = changed,
    .is_alive = is_alive,
    .close = close,
    .drop = drop,
    .show = show,
    .describe = describe,
};

dap_status toy_get(MPI_Comm comm, dap_darray array, dap_access access, const toy_options *options,
                   toy_matrix *matrix, dap_error *err)
{
  const toy_options o = options ? *options : (toy_options){0};
  const dap_view_request request = {comm, array, access, o.sharing, o.part, o.lossy, &o};
  return dap_view_get(&adapter, &request, matrix, err);
}

DAP_VIEW_FUNCTIONS(toy, toy_matrix, adapter)

dap_status toy_halo_reverse(toy_matrix *matrix, dap_combine combine, dap_padding padding, dap_error *err)
{
  return dap_view_halo_reverse(&adapter, matrix, combine, padding, err);
}

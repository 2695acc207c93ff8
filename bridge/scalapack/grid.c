/* BLACS grids, counted. All operands of a ScaLAPACK call must have the same context, so live views of
 * one communicator that need the same map share a grid. The grids hang on the communicator as an
 * attribute; nothing is left when the last view has been restored. */
#include "blacs.h"
#include "scalapack_impl.h"

#include <stdlib.h>

/* ---- maps ------------------------------------------------------------------------------------- */

dap_blacs_map dap_blacs_map_make(const int procs[2], const int shift[2], char op, const dap_layout *order)
{
  const int stride[2] = {procs[1], 1}; /* places are row-major */
  const int row = dap_scalapack_swap(op, 0), col = dap_scalapack_swap(op, 1);
  const bool rows = procs[row] > 1, cols = procs[col] > 1;
  return (dap_blacs_map){
      .nprow = procs[row],
      .npcol = procs[col],
      .row_shift = rows ? shift[row] : 0,
      .col_shift = cols ? shift[col] : 0,
      .row_stride = rows ? stride[row] : 0,
      .col_stride = cols ? stride[col] : 0,
      .order = order,
  };
}

/* The same rank everywhere. */
bool dap_blacs_map_equal(const dap_blacs_map *a, const dap_blacs_map *b)
{
  if (a->nprow != b->nprow || a->npcol != b->npcol) return false;
  if (!a->order && !b->order)
    return a->row_shift == b->row_shift && a->col_shift == b->col_shift && a->row_stride == b->row_stride &&
           a->col_stride == b->col_stride;
  for (int p = 0; p < a->nprow; p++) {
    for (int q = 0; q < a->npcol; q++) {
      if (dap_blacs_map_rank(a, p, q) != dap_blacs_map_rank(b, p, q)) return false;
    }
  }
  return true;
}

int dap_blacs_map_rank(const dap_blacs_map *map, int row, int col)
{
  const int i = (int)(((int64_t)row + map->row_shift) % map->nprow);
  const int j = (int)(((int64_t)col + map->col_shift) % map->npcol);
  const int place = i * map->row_stride + j * map->col_stride;
  if (!map->order) return place;
  const int procs = dap_layout_procs(map->order, 1);
  return dap_layout_rank(map->order, (const int[]){place / procs, place % procs});
}

/* ---- the attribute ---------------------------------------------------------------------------- */

/* Called when the attribute is taken off, and when the caller frees a communicator that has live views:
 * those keep the set, and find out here that its owner is gone. */
static int forget_owner(MPI_Comm comm, int key, void *attribute, void *extra)
{
  (void)comm, (void)key, (void)extra;
  dap_blacs_set *set = attribute;
  set->owner = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

/* MPI finds attributes only by a key that is made at run time, so the library must remember one while any
 * communicator has a set. Not guarded: callers keep BLACS to one thread at a time. */
static struct {
  int key;
  int sets; /* that use it; at 0 there is no key */
} keyring;

static dap_status key_take(dap_error *err)
{
  if (keyring.sets == 0) {
    DAP_REQUIRE(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_owner, &keyring.key, NULL) ==
                    MPI_SUCCESS,
                err, DAP_ERR_LIBRARY, "MPI_Comm_create_keyval failed");
  }
  keyring.sets++;
  return DAP_OK;
}

static dap_status key_drop(dap_error *err)
{
  if (--keyring.sets > 0) return DAP_OK;
  DAP_REQUIRE(MPI_Comm_free_keyval(&keyring.key) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_free_keyval failed");
  return DAP_OK;
}

/* *set is NULL when the communicator has none. Not collective. */
static dap_status set_find(MPI_Comm comm, dap_blacs_set **set, dap_error *err)
{
  *set = NULL;
  if (keyring.sets == 0) return DAP_OK;
  void *attribute = NULL;
  int found = 0;
  DAP_REQUIRE(MPI_Comm_get_attr(comm, keyring.key, &attribute, &found) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_get_attr failed");
  if (found) *set = attribute;
  return DAP_OK;
}

/* Ends a set without grids. Collective, as freeing a communicator is. */
static dap_status set_end(dap_blacs_set *set, dap_error *err)
{
  dap_status status = DAP_OK;
  if (set->owner != MPI_COMM_NULL && MPI_Comm_delete_attr(set->owner, keyring.key) != MPI_SUCCESS)
    status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_delete_attr failed");
  if (set->comm != MPI_COMM_NULL && MPI_Comm_free(&set->comm) != MPI_SUCCESS)
    status = dap_fail(err, DAP_ERR_LIBRARY, "MPI_Comm_free failed");
  free(set);
  const dap_status dropped = key_drop(err);
  return status ? status : dropped;
}

/* Takes the set over. */
static dap_status set_start(MPI_Comm comm, dap_blacs_set *set, dap_error *err)
{
  *set = (dap_blacs_set){.comm = MPI_COMM_NULL, .owner = MPI_COMM_NULL};
  DAP_REQUIRE(MPI_Comm_dup(comm, &set->comm) == MPI_SUCCESS, err, DAP_ERR_LIBRARY, "MPI_Comm_dup failed");
  DAP_REQUIRE(MPI_Comm_set_attr(comm, keyring.key, set) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_set_attr failed");
  set->owner = comm;
  return DAP_OK;
}

/* The set of `comm`, made if it has none. Collective; on error *set is NULL. */
static dap_status set_get(MPI_Comm comm, dap_blacs_set **set, dap_error *err)
{
  dap_status status = set_find(comm, set, err);
  if (!status && *set) return DAP_OK; /* on every process: sets come and go collectively */
  dap_blacs_set *fresh = calloc(1, sizeof *fresh);
  bool has_key = false;
  if (!status && !fresh) status = dap_fail(err, DAP_ERR_NOMEM, "no memory for a set of BLACS grids");
  if (!status) has_key = !(status = key_take(err));
  status = dap_agree(comm, status, err);
  if (status) {
    if (has_key) key_drop(NULL);
    free(fresh);
    return status;
  }
  status = dap_agree(comm, set_start(comm, fresh, err), err);
  if (status)
    set_end(fresh, NULL);
  else
    *set = fresh;
  return status;
}

/* ---- grids ------------------------------------------------------------------------------------ */

/* Numbers the processes and makes the context of a fresh grid. */
static dap_status grid_start(dap_blacs_grid *grid, int *ranks, dap_error *err)
{
  const dap_blacs_map *map = &grid->map;
  for (int q = 0; q < map->npcol; q++) {
    for (int p = 0; p < map->nprow; p++) ranks[q * map->nprow + p] = dap_blacs_map_rank(map, p, q);
  }
  const int handle = Csys2blacs_handle(grid->set->comm);
  int context = handle;
  Cblacs_gridmap(&context, ranks, map->nprow, map->nprow, map->npcol);
  Cfree_blacs_system_handle(handle);
  grid->context = context;
  DAP_REQUIRE(context >= 0, err, DAP_ERR_LIBRARY, "Cblacs_gridmap made no %d x %d grid", map->nprow,
              map->npcol);
  return DAP_OK;
}

static void grid_free(dap_blacs_grid *grid)
{
  if (!grid) return;
  dap_layout *order = (dap_layout *)grid->map.order; /* this grid's own reference */
  dap_layout_destroy(&order);
  free(grid);
}

/* A new grid of the set. Collective; on error *grid is NULL. */
static dap_status grid_create(dap_blacs_set *set, const dap_blacs_map *map, dap_blacs_grid **grid,
                              dap_error *err)
{
  *grid = NULL;
  dap_blacs_grid *fresh = calloc(1, sizeof *fresh);
  int *ranks = calloc((size_t)map->nprow * (size_t)map->npcol, sizeof *ranks);
  dap_status status = fresh && ranks ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a BLACS grid");
  status = dap_agree(set->comm, status, err);
  if (!status) {
    *fresh = (dap_blacs_grid){.set = set, .next = set->first, .map = *map, .context = -1};
    if (map->order) fresh->map.order = dap_layout_retain(map->order);
    status = dap_agree(set->comm, grid_start(fresh, ranks, err), err);
  }
  free(ranks);
  if (status) {
    if (fresh && fresh->set && fresh->context >= 0) Cblacs_gridexit(fresh->context);
    grid_free(fresh);
    return status;
  }
  set->first = fresh;
  *grid = fresh;
  return DAP_OK;
}

dap_status dap_blacs_acquire(MPI_Comm comm, const dap_blacs_map *map, dap_blacs_grid **grid, dap_error *err)
{
  *grid = NULL;
  dap_blacs_set *set;
  DAP_TRY(set_get(comm, &set, err));
  dap_blacs_grid *found = set->first;
  while (found && !dap_blacs_map_equal(&found->map, map)) found = found->next;
  if (!found) {
    const dap_status status = grid_create(set, map, &found, err);
    if (status) {
      if (!set->first) set_end(set, NULL);
      return status;
    }
  }
  found->views++;
  *grid = found;
  return DAP_OK;
}

dap_status dap_blacs_release(dap_blacs_grid **grid, dap_error *err)
{
  dap_blacs_grid *g = *grid;
  *grid = NULL;
  if (!g || --g->views > 0) return DAP_OK;

  dap_blacs_set *set = g->set;
  dap_blacs_grid **link = &set->first;
  while (*link != g) link = &(*link)->next;
  *link = g->next;
  Cblacs_gridexit(g->context);
  grid_free(g);
  return set->first ? DAP_OK : set_end(set, err);
}

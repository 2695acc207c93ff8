/* BLACS grids. All operands of a ScaLAPACK call must have the same context, so views of one communicator that
 * need the same map share a grid; it is kept for the next one. */
#include "scalapack_impl.h"
#include <dapbridge/scalapack_calls.h>

#include <stdlib.h>

/* Grids that a communicator keeps beside those of its kept forms. A grid is some 30 kB, and communicators
 * of MPI's. */
enum { MOST_IDLE = 4 };

bool dap_blacs_is_alive(const dap_blacs_grid *grid)
{
  int place[2];
  if (!dap_blacs_map_find(&grid->map, grid->set->rank, place)) return true;
  dap_scalapack_int nprow, npcol, row, col;
  Cblacs_gridinfo(grid->context, &nprow, &npcol, &row, &col);
  return nprow == grid->map.nprow && npcol == grid->map.npcol && row == place[0] && col == place[1];
}

void dap_blacs_grid_exit(dap_blacs_grid *grid)
{
  if (!grid->adopted && grid->context >= 0 && dap_blacs_is_alive(grid)) Cblacs_gridexit(grid->context);
  grid->context = -1;
}

void dap_blacs_grid_end(dap_blacs_grid *grid)
{
  if (!grid) return;
  dap_blacs_grid_exit(grid);
  dap_blacs_map_free(&grid->map);
  free(grid);
}

dap_status dap_blacs_mpi(MPI_Comm comm, int code, const char *what, dap_error *err)
{
  const dap_status status = code == MPI_SUCCESS ? DAP_OK : dap_fail(err, DAP_ERR_LIBRARY, "%s failed", what);
  return dap_agree(comm, status, err);
}

/* ---- own grids -------------------------------------------------------------------------------------- */

/* Makes the context. Collective on the set's communicator. BLACS reads and may renumber its handles, so the
 * handle is not kept. */
static dap_status start(dap_blacs_grid *grid, dap_scalapack_int *ranks, dap_error *err)
{
  const dap_blacs_map *map = &grid->map;
  for (int i = 0; i < map->nprow * map->npcol; i++) ranks[i] = map->ranks[i];
  const dap_scalapack_int handle = Csys2blacs_handle(dap_context_comm(grid->set->context));
  dap_scalapack_int context = handle;
  Cblacs_gridmap(&context, ranks, map->nprow, map->nprow, map->npcol);
  Cfree_blacs_system_handle(handle);
  grid->context = context;
  int place[2];
  DAP_REQUIRE(context >= 0 || !dap_blacs_map_find(map, grid->set->rank, place), err, DAP_ERR_LIBRARY,
              "Cblacs_gridmap made no %d x %d grid", map->nprow, map->npcol);
  return DAP_OK;
}

/* A new grid of the set, without users. Collective; on error *grid is NULL. */
static dap_status create(dap_blacs_set *set, const dap_blacs_map *map, dap_blacs_grid **grid, dap_error *err)
{
  *grid = NULL;
  MPI_Comm comm = dap_context_comm(set->context);
  dap_blacs_grid *fresh = calloc(1, sizeof *fresh);
  dap_scalapack_int *ranks = calloc((size_t)map->nprow * (size_t)map->npcol, sizeof *ranks);
  dap_status status = fresh && ranks ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a BLACS grid");
  if (fresh) *fresh = (dap_blacs_grid){.set = set, .context = -1};
  if (!status) status = dap_blacs_map_copy(&fresh->map, map, err);
  status = dap_agree(comm, status, err);
  if (!status) status = dap_agree(comm, start(fresh, ranks, err), err);
  free(ranks);
  if (status) {
    dap_blacs_grid_end(fresh);
    return status;
  }
  *grid = fresh;
  return DAP_OK;
}

/* The grid with the map, taken out of the set's list; NULL: there is none. One that somebody ended is
 * forgotten. Collective where there is one. */
static dap_status take(dap_blacs_set *set, const dap_blacs_map *map, dap_blacs_grid **found, dap_error *err)
{
  dap_blacs_grid **link = &set->first;
  while (*link && !dap_blacs_map_equal(&(*link)->map, map)) link = &(*link)->next;
  *found = *link;
  if (!*found) return DAP_OK;
  int64_t alive = dap_blacs_is_alive(*found);
  DAP_TRY(dap_context_reduce(set->context, DAP_REDUCE_MIN, &alive, 1, err));
  *link = (*found)->next;
  if (alive) return DAP_OK;
  if ((*found)->users == 0) dap_blacs_grid_end(*found); /* else its views still point at it */
  *found = NULL;
  return DAP_OK;
}

/* Ends the grids without users that have not been used for longest. All processes keep the same list, so
 * they end the same ones. */
static void trim(dap_blacs_set *set)
{
  int idle = 0;
  for (dap_blacs_grid **link = &set->first; *link;) {
    dap_blacs_grid *grid = *link;
    if (grid->users > 0 || ++idle <= MOST_IDLE) {
      link = &grid->next;
      continue;
    }
    *link = grid->next;
    dap_blacs_grid_end(grid);
  }
}

dap_status dap_blacs_acquire(MPI_Comm comm, const dap_blacs_map *map, dap_blacs_grid **grid, dap_error *err)
{
  *grid = NULL;
  dap_blacs_set *set;
  DAP_TRY(dap_blacs_set_get(comm, &set, err));
  dap_blacs_grid *found;
  dap_status status = take(set, map, &found, err);
  if (!status && !found) status = create(set, map, &found, err);
  if (status) {
    dap_blacs_set_drop(set);
    return status;
  }
  found->next = set->first;
  set->first = found;
  found->users++;
  trim(set);
  *grid = found;
  return DAP_OK;
}

dap_blacs_grid *dap_blacs_again(dap_blacs_grid *grid)
{
  grid->users++;
  grid->set->users++;
  return grid;
}

static bool is_listed(const dap_blacs_grid *grid)
{
  const dap_blacs_grid *g = grid->set->first;
  while (g && g != grid) g = g->next;
  return g != NULL;
}

void dap_blacs_release(dap_blacs_grid **grid)
{
  dap_blacs_grid *g = *grid;
  *grid = NULL;
  if (!g) return;
  dap_blacs_set *set = g->set;
  g->users--;
  if (g->users == 0 && !is_listed(g)) dap_blacs_grid_end(g);
  dap_blacs_set_drop(set);
}

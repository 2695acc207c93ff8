/* Makes and ends BLACS grids. */
#include "scalapack_impl.h"
#include <dapbridge/scalapack_calls.h>

#include <stdlib.h>

bool dap_blacs_is_alive(const dap_blacs_grid *grid)
{
  if (grid->place[0] < 0) return true;
  dap_scalapack_int nprow, npcol, row, col;
  Cblacs_gridinfo(grid->context, &nprow, &npcol, &row, &col);
  return nprow == grid->map.procs[0] && npcol == grid->map.procs[1] && row == grid->place[0] &&
         col == grid->place[1];
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

/* Makes the context. Collective on the owner's communicator. BLACS may renumber its handles, so the handle is
 * not kept. */
static dap_status start(dap_blacs_grid *grid, dap_scalapack_int *ranks, dap_error *err)
{
  const dap_blacs_map *map = &grid->map;
  MPI_Comm comm = dap_context_comm(grid->owner);
  int rank = 0;
  for (int i = 0; i < map->procs[0] * map->procs[1]; i++) ranks[i] = map->ranks[i];
  const dap_scalapack_int handle = Csys2blacs_handle(comm);
  dap_scalapack_int context = handle;
  Cblacs_gridmap(&context, ranks, map->procs[0], map->procs[0], map->procs[1]);
  Cfree_blacs_system_handle(handle);
  grid->context = context;
  DAP_REQUIRE(MPI_Comm_rank(comm, &rank) == MPI_SUCCESS, err, DAP_ERR_LIBRARY, "MPI_Comm_rank failed");
  const bool is_inside = dap_blacs_map_find(map, rank, grid->place);
  DAP_REQUIRE(context >= 0 || !is_inside, err, DAP_ERR_LIBRARY, "Cblacs_gridmap made no %d x %d grid",
              map->procs[0], map->procs[1]);
  return DAP_OK;
}

dap_status dap_blacs_grid_create(dap_context *owner, const dap_blacs_map *map, dap_blacs_grid **grid,
                                 dap_error *err)
{
  MPI_Comm comm = dap_context_comm(owner);
  dap_blacs_grid *fresh = calloc(1, sizeof *fresh);
  dap_scalapack_int *ranks = calloc((size_t)map->procs[0] * (size_t)map->procs[1], sizeof *ranks);
  dap_status s = fresh && ranks ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a BLACS grid");
  if (fresh) *fresh = (dap_blacs_grid){.owner = owner, .context = -1, .place = {-1, -1}};
  if (!s) s = dap_blacs_map_copy(&fresh->map, map, err);
  s = dap_agree(comm, s, err);
  if (!s) s = dap_agree(comm, start(fresh, ranks, err), err);
  free(ranks);
  if (s) dap_blacs_grid_end(fresh);
  *grid = s ? NULL : fresh;
  return s;
}

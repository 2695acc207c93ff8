/* Shares BLACS grids. All operands of a ScaLAPACK call must have the same context, so views of one
 * communicator that need the same map share a grid. It is kept for the next view. */
#include "scalapack_impl.h"

/* Most grids that a communicator keeps besides those of its kept forms. A grid takes some 30 kB, and
 * communicators of MPI. */
enum { MOST_IDLE = 4 };

/* Takes the grid with the map out of the set's list; NULL: there is none. A grid that somebody has ended is
 * forgotten. Collective if there is a grid. */
static dap_status take(dap_blacs_set *set, const dap_blacs_map *map, dap_blacs_grid **found, dap_error *err)
{
  dap_blacs_grid **link = &set->first;
  while (*link && !dap_blacs_map_equal(&(*link)->map, map)) link = &(*link)->next;
  *found = *link;
  if (!*found) return DAP_OK;
  uint64_t alive = dap_blacs_is_alive(*found);
  DAP_TRY(dap_agree_bits(dap_context_comm(set->context), NULL, DAP_OK, &alive, err));
  *link = (*found)->next;
  (*found)->is_listed = false;
  if (alive) return DAP_OK;
  if ((*found)->users == 0) dap_blacs_grid_end(*found); /* with users, views still point to it */
  *found = NULL;
  return DAP_OK;
}

/* Ends the grids without users that have not been used for longest. All processes keep the same list, so they
 * end the same ones. */
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
  if (!status && !found) status = dap_blacs_grid_create(set, map, &found, err);
  if (status) {
    dap_blacs_set_drop(set);
    return status;
  }
  found->next = set->first;
  set->first = found;
  found->is_listed = true;
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

void dap_blacs_release(dap_blacs_grid **grid)
{
  dap_blacs_grid *g = *grid;
  *grid = NULL;
  if (!g) return;
  dap_blacs_set *set = g->set;
  g->users--;
  if (g->users == 0 && !g->is_listed) dap_blacs_grid_end(g);
  dap_blacs_set_drop(set);
}

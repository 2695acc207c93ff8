/* Shares BLACS grids. All operands of a ScaLAPACK call must have the same context, so views of one
 * communicator that need the same map share a grid. The communicator's context keeps it for the next view. */
#include "scalapack_impl.h"
#include <dapbridge/scalapack_calls.h>

/* Most grids that a communicator keeps besides those of its kept forms. A grid takes some 30 kB, and
 * communicators of MPI. */
enum { MOST_IDLE = 4 };

/* The grids of a communicator, the last used one first. All processes keep the same list. */
typedef struct grids {
  dap_blacs_grid *first;
} grids;

/* Returns whether BLACS has any grid on this process. After Cblacs_exit() it has none. BLACS numbers its
 * contexts from 0 on, and gives numbers again. */
static bool blacs_lives(void)
{
  enum { MOST_CONTEXTS = 1024 };
  dap_scalapack_int extent[2], place[2];
  for (dap_scalapack_int context = 0; context < MOST_CONTEXTS; context++) {
    Cblacs_gridinfo(context, &extent[0], &extent[1], &place[0], &place[1]);
    if (extent[0] > 0) return true;
  }
  return false;
}

/* Takes the grid out of the list. It ends at once if it has no users, else with the last one. */
static void unlist(dap_blacs_grid **link)
{
  dap_blacs_grid *grid = *link;
  *link = grid->next;
  grid->is_listed = false;
  if (grid->users == 0) dap_blacs_grid_end(grid);
}

/* Is called when the communicator is freed, or MPI ends. Then the contexts end even if views are alive. */
static void on_delete(void *object, bool mpi_ends)
{
  grids *kept = object;
  /* Messages that are not waited for keep the communicators of their contexts, so their buffers are freed. If
   * Cblacs_exit() ends MPI, it has freed the buffers and still refers to them (BLACS/SRC/blacs_exit_.c). */
  if (mpi_ends && blacs_lives()) Cblacs_freebuff(0, 1);
  while (kept->first) {
    if (mpi_ends) dap_blacs_grid_exit(kept->first);
    unlist(&kept->first);
  }
}

static const dap_kept_kind kind = {sizeof(grids), on_delete};

/* Takes the grid with the map out of the list; NULL: there is none. A grid that somebody has ended is
 * forgotten. Collective if there is a grid. */
static dap_status take(dap_context *owner, grids *kept, const dap_blacs_map *map, dap_blacs_grid **found,
                       dap_error *err)
{
  dap_blacs_grid **link = &kept->first;
  while (*link && !dap_blacs_map_equal(&(*link)->map, map)) link = &(*link)->next;
  if (!*link) return DAP_OK;
  uint64_t alive = dap_blacs_is_alive(*link);
  DAP_TRY(dap_agree_bits(dap_context_comm(owner), NULL, DAP_OK, &alive, err));
  if (!alive) {
    unlist(link);
    return DAP_OK;
  }
  *found = *link;
  *link = (*found)->next;
  return DAP_OK;
}

/* Puts a grid with users in front. Grids without users that have not been used for longest end. */
static void put_first(grids *kept, dap_blacs_grid *grid)
{
  int idle = 0;
  grid->next = kept->first;
  grid->is_listed = true;
  kept->first = grid;
  for (dap_blacs_grid **link = &grid->next; *link;) {
    if ((*link)->users == 0 && ++idle > MOST_IDLE)
      unlist(link);
    else
      link = &(*link)->next;
  }
}

dap_status dap_blacs_acquire(MPI_Comm comm, const dap_blacs_map *map, dap_blacs_grid **grid, dap_error *err)
{
  dap_context *owner;
  *grid = NULL;
  DAP_TRY(dap_context_get(comm, NULL, &owner, err));
  grids *kept = dap_context_keep(owner, &kind);
  dap_status s = kept ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a list of BLACS grids");
  s = dap_agree(comm, s, err);
  if (!s) s = take(owner, kept, map, grid, err);
  if (!s && !*grid) s = dap_blacs_grid_create(owner, map, grid, err);
  if (s || (*grid)->users++ > 0) dap_context_release(&owner);
  if (!s) put_first(kept, *grid);
  return s;
}

dap_blacs_grid *dap_blacs_again(dap_blacs_grid *grid)
{
  grid->users++;
  return grid;
}

void dap_blacs_release(dap_blacs_grid **grid)
{
  dap_blacs_grid *g = *grid;
  *grid = NULL;
  if (!g || --g->users > 0) return;
  dap_context *owner = g->owner;
  if (!g->is_listed) dap_blacs_grid_end(g);
  dap_context_release(&owner);
}

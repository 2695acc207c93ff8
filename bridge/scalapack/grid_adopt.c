/* Makes grids around BLACS contexts of the caller. */
#include "scalapack_impl.h"
#include <dapbridge/scalapack_calls.h>

#include <stdlib.h>

enum { NPROW, NPCOL, ROW, COL, WORDS };

MPI_Comm dap_scalapack_context_comm(dap_scalapack_int context)
{
  dap_scalapack_int extent[2] = {-1, -1}, place[2] = {-1, -1}, handle = -1;
  Cblacs_gridinfo(context, &extent[0], &extent[1], &place[0], &place[1]);
  if (extent[0] < 1 || place[0] < 0) return MPI_COMM_NULL;
  Cblacs_get(context, 10, &handle);
  MPI_Comm comm = Cblacs2sys_handle(handle);
  Cfree_blacs_system_handle(handle); /* frees the number, not the communicator */
  return comm;
}

/* Makes the map from the places of all processes, and checks that each place has one process. */
static dap_status read_places(const int (*places)[WORDS], int nprocs, dap_blacs_map *map, dap_error *err)
{
  int first = 0;
  while (first < nprocs && places[first][NPROW] < 1) first++;
  DAP_REQUIRE(first < nprocs, err, DAP_ERR_ARG, "the context is live on no process");
  const int nprow = places[first][NPROW], npcol = places[first][NPCOL];
  DAP_REQUIRE((int64_t)nprow * npcol <= nprocs, err, DAP_ERR_ARG,
              "the context has a grid of %d x %d, more than the communicator's %d processes", nprow, npcol,
              nprocs);
  DAP_TRY(dap_blacs_map_make(map, nprow, npcol, err));
  for (int i = 0; i < nprow * npcol; i++) map->ranks[i] = -1;
  for (int rank = 0; rank < nprocs; rank++) {
    const int *said = places[rank];
    if (said[NPROW] < 1) continue;
    DAP_REQUIRE(said[NPROW] == nprow && said[NPCOL] == npcol, err, DAP_ERR_ARG,
                "the context is a grid of %d x %d on rank %d, of %d x %d on rank %d", nprow, npcol, first,
                said[NPROW], said[NPCOL], rank);
    int *at = &map->ranks[said[COL] * nprow + said[ROW]];
    DAP_REQUIRE(*at < 0, err, DAP_ERR_ARG, "ranks %d and %d are both at (%d, %d) of the context's grid", *at,
                rank, said[ROW], said[COL]);
    *at = rank;
  }
  for (int i = 0; i < nprow * npcol; i++)
    DAP_REQUIRE(map->ranks[i] >= 0, err, DAP_ERR_ARG,
                "the process at (%d, %d) of the context's grid is not in the communicator", i % nprow,
                i / nprow);
  return DAP_OK;
}

/* Finds the places of all processes on the grid of the context, -1 outside it. */
static dap_status gather_places(MPI_Comm comm, dap_blacs_grid *grid, int (*places)[WORDS], dap_error *err)
{
  dap_scalapack_int nprow = -1, npcol = -1, row = -1, col = -1;
  if (grid->context >= 0) Cblacs_gridinfo(grid->context, &nprow, &npcol, &row, &col);
  const bool here = row >= 0;
  const int own[WORDS] = {here ? (int)nprow : -1, (int)npcol, (int)row, (int)col};
  for (int k = 0; k < 2; k++) grid->place[k] = own[ROW + k];
  DAP_REQUIRE(MPI_Allgather(own, WORDS, MPI_INT, places, WORDS, MPI_INT, comm) == MPI_SUCCESS, err,
              DAP_ERR_LIBRARY, "MPI_Allgather failed");
  return DAP_OK;
}

static dap_status start(MPI_Comm comm, int *nprocs, int (**places)[WORDS], dap_blacs_grid **grid,
                        dap_error *err)
{
  DAP_REQUIRE(MPI_Comm_size(comm, nprocs) == MPI_SUCCESS, err, DAP_ERR_LIBRARY, "MPI_Comm_size failed");
  *places = calloc((size_t)*nprocs, sizeof **places);
  *grid = calloc(1, sizeof **grid);
  DAP_REQUIRE(*places && *grid, err, DAP_ERR_NOMEM, "no memory for a BLACS grid");
  return DAP_OK;
}

dap_status dap_blacs_adopt(MPI_Comm comm, dap_scalapack_int context, dap_blacs_grid **grid, dap_error *err)
{
  int nprocs = 0, (*places)[WORDS] = NULL;
  dap_blacs_grid *fresh = NULL;
  dap_context *owner;
  *grid = NULL;
  DAP_TRY(dap_context_get(comm, NULL, &owner, err));
  dap_status s = dap_agree(comm, start(comm, &nprocs, &places, &fresh, err), err);
  if (fresh) *fresh = (dap_blacs_grid){.owner = owner, .context = context, .users = 1, .adopted = true};
  if (!s) {
    s = gather_places(comm, fresh, places, err);
    if (!s) s = read_places((const int(*)[WORDS])places, nprocs, &fresh->map, err);
    s = dap_agree(comm, s, err);
  }
  free(places);
  if (s) {
    dap_blacs_grid_end(fresh);
    dap_context_release(&owner);
    return s;
  }
  *grid = fresh;
  return DAP_OK;
}

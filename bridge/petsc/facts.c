/* Asks PETSc about a DMDA, sets one up, and makes the layouts of its vectors. */
#include "import_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* Only a DMDA that was set up has a scatter to local vectors. */
PetscErrorCode dap_facts_ask(DM dm, dap_facts *f)
{
  PetscBool is_da = PETSC_FALSE;
  VecScatter scatter = NULL;
  *f = (dap_facts){.dm = dm};
  if (dm) PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMDA, &is_da));
  if (is_da) PetscCall(DMDAGetScatter(dm, &scatter, NULL));
  if (!scatter) return 0;
  PetscCall(DMDAGetInfo(dm, &f->ndim, &f->size[0], &f->size[1], &f->size[2], &f->procs[0], &f->procs[1],
                        &f->procs[2], &f->dof, &f->width, &f->outer[0], &f->outer[1], &f->outer[2],
                        &f->stencil));
  PetscCall(DMDAGetOwnershipRanges(dm, &f->ranges[0], &f->ranges[1], &f->ranges[2]));
  PetscCall(DMDAGetCorners(dm, &f->begin[0], &f->begin[1], &f->begin[2], &f->length[0], &f->length[1],
                           &f->length[2]));
  PetscCall(DMDAGetGhostCorners(dm, &f->ghost_begin[0], &f->ghost_begin[1], &f->ghost_begin[2],
                                &f->ghost_length[0], &f->ghost_length[1], &f->ghost_length[2]));
  return 0;
}

PetscErrorCode dap_facts_set_up(const dap_facts *f, DM dm)
{
  PetscCall(DMSetDimension(dm, f->ndim));
  PetscCall(DMDASetSizes(dm, f->size[0], f->size[1], f->size[2]));
  PetscCall(DMDASetNumProcs(dm, f->procs[0], f->procs[1], f->procs[2]));
  PetscCall(DMDASetBoundaryType(dm, f->outer[0], f->outer[1], f->outer[2]));
  PetscCall(DMDASetDof(dm, f->dof));
  PetscCall(DMDASetStencilType(dm, f->stencil));
  PetscCall(DMDASetStencilWidth(dm, f->width));
  PetscCall(DMDASetOwnershipRanges(dm, f->ranges[0], f->ranges[1], f->ranges[2]));
  return DMSetUp(dm);
}

dap_status dap_facts_of(DM dm, dap_facts *facts, dap_error *err)
{
  DAP_TRY(DAP_CATCH(dap_facts_ask(dm, facts), "asking for a DMDA", err));
  DAP_REQUIRE(facts->ndim >= 1, err, DAP_ERR_ARG, "the DM is not a DMDA that was set up");
  return DAP_OK;
}

dap_status dap_facts_query(Vec vector, dap_facts *facts, dap_error *err)
{
  DM dm = NULL;
  DAP_TRY(DAP_CATCH(VecGetDM(vector, &dm), "asking the vector for its DMDA", err));
  const dap_status s = dap_facts_of(dm, facts, err);
  DAP_REQUIRE(s != DAP_ERR_ARG, err, DAP_ERR_ARG, "the vector has no DMDA; VecSetDM() gives it one");
  return s;
}

/* Ghost points outside the grid become boundary padding. Those that repeat the other end become communication
 * padding around the outside. `lengths` has room for the processes. */
static dap_status lay_axis(const dap_facts *f, int d, bool ghosts, int64_t lengths[], dap_dist *dist,
                           dap_error *err)
{
  const int procs = (int)f->procs[d];
  const bool periodic = f->outer[d] == DM_BOUNDARY_PERIODIC;
  const bool outside = ghosts && (f->outer[d] == DM_BOUNDARY_GHOSTED || f->outer[d] == DM_BOUNDARY_MIRROR);
  const int64_t edge = outside ? f->width : 0;
  *dist = (dap_dist){.kind = DAP_DIST_LENGTHS,
                     .procs = procs,
                     .size = f->size[d] + 2 * edge,
                     .lengths = lengths,
                     .halo = ghosts ? f->width : 0,
                     .boundary = {edge, edge},
                     .periodic = periodic,
                     .wraps = ghosts && periodic && f->width > 0};
  DAP_REQUIRE(!ghosts || f->outer[d] != DM_BOUNDARY_TWIST, err, DAP_ERR_UNSUPPORTED,
              "direction %c: the boundary is twisted, which no padding of an array is", "xyz"[d]);
  for (int c = 0; c < procs; c++) lengths[c] = f->ranges[d][c];
  lengths[0] += edge;
  lengths[procs - 1] += edge;
  return DAP_OK;
}

dap_status dap_facts_layout(const dap_facts *facts, bool ghosts, dap_layout **layout, dap_error *err)
{
  dap_dist dist[DAP_GRID_MAX + 1] = {{0}};
  int64_t *lengths[DAP_GRID_MAX] = {NULL};
  const int ndim = (int)facts->ndim;
  dap_status s = DAP_OK;
  for (int d = 0; d < ndim && !s; d++) {
    lengths[d] = calloc((size_t)facts->procs[d], sizeof *lengths[d]);
    s = lengths[d] ? lay_axis(facts, d, ghosts, lengths[d], &dist[ndim - 1 - d], err)
                   : dap_fail(err, DAP_ERR_NOMEM, "no memory for %d processes", (int)facts->procs[d]);
  }
  dist[ndim] = dap_dist_even(facts->dof, 1);
  if (!s) s = dap_layout_create(ndim + (facts->dof > 1), dist, layout, err);
  for (int d = 0; d < DAP_GRID_MAX; d++) free(lengths[d]);
  return s;
}

/* Finds the first point of the buffer at `coord` of an axis, and its number of points, as the DMDA counts. */
static void place_of(const dap_facts *f, const dap_layout *layout, int d, int coord, int64_t *begin,
                     int64_t *length)
{
  const int axis = (int)f->ndim - 1 - d;
  int64_t halo[2];
  dap_run run = {0};
  dap_layout_halo(layout, axis, coord, halo);
  *length = dap_layout_extent(layout, axis, coord);
  *begin = dap_layout_next_run(layout, axis, coord, &run)
               ? run.global - halo[0] - dap_layout_axis(layout, axis).boundary[0]
               : -1;
}

dap_status dap_facts_check(const dap_facts *facts, bool ghosts, const dap_layout *layout, int rank,
                           dap_error *err)
{
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(layout, rank, coords);
  for (int d = 0; d < facts->ndim; d++) {
    const int64_t its_begin = ghosts ? facts->ghost_begin[d] : facts->begin[d];
    const int64_t its_length = ghosts ? facts->ghost_length[d] : facts->length[d];
    int64_t begin, length;
    place_of(facts, layout, d, coords[facts->ndim - 1 - d], &begin, &length);
    DAP_REQUIRE(its_length == length && (its_begin == begin || length == 0), err, DAP_ERR_UNSUPPORTED,
                "direction %c: the DMDA's process %d has %" PRId64 " points from %" PRId64
                ", in row-major order of the processes %" PRId64 " from %" PRId64,
                "xyz"[d], rank, its_length, its_begin, length, begin);
  }
  return DAP_OK;
}

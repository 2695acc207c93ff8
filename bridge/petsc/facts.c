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
 * padding around the outside. `lengths` has room for the processes of all directions. */
static dap_status lay_out(const dap_facts *f, bool ghosts, int64_t *lengths, dap_layout **layout,
                          dap_error *err)
{
  const int ndim = (int)f->ndim;
  dap_dist dist[DAP_GRID_MAX + 1];
  dap_surrounding with = {.grid_ndim = ndim, .width = ghosts ? f->width : 0};
  dap_layout *points = NULL;
  for (int d = 0; d < ndim; d++) {
    const int k = ndim - 1 - d;
    const bool outside = f->outer[d] == DM_BOUNDARY_GHOSTED || f->outer[d] == DM_BOUNDARY_MIRROR;
    DAP_REQUIRE(!ghosts || f->outer[d] != DM_BOUNDARY_TWIST, err, DAP_ERR_UNSUPPORTED,
                "direction %c: the boundary is twisted, but padding of an array cannot be", "xyz"[d]);
    for (int c = 0; c < f->procs[d]; c++) lengths[c] = f->ranges[d][c];
    dist[k] = dap_dist_lengths(f->size[d], (int)f->procs[d], lengths);
    dist[k].periodic = f->outer[d] == DM_BOUNDARY_PERIODIC;
    for (int side = 0; side < 2 && outside; side++) with.margin[k][side] = with.width;
    lengths += f->procs[d];
  }
  dist[ndim] = dap_dist_even(f->dof, 1);
  dap_status s = dap_layout_create(ndim + (f->dof > 1), dist, &points, err);
  if (!s) s = dap_petsc_layout_surround(points, &with, layout, err);
  dap_layout_destroy(&points);
  return s;
}

dap_status dap_facts_layout(const dap_facts *f, bool ghosts, dap_layout **layout, dap_error *err)
{
  size_t procs = 0;
  for (int d = 0; d < f->ndim; d++) procs += (size_t)f->procs[d];
  int64_t *lengths = calloc(procs + 1, sizeof *lengths);
  DAP_REQUIRE(lengths, err, DAP_ERR_NOMEM, "no memory for %zu processes", procs);
  const dap_status s = lay_out(f, ghosts, lengths, layout, err);
  free(lengths);
  return s;
}

dap_status dap_facts_check(const dap_facts *facts, bool ghosts, const dap_layout *layout, int rank,
                           dap_error *err)
{
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(layout, rank, coords);
  for (int d = 0; d < facts->ndim; d++) {
    const int axis = (int)facts->ndim - 1 - d;
    const int64_t has = ghosts ? facts->ghost_length[d] : facts->length[d];
    const int64_t wants = dap_layout_extent(layout, axis, coords[axis]);
    DAP_REQUIRE(has == wants, err, DAP_ERR_UNSUPPORTED,
                "direction %c: the DMDA has %" PRId64
                " points on rank %d, but its ranges and boundary make %" PRId64,
                "xyz"[d], has, rank, wants);
  }
  return DAP_OK;
}

/* The making of a DMDA. */
#include "field_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* Arguments of PETSc by direction: x, y, z. */
typedef struct numbers {
  PetscInt size[DAP_GRID_MAX], procs[DAP_GRID_MAX], *ranges[DAP_GRID_MAX];
  DMBoundaryType outer[DAP_GRID_MAX];
  PetscInt ghosted[DAP_GRID_MAX]; /* extents of this process's local vector */
} numbers;

static dap_status translate(const dap_grid *grid, numbers *n, dap_error *err)
{
  for (int d = 0; d < DAP_GRID_MAX; d++) {
    n->size[d] = n->procs[d] = n->ghosted[d] = 1;
    if (d >= grid->vectors[DAP_FIELD_LOCAL].grid_ndim) continue;
    const int k = grid->order == DAP_ORDER_C ? grid->vectors[DAP_FIELD_LOCAL].grid_ndim - 1 - d : d;
    const dap_box_axis *a = &grid->vectors[DAP_FIELD_LOCAL].axis[k];
    n->size[d] = (PetscInt)a->size;
    n->procs[d] = (PetscInt)a->procs;
    n->outer[d] = a->outer;
    n->ghosted[d] = (PetscInt)dap_box_extent(&grid->vectors[DAP_FIELD_LOCAL], k);
    n->ranges[d] = calloc((size_t)a->procs, sizeof *n->ranges[d]);
    DAP_REQUIRE(n->ranges[d], err, DAP_ERR_NOMEM, "no memory for %d processes", a->procs);
    for (int c = 0; c < a->procs; c++) n->ranges[d][c] = (PetscInt)a->points[c];
  }
  return DAP_OK;
}

static PetscErrorCode make(MPI_Comm comm, const dap_grid *grid, const numbers *n, DM *dm)
{
  const int ndim = grid->vectors[DAP_FIELD_LOCAL].grid_ndim;
  PetscCall(DMDACreate(comm, dm));
  PetscCall(DMSetDimension(*dm, ndim));
  PetscCall(DMDASetSizes(*dm, n->size[0], n->size[1], n->size[2]));
  PetscCall(DMDASetNumProcs(*dm, n->procs[0], n->procs[1], n->procs[2]));
  PetscCall(DMDASetBoundaryType(*dm, n->outer[0], n->outer[1], n->outer[2]));
  PetscCall(DMDASetDof(*dm, (PetscInt)dap_box_dof(&grid->vectors[DAP_FIELD_LOCAL])));
  PetscCall(DMDASetStencilType(*dm, grid->star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX));
  PetscCall(DMDASetStencilWidth(*dm, (PetscInt)grid->width));
  PetscCall(DMDASetOwnershipRanges(*dm, n->ranges[0], n->ranges[1], n->ranges[2]));
  PetscCall(DMSetUp(*dm));
  return dap_dm_set_matrix(*dm, &grid->matrix);
}

/* An optimised PETSc does not notice a local vector that is too short: so the counts are compared before
 * it gets any memory. */
static dap_status check_counts(DM dm, const numbers *n, dap_error *err)
{
  PetscInt g[DAP_GRID_MAX] = {0};
  DAP_TRY(DAP_CATCH(DMDAGetGhostCorners(dm, NULL, NULL, NULL, &g[0], &g[1], &g[2]),
                    "asking the DMDA for its ghost points", err));
  for (int d = 0; d < DAP_GRID_MAX; d++)
    DAP_REQUIRE(g[d] == n->ghosted[d], err, DAP_ERR_LIBRARY,
                "direction %c: the DMDA's local vector has %" PRId64 " points, not %" PRId64, "xyz"[d],
                (int64_t)g[d], (int64_t)n -> ghosted[d]);
  return DAP_OK;
}

/* A DMDA's ranks run along x first. Those of the array do so in C order, unless they have an order of
 * their own; in F order they run along z first. */
static bool is_in_order(const dap_grid *grid)
{
  return grid->order == DAP_ORDER_C && dap_layout_is_row_major(grid->vectors[DAP_FIELD_LOCAL].layout);
}

/* Process (i, j, k) of the array, x first, becomes rank i + j m + k m n. */
static dap_status reorder(MPI_Comm comm, const dap_grid *grid, MPI_Comm *reordered, dap_error *err)
{
  const dap_ghosted_box *box = &grid->vectors[DAP_FIELD_LOCAL];
  int key = 0;
  for (int i = 0; i < box->grid_ndim; i++) {
    const int k = grid->order == DAP_ORDER_C ? i : box->grid_ndim - 1 - i;
    key = key * box->axis[k].procs + box->coords[k];
  }
  return dap_petsc_mpi(MPI_Comm_split(comm, 0, key, reordered), "MPI_Comm_split", err);
}

static dap_status make_checked(MPI_Comm comm, const dap_grid *grid, const numbers *n, DM *dm, dap_error *err)
{
  DAP_TRY(DAP_CATCH(make(comm, grid, n, dm), "making the DMDA", err));
  return check_counts(*dm, n, err);
}

dap_status dap_dm_create(MPI_Comm comm, const dap_grid *grid, DM *dm, dap_error *err)
{
  numbers n = {.size = {0}};
  MPI_Comm reordered = MPI_COMM_NULL;
  const bool in_order = is_in_order(grid);
  dap_status s = dap_agree(comm, translate(grid, &n, err), err);
  if (!s && !in_order) s = dap_agree(comm, reorder(comm, grid, &reordered, err), err);
  if (!s) s = dap_agree(comm, make_checked(in_order ? comm : reordered, grid, &n, dm, err), err);
  if (reordered != MPI_COMM_NULL) (void)MPI_Comm_free(&reordered); /* PETSc holds a copy */
  for (int d = 0; d < DAP_GRID_MAX; d++) free(n.ranges[d]);
  return s;
}

/* Makes a DMDA for a grid. */
#include "field_impl.h"
#include "import_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* Sets the facts of the DMDA. The caller frees its ranges. */
static dap_status translate(const dap_grid *grid, dap_facts *f, dap_error *err)
{
  const dap_ghosted_box *box = &grid->vectors[DAP_FIELD_LOCAL];
  *f = (dap_facts){.ndim = box->grid_ndim,
                   .dof = (PetscInt)dap_box_dof(box),
                   .width = (PetscInt)grid->width,
                   .stencil = grid->star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX};
  for (int d = 0; d < DAP_GRID_MAX; d++) {
    f->size[d] = f->procs[d] = f->ghost_length[d] = 1;
    if (d >= box->grid_ndim) continue;
    const int k = dap_axis_along(grid->order, box->grid_ndim, d);
    const dap_box_axis *a = &box->axis[k];
    PetscInt *ranges = calloc((size_t)a->procs, sizeof *ranges);
    f->ranges[d] = ranges;
    DAP_REQUIRE(ranges, err, DAP_ERR_NOMEM, "no memory for %d processes", a->procs);
    for (int c = 0; c < a->procs; c++) ranges[c] = (PetscInt)a->points[c];
    f->size[d] = (PetscInt)a->size;
    f->procs[d] = (PetscInt)a->procs;
    f->outer[d] = a->outer;
    f->ghost_length[d] = (PetscInt)dap_box_extent(box, k);
  }
  return DAP_OK;
}

static PetscErrorCode make(MPI_Comm comm, const dap_grid *grid, const dap_facts *f, DM *dm)
{
  PetscCall(DMDACreate(comm, dm));
  PetscCall(dap_facts_set_up(f, *dm));
  return dap_dm_set_matrix(*dm, &grid->matrix);
}

/* An optimised PETSc does not notice a local vector that is too short. So the counts are compared before it
 * gets any memory. */
static dap_status check_counts(DM dm, const dap_facts *f, dap_error *err)
{
  PetscInt g[DAP_GRID_MAX] = {0};
  DAP_TRY(DAP_CATCH(DMDAGetGhostCorners(dm, NULL, NULL, NULL, &g[0], &g[1], &g[2]),
                    "asking the DMDA for its ghost points", err));
  for (int d = 0; d < DAP_GRID_MAX; d++)
    DAP_REQUIRE(g[d] == f->ghost_length[d], err, DAP_ERR_LIBRARY,
                "direction %c: the DMDA's local vector has %" PRId64 " points, not %" PRId64, "xyz"[d],
                (int64_t)g[d], (int64_t)f -> ghost_length[d]);
  return DAP_OK;
}

/* A DMDA's ranks run along x first. Those of the array do so in C order, unless they have an order of their
 * own. In F order they run along z first. */
static bool is_in_order(const dap_grid *grid)
{
  return grid->order == DAP_ORDER_C && dap_layout_is_row_major(grid->vectors[DAP_FIELD_LOCAL].layout);
}

/* Process (i, j, k) of the array, with x first, becomes rank i + j m + k m n. */
static dap_status reorder(MPI_Comm comm, const dap_grid *grid, MPI_Comm *reordered, dap_error *err)
{
  const dap_ghosted_box *box = &grid->vectors[DAP_FIELD_LOCAL];
  int key = 0;
  for (int d = box->grid_ndim - 1; d >= 0; d--) {
    const int k = dap_axis_along(grid->order, box->grid_ndim, d);
    key = key * box->axis[k].procs + box->coords[k];
  }
  return dap_petsc_mpi(MPI_Comm_split(comm, 0, key, reordered), "MPI_Comm_split", err);
}

static dap_status make_checked(MPI_Comm comm, const dap_grid *grid, const dap_facts *f, DM *dm,
                               dap_error *err)
{
  DAP_TRY(DAP_CATCH(make(comm, grid, f, dm), "making the DMDA", err));
  return check_counts(*dm, f, err);
}

dap_status dap_dm_create(MPI_Comm comm, const dap_grid *grid, DM *dm, dap_error *err)
{
  dap_facts f;
  MPI_Comm reordered = MPI_COMM_NULL;
  const bool in_order = is_in_order(grid);
  dap_status s = dap_agree(comm, translate(grid, &f, err), err);
  if (!s && !in_order) s = dap_agree(comm, reorder(comm, grid, &reordered, err), err);
  if (!s) s = dap_agree(comm, make_checked(in_order ? comm : reordered, grid, &f, dm, err), err);
  if (reordered != MPI_COMM_NULL) (void)MPI_Comm_free(&reordered); /* PETSc holds a copy */
  for (int d = 0; d < DAP_GRID_MAX; d++) free((void *)f.ranges[d]);
  return s;
}

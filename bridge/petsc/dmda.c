/* Makes the DMDA of a field, and its vectors. */
#include "field_impl.h"
#include "import_impl.h"

static const dap_ghosted_box *local_box(const dap_grid *grid)
{
  return &grid->vectors[DAP_FIELD_LOCAL];
}

/* ---- the DMDA ------------------------------------------------------------------------------------------ */

/* Returns the facts of the DMDA. `ranges` has room for the processes of all directions. */
static dap_facts translate(const dap_grid *grid, PetscInt *ranges)
{
  const dap_ghosted_box *box = local_box(grid);
  dap_facts f = {.ndim = box->grid_ndim,
                 .dof = (PetscInt)dap_box_dof(box),
                 .width = (PetscInt)grid->width,
                 .stencil = grid->star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX};
  for (int d = 0; d < DAP_GRID_MAX; d++) {
    f.size[d] = f.procs[d] = f.ghost_length[d] = 1;
    if (d >= box->grid_ndim) continue;
    const int k = dap_axis_along(grid->order, box->grid_ndim, d);
    f.size[d] = (PetscInt)box->axis[k].size;
    f.procs[d] = (PetscInt)box->axis[k].procs;
    f.outer[d] = box->axis[k].outer;
    f.ghost_length[d] = (PetscInt)dap_box_extent(box, k);
    f.ranges[d] = ranges;
    for (int c = 0; c < f.procs[d]; c++) *ranges++ = (PetscInt)dap_box_points(box, k, c);
  }
  return f;
}

/* An optimised PETSc does not notice a local vector that is too short. So the counts are compared before it
 * gets any memory. */
static PetscErrorCode check_counts(DM dm, const dap_facts *f)
{
  PetscInt g[DAP_GRID_MAX] = {0};
  PetscCall(DMDAGetGhostCorners(dm, NULL, NULL, NULL, &g[0], &g[1], &g[2]));
  for (int d = 0; d < DAP_GRID_MAX; d++)
    PetscCheck(g[d] == f->ghost_length[d], PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "direction %c: the DMDA's local vector has %" PetscInt_FMT " points, not %" PetscInt_FMT,
               "xyz"[d], g[d], f -> ghost_length[d]);
  return 0;
}

static PetscErrorCode make_dm(MPI_Comm comm, dap_view *view, PetscInt numbers[])
{
  const dap_grid *grid = &dap_field_form_of(view)->grid;
  const dap_facts f = translate(grid, numbers);
  DM *dm = &dap_petsc_state_of(view)->dm;
  PetscCall(DMDACreate(comm, dm));
  PetscCall(dap_facts_set_up(&f, *dm));
  PetscCall(dap_dm_set_matrix(*dm, &grid->matrix));
  return check_counts(*dm, &f);
}

/* A DMDA's ranks run along x first. Those of the array do so in C order, unless they have an order of their
 * own. In F order they run along z first. */
static bool is_in_order(const dap_grid *grid)
{
  return grid->order == DAP_ORDER_C && dap_layout_is_row_major(local_box(grid)->layout);
}

/* Process (i, j, k) of the array, with x first, becomes rank i + j m + k m n. */
static dap_status create(dap_view *view, dap_error *err)
{
  static dap_petsc_step *const steps[] = {make_dm};
  const dap_grid *grid = &dap_field_form_of(view)->grid;
  const dap_ghosted_box *box = local_box(grid);
  int place = 0, procs = 0;
  for (int d = box->grid_ndim - 1; d >= 0; d--) {
    const int k = dap_axis_along(grid->order, box->grid_ndim, d);
    place = place * box->axis[k].procs + box->coords[k];
    procs += box->axis[k].procs;
  }
  const dap_petsc_making making = {"making the DMDA", steps, 1, is_in_order(grid) ? NULL : &place, procs};
  return dap_petsc_make(view, &making, err);
}

/* ---- the vectors --------------------------------------------------------------------------------------- */

/* Stores the order of the field in the DMDA's memo. A new form becomes a user of the memo. */
static PetscErrorCode remember(DM dm, dap_field_form *form)
{
  dap_dm_memo *memo = NULL;
  PetscCall(dap_dm_memo_of(dm, &memo));
  memo->order = form->grid.order;
  if (form->memo) return 0;
  form->memo = memo;
  memo->users++;
  return 0;
}

/* The global vector comes first, so that nothing fails on a single process before the last collective
 * step. */
static PetscErrorCode make_vectors(const dap_view *view)
{
  dap_field_form *form = dap_field_form_of(view);
  dap_petsc_state *state = dap_petsc_state_of(view);
  char *elements = view->local.data, *points = elements ? elements + dap_box_offset(&form->array) : NULL;
  for (int t = DAP_FIELD_VECTORS - 1; t >= 0; t--) {
    dap_view_vec *v = &state->vectors[t];
    const bool is_local = t == DAP_FIELD_LOCAL, is_shared = view->targets[t].shared;
    v->is_readonly = view->access == DAP_READ;
    if (!view->targets[t].wanted) continue;
    PetscCall(dap_vec_of_dm(state->dm, is_local, is_shared, is_local ? elements : points, &v->vec));
    PetscCall(dap_view_vec_lock(v));
  }
  return remember(state->dm, form);
}

dap_status dap_field_open(dap_view *view, dap_error *err)
{
  dap_petsc_state *state = dap_petsc_state_of(view);
  if (!dap_field_dm_is_given(view)) DAP_TRY(create(view, err));
  if (view->member < 0) return DAP_OK;
  if (dap_field_dm_is_given(view)) {
    state->dm = dap_field_own_dm(view);
    (void)PetscObjectReference((PetscObject)state->dm);
  }
  return DAP_CATCH(make_vectors(view), "making the vectors", err);
}

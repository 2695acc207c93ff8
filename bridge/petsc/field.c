/* Adapts fields: gives an array as a DMDA with vectors. */
#include "field_impl.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static dap_status check(dap_view *view, dap_error *err)
{
  const dap_petsc_field_options *o = view->options;
  DAP_REQUIRE((o->vectors & ~(unsigned)(DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL)) == 0, err, DAP_ERR_ARG,
              "options: vectors %u is not DAP_PETSC_GLOBAL, DAP_PETSC_LOCAL or their sum", o->vectors);
  DAP_REQUIRE(o->width >= 0, err, DAP_ERR_ARG, "options: width %" PRId64 " is negative", o->width);
  DAP_REQUIRE(o->matrix_width >= 0, err, DAP_ERR_ARG, "options: matrix_width %" PRId64 " is negative",
              o->matrix_width);
  DAP_REQUIRE(o->boundary == DM_BOUNDARY_NONE || o->boundary == DM_BOUNDARY_GHOSTED, err, DAP_ERR_ARG,
              "options: boundary %d is neither DM_BOUNDARY_NONE nor DM_BOUNDARY_GHOSTED", (int)o->boundary);
  DAP_REQUIRE(o->order == 0 || o->order == DAP_ORDER_C || o->order == DAP_ORDER_F, err, DAP_ERR_ARG,
              "options: order is %d, not one of its values", (int)o->order);
  DAP_REQUIRE(o->dof_axes >= 0, err, DAP_ERR_ARG, "options: dof_axes %d is negative", o->dof_axes);
  DAP_REQUIRE(o->part.axes || !o->part.start, err, DAP_ERR_ARG, "part: start is given, but no axes");
  DAP_REQUIRE(!o->part.shape, err, DAP_ERR_UNSUPPORTED,
              "part: a field has whole axes: shape must be NULL; dap_array_part() makes an array of a range");
  if (o->vectors == DAP_PETSC_GLOBAL) view->wanted = 1u << DAP_FIELD_GLOBAL;
  if (o->vectors == DAP_PETSC_LOCAL) view->wanted = 1u << DAP_FIELD_LOCAL;
  return dap_petsc_is_started(err);
}

/* Finds a number that only this DMDA ever has on this process, and the order of the last field. */
static PetscErrorCode identify(DM dm, PetscObjectId *id, dap_order *order)
{
  dap_dm_memo *memo = NULL;
  PetscCall(dap_dm_memo_of(dm, &memo));
  *order = memo->order;
  return PetscObjectGetId((PetscObject)dm, id);
}

/* Once a new DMDA is made, its id tells its form apart. */
static int words(const dap_view *view, dap_view_word w[])
{
  const dap_petsc_field_options *o = view->options;
  const dap_petsc_state *state = view->state;
  DM dm = state->dm ? state->dm : dap_field_own_dm(view);
  PetscObjectId id = 0;
  dap_order order = 0;
  if (dm) (void)DAP_CATCH(identify(dm, &id, &order), "asking the DMDA for its id", NULL);
  w[0] = (dap_view_word){"options: vectors", view->wanted};
  w[1] = (dap_view_word){"options: width", (uint64_t)o->width};
  w[2] = (dap_view_word){"options: star", o->star};
  w[3] = (dap_view_word){"options: order", (uint64_t)o->order};
  w[4] = (dap_view_word){"options: dof_axes", (uint64_t)o->dof_axes};
  w[5] = (dap_view_word){"options: boundary", (uint64_t)o->boundary};
  w[6] = (dap_view_word){"options: strip_periodic", o->strip_periodic};
  w[7] = (dap_view_word){"options: matrix_width", (uint64_t)o->matrix_width};
  w[8] = (dap_view_word){"options: matrix_star", o->matrix_star};
  w[9] = (dap_view_word){NULL, (uint64_t)id};
  w[10] = (dap_view_word){NULL, o->order ? 0 : (uint64_t)order};
  return 11;
}

static void show(const dap_view *view, bool lives, void *object)
{
  const dap_petsc_state *state = view->state;
  const dap_view_target *local = &view->targets[DAP_FIELD_LOCAL], *global = &view->targets[DAP_FIELD_GLOBAL];
  dap_petsc_field *field = object;
  field->shared_local = local->shared;
  field->shared_global = global->shared;
  field->moved_bytes = view->moved_bytes;
  memcpy(field->reason_local, local->reason, sizeof field->reason_local);
  memcpy(field->reason_global, global->reason, sizeof field->reason_global);
  if (!lives) return;
  field->dm = state->dm;
  field->local = state->vectors[DAP_FIELD_LOCAL].vec;
  field->global = state->vectors[DAP_FIELD_GLOBAL].vec;
}

static int describe(const dap_view *view, char *text, size_t capacity)
{
  const dap_grid *grid = &((const dap_field_form *)view->form)->grid;
  const dap_ghosted_box *box = &grid->vectors[DAP_FIELD_LOCAL];
  int64_t sizes[DAP_GRID_MAX] = {0}, procs[DAP_GRID_MAX] = {0};
  char points[DAP_GRID_TEXT], processes[DAP_GRID_TEXT], dof[48] = "", matrix[64] = "";
  for (int k = 0; k < box->grid_ndim; k++) sizes[k] = box->axis[k].size;
  for (int k = 0; k < box->grid_ndim; k++) procs[k] = box->axis[k].procs;
  dap_grid_text(box->grid_ndim, sizes, points);
  dap_grid_text(box->grid_ndim, procs, processes);
  if (box->ndim > box->grid_ndim)
    (void)snprintf(dof, sizeof dof, ", %" PRId64 " degrees of freedom", dap_box_dof(box));
  if (grid->matrix.width > 0)
    (void)snprintf(matrix, sizeof matrix, ", of matrices %" PRId64 " (%s)", grid->matrix.width,
                   grid->matrix.star ? "star" : "box");
  return snprintf(text, capacity,
                  "DMDA of %s points on %s processes%s, stencil width %" PRId64 " (%s)%s%s%s%s", points,
                  processes, grid->is_even ? ", evenly" : "", grid->width, grid->star ? "star" : "box",
                  matrix, dof, grid->order == DAP_ORDER_F ? ", x is axis 0" : "",
                  dap_layout_is_row_major(box->layout) ? "" : ", ranks in the array's order");
}

static const dap_adapter adapter = {
    .name = "field",
    .function = "dap_petsc_field_get",
    .object_size = sizeof(dap_petsc_field),
    .handle = offsetof(dap_petsc_field, handle),
    .options_size = sizeof(dap_petsc_field_options),
    .form_size = sizeof(dap_field_form),
    .targets = DAP_FIELD_VECTORS,
    .target_names = {[DAP_FIELD_LOCAL] = "local vector", [DAP_FIELD_GLOBAL] = "global vector"},
    DAP_PETSC_ADAPTER,
    .check = check,
    .words = words,
    .vote = dap_field_vote,
    .is_over = dap_field_is_over,
    .prepare = dap_field_prepare,
    .share = dap_field_share,
    .lay = dap_field_lay,
    .plan = dap_field_plan,
    .plan_reverse = dap_field_plan_unwrap,
    .add_reverse = dap_field_clear_stripped,
    .release = dap_field_release,
    .open = dap_field_open,
    .get_memory = dap_view_vec_get_array,
    .restore_memory = dap_view_vec_restore_array,
    .changed = dap_view_vec_changed,
    .show = show,
    .describe = describe};

/* Clears start along the axes that are kept, where it does not count. */
static void take_start(const dap_layout *layout, dap_part *part, int64_t start[DAP_MAX_NDIM])
{
  if (dap_layout_check(layout, NULL) || !part->axes || !part->start) return;
  for (int k = 0; k < dap_layout_ndim(layout); k++) start[k] = part->start[k];
  for (int j = 0; j < part->naxes && j < DAP_MAX_NDIM; j++)
    if (part->axes[j] >= 0 && part->axes[j] < DAP_MAX_NDIM) start[part->axes[j]] = 0;
  part->start = start;
}

dap_status dap_petsc_field_get(MPI_Comm comm, dap_darray array, dap_access access,
                               const dap_petsc_field_options *options, dap_petsc_field *field, dap_error *err)
{
  int64_t start[DAP_MAX_NDIM] = {0};
  dap_petsc_field_options o = options ? *options : (dap_petsc_field_options){0};
  take_start(array.layout, &o.part, start);
  const dap_view_request request = {comm, array, access, o.sharing, o.part, o.lossy, &o};
  return dap_view_get(&adapter, &request, field, err);
}

DAP_VIEW_CALLS(dap_petsc_field, dap_petsc_field, adapter)

dap_status dap_petsc_field_halo_reverse(dap_petsc_field *field, dap_combine combine, dap_padding padding,
                                        dap_error *err)
{
  return dap_view_halo_reverse(&adapter, field, combine, padding, err);
}

/* Returns the word before a reason of a field that has ended. A vector that was not wanted has none. */
static const char *verdict(bool shared, const char reason[])
{
  return shared ? "shared: " : strcmp(reason, "not wanted") != 0 ? "moved: " : "";
}

size_t dap_petsc_field_describe(const dap_petsc_field *field, char *text, size_t capacity)
{
  const dap_petsc_field *f = field;
  if (!f || !f->reason_local[0] || dap_view_of(&adapter, f))
    return dap_view_describe(&adapter, f, text, capacity);
  const int length =
      snprintf(text, text ? capacity : 0, "local vector %s%s\nglobal vector %s%s\nbytes moved: %" PRId64 "\n",
               verdict(f->shared_local, f->reason_local), f->reason_local,
               verdict(f->shared_global, f->reason_global), f->reason_global, f->moved_bytes);
  return length < 0 ? 0 : (size_t)length;
}

/* Makes ScaLAPACK matrices views: the adapter's table, and the functions of scalapack.h. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- forms and their grids --------------------------------------------------------------------------- */

/* Returns whether a view can use a kept form: nobody has ended its grid, which is that of the other view of
 * the call. */
static bool is_usable(const dap_view *view, const void *form)
{
  const dap_view *neighbour = dap_scalapack_state_of(view)->neighbour;
  const dap_blacs_grid *grid = ((const dap_scalapack_form *)form)->grid;
  return dap_blacs_is_alive(grid) && (!neighbour || dap_scalapack_form_of(neighbour)->grid == grid);
}

/* Chooses op, and gets the grid if the options name one. Collective. */
static dap_status prepare(dap_view *view, dap_error *err)
{
  dap_scalapack_form *form = dap_scalapack_form_of(view);
  const dap_scalapack_options *o = dap_scalapack_options_of(view);
  const dap_view *neighbour = dap_scalapack_state_of(view)->neighbour;
  form->op = dap_scalapack_choose_op(view);
  DAP_REQUIRE(!o->columns || o->columns >= dap_scalapack_extent(view, 1), err, DAP_ERR_ARG,
              "options: columns is %" PRId64 ", and the matrix has %" PRId64, o->columns,
              dap_scalapack_extent(view, 1));
  if (neighbour) form->grid = dap_blacs_again(dap_scalapack_form_of(neighbour)->grid);
  return o->context ? dap_blacs_adopt(view->caller, *o->context, &form->grid, err) : DAP_OK;
}

/* Plans moves of a matrix that has more columns than the array. Its first columns are the array's. */
static dap_status plan_columns(dap_view *view, dap_error *err)
{
  const dap_view_end array = {.target = DAP_VIEW_ARRAY}, matrix = {.side.part.shape = view->shape};
  const dap_view_move in = {.from = array, .to = matrix}, out = {.from = matrix, .to = array};
  if (view->access & DAP_READ) DAP_TRY(dap_view_plan(view, DAP_VIEW_IN, &in, err));
  return view->access & DAP_WRITE ? dap_view_plan(view, DAP_VIEW_OUT, &out, err) : DAP_OK;
}

/* Gets the grid for the form's map, and makes the plans. */
static dap_status plan(dap_view *view, dap_error *err)
{
  dap_scalapack_form *form = dap_scalapack_form_of(view);
  if (!form->grid) DAP_TRY(dap_blacs_acquire(view->caller, &form->map, &form->grid, err));
  return dap_scalapack_is_wider(view) ? plan_columns(view, err) : dap_view_plan_usual(view, err);
}

static void release(void *form)
{
  dap_blacs_release(&((dap_scalapack_form *)form)->grid);
  dap_blacs_map_free(&((dap_scalapack_form *)form)->map);
}

/* ---- what the caller sees ------------------------------------------------------------------------------ */

/* The address of an empty local part. ScaLAPACK sends columns without rows from there, and MPICH's
 * MPI_Pack() ends the program if the address is NULL (BLACS, SRC/BI_Pack.c). */
static _Alignas(64) char nothing[64];

static void show(const dap_view *view, bool lives, void *object)
{
  dap_scalapack_matrix *matrix = object;
  const dap_scalapack_form *form = dap_scalapack_form_of(view);
  matrix->shared = view->targets[0].shared;
  matrix->moved_bytes = view->moved_bytes;
  memcpy(matrix->reason, view->targets[0].reason, sizeof matrix->reason);
  if (!lives) return;
  dap_scalapack_int *desc = matrix->desc; /* its values have been checked to fit */
  dap_scalapack_locate(view, &matrix->data, &desc[8]);
  desc[0] = 1;
  desc[1] = form->grid->context;
  if (!matrix->data && desc[1] >= 0) matrix->data = nothing;
  for (int k = 0; k < 2; k++) {
    desc[2 + k] = (dap_scalapack_int)form->size[k];
    desc[4 + k] = (dap_scalapack_int)form->block[k];
    desc[6 + k] = (dap_scalapack_int)form->source[k];
  }
  matrix->m = (dap_scalapack_int)dap_scalapack_extent(view, 0);
  matrix->n = (dap_scalapack_int)dap_scalapack_extent(view, 1);
  matrix->ia = (dap_scalapack_int)form->start[0] + 1;
  matrix->ja = (dap_scalapack_int)form->start[1] + 1;
  matrix->op = form->op;
}

static int describe(const dap_view *view, char *text, size_t capacity)
{
  const dap_scalapack_form *form = dap_scalapack_form_of(view);
  return snprintf(text, capacity,
                  "%lld x %lld matrix, op '%c', %lld x %lld blocks on a %d x %d grid, leading dimension %lld",
                  (long long)dap_scalapack_extent(view, 0), (long long)dap_scalapack_extent(view, 1),
                  form->op, (long long)form->block[0], (long long)form->block[1], form->map.procs[0],
                  form->map.procs[1], (long long)dap_scalapack_leading(view));
}

/* ---- the table --------------------------------------------------------------------------------- */

static const dap_adapter adapter = {
    .name = "matrix",
    .function = "dap_scalapack_get",
    .object_size = sizeof(dap_scalapack_matrix),
    .handle = offsetof(dap_scalapack_matrix, view),
    .options_size = sizeof(dap_scalapack_options),
    .form_size = sizeof(dap_scalapack_form),
    .state_size = sizeof(dap_scalapack_state),
    .targets = 1,
    .ranges = true,
    .keeps_forms = true,
    .check = dap_scalapack_check,
    .words = dap_scalapack_words,
    .vote = dap_scalapack_vote,
    .is_usable = is_usable,
    .prepare = prepare,
    .share = dap_scalapack_share,
    .lay = dap_scalapack_lay,
    .plan = plan,
    .release = release,
    .show = show,
    .describe = describe,
};

/* ---- scalapack.h ------------------------------------------------------------------------------- */

/* Sets the default axes: the last two, or the only one as rows. An array without axes gets none. */
static void use_usual_axes(const dap_layout *layout, int axes[2], dap_part *part)
{
  const int ndim = dap_layout_check(layout, NULL) ? 0 : dap_layout_ndim(layout);
  if (part->axes || part->naxes || ndim == 0) return;
  axes[0] = ndim > 2 ? ndim - 2 : 0;
  axes[1] = ndim == 1 ? -1 : axes[0] + 1;
  part->axes = axes;
  part->naxes = 2;
}

dap_status dap_scalapack_get(MPI_Comm comm, dap_darray array, dap_access access,
                             const dap_scalapack_options *options, dap_scalapack_matrix *matrix,
                             dap_error *err)
{
  int axes[2];
  dap_scalapack_options own = {0};
  if (options) own = *options;
  use_usual_axes(array.layout, axes, &own.part);
  const dap_view_request request = {.comm = comm,
                                    .array = array,
                                    .access = access,
                                    .sharing = own.sharing,
                                    .part = own.part,
                                    .options = &own};
  return dap_view_get(&adapter, &request, matrix, err);
}

DAP_VIEW_FUNCTIONS(dap_scalapack, dap_scalapack_matrix, adapter)

/* Places views on a grid that exists: that of another view of the same call, or that of the caller's
 * context. */
#include "scalapack_impl.h"

#include <inttypes.h>

/* ---- block sizes beside another view ------------------------------------------------------------ */

static const dap_scalapack_form *neighbour_of(const dap_view *view)
{
  const dap_view *neighbour = dap_scalapack_state_of(view)->neighbour;
  return neighbour ? dap_scalapack_form_of(neighbour) : NULL;
}

/* Returns whether the view's rows lie as the other view's columns. */
static bool by_columns(const dap_view *view)
{
  const dap_scalapack_state *state = dap_scalapack_state_of(view);
  return state->needs.align == DAP_ALIGN_LONGER &&
         dap_scalapack_extent(state->neighbour, 0) < dap_scalapack_extent(state->neighbour, 1);
}

/* Returns whether the view has more columns than the other view's single block, and need not lie as it
 * does. */
static bool is_wider(const dap_view *view)
{
  const dap_scalapack_form *neighbour = neighbour_of(view);
  return dap_scalapack_state_of(view)->needs.align < DAP_ALIGN_SAME && neighbour->map.procs[1] == 1 &&
         neighbour->size[1] <= neighbour->block[1] && dap_scalapack_extent(view, 1) > neighbour->block[1];
}

void dap_scalapack_aligned_blocks(const dap_view *view, int64_t block[2])
{
  const dap_scalapack_form *neighbour = neighbour_of(view);
  block[0] = neighbour->block[by_columns(view) ? 1 : 0];
  block[1] = neighbour->block[1];
  if (dap_scalapack_state_of(view)->needs.square_blocks)
    block[1] = block[0];
  else if (is_wider(view) && block[1] < DAP_USUAL_BLOCK)
    block[1] = DAP_USUAL_BLOCK;
}

/* ---- shared --------------------------------------------------------------------------------------- */

/* Finds the place on `grid` of the process at (0, 0) of `own`. False: the others do not follow it as in
 * `own`. */
static bool find_shift(const dap_blacs_map *own, const dap_blacs_map *grid, int shift[2])
{
  if (own->procs[0] != grid->procs[0] || own->procs[1] != grid->procs[1]) return false;
  if (!dap_blacs_map_find(grid, own->ranks[0], shift)) return false;
  for (int q = 0; q < own->procs[1]; q++) {
    for (int p = 0; p < own->procs[0]; p++) {
      const int row = (int)(((int64_t)p + shift[0]) % own->procs[0]);
      const int col = (int)(((int64_t)q + shift[1]) % own->procs[1]);
      if (dap_blacs_map_rank(own, p, q) != dap_blacs_map_rank(grid, row, col)) return false;
    }
  }
  return true;
}

/* Checks that a dimension has blocks of the other view's size, and its first element at the same place of
 * the same process. */
static dap_status check_dimension(const dap_view *view, int k, dap_error *why)
{
  static const char *const names[2] = {"row", "column"};
  const dap_scalapack_form *form = dap_scalapack_form_of(view), *other = neighbour_of(view);
  const bool across = k == 0 && by_columns(view);
  const int64_t block = other->block[across ? 1 : k];
  DAP_REQUIRE(form->block[k] == block, why, DAP_ERR_SHARE,
              "its %ss are in blocks of %" PRId64
              ", those of the matrix it is used with in blocks of %" PRId64,
              names[k], form->block[k], block);
  const dap_view *neighbour = dap_scalapack_state_of(view)->neighbour;
  if (across || dap_scalapack_extent(view, k) == 0 || dap_scalapack_extent(neighbour, k) == 0) return DAP_OK;
  const int owner[2] = {dap_scalapack_owner(form, k), dap_scalapack_owner(other, k)};
  const int64_t inside[2] = {dap_scalapack_inside(form, k), dap_scalapack_inside(other, k)};
  DAP_REQUIRE(owner[0] == owner[1] && inside[0] == inside[1], why, DAP_ERR_SHARE,
              "its first %s is number %" PRId64
              " of a block on process %s %d, that of the matrix it is used with "
              "number %" PRId64 " on process %s %d",
              names[k], inside[0], names[k], owner[0], inside[1], names[k], owner[1]);
  return DAP_OK;
}

/* Says why the array's processes do not have the places on the grid that they must have. */
static dap_status fail_places(const dap_view *view, dap_error *why)
{
  const dap_scalapack_form *form = dap_scalapack_form_of(view), *other = neighbour_of(view);
  if (!other)
    return dap_fail(why, DAP_ERR_SHARE,
                    "its processes have other places on their grid than on the context's");
  if (form->op == other->op)
    return dap_fail(why, DAP_ERR_SHARE,
                    "its processes have other places on their grid than those of the matrix it is used with");
  if (dap_scalapack_is_vector(dap_scalapack_options_of(view)))
    return dap_fail(why, DAP_ERR_SHARE, "one axis, used with a matrix in %s order",
                    other->op == 'N' ? "Fortran" : "C");
  return dap_fail(why, DAP_ERR_SHARE,
                  "it must be in %s order, and so must the matrix it is used with, which is not",
                  form->op == 'N' ? "Fortran" : "C");
}

dap_status dap_scalapack_fit_aligned(dap_view *view, dap_error *why)
{
  dap_scalapack_form *form = dap_scalapack_form_of(view);
  const dap_matrix_needs *needs = &dap_scalapack_state_of(view)->needs;
  const dap_view *neighbour = dap_scalapack_state_of(view)->neighbour;
  const dap_blacs_map *grid = &form->grid->map;
  int shift[2] = {0, 0};
  const bool empty = form->size[0] == 0 || form->size[1] == 0;
  const bool sits = empty ? form->map.procs[0] == grid->procs[0] && form->map.procs[1] == grid->procs[1]
                          : find_shift(&form->map, grid, shift);
  if (!sits) return fail_places(view, why);
  DAP_REQUIRE(needs->any_sources || (shift[0] == 0 && shift[1] == 0), why, DAP_ERR_SHARE,
              "its first block is on process (%d, %d) of %s, and must be on (0, 0)", shift[0], shift[1],
              neighbour ? "the grid of the matrix it is used with" : "the context's grid");
  for (int k = 0; k < 2; k++) form->source[k] = shift[k];
  for (int i = 0; i < grid->procs[0] * grid->procs[1]; i++) form->map.ranks[i] = grid->ranks[i];
  if (!neighbour) return DAP_OK;
  if (needs->align >= DAP_ALIGN_ROWS) DAP_TRY(check_dimension(view, 0, why));
  return needs->align >= DAP_ALIGN_SAME ? check_dimension(view, 1, why) : DAP_OK;
}

/* ---- moved ---------------------------------------------------------------------------------------- */

dap_status dap_scalapack_move_aligned(dap_view *view, dap_error *err)
{
  dap_scalapack_form *form = dap_scalapack_form_of(view);
  const dap_scalapack_form *other = neighbour_of(view);
  const dap_matrix_needs *needs = &dap_scalapack_state_of(view)->needs;
  DAP_TRY(dap_blacs_map_copy(&form->map, &form->grid->map, err));
  if (!other) return DAP_OK;
  dap_scalapack_aligned_blocks(view, form->block);
  const bool aligned[2] = {needs->align >= DAP_ALIGN_ROWS && !by_columns(view),
                           needs->align >= DAP_ALIGN_SAME};
  for (int k = 0; k < 2; k++) {
    if (!aligned[k]) continue;
    const int owner = dap_scalapack_owner(other, k);
    DAP_REQUIRE(dap_scalapack_inside(other, k) == 0, err, DAP_ERR_UNSUPPORTED,
                "the matrix it is used with begins inside a block, %" PRId64 " elements from its start",
                dap_scalapack_inside(other, k));
    DAP_REQUIRE(owner == 0 || needs->any_sources, err, DAP_ERR_UNSUPPORTED,
                "the matrix it is used with begins on process %s %d, and sources must be 0",
                k == 0 ? "row" : "column", owner);
    form->source[k] = owner;
  }
  return DAP_OK;
}

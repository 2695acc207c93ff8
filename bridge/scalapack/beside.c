/* A view that goes on a grid that there is: that of another view of the same call, or of the caller's context. */
#include "scalapack_impl.h"

#include <inttypes.h>

/* ---- block sizes beside another view ------------------------------------------------------------ */

/* Whether the rows go by the other view's columns. */
static bool by_columns(const dap_scalapack_request *request)
{
  const dap_scalapack_state *like = request->like;
  return request->needs.align == DAP_ALIGN_LONGER && like->size[0] < like->size[1];
}

void dap_scalapack_like_blocks(const dap_scalapack_request *request, int64_t block[2])
{
  const dap_scalapack_state *like = request->like;
  block[0] = like->block[by_columns(request) ? 1 : 0];
  block[1] = request->needs.square_blocks ? block[0] : like->block[1];
}

/* ---- shared --------------------------------------------------------------------------------------- */

/* Where on `grid` the process at (0, 0) of `own` is, if the others follow it there as they do in `own`. */
static bool find_shift(const dap_blacs_map *own, const dap_blacs_map *grid, int shift[2])
{
  if (own->nprow != grid->nprow || own->npcol != grid->npcol) return false;
  if (!dap_blacs_map_find(grid, own->ranks[0], shift)) return false;
  for (int q = 0; q < own->npcol; q++) {
    for (int p = 0; p < own->nprow; p++) {
      const int row = (int)(((int64_t)p + shift[0]) % own->nprow);
      const int col = (int)(((int64_t)q + shift[1]) % own->npcol);
      if (dap_blacs_map_rank(own, p, q) != dap_blacs_map_rank(grid, row, col)) return false;
    }
  }
  return true;
}

/* One dimension: blocks of the other view's size, and the first element at the same place in the same process' block. */
static dap_status check_dimension(const dap_scalapack_request *request, const dap_scalapack_form *form, int k,
                                  dap_error *why)
{
  static const char *const names[2] = {"row", "column"};
  const dap_scalapack_state *like = request->like;
  const bool across = k == 0 && by_columns(request);
  const int64_t block = like->block[across ? 1 : k];
  DAP_REQUIRE(form->block[k] == block, why, DAP_ERR_SHARE,
              "its %ss are in blocks of %" PRId64
              ", those of the view that it goes with in blocks of %" PRId64,
              names[k], form->block[k], block);
  const int axis = dap_scalapack_swap(form->op, k);
  if (across || request->shape[axis] == 0 || like->size[k] == 0) return DAP_OK;
  const int procs = k == 0 ? form->map.nprow : form->map.npcol;
  const int owner = (int)((form->start[k] / block + form->source[k]) % procs);
  DAP_REQUIRE(owner == like->owner[k] && form->start[k] % block == like->inside[k], why, DAP_ERR_SHARE,
              "its first %s is number %" PRId64
              " of a block of process %s %d, that of the view that it goes with number %" PRId64
              " of process %d",
              names[k], form->start[k] % block, names[k], owner, like->inside[k], like->owner[k]);
  return DAP_OK;
}

dap_status dap_scalapack_fit_beside(const dap_scalapack_request *request, dap_scalapack_form *form,
                                    dap_error *why)
{
  const dap_blacs_map *grid = &request->given->map;
  int shift[2] = {0, 0};
  const bool empty = form->size[0] == 0 || form->size[1] == 0;
  const bool sits = empty ? form->map.nprow == grid->nprow && form->map.npcol == grid->npcol
                          : find_shift(&form->map, grid, shift);
  DAP_REQUIRE(sits, why, DAP_ERR_SHARE, "the array's processes do not sit on the grid as those of %s",
              request->like ? "the view that it goes with" : "the context");
  DAP_REQUIRE(request->needs.any_sources || (shift[0] == 0 && shift[1] == 0), why, DAP_ERR_SHARE,
              "the first block would be on process (%d, %d) of %s, and must be on (0, 0)", shift[0], shift[1],
              request->like ? "the grid of the view that it goes with" : "the context's grid");
  for (int k = 0; k < 2; k++) form->source[k] = shift[k];
  for (int i = 0; i < grid->nprow * grid->npcol; i++) form->map.ranks[i] = grid->ranks[i]; /* as many */
  if (!request->like) return DAP_OK;
  if (request->needs.align >= DAP_ALIGN_ROWS) DAP_TRY(check_dimension(request, form, 0, why));
  return request->needs.align == DAP_ALIGN_SAME ? check_dimension(request, form, 1, why) : DAP_OK;
}

/* ---- moved ---------------------------------------------------------------------------------------- */

dap_status dap_scalapack_move_beside(const dap_scalapack_request *request, dap_scalapack_form *form,
                                     dap_error *err)
{
  const dap_scalapack_state *like = request->like;
  DAP_TRY(dap_blacs_map_copy(&form->map, &request->given->map, err));
  if (!like) return DAP_OK;
  dap_scalapack_like_blocks(request, form->block);
  const bool aligned[2] = {request->needs.align >= DAP_ALIGN_ROWS && !by_columns(request),
                           request->needs.align == DAP_ALIGN_SAME};
  for (int k = 0; k < 2; k++) {
    if (!aligned[k]) continue;
    DAP_REQUIRE(like->inside[k] == 0, err, DAP_ERR_UNSUPPORTED,
                "the view that it goes with begins inside a block, %" PRId64 " elements from its start",
                like->inside[k]);
    DAP_REQUIRE(like->owner[k] == 0 || request->needs.any_sources, err, DAP_ERR_UNSUPPORTED,
                "the view that it goes with begins on process %s %d, and sources must be 0",
                k == 0 ? "row" : "column", like->owner[k]);
    form->source[k] = like->owner[k];
  }
  return DAP_OK;
}

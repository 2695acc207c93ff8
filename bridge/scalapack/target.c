/* Where a moved view goes: the process grid and the block sizes. */
#include "scalapack_impl.h"

#include <inttypes.h>

/* Large enough for fast block operations, small enough for an even load (ScaLAPACK Users' Guide,
 * chapter 5, "Achieving High Performance"). */
enum { USUAL_BLOCK = 64 };

/* Two factors of `nprocs` as equal as can be: procs[longer] >= the other. */
static void squarest(int nprocs, int longer, int procs[2])
{
  int small = 1;
  for (int f = 1; (int64_t)f * f <= nprocs; f++) {
    if (nprocs % f == 0) small = f;
  }
  procs[1 - longer] = small;
  procs[longer] = nprocs / small;
}

/* Processes per axis of the array. */
static void choose_grid(const dap_scalapack_request *request, int procs[2])
{
  const int *grid = request->options.grid;
  const int nprocs = request->nprocs;
  if (grid[0] || grid[1]) {
    procs[0] = grid[0] ? grid[0] : nprocs / grid[1];
    procs[1] = nprocs / procs[0];
    return;
  }
  for (int k = 0; k < 2; k++) procs[k] = dap_layout_procs(request->layout, k);
  if (procs[0] > 1 && procs[1] > 1) return;
  squarest(nprocs, request->shape[0] >= request->shape[1] ? 0 : 1, procs);
}

/* The usual block size, or less so that every process along the dimension gets a part; 0 for one that has
 * no say, being on one process or too short to reach all. */
static int64_t dimension_block(int64_t size, int procs)
{
  if (procs == 1) return 0;
  const int64_t share = size / procs;
  return share < USUAL_BLOCK ? share : USUAL_BLOCK;
}

/* What the needs leave of a block size that nobody asked for. */
static int64_t bounded(const dap_scalapack_request *request, const dap_scalapack_form *form, int64_t block)
{
  const dap_matrix_needs *needs = &request->needs;
  const bool several = needs->several_blocks && form->map.nprow * (int64_t)form->map.npcol > 1;
  if (several && block > form->size[1] - 1) block = form->size[1] - 1;
  if (needs->most_block && block > needs->most_block) block = needs->most_block;
  if (block < needs->least_block) block = needs->least_block;
  return block < 1 ? 1 : block;
}

/* The dimension that allows the larger blocks decides, so that narrow matrices keep blocks worth having. */
static void choose_blocks(const dap_scalapack_request *request, dap_scalapack_form *form)
{
  const int64_t *wanted = request->options.block_size; /* per axis */
  const int procs[2] = {form->map.nprow, form->map.npcol};
  int64_t usual = 0;
  for (int k = 0; k < 2; k++) {
    const int64_t size = dimension_block(form->size[k], procs[k]);
    if (size > usual) usual = size;
  }
  if (usual == 0) usual = USUAL_BLOCK;
  for (int k = 0; k < 2; k++) {
    const int axis = dap_scalapack_swap(form->op, k);
    const int64_t wish = wanted[axis] ? wanted[axis] : wanted[1 - axis];
    form->block[k] = wish ? wish : bounded(request, form, usual);
  }
}

/* A view that others' blocks or the extents keep from being what the routine needs. */
static dap_status check_needs(const dap_scalapack_request *request, const dap_scalapack_form *form,
                              dap_error *err)
{
  const dap_matrix_needs *needs = &request->needs;
  const int64_t *block = form->block;
  DAP_REQUIRE(!needs->square_blocks || block[0] == block[1], err, DAP_ERR_UNSUPPORTED,
              "square blocks are needed, and the view that it goes with has %" PRId64 " x %" PRId64, block[0],
              block[1]);
  for (int k = 0; k < 2; k++)
    DAP_REQUIRE(block[k] >= needs->least_block && (!needs->most_block || block[k] <= needs->most_block), err,
                DAP_ERR_UNSUPPORTED, "no view has blocks of %" PRId64 " and within %" PRId64 " .. %" PRId64,
                block[k], needs->least_block, needs->most_block);
  const bool spread = form->map.nprow * (int64_t)form->map.npcol > 1;
  DAP_REQUIRE(!needs->several_blocks || !spread || form->size[1] > block[1] || form->size[1] == 0, err,
              DAP_ERR_UNSUPPORTED,
              "more than one block of columns is needed on several processes, and the matrix has %" PRId64
              " in blocks of %" PRId64,
              form->size[1], block[1]);
  const int64_t nprocs = form->map.nprow * (int64_t)form->map.npcol;
  DAP_REQUIRE(!needs->spans_grid || form->size[0] >= nprocs || form->size[1] >= nprocs ||
                  form->size[0] == 0 || form->size[1] == 0,
              err, DAP_ERR_UNSUPPORTED,
              "as many rows or columns as processes are needed, and the matrix has %" PRId64 " x %" PRId64
              " on %" PRId64,
              form->size[0], form->size[1], nprocs);
  return DAP_OK;
}

dap_status dap_scalapack_target(const dap_scalapack_request *request, dap_scalapack_form *form,
                                dap_error *err)
{
  for (int k = 0; k < 2; k++) {
    form->size[k] = request->shape[dap_scalapack_swap(form->op, k)];
    form->source[k] = 0;
    form->start[k] = 0;
  }
  if (request->given) {
    DAP_TRY(dap_scalapack_move_beside(request, form, err));
  } else {
    int procs[2];
    choose_grid(request, procs);
    DAP_TRY(dap_blacs_map_of(&form->map, procs, request->ranks, form->op, (const int[2]){0, 0}, err));
  }
  if (!request->like) choose_blocks(request, form);
  return check_needs(request, form, err);
}

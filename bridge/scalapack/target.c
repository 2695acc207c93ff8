/* Where a moved view goes: the process grid and the block sizes. */
#include "scalapack_impl.h"

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

static void choose_grid(const dap_scalapack_request *request, int procs[2])
{
  const dap_layout *layout = request->layout;
  const int *grid = request->options.grid;
  const int nprocs = dap_layout_nprocs(layout);
  if (grid[0] || grid[1]) {
    procs[0] = grid[0] ? grid[0] : nprocs / grid[1];
    procs[1] = nprocs / procs[0];
    return;
  }
  for (int k = 0; k < 2; k++) procs[k] = dap_layout_procs(layout, k);
  if (procs[0] > 1 && procs[1] > 1) return;
  squarest(nprocs, dap_layout_size(layout, 0) >= dap_layout_size(layout, 1) ? 0 : 1, procs);
}

/* The usual block size, or less so that every process along the axis gets a part; 0 for an axis that has
 * no say, being on one process or too short to reach all. */
static int64_t axis_block(int64_t size, int procs)
{
  if (procs == 1) return 0;
  const int64_t share = size / procs;
  return share < USUAL_BLOCK ? share : USUAL_BLOCK;
}

/* The axis that allows the larger blocks decides, so that narrow matrices keep blocks worth having. */
static void choose_blocks(const dap_scalapack_request *request, const int procs[2], int block[2])
{
  const int64_t *wanted = request->options.block_size;
  int64_t usual = 0;
  for (int k = 0; k < 2; k++) {
    const int64_t size = axis_block(dap_layout_size(request->layout, k), procs[k]);
    if (size > usual) usual = size;
  }
  if (usual == 0) usual = USUAL_BLOCK;
  for (int k = 0; k < 2; k++) {
    block[k] = (int)(wanted[k] ? wanted[k] : wanted[1 - k] ? wanted[1 - k] : usual); /* checked: fits int */
  }
}

void dap_scalapack_target(const dap_scalapack_request *request, dap_scalapack_form *form)
{
  if (request->like) {
    const dap_scalapack_state *like = request->like;
    form->map = like->grid->map;
    for (int k = 0; k < 2; k++) {
      form->block[k] = like->block[request->options.square_blocks ? 0 : dap_scalapack_swap(form->op, k)];
    }
    return;
  }
  int procs[2];
  choose_grid(request, procs);
  choose_blocks(request, procs, form->block);
  form->map = dap_blacs_map_make(procs, (const int[2]){0, 0}, form->op, NULL);
}

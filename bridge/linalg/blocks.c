/* Chooses the blocks of copies. dap_matrix_check_speed() decides which blocks are worth sharing. */
#include "linalg_impl.h"

#include <string.h>

/* Products and norms take blocks of any size. */
static bool is_factorisation(const char *routine)
{
  static const char *const others[] = {"gemm", "syrk", "herk", "trmm", "trsm", "lange", "laset"};
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
    if (routine && strcmp(routine, others[k]) == 0) return false;
  return true;
}

/* Lets a copy that keeps values lie in the array's own blocks, if they are good and equal. Operands that lie
 * beside the array then lie beside the copy. */
static void take_own_blocks(const dap_linalg_call *call, int i, dap_scalapack_options *o)
{
  const dap_layout *layout = call->arguments.operands[i].operand.layout;
  int64_t own = 0;
  if (!call->kept[i] || o->aligned_with || o->block_size[0] || o->block_size[1]) return;
  for (int axis = 0; axis < dap_layout_ndim(layout); axis++) {
    dap_blocks blocks;
    dap_error ignored;
    if (dap_layout_blocks(layout, axis, &blocks, &ignored)) return;
    if (blocks.size && own && blocks.size != own) return;
    if (blocks.size) own = blocks.size;
  }
  const int64_t rows = dap_linalg_rows(call, i), cols = dap_linalg_cols(call, i);
  const bool reach_all = own <= (rows < cols ? rows : cols) / call->nprocs;
  if (o->needs.most_block && own > o->needs.most_block) return;
  if (own >= DAP_FAST_BLOCK_LEAST && own <= DAP_FAST_BLOCK_MOST && reach_all)
    o->block_size[0] = o->block_size[1] = own;
}

void dap_linalg_choose_blocks(const dap_linalg_call *call, int i, dap_scalapack_options *o)
{
  if (call->arguments.operands[i].own) return; /* it is shared as it lies */
  take_own_blocks(call, i, o);
  o->needs.factorised = !o->aligned_with && is_factorisation(o->routine);
}

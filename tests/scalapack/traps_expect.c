/* What must come of a trap, from its row and the routine's alone. */
#include "traps.h"

/* ---- the first operand ------------------------------------------------------------------------------ */

/* Whether the first operand must be moved. `as` is the descriptor of how it lies. */
bool trap_must_move(const trap *t, const dap_scalapack_matrix *as)
{
  const dap_matrix_needs *needs = &t->routine->needs;
  const trap_lie *lie = &t->place->first;
  bool move = needs->square_blocks && lie->block[0] != lie->block[1] && t->procs[0] > 1 && t->procs[1] > 1;
  for (int k = 0; k < 2; k++) {
    const int64_t start = lie->start[k];
    move = move || (!needs->any_sources && lie->rotated[k] && t->procs[k] > 1);
    move = move || (needs->offset == DAP_OFFSET_NONE && start > 0);
    move = move || (needs->offset == DAP_OFFSET_BLOCK && start % as->desc[4 + k] != 0);
  }
  return move || (needs->several_blocks && test_nprocs() > 1 && as->n <= lie->block[1]);
}

/* ---- the other operands ---------------------------------------------------------------------------- */

bool trap_is_beside(const trap *t)
{
  const trap_lie *a = &t->place->first, *b = &t->place->others;
  bool alike = !b->turned;
  for (int k = 0; k < 2; k++)
    alike =
        alike && a->block[k] == b->block[k] && a->rotated[k] == b->rotated[k] && a->start[k] == b->start[k];
  return !alike;
}

/* Of one dimension: blocks, and where they begin, beside the first's as it is seen. */
static const char *differ(const trap *t, int d, int across)
{
  const trap_lie *b = &t->place->others;
  if (t->procs[d] == 1) return NULL;
  if (b->block[d] != t->views[0].desc[4 + across]) return "in blocks of";
  const int64_t begin = b->start[d] / b->block[d] + (b->rotated[d] ? t->procs[d] - 1 : 0);
  return d == across && begin % t->procs[d] != 0 ? "its first|that of the matrix it is used with" : NULL;
}

/* Why another operand must be moved, or NULL. The first lies as it should. */
const char *trap_other_reason(const trap *t)
{
  const dap_matrix_needs *needs = &t->routine->needs;
  const trap_lie *b = &t->place->others;
  const bool wide = t->routine->align == DAP_ALIGN_LONGER && t->size[0][0] < t->size[0][1];
  const bool part = b->start[0] > 0 || b->start[1] > 0;
  const char *why = NULL;
  if (needs->offset == DAP_OFFSET_NONE && part) return "the whole matrix is needed";
  if (needs->offset == DAP_OFFSET_BLOCK && part && t->procs[0] == 1 &&
      t->views[0].desc[wide ? 5 : 4] > b->start[0])
    return "inside a block";
  if (needs->offset == DAP_OFFSET_NONE && b->block[0] != b->block[1] && t->procs[0] > 1 && t->procs[1] > 1)
    return "square blocks are needed";
  for (int d = 0; d < 2; d++)
    if (!needs->any_sources && b->rotated[d] && t->procs[d] > 1) return "first block is on process";
  if (t->routine->align >= DAP_ALIGN_ROWS) why = differ(t, 0, wide ? 1 : 0);
  if (!why && t->routine->align == DAP_ALIGN_SAME) why = differ(t, 1, 1);
  return why ? why : b->turned ? "contiguous" : NULL;
}

const char *trap_reason(const trap *t)
{
  if (!t->place->first.start[0] && !t->place->first.start[1]) return t->place->reason;
  return t->routine->needs.offset == DAP_OFFSET_NONE ? "the whole matrix is needed"
                                                     : "the sub-matrix begins in|inside a block";
}

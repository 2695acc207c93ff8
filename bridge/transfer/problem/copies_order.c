/* In which order the copies of a block of the destination get what a block of the source has, what of it each
 * gets in the first pass, and who hands it to whom in later ones. */
#include "copies_impl.h"

#include <string.h>

/* For each copy, where there are more blocks: as many as keep all at work if blocks differ. */
enum { PARTS = 4 };

/* ---- the first pass --------------------------------------------------------------------------------- */

/* The number of block from[] among the source's. */
static int block_of(const dap_problem *problem, const int from[])
{
  bool chosen[DAP_MAX_NDIM] = {false};
  for (int k = 0; k < problem->ndim; k++)
    chosen[k] = !problem->copies->is_replicated[k] && !problem->copies->is_partial[k];
  return dap_copies_number_along(problem, true, chosen, from);
}

/* The number of block to[] among the destination's. */
static int target_block_of(const dap_problem *problem, const int to[])
{
  bool chosen[DAP_MAX_NDIM] = {false};
  for (int k = 0; k < problem->ndim; k++) chosen[k] = !problem->copies->is_target[k];
  return dap_copies_number_along(problem, false, chosen, to);
}

/* Sets by_target[] to the copies of all blocks of the destination whose processes have block from[], or a
 * term of it; unless it is those already. */
static void find_holders(const dap_problem *problem, const int from[], int block)
{
  dap_copies *c = problem->copies;
  bool chosen[DAP_MAX_NDIM] = {false};
  int coords[DAP_MAX_NDIM], to[DAP_MAX_NDIM];
  if (c->has_holders && block == c->holders_of) return;
  memcpy(coords, from, (size_t)problem->ndim * sizeof *coords);
  for (int k = 0; k < problem->ndim; k++) chosen[k] = c->is_replicated[k] || c->is_partial[k];
  c->held = 0;
  for (int i = 0; i < c->replicas * c->terms; i++) {
    dap_copies_coords_along(problem, true, chosen, i, coords);
    if (dap_copies_find(problem, false, dap_problem_rank(problem, true, coords), to))
      c->by_target[c->held++] = (dap_grouped){target_block_of(problem, to), dap_copies_number(problem, to)};
  }
  dap_grouped_sort(c->by_target, c->held);
  c->holders_of = block;
  c->has_holders = true;
}

/* In how many parts terms are added up where no copy has any. If all copies had a part of each block, each
 * would get something from all of the source, and hand as much on; that is left where the destination is cut,
 * so that a copy may meet few of the blocks. */
static int count_parts(const dap_problem *problem)
{
  const dap_copies *c = problem->copies;
  const int64_t parts = ((int64_t)PARTS * c->targets + c->blocks - 1) / c->blocks;
  return problem->to->nprocs > c->targets || parts > c->targets ? c->targets : (int)parts;
}

/* Those that have it come first, then, in turn, the others behind the first of them: so what one process
 * hands to another is of blocks that follow each other. If nobody has it, another one is first for each
 * block, so that not all blocks are handed out, nor their terms added up, by one process. */
dap_order_of_copies dap_copies_order(const dap_problem *problem, const int from[], const int to[])
{
  const dap_copies *c = problem->copies;
  const int block = block_of(problem, from);
  int first;
  find_holders(problem, from, block);
  const int count = dap_grouped_find(c->by_target, c->held, target_block_of(problem, to), &first);
  const int parts = count > 0 ? count : count_parts(problem);
  const int64_t step = problem->sums && parts < c->targets ? parts : 1;
  const dap_grouped *holders = c->by_target + first;
  return (dap_order_of_copies){.holders = holders,
                               .count = count,
                               .others = c->targets - count,
                               .parts = parts,
                               .shift = count > 0 ? holders->copy : (int)(block * step % c->targets)};
}

int dap_copies_place(const dap_order_of_copies *order, int number)
{
  int low = 0, high = order->count; /* holders of a lower number */
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (order->holders[middle].copy < number)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < order->count && order->holders[low].copy == number) return low;
  const int others = order->others;
  return order->count + (number - low - order->shift % others + others) % others;
}

int dap_copies_at(const dap_order_of_copies *order, int place)
{
  if (place < order->count) return order->holders[place].copy;
  const int other = (place - order->count + order->shift % order->others) % order->others;
  int low = 0, high = order->count; /* holders before that one */
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (order->holders[middle].copy - middle <= other)
      low = middle + 1;
    else
      high = middle;
  }
  return other + low;
}

int dap_copies_start(const dap_problem *problem, int holders)
{
  const dap_copies *c = problem->copies;
  const int64_t served = holders + (int64_t)c->replicas * c->fan_out;
  return c->is_tree && served < c->targets ? (int)served : c->targets;
}

/* Copies share the work of adding up: those that have a term, so that it stays, or if none has, others. */
dap_portion dap_copies_portion(const dap_problem *problem, bool sums, const int from[], const int to[])
{
  const dap_copies *c = problem->copies;
  if (c->targets == 1 || (!sums && !c->is_tree)) return (dap_portion){0, 1};
  const dap_order_of_copies order = dap_copies_order(problem, from, to);
  const int place = dap_copies_place(&order, dap_copies_number(problem, to));
  if (!sums) return (dap_portion){0, place < dap_copies_start(problem, order.count)};
  return (dap_portion){place, place < order.parts ? order.parts : 0};
}

/* ---- later passes ----------------------------------------------------------------------------------- */

dap_broadcast_step dap_copies_broadcast_step(const dap_problem *problem, int start, int pass)
{
  const dap_copies *c = problem->copies;
  int64_t have = start;
  for (int i = 1; i < pass && have < c->targets; i++) have += c->is_tree ? have * c->fan_out : c->targets;
  const int64_t then = have + (c->is_tree ? have * c->fan_out : c->targets);
  return (dap_broadcast_step){.have = (int)dap_smaller(have, c->targets),
                              .then = (int)dap_smaller(then, c->targets)};
}

/* From one that has it to all. */
int dap_copies_passes(const dap_problem *problem)
{
  const dap_copies *c = problem->copies;
  if (!c || c->targets == 1 || (c->terms == 1 && !c->is_tree)) return 1;
  int passes = 1;
  for (int64_t have = c->terms > 1 ? 1 : dap_copies_start(problem, 0); have < c->targets; passes++)
    have += c->is_tree ? have * c->fan_out : c->targets;
  return passes;
}

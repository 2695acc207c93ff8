/* Chooses the order in which the copies of a block of the destination get the elements of a block of the
 * source: the segment that each copy receives in the first pass, and which copies send to which in later
 * passes. */
#include "problem_impl.h"

#include <string.h>

/* Parts that each copy adds up where there are more blocks than copies. This many keep all copies at work if
 * blocks differ. */
enum { PARTS = 4 };

/* Sets holders[] to the copies of all blocks of the destination whose processes have block from[], or an
 * addend of it. It keeps the last ones, because many channels ask for the same. */
static void find_holders(const dap_problem *problem, const int from[], int block)
{
  dap_copies *c = problem->copies;
  bool chosen[DAP_MAX_NDIM];
  int coords[DAP_MAX_NDIM], to[DAP_MAX_NDIM];
  if (block == c->holders_of) return;
  memcpy(coords, from, (size_t)problem->ndim * sizeof *coords);
  for (int k = 0; k < problem->ndim; k++) chosen[k] = !c->from_block[k];
  c->holder_count = 0;
  for (int i = 0; i < c->from_replicas * c->addends; i++) {
    dap_copies_coords_along(problem, true, chosen, i, coords);
    if (c->from_owners && dap_copies_number_along(problem, true, c->from_replicated, coords) > 0) continue;
    if (dap_copies_find(problem, false, dap_problem_rank(problem, true, coords), to))
      c->holders[c->holder_count++] = (dap_grouped){dap_copies_number_along(problem, false, c->to_block, to),
                                                    dap_copies_number(problem, to)};
  }
  dap_grouped_sort(c->holders, c->holder_count);
  c->holders_of = block;
}

/* Returns the number of parts in which addends are added up where no copy has any. If each copy had a part of
 * every block, it would receive from all of the source and send on as much. Only a destination that is cut
 * has as many parts as copies, because each of its copies may meet few of the blocks. */
static int count_parts(const dap_problem *problem)
{
  const dap_copies *c = problem->copies;
  const int64_t parts = ((int64_t)PARTS * c->to_replicas + c->blocks - 1) / c->blocks;
  return problem->to.layout->nprocs > c->to_replicas || parts > c->to_replicas ? c->to_replicas : (int)parts;
}

/* Copies that have the block come first. The others follow in turn, so that one process sends blocks that
 * follow each other to another. If no copy has the block, the first copy differs from block to block, so that
 * all processes share the work. */
dap_order_of_copies dap_copies_order(const dap_problem *problem, const int from[], const int to[])
{
  const dap_copies *c = problem->copies;
  const int block = dap_copies_number_along(problem, true, c->from_block, from);
  int first;
  find_holders(problem, from, block);
  const int count = dap_grouped_find(c->holders, c->holder_count,
                                     dap_copies_number_along(problem, false, c->to_block, to), &first);
  const int parts = count > 0 ? count : count_parts(problem);
  const int64_t step = problem->sums && parts < c->to_replicas ? parts : 1;
  const dap_grouped *holders = c->holders + first;
  return (dap_order_of_copies){.holders = holders,
                               .count = count,
                               .others = c->to_replicas - count,
                               .parts = parts,
                               .shift = count > 0 ? holders->copy : (int)(block * step % c->to_replicas)};
}

int dap_copies_place(const dap_order_of_copies *order, int number)
{
  const int count = order->count, others = order->others;
  const int before = count > 0 ? dap_grouped_before(order->holders, count, order->holders->group, number) : 0;
  if (before < count && order->holders[before].copy == number) return before;
  return count + (number - before - order->shift % others + others) % others;
}

int dap_copies_at(const dap_order_of_copies *order, int place)
{
  if (place < order->count) return order->holders[place].copy;
  const int other = (place - order->count + order->shift % order->others) % order->others;
  int low = 0, high = order->count; /* becomes the number of holders before the copy */
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
  const int64_t served = holders + (int64_t)(c->from_owners ? 1 : c->from_replicas) * c->fan_out;
  return c->is_tree && served < c->to_replicas ? (int)served : c->to_replicas;
}

/* Copies with an addend share the work of adding up, so that their addends stay. If no copy has one, other
 * copies share it. */
dap_block_segment dap_copies_segment(const dap_problem *problem, bool sums, const int from[], const int to[])
{
  const dap_copies *c = problem->copies;
  if (c->to_replicas == 1 || (!sums && !c->is_tree)) return (dap_block_segment){0, 1};
  const dap_order_of_copies order = dap_copies_order(problem, from, to);
  const int place = dap_copies_place(&order, dap_copies_number(problem, to));
  if (!sums) return (dap_block_segment){0, place < dap_copies_start(problem, order.count)};
  return (dap_block_segment){place, place < order.parts ? order.parts : 0};
}

dap_broadcast_step dap_copies_broadcast_step(const dap_problem *problem, int start, int pass)
{
  const dap_copies *c = problem->copies;
  int64_t have = start;
  for (int i = 1; i < pass && have < c->to_replicas; i++)
    have += c->is_tree ? have * c->fan_out : c->to_replicas;
  const int64_t then = have + (c->is_tree ? have * c->fan_out : c->to_replicas);
  return (dap_broadcast_step){.have = (int)dap_smaller(have, c->to_replicas),
                              .then = (int)dap_smaller(then, c->to_replicas)};
}

/* Counts from one copy that has the block. */
int dap_copies_passes(const dap_problem *problem)
{
  const dap_copies *c = problem->copies;
  if (!c || c->to_replicas == 1 || (c->addends == 1 && !c->is_tree)) return 1;
  int passes = 1;
  for (int64_t have = c->addends > 1 ? 1 : dap_copies_start(problem, 0); have < c->to_replicas; passes++)
    have += c->is_tree ? have * c->fan_out : c->to_replicas;
  return passes;
}

/* Who is read and who is written where several processes have the same elements: axes that are replicated or
 * partial.
 *
 * A process of the source is a block p, the copy of it that it is and the term of it that it has: its
 * coordinates along the other axes, along replicated and along partial ones. A process of the destination is
 * a block q and a copy of that. What p has for q must get to all copies of q, and the fewest transfers of an
 * element are
 *     copies of q that are not on processes that have p, where p has one term;
 *     terms - 1, and copies of q - 1, and 1 more if no copy of q is on a process that has a term of p:
 * before any process has the sum each term but one has to leave its process, and each other copy takes one
 * transfer more. Both ends of a channel choose by the same rules, from the layouts and nodes alone. */
#include "problem_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
  FAN_OUT = 4,
  MANY = 8,  /* copies for one process that has the elements, from which a tree pays */
  PARTS = 4, /* for each copy, where there are more blocks: as many as keep all at work if blocks differ */
};

/* ---- numbers --------------------------------------------------------------------------------------- */

/* The number, row-major, of the coordinates along the chosen axes of a side; and back. */
static int number_of(const dap_problem *problem, bool of_from, const bool chosen[], const int coords[])
{
  int number = 0;
  for (int k = 0; k < problem->ndim; k++)
    if (chosen[k]) {
      const dap_map *map = of_from ? dap_problem_from_map(problem, k) : dap_problem_to_map(problem, k);
      number = number * map->axis.procs + coords[k];
    }
  return number;
}

static void coords_of(const dap_problem *problem, bool of_from, const bool chosen[], int number, int coords[])
{
  for (int k = problem->ndim - 1; k >= 0; k--)
    if (chosen[k]) {
      const dap_map *map = of_from ? dap_problem_from_map(problem, k) : dap_problem_to_map(problem, k);
      coords[k] = number % map->axis.procs;
      number /= map->axis.procs;
    }
}

int dap_copies_number(const dap_problem *problem, const int to[])
{
  return number_of(problem, false, problem->copies->is_target, to);
}

void dap_copies_coords(const dap_problem *problem, int number, int to[])
{
  coords_of(problem, false, problem->copies->is_target, number, to);
}

/* ---- made ------------------------------------------------------------------------------------------ */

static void count_axes(const dap_problem *problem, dap_copies *c)
{
  c->replicas = c->terms = c->targets = c->blocks = 1;
  for (int k = 0; k < problem->ndim; k++) {
    const dap_axis *from = &dap_problem_from_map(problem, k)->axis,
                   *to = &dap_problem_to_map(problem, k)->axis;
    c->is_replicated[k] = from->replicated;
    c->is_partial[k] = from->partial;
    c->is_target[k] = to->replicated;
    *(from->replicated ? &c->replicas : from->partial ? &c->terms : &c->blocks) *= from->procs;
    if (to->replicated) c->targets *= to->procs;
  }
}

/* A tree takes more passes, which pays where a block has to get to many more processes than have it, and
 * where the blocks alone do not keep all processes busy. */
static void choose_tree(const dap_plan_options *o, dap_copies *c)
{
  c->fan_out = o->fan_out > 0 ? o->fan_out : FAN_OUT;
  const int64_t holders = c->terms > 1 ? 1 : c->replicas;
  const bool pays = c->targets > MANY * holders && c->targets >= 4 * (int64_t)c->blocks && c->terms == 1;
  c->is_tree = o->fan_out > 0 ? c->targets > holders : pays;
}

static dap_status set_numbers(const dap_layout *layout, const int *ranks, dap_numbers *n, dap_error *err)
{
  const int nprocs = layout->nprocs;
  n->count = nprocs;
  if (!ranks) return DAP_OK;
  for (int i = 0; i < nprocs; i++)
    if (ranks[i] >= n->count) n->count = ranks[i] + 1;
  n->process = malloc((size_t)n->count * sizeof *n->process);
  DAP_REQUIRE(n->process, err, DAP_ERR_NOMEM, "no memory for the ranks of %d processes", nprocs);
  for (int r = 0; r < n->count; r++) n->process[r] = -1;
  for (int i = 0; i < nprocs; i++) n->process[ranks[i]] = i;
  return DAP_OK;
}

dap_status dap_copies_create(const dap_plan_options *options, dap_problem *problem, dap_error *err)
{
  dap_copies counted = {0};
  dap_copies_release(problem);
  count_axes(problem, &counted);
  if (counted.replicas == 1 && counted.terms == 1 && counted.targets == 1) return DAP_OK;
  choose_tree(options, &counted);
  dap_copies *c = problem->copies = malloc(sizeof *c);
  DAP_REQUIRE(c, err, DAP_ERR_NOMEM, "no memory for a plan of copies");
  *c = counted;
  const size_t holders = (size_t)c->replicas * (size_t)c->terms;
  c->by_host = malloc((size_t)c->replicas * sizeof *c->by_host);
  c->by_target = malloc(holders * sizeof *c->by_target);
  DAP_REQUIRE(c->by_host && c->by_target, err, DAP_ERR_NOMEM, "no memory for a plan of %zu copies", holders);
  DAP_TRY(set_numbers(problem->from, problem->from_ranks, &c->from, err));
  return set_numbers(problem->to, problem->to_ranks, &c->to, err);
}

void dap_copies_release(dap_problem *problem)
{
  dap_copies *c = problem->copies;
  if (!c) return;
  free(c->from.process);
  free(c->to.process);
  free(c->by_host);
  free(c->by_target);
  free(c);
  problem->copies = NULL;
}

static int64_t numbers_memory(const dap_numbers *n)
{
  return n->process ? n->count * (int64_t)sizeof *n->process : 0;
}

int64_t dap_copies_memory(const dap_problem *problem)
{
  const dap_copies *c = problem->copies;
  if (!c) return 0;
  const int64_t copies = c->replicas + (int64_t)c->replicas * c->terms;
  return (int64_t)sizeof *c + copies * (int64_t)sizeof *c->by_host + numbers_memory(&c->from) +
         numbers_memory(&c->to);
}

/* ---- grouped ------------------------------------------------------------------------------------------- */

static int compare_grouped(const void *a, const void *b)
{
  const dap_grouped *x = a, *y = b;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  return (x->copy > y->copy) - (x->copy < y->copy);
}

/* Those of sorted ones that are in a group: all[*first, *first + their number). */
static int find_group(const dap_grouped all[], int count, int group, int *first)
{
  int ends[2];
  for (int i = 0; i < 2; i++) { /* the first of this group or a later one; and of a later one */
    int low = 0, high = count;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (all[middle].group < group || (i == 1 && all[middle].group == group))
        low = middle + 1;
      else
        high = middle;
    }
    ends[i] = low;
  }
  *first = ends[0];
  return ends[1] - ends[0];
}

/* ---- who is read ------------------------------------------------------------------------------------- */

/* Coordinates of the process of a side that a rank is; false: it is none. */
static bool find_coords(const dap_problem *problem, bool of_from, int rank, int coords[])
{
  const dap_numbers *numbers = of_from ? &problem->copies->from : &problem->copies->to;
  const int process = rank >= numbers->count ? -1 : numbers->process ? numbers->process[rank] : rank;
  if (process >= 0) dap_problem_coords(problem, of_from, process, coords);
  return process >= 0;
}

/* The rank has block and term from[]; own[]: its coordinates, then. */
static bool has(const dap_problem *problem, int rank, const int from[], int own[])
{
  if (!find_coords(problem, true, rank, own)) return false;
  for (int k = 0; k < problem->ndim; k++)
    if (own[k] != from[k] && !problem->copies->is_replicated[k]) return false;
  return true;
}

/* Sets by_host[] to the copies of block and term from[], unless it is those already: channels ask for the
 * same again and again. from[] is changed along replicated axes. */
static void find_hosts(const dap_problem *problem, int from[])
{
  dap_copies *c = problem->copies;
  bool chosen[DAP_MAX_NDIM] = {false};
  for (int k = 0; k < problem->ndim; k++) chosen[k] = !c->is_replicated[k];
  const int number = number_of(problem, true, chosen, from);
  if (c->has_hosts && number == c->hosts_of) return;
  for (int i = 0; i < c->replicas; i++) {
    coords_of(problem, true, c->is_replicated, i, from);
    c->by_host[i] = (dap_grouped){c->hosts[dap_problem_rank(problem, true, from)], i};
  }
  qsort(c->by_host, (size_t)c->replicas, sizeof *c->by_host, compare_grouped);
  c->hosts_of = number;
  c->has_hosts = true;
}

/* Sets from[] along replicated axes to the copy that `rank` reads: its own; else one on its node, else any,
 * so that those who read are spread over them. */
static void find_nearest(const dap_problem *problem, int rank, int from[])
{
  const dap_copies *c = problem->copies;
  int chosen = rank % c->replicas, own[DAP_MAX_NDIM];
  if (c->replicas == 1) return;
  if (has(problem, rank, from, own)) {
    memcpy(from, own, (size_t)problem->ndim * sizeof *from);
    return;
  }
  if (c->hosts) {
    find_hosts(problem, from);
    int first;
    const int near = find_group(c->by_host, c->replicas, c->hosts[rank], &first);
    if (near > 0) chosen = c->by_host[first + rank % near].copy;
  }
  coords_of(problem, true, c->is_replicated, chosen, from);
}

int dap_copies_first(const dap_problem *problem, int rank)
{
  int own[DAP_MAX_NDIM];
  if (!find_coords(problem, true, rank, own)) return rank;
  for (int k = 0; k < problem->ndim; k++)
    if (problem->copies->is_replicated[k]) own[k] = 0;
  return dap_problem_rank(problem, true, own);
}

static bool is_first_term(const dap_problem *problem, const int from[])
{
  return number_of(problem, true, problem->copies->is_partial, from) == 0;
}

bool dap_copies_read(const dap_problem *problem, dap_reads reads, bool is_send, int from[], const int to[])
{
  int nearest[DAP_MAX_NDIM];
  const size_t bytes = (size_t)problem->ndim * sizeof *from;
  if (reads == DAP_READS_FIRST && !is_first_term(problem, from)) return false;
  if (reads == DAP_READS_OTHERS && is_first_term(problem, from)) return false;
  if (problem->copies->replicas == 1) return true;
  memcpy(nearest, from, bytes);
  find_nearest(problem, dap_problem_rank(problem, false, to), nearest);
  if (!is_send) memcpy(from, nearest, bytes);
  return memcmp(from, nearest, bytes) == 0;
}

/* ---- who is written ---------------------------------------------------------------------------------- */

/* The number of block from[] among the source's. */
static int block_of(const dap_problem *problem, const int from[])
{
  bool chosen[DAP_MAX_NDIM] = {false};
  for (int k = 0; k < problem->ndim; k++)
    chosen[k] = !problem->copies->is_replicated[k] && !problem->copies->is_partial[k];
  return number_of(problem, true, chosen, from);
}

/* The number of block to[] among the destination's. */
static int target_block_of(const dap_problem *problem, const int to[])
{
  bool chosen[DAP_MAX_NDIM] = {false};
  for (int k = 0; k < problem->ndim; k++) chosen[k] = !problem->copies->is_target[k];
  return number_of(problem, false, chosen, to);
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
    coords_of(problem, true, chosen, i, coords);
    if (find_coords(problem, false, dap_problem_rank(problem, true, coords), to))
      c->by_target[c->held++] = (dap_grouped){target_block_of(problem, to), dap_copies_number(problem, to)};
  }
  qsort(c->by_target, (size_t)c->held, sizeof *c->by_target, compare_grouped);
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
  const int count = find_group(c->by_target, c->held, target_block_of(problem, to), &first);
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

/* ---- later passes -------------------------------------------------------------------------------------- */

dap_handing dap_copies_handing(const dap_problem *problem, int start, int pass)
{
  const dap_copies *c = problem->copies;
  int64_t have = start;
  for (int i = 1; i < pass && have < c->targets; i++) have += c->is_tree ? have * c->fan_out : c->targets;
  const int64_t then = have + (c->is_tree ? have * c->fan_out : c->targets);
  return (dap_handing){.have = (int)dap_smaller(have, c->targets),
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

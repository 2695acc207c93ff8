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

enum { FAN_OUT = 4, MANY = 8 /* copies for one process that has the elements, from which a tree pays */ };

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

static dap_status set_processes(const dap_problem *problem, dap_copies *c, dap_error *err)
{
  const int nprocs = problem->from->nprocs;
  c->processes = nprocs;
  if (!problem->from_ranks) return DAP_OK;
  for (int i = 0; i < nprocs; i++)
    if (problem->from_ranks[i] >= c->processes) c->processes = problem->from_ranks[i] + 1;
  c->process = malloc((size_t)c->processes * sizeof *c->process);
  DAP_REQUIRE(c->process, err, DAP_ERR_NOMEM, "no memory for the ranks of %d processes", nprocs);
  for (int r = 0; r < c->processes; r++) c->process[r] = -1;
  for (int i = 0; i < nprocs; i++) c->process[problem->from_ranks[i]] = i;
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
  c->order = malloc(2 * (size_t)c->targets * sizeof *c->order);
  DAP_REQUIRE(c->order, err, DAP_ERR_NOMEM, "no memory for the order of %d copies", c->targets);
  c->place = c->order + c->targets;
  return set_processes(problem, c, err);
}

void dap_copies_release(dap_problem *problem)
{
  dap_copies *c = problem->copies;
  if (!c) return;
  free(c->process);
  free(c->order);
  free(c);
  problem->copies = NULL;
}

int64_t dap_copies_memory(const dap_problem *problem)
{
  const dap_copies *c = problem->copies;
  if (!c) return 0;
  const int64_t ranks = c->process ? c->processes : 0;
  return (int64_t)sizeof *c + ranks * (int64_t)sizeof *c->process +
         2 * c->targets * (int64_t)sizeof *c->order;
}

/* ---- who is read ------------------------------------------------------------------------------------- */

/* Coordinates [ndim], by pair, of the process of the source that a rank is. */
static bool find_source(const dap_problem *problem, int rank, int coords[])
{
  const dap_copies *c = problem->copies;
  int own[DAP_MAX_NDIM];
  const int process = rank >= c->processes ? -1 : c->process ? c->process[rank] : rank;
  if (process < 0) return false;
  dap_layout_coords(problem->from, process, own);
  for (int k = 0; k < problem->ndim; k++)
    coords[k] = problem->from_axes[k] < 0 ? 0 : own[problem->from_axes[k]];
  return true;
}

/* The rank has block from[], and the term if `of_term`. */
static bool has(const dap_problem *problem, int rank, const int from[], bool of_term)
{
  const dap_copies *c = problem->copies;
  int coords[DAP_MAX_NDIM];
  if (!find_source(problem, rank, coords)) return false;
  for (int k = 0; k < problem->ndim; k++)
    if (coords[k] != from[k] && !c->is_replicated[k] && (of_term || !c->is_partial[k])) return false;
  return true;
}

static bool share_node(const dap_copies *c, int a, int b)
{
  return c->hosts ? c->hosts[a] == c->hosts[b] : a == b;
}

/* Sets from[] along replicated axes to the copy that `rank` reads: its own; else one on its node, else any,
 * so that those who read are spread over them. */
static void find_nearest(const dap_problem *problem, int rank, int from[])
{
  const dap_copies *c = problem->copies;
  if (c->replicas == 1) return;
  if (has(problem, rank, from, true)) {
    int own[DAP_MAX_NDIM];
    (void)find_source(problem, rank, own);
    for (int k = 0; k < problem->ndim; k++)
      if (c->is_replicated[k]) from[k] = own[k];
    return;
  }
  int near = 0, chosen = rank % c->replicas;
  for (int pass = 0; pass < 2; pass++) {
    const int wanted = near > 0 ? rank % near : -1;
    near = 0;
    for (int i = 0; i < c->replicas && (pass == 0 || wanted >= 0); i++) {
      coords_of(problem, true, c->is_replicated, i, from);
      if (!share_node(c, dap_problem_rank(problem, true, from), rank)) continue;
      if (near++ == wanted) chosen = i;
    }
  }
  coords_of(problem, true, c->is_replicated, chosen, from);
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

/* Those that have it come first, then, in turn, the others behind the first of them: so what one process
 * hands to another is of blocks that follow each other. If nobody has it, another one is first for each
 * block, so that not all blocks are handed out by one process. */
static int find_order(const dap_problem *problem, const int from[], const int to[], int block)
{
  const dap_copies *c = problem->copies;
  int coords[DAP_MAX_NDIM], holders = 0;
  memcpy(coords, to, (size_t)problem->ndim * sizeof *coords);
  for (int i = 0; i < c->targets; i++) {
    dap_copies_coords(problem, i, coords);
    if (has(problem, dap_problem_rank(problem, false, coords), from, false)) c->order[holders++] = i;
  }
  const int others = c->targets - holders, first = holders > 0 ? c->order[0] : block;
  for (int i = 0, held = 0, other = 0; i < c->targets; i++) {
    if (held < holders && c->order[held] == i)
      held++;
    else
      c->order[holders + (other++ - first % others + others) % others] = i;
  }
  for (int i = 0; i < c->targets; i++) c->place[c->order[i]] = i;
  return holders;
}

/* One order takes as long as there are copies, and channels ask for the same again and again. */
int dap_copies_order(const dap_problem *problem, const int from[], const int to[])
{
  dap_copies *c = problem->copies;
  const int block = block_of(problem, from), target = target_block_of(problem, to);
  if (c->is_ordered && block == c->ordered[0] && target == c->ordered[1]) return c->holders;
  c->holders = find_order(problem, from, to, block);
  c->ordered[0] = block;
  c->ordered[1] = target;
  c->is_ordered = true;
  return c->holders;
}

int dap_copies_start(const dap_problem *problem, int holders)
{
  const dap_copies *c = problem->copies;
  const int64_t served = holders + (int64_t)c->replicas * c->fan_out;
  return c->is_tree && served < c->targets ? (int)served : c->targets;
}

/* Copies share the work of adding up: those that have a term, so that it stays, or if none has, all. */
dap_portion dap_copies_portion(const dap_problem *problem, bool sums, const int from[], const int to[])
{
  const dap_copies *c = problem->copies;
  if (c->targets == 1 || (!sums && !c->is_tree)) return (dap_portion){0, 1};
  const int holders = dap_copies_order(problem, from, to), place = c->place[dap_copies_number(problem, to)];
  if (!sums) return (dap_portion){0, place < dap_copies_start(problem, holders)};
  const int parts = holders > 0 ? holders : c->targets;
  return (dap_portion){place, place < parts ? parts : 0};
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

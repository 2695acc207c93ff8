/* Counts copies and addends along replicated and partial axes, and finds the processes that have them. */
#include "problem_impl.h"

#include <stdlib.h>

enum {
  FAN_OUT = 4,
  MANY = 8, /* a tree pays from this number of copies on for each process that has the elements */
};

int dap_copies_number_along(const dap_problem *problem, bool of_from, const bool chosen[], const int coords[])
{
  int number = 0;
  for (int k = 0; k < problem->ndim; k++)
    if (chosen[k]) number = number * dap_problem_map(problem, of_from, k)->axis.procs + coords[k];
  return number;
}

void dap_copies_coords_along(const dap_problem *problem, bool of_from, const bool chosen[], int number,
                             int coords[])
{
  for (int k = problem->ndim - 1; k >= 0; k--)
    if (chosen[k]) {
      const int procs = dap_problem_map(problem, of_from, k)->axis.procs;
      coords[k] = number % procs;
      number /= procs;
    }
}

int dap_copies_number(const dap_problem *problem, const int to[])
{
  return dap_copies_number_along(problem, false, problem->copies->to_replicated, to);
}

bool dap_copies_find(const dap_problem *problem, bool of_from, int rank, int coords[])
{
  const dap_numbers *numbers = of_from ? &problem->copies->from : &problem->copies->to;
  const int process = rank >= numbers->count ? -1 : numbers->process ? numbers->process[rank] : rank;
  if (process >= 0) dap_problem_coords(problem, of_from, process, coords);
  return process >= 0;
}

static void count_axes(const dap_problem *problem, dap_copies *c)
{
  c->from_replicas = c->addends = c->to_replicas = c->blocks = 1;
  for (int k = 0; k < problem->ndim; k++) {
    const dap_axis *from = &dap_problem_from_map(problem, k)->axis,
                   *to = &dap_problem_to_map(problem, k)->axis;
    c->from_replicated[k] = from->replicated;
    c->is_partial[k] = from->partial;
    c->to_replicated[k] = to->replicated;
    c->from_block[k] = !from->replicated && !from->partial;
    c->to_block[k] = !to->replicated;
    *(from->replicated ? &c->from_replicas : from->partial ? &c->addends : &c->blocks) *= from->procs;
    if (to->replicated) c->to_replicas *= to->procs;
  }
}

/* Chooses whether copies spread by a tree. Its passes pay where many more processes want a block than have
 * it, and where the blocks alone do not keep all processes busy. */
static void choose_tree(const dap_plan_options *o, dap_copies *c)
{
  const int forced = (int)((o->transports & DAP_FORCED) / DAP_FORCED_FAN_OUT);
  c->fan_out = forced > 0 ? forced : FAN_OUT;
  const int64_t holders = c->addends > 1 || c->from_owners ? 1 : c->from_replicas;
  const bool pays = c->to_replicas > MANY * holders && c->to_replicas >= 4 * (int64_t)c->blocks;
  c->is_tree = forced > 0 ? c->to_replicas > holders : pays;
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
  dap_copies counted = {.hosts_of = -1, .holders_of = -1, .from_owners = options->from_owners};
  count_axes(problem, &counted);
  if (counted.from_replicas == 1 && counted.addends == 1 && counted.to_replicas == 1) return DAP_OK;
  choose_tree(options, &counted);
  dap_copies *c = problem->copies = malloc(sizeof *c);
  DAP_REQUIRE(c, err, DAP_ERR_NOMEM, "no memory for a plan of copies");
  *c = counted;
  const size_t holders = (size_t)c->from_replicas * (size_t)c->addends;
  c->by_host = malloc((size_t)c->from_replicas * sizeof *c->by_host);
  c->holders = malloc(holders * sizeof *c->holders);
  DAP_REQUIRE(c->by_host && c->holders, err, DAP_ERR_NOMEM, "no memory for a plan of %zu copies", holders);
  DAP_TRY(set_numbers(problem->from.layout, problem->from.ranks, &c->from, err));
  return set_numbers(problem->to.layout, problem->to.ranks, &c->to, err);
}

void dap_copies_release(dap_problem *problem)
{
  dap_copies *c = problem->copies;
  if (!c) return;
  free(c->from.process);
  free(c->to.process);
  free(c->by_host);
  free(c->holders);
  free(c);
  problem->copies = NULL;
}

int64_t dap_copies_memory(const dap_problem *problem)
{
  const dap_copies *c = problem->copies;
  if (!c) return 0;
  const int64_t copies = c->from_replicas + (int64_t)c->from_replicas * c->addends;
  const int64_t ranks = (c->from.process ? c->from.count : 0) + (c->to.process ? c->to.count : 0);
  return (int64_t)sizeof *c + copies * (int64_t)sizeof *c->by_host + ranks * (int64_t)sizeof(int);
}

static int compare_groups(const void *a, const void *b)
{
  const dap_grouped *x = a, *y = b;
  if (x->group != y->group) return x->group < y->group ? -1 : 1;
  return (x->copy > y->copy) - (x->copy < y->copy);
}

void dap_grouped_sort(dap_grouped all[], int count)
{
  qsort(all, (size_t)count, sizeof *all, compare_groups);
}

int dap_grouped_before(const dap_grouped all[], int count, int group, int copy)
{
  const dap_grouped one = {group, copy};
  int low = 0, high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (compare_groups(&all[middle], &one) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int dap_grouped_find(const dap_grouped all[], int count, int group, int *first)
{
  *first = dap_grouped_before(all, count, group, 0);
  return dap_grouped_before(all, count, group + 1, 0) - *first;
}

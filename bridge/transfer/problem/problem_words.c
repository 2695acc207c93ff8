/* Writes a problem as words, which all processes compare. */
#include "problem_impl.h"

#include <string.h>

/* Hashes ranks. The identity has the hash of no ranks. */
static uint64_t hash_ranks(const int *ranks, const dap_layout *layout)
{
  bool identity = true;
  for (int i = 0; ranks && i < layout->nprocs && identity; i++) identity = ranks[i] == i;
  return identity ? 0 : dap_hash(0, ranks, (size_t)layout->nprocs * sizeof *ranks);
}

static uint64_t hash_part(const dap_problem *problem)
{
  const size_t bytes = (size_t)problem->ndim * sizeof problem->shape[0];
  uint64_t hash = dap_hash(0, problem->shape, bytes);
  hash = dap_hash(hash, problem->from.start, bytes);
  hash = dap_hash(hash, problem->to.start, bytes);
  hash = dap_hash(hash, problem->from.axes, (size_t)problem->ndim * sizeof problem->from.axes[0]);
  return dap_hash(hash, problem->to.axes, (size_t)problem->ndim * sizeof problem->to.axes[0]);
}

static uint64_t hash_transform(const dap_transform *t, dap_combine combine)
{
  const int kinds[] = {(int)t->from, (int)t->to, t->conjugate, (int)combine};
  const uint64_t hash = dap_hash(0, kinds, sizeof kinds);
  return dap_hash(dap_hash(hash, t->alpha, sizeof t->alpha), t->beta, sizeof t->beta);
}

/* An error names the first word that differs, so dtypes come before the itemsize, which follows from them. */
const char *const dap_problem_names[DAP_PROBLEM_WORDS] = {"the layout of from",
                                                          "the layout of to",
                                                          "dtypes, conjugate, alpha, beta or combine",
                                                          "itemsize",
                                                          "message_bytes",
                                                          "the ranks of from",
                                                          "the ranks of to",
                                                          "what is filled",
                                                          "memory_bytes",
                                                          "transports",
                                                          "the parts of from and to",
                                                          "arrays"};

void dap_problem_words(const dap_problem *problem, const dap_plan_options *options, uint64_t variant,
                       uint64_t words[])
{
  const uint64_t all[DAP_PROBLEM_WORDS] = {dap_layout_hash(problem->from.layout),
                                           dap_layout_hash(problem->to.layout),
                                           hash_transform(&problem->transform, problem->combine),
                                           (uint64_t)problem->from.item,
                                           (uint64_t)options->message_bytes,
                                           hash_ranks(problem->from.ranks, problem->from.layout),
                                           hash_ranks(problem->to.ranks, problem->to.layout),
                                           variant,
                                           (uint64_t)options->memory_bytes,
                                           options->transports,
                                           hash_part(problem),
                                           (uint64_t)problem->arrays};
  memcpy(words, all, sizeof all);
}

/* options.effort: a plan is run on scratch memory in each way that there is, and carried in the fastest.
 * Or, if options.wisdom names a file that knows such a plan, in the way that it says.
 *
 * All processes do the same: which ways differ, how many runs a turn has and when it is enough follows from
 * what all have agreed on. */
#include "transfer_impl.h"

#include <fenv.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const dap_patience usual = {.turns = DAP_TURNS, .runs = 100, .seconds = 1};

enum {
  TURN_NS = 500 * 1000, /* a turn is about so long, but has a run at least */
  WARM_UPS = 3,         /* runs before it: short ones need some to find out how slots are best written */
  LEAST_TURNS = 3,      /* even if it takes longer than it should, */
  MUCH_LONGER = 4       /* but not so many times as long */
};

typedef struct race {
  dap_plan *plan;
  const dap_plan_options *options; /* the plan's, not NULL */
  const dap_patience *patience;
  dap_scratch scratch;
  dap_racer racers[DAP_WAYS];
  int count;
  double start; /* on this process */
} race;

/* ---- the clock ---------------------------------------------------------------------------------------- */

/* Whatever a run comes to, the others are in the next one. */
static dap_status run(const race *r, int runs, dap_error *err)
{
  dap_status s = DAP_OK;
  for (int i = 0; i < runs; i++) {
    const dap_status now = dap_plan_run_many(r->plan, r->scratch.from, r->scratch.to, s ? NULL : err);
    if (!s) s = now;
  }
  return s;
}

static int64_t ns_since(double start)
{
  return (int64_t)(1e9 * (MPI_Wtime() - start));
}

/* Nanoseconds of a run on the slowest process, once all are here; after `warm_ups` others. Collective;
 * agreed. */
static dap_status time_runs(const race *r, int warm_ups, int runs, double *ns, dap_error *err)
{
  dap_agreement ready = {.status = run(r, warm_ups, err)};
  DAP_TRY(dap_context_agree(r->plan->context, &ready, err));
  const double start = MPI_Wtime();
  dap_agreement over = {.status = run(r, runs, err)};
  over.least[0] = -ns_since(start);
  DAP_TRY(dap_context_agree(r->plan->context, &over, err));
  *ns = (double)dap_larger(-over.least[0], 1) / runs; /* less than the clock can tell is not nothing */
  return DAP_OK;
}

/* How much of the patience is gone, on the process where most is. Collective; agreed. */
static dap_status find_spent(const race *r, double *seconds, dap_error *err)
{
  dap_agreement a = {.least = {-ns_since(r->start)}};
  DAP_TRY(dap_context_agree(r->plan->context, &a, err));
  *seconds = 1e-9 * (double)-a.least[0];
  return DAP_OK;
}

/* ---- who takes part ------------------------------------------------------------------------------------ */

/* What a process lacks to carry the plan so is no reason to fail: there are other ways. */
static dap_status carry(const race *r, dap_racer *racer, dap_error *err)
{
  dap_error own = {0};
  const dap_status s = dap_plan_carry(r->plan, r->options, racer->way, &own);
  racer->is_out = s != DAP_OK;
  if (s != DAP_ERR_LIBRARY) return DAP_OK;
  *err = own;
  return s;
}

/* Whether what is carried now is on all processes as one of the first `count` was. Collective; agreed. */
static dap_status is_known(const race *r, const uint64_t carriages[], int count, bool *known, dap_error *err)
{
  dap_agreement a = {.bits = {0}};
  *known = false;
  if (count == 0) return DAP_OK;
  for (int i = 0; i < count; i++)
    if (carriages[i] == carriages[count]) a.bits[0] |= UINT64_C(1) << i;
  DAP_TRY(dap_context_agree(r->plan->context, &a, err));
  *known = a.bits[0] != 0;
  return DAP_OK;
}

/* All ways that the options allow, that can be made, and that differ. Collective; agreed. */
static dap_status find_racers(race *r, dap_error *err)
{
  uint64_t carriages[DAP_WAYS];
  for (const dap_way *way = dap_ways; way->name; way++) {
    dap_racer *racer = &r->racers[r->count];
    bool known = false;
    *racer = (dap_racer){.way = way};
    if (!dap_way_is_allowed(way, r->options)) continue;
    DAP_TRY(carry(r, racer, err));
    if (racer->is_out) continue;
    carriages[r->count] = dap_plan_carriage(r->plan);
    DAP_TRY(is_known(r, carriages, r->count, &known, err));
    if (!known) r->count++;
  }
  return DAP_OK;
}

/* ---- turns --------------------------------------------------------------------------------------------- */

/* The first turn says how many runs the others have. Collective; agreed. */
static dap_status take_turn(const race *r, dap_racer *racer, dap_error *err)
{
  double ns = 0;
  DAP_TRY(carry(r, racer, err));
  if (racer->is_out) return DAP_OK;
  if (racer->runs == 0) {
    DAP_TRY(time_runs(r, 1, 1, &ns, err));
    const int most = r->patience->runs;
    racer->runs = ns * most <= TURN_NS ? most : ns >= TURN_NS ? 1 : (int)(TURN_NS / ns);
    racer->warm_ups = ns >= TURN_NS ? 1 : WARM_UPS;
  }
  return time_runs(r, racer->warm_ups, racer->runs, &racer->ns[racer->turns++], err);
}

/* There and back in turns, so that a machine that becomes slower is not always so for the same. */
static dap_status take_round(race *r, int round, dap_error *err)
{
  for (int i = 0; i < r->count; i++) {
    dap_racer *racer = &r->racers[round % 2 ? r->count - 1 - i : i];
    if (!racer->is_out) DAP_TRY(take_turn(r, racer, err));
  }
  return DAP_OK;
}

static dap_status take_rounds(race *r, dap_error *err)
{
  double spent = 0;
  const double most = r->patience->seconds;
  int left = r->count;
  for (int round = 0; round < r->patience->turns && left > 1; round++) {
    DAP_TRY(take_round(r, round, err));
    left = dap_racers_dismiss(r->racers, r->count);
    DAP_TRY(find_spent(r, &spent, err));
    if (spent > (round + 1 < LEAST_TURNS ? MUCH_LONGER * most : most)) break;
  }
  return DAP_OK;
}

/* ---- what came of it ----------------------------------------------------------------------------------- */

static dap_status remember(race *r, dap_measurement *m, dap_error *err)
{
  const int chosen = dap_racers_choose(r->racers, r->count);
  DAP_REQUIRE(chosen >= 0, err, DAP_ERR_NOMEM, "no memory to carry the plan in any way");
  *m = (dap_measurement){.count = r->count, .chosen = chosen};
  for (int i = 0; i < r->count; i++) {
    m->tried[i].way = r->racers[i].way;
    m->tried[i].ns = dap_racer_ns(r->racers, r->count, i, chosen);
  }
  return DAP_OK;
}

/* Collective; agreed. */
static dap_status find_fastest(dap_plan *plan, const dap_plan_options *options, bool is_one,
                               const dap_patience *patience, dap_error *err)
{
  race r = {.plan = plan, .options = options, .patience = patience, .start = MPI_Wtime()};
  const dap_status memory = dap_scratch_create(plan, is_one, &r.scratch, err);
  dap_status s = dap_context_agree(plan->context, &(dap_agreement){.status = memory}, err);
  if (!s) s = find_racers(&r, err);
  if (!s) s = take_rounds(&r, err);
  dap_scratch_release(&r.scratch);
  return s ? s : remember(&r, plan->measurement, err);
}

/* ---- what is known from a file ------------------------------------------------------------------------- */

/* The process that reads and writes it. */
typedef struct keeper {
  int rank; /* INT_MAX: nobody does */
  uint64_t key;
  const char *path; /* NULL on others */
} keeper;

/* What a process has of its own that counts: its buffers' form, its node and its processor. */
static uint64_t hash_own(const dap_plan *plan)
{
  const dap_problem *p = &plan->problem;
  const size_t bytes = (size_t)p->ndim * sizeof p->from_strides[0];
  const int64_t words[] = {p->from_swapped, p->to_swapped, plan->window.node->size, plan->context->pool.never,
                           dap_cache_bytes()};
  uint64_t hash = dap_hash(0, words, sizeof words);
  hash = dap_hash(hash, plan->kernels->name, strlen(plan->kernels->name));
  if (p->holds_from) hash = dap_hash(hash, p->from_strides, bytes);
  return p->holds_to ? dap_hash(hash, p->to_strides, bytes) : hash;
}

/* Who it is, and the key of the plan. Collective; agreed. */
static dap_status find_keeper(const dap_plan *plan, const dap_plan_options *options, bool is_one, keeper *k,
                              dap_error *err)
{
  const uint64_t own = hash_own(plan);
  dap_agreement a = {.least = {options->wisdom ? plan->rank : INT_MAX, (int64_t)own, (int64_t)~own}};
  DAP_TRY(dap_context_agree(plan->context, &a, err));
  const int64_t all[] = {(int64_t)plan->number, plan->nprocs, a.least[1], a.least[2], is_one};
  *k = (keeper){.rank = (int)a.least[0],
                .key = dap_hash(0, all, sizeof all),
                .path = a.least[0] == plan->rank ? options->wisdom : NULL};
  return DAP_OK;
}

/* What the file says, told to all; *way is NULL where it says nothing. Collective; agreed. */
static dap_status ask_file(const dap_plan *plan, const dap_plan_options *options, const keeper *k,
                           const dap_way **way, dap_error *err)
{
  *way = NULL;
  if (k->rank == INT_MAX) return DAP_OK;
  dap_agreement a = {.least = {INT_MAX}};
  if (k->path) a.status = dap_wisdom_find(k->path, k->key, way, err);
  if (*way && !dap_way_is_allowed(*way, options))
    a.status =
        dap_fail(err, DAP_ERR_ARG, "%s: its entry %016" PRIx64 " says \"%s\", which the options exclude",
                 k->path, k->key, (*way)->name);
  if (*way) a.least[0] = *way - dap_ways;
  DAP_TRY(dap_context_agree(plan->context, &a, err));
  *way = a.least[0] < DAP_WAYS ? &dap_ways[a.least[0]] : NULL;
  return DAP_OK;
}

/* Collective; agreed. */
static dap_status tell_file(const dap_plan *plan, const keeper *k, dap_error *err)
{
  const dap_measurement *m = plan->measurement;
  dap_status s = DAP_OK;
  if (k->rank == INT_MAX) return DAP_OK;
  if (k->path) s = dap_wisdom_add(k->path, k->key, m->tried[m->chosen].way, m->tried[m->chosen].ns, err);
  return dap_context_agree(plan->context, &(dap_agreement){.status = s}, err);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void log_measured(const dap_plan *plan, double seconds)
{
  const dap_measurement *m = plan->measurement;
  if (m->is_known)
    dap_log("plan carried as the wisdom file says: %s", m->tried[m->chosen].way->name);
  else
    dap_log("plan carried in the fastest of %d ways: %s; measured in %.2g s", m->count,
            m->tried[m->chosen].way->name, seconds);
}

/* Collective; agreed. */
static dap_status find_way(dap_plan *plan, const dap_plan_options *options, bool is_one,
                           const dap_patience *patience, dap_error *err)
{
  keeper k;
  const dap_way *way = NULL;
  dap_measurement *m = plan->measurement;
  DAP_TRY(find_keeper(plan, options, is_one, &k, err));
  DAP_TRY(ask_file(plan, options, &k, &way, err));
  if (way) {
    *m = (dap_measurement){.is_known = true, .count = 1};
    m->tried[0].way = way;
  } else {
    DAP_TRY(find_fastest(plan, options, is_one, patience, err));
    DAP_TRY(tell_file(plan, &k, err));
  }
  return dap_plan_carry(plan, options, m->tried[m->chosen].way, err);
}

dap_status dap_plan_measure_within(dap_plan *plan, const dap_plan_options *options, bool is_one,
                                   const dap_patience *patience, dap_error *err)
{
  const double start = MPI_Wtime();
  plan->measurement = calloc(1, sizeof *plan->measurement);
  const dap_status memory =
      plan->measurement ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory to measure a plan");
  DAP_TRY(dap_context_agree(plan->context, &(dap_agreement){.status = memory}, err));
  /* direct copies alone do not run on private memory */
  if (!dap_way_is_allowed(&dap_ways[0], options)) {
    free(plan->measurement);
    plan->measurement = NULL;
    return DAP_OK;
  }
  DAP_TRY(find_way(plan, options, is_one, patience, err));
  if (dap_log_is_on()) log_measured(plan, MPI_Wtime() - start);
  return DAP_OK;
}

dap_status dap_plan_measure(dap_plan *plan, const dap_plan_options *options, bool is_one, dap_error *err)
{
  fenv_t environment; /* ways that were not run count as DBL_MAX, of which multiples overflow */
  if (!options || options->effort != DAP_PLAN_MEASURE) return DAP_OK;
  (void)feholdexcept(&environment);
  const dap_status status = dap_plan_measure_within(plan, options, is_one, &usual, err);
  (void)fesetenv(&environment);
  return status;
}

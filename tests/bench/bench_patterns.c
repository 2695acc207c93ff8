/* Times the patterns that applications send to a neighbour: plans, MPI's derived datatypes, and packing by
 * hand. See README.md. */
#include "numbers.h"
#include "patterns.h"
#include "program.h"
#include "turns.h"

#include <stdio.h>

static struct {
  const char *patterns;
  int reps;
  bool json;
} o;

static const bench_option options[] = {
    {"pattern", "P[,P...]", NULL, "names, or what they have before their first _ (all)", bench_read_text,
     &o.patterns, 0, NULL},
    {"reps", "R", "31", "timed turns", bench_read_count, &o.reps, 1 << 20, NULL},
    {"json", NULL, NULL, "one object a line, in place of the table", bench_read_flag, &o.json, 0, NULL},
    {.name = NULL}};

/* ---- methods ------------------------------------------------------------------------------------------- */

static const pattern_method methods[] = {
    {"plan", true, false, NULL, pattern_plan_create, pattern_plan_run, pattern_plan_destroy},
    {"plan_shared", true, true, NULL, pattern_plan_create, pattern_plan_run, pattern_plan_destroy},
    {"vectors", false, false, NULL, pattern_vectors_create, pattern_types_run, pattern_types_destroy},
    {"subarrays", false, false, pattern_subarrays_applies, pattern_subarrays_create, pattern_types_run,
     pattern_types_destroy},
    {"hand", false, false, NULL, pattern_hand_create, pattern_hand_run, pattern_hand_destroy},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* Data of a pattern, and the state of each method. */
typedef struct work {
  pattern_data data;
  pattern_job jobs[METHODS];
} work;

static bool applies(void *context, int method)
{
  const work *w = context;
  return !methods[method].applies || methods[method].applies(w->data.pattern);
}

static void create(void *context, int method)
{
  work *w = context;
  w->jobs[method] = (pattern_job){.data = &w->data, .shared = methods[method].shared};
  methods[method].create(&w->jobs[method]);
}

static void spoil(void *context, int method)
{
  pattern_spoil(&((work *)context)->data, methods[method].shared);
}

static void run(void *context, int method)
{
  methods[method].run(&((work *)context)->jobs[method]);
}

static int64_t count_wrong(void *context, int method)
{
  return pattern_count_wrong(&((work *)context)->data, methods[method].shared);
}

static void destroy(void *context, int method)
{
  methods[method].destroy(&((work *)context)->jobs[method]);
}

/* ---- reports ------------------------------------------------------------------------------------------- */

static double best_peer(const bench_time results[])
{
  double best = 0;
  for (int m = 0; m < METHODS; m++) {
    const double us = results[m].median_us;
    if (!methods[m].ours && us > 0 && (best <= 0 || us < best)) best = us;
  }
  return best;
}

static int64_t bytes_sent(const pattern_data *data)
{
  int64_t bytes = 0;
  for (int i = 0; i < data->groups; i++) bytes += pattern_sent(data->pattern, &data->pattern->groups[i]);
  return bytes;
}

static void print_head(int nprocs)
{
  printf("%d ranks, each sends to the next; medians in microseconds; the best peer's time over the plans'\n",
         nprocs);
  printf("%-14s %8s", "pattern", "bytes");
  for (int m = 0; m < METHODS; m++) printf(" %11s", methods[m].name);
  printf(" %8s %8s\n", "/ plan", "/ shared");
}

static void print_row(const pattern_data *data, const bench_time results[], int64_t wrong)
{
  const double best = best_peer(results);
  printf("%-14s %8lld", data->pattern->name, (long long)bytes_sent(data));
  for (int m = 0; m < METHODS; m++) {
    char text[16];
    printf(" %11s", bench_number_text(results[m].measured ? results[m].median_us : -1, 1, text));
  }
  printf(" %8.2f %8.2f   %s%s\n", best / results[0].median_us, best / results[1].median_us,
         data->pattern->about, wrong ? "   WRONG" : "");
  (void)fflush(stdout);
}

static void print_objects(const pattern_data *data, const bench_time results[])
{
  for (int m = 0; m < METHODS; m++) {
    if (!results[m].measured) continue;
    printf("{\"pattern\": \"%s\", \"about\": \"%s\", \"bytes\": %lld, \"ranks\": %d", data->pattern->name,
           data->pattern->about, (long long)bytes_sent(data), data->nprocs);
    printf(", \"method\": \"%s\", \"median_us\": %.9g, \"vs_best_peer\": %.9g, \"wrong\": %lld}\n",
           methods[m].name, results[m].median_us, best_peer(results) / results[m].median_us,
           (long long)results[m].wrong);
  }
  (void)fflush(stdout);
}

static int64_t run_pattern(int row)
{
  const pattern p = pattern_make(row);
  work w;
  bench_time results[METHODS];
  const bench_turns turns = {.comm = MPI_COMM_WORLD,
                             .context = &w,
                             .methods = METHODS,
                             .reps = o.reps,
                             .most = 200,
                             .turn_us = 2000,
                             .applies = applies,
                             .create = create,
                             .fill = spoil,
                             .run = run,
                             .wrong = count_wrong,
                             .destroy = destroy};
  pattern_data_make(MPI_COMM_WORLD, &p, &w.data);
  bench_take_turns(&turns, results);
  const int64_t wrong = bench_wrong_of(results, METHODS);
  if (w.data.rank == 0 && o.json) print_objects(&w.data, results);
  if (w.data.rank == 0 && !o.json) print_row(&w.data, results, wrong);
  pattern_data_free(&w.data);
  return wrong;
}

static int64_t run_all(const bench_launch *l)
{
  int64_t wrong = 0;
  if (l->rank == 0 && !o.json) print_head(l->nprocs);
  for (int row = 0; pattern_name(row); row++)
    if (bench_is_listed(o.patterns, pattern_name(row))) wrong += run_pattern(row);
  return wrong;
}

const bench_program bench_patterns = {.options = options, .run = run_all, .legend = "", .is_data = &o.json};

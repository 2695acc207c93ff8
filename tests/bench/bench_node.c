/* Measures the figures of a node from which bridge/docs/model.md computes the time of a run. See
 * README.md. */
#include "fail.h"
#include "node.h"
#include "numbers.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
  int reps;
  bool json;
} o;

static const bench_option options[] = {
    {"reps", "R", "7", "samples of each figure", bench_read_count, &o.reps, 1000, NULL},
    {"json", NULL, NULL, "one object a line, in place of the table", bench_read_flag, &o.json, 0, NULL},
    {.name = NULL}};

/* ---- figures ------------------------------------------------------------------------------------------- */

/* Figures. If `bytes` of a sample is given, the figure is a rate; if `times` is given, it is a time. */
static const struct {
  const char *name, *about;
  node_sample *sample;
  int64_t bytes, times;
} figures[] = {
    {"copy_cached", "copy of 256 KiB in the second-level cache", node_copy_cached, NODE_CACHED, 0},
    {"copy", "copy of 16 MiB", node_copy, NODE_LARGE, 0},
    {"copy_past", "copy of 16 MiB by stores past the caches", node_copy_past, NODE_LARGE, 0},
    {"gather", "copy of every 8th line of 16 MiB", node_gather, NODE_LARGE / NODE_STEP * 64, 0},
    {"through_written", "slot of 256 KiB written through the cache", node_through_written, NODE_CACHED, 0},
    {"through_read", "the same read by the other process", node_through_read, NODE_CACHED, 0},
    {"past_written", "slot of 256 KiB written past the caches", node_past_written, NODE_CACHED, 0},
    {"past_read", "the same read by the other process", node_past_read, NODE_CACHED, 0},
    {"handover", "word to the other process", node_handover, 0, NODE_HANDOVERS},
    {"handover_one_core", "the same where both have one core", node_handover_one_core, 0, NODE_HANDOVERS},
    {"message", "MPI message of 8 bytes", node_message, 0, 1},
    {"messages", "MPI messages of 512 KiB, both ways at once", node_messages, 2L * NODE_CACHED, 0},
};
enum { FIGURES = sizeof figures / sizeof *figures };

/* Returns the seconds on the slowest process; below 0: cannot be measured here; 0: no process takes part. */
static double measure(const node *n, node_sample *sample)
{
  double *seconds = bench_alloc(o.reps * (int64_t)sizeof *seconds);
  bool is_open = true;
  for (int i = -1; i < o.reps; i++) { /* the first run warms up */
    MPI_Barrier(n->comm);
    const double once = sample(n);
    if (once < 0) is_open = false;
    if (i >= 0) seconds[i] = once;
  }
  const double slowest = bench_most(n->comm, bench_median(seconds, o.reps));
  free(seconds);
  return bench_most(n->comm, !is_open) > 0 ? -1 : slowest;
}

/* ---- reports ------------------------------------------------------------------------------------------- */

static void report_figure(int f, int nprocs, double seconds)
{
  const bool is_rate = figures[f].bytes > 0;
  const char *unit = is_rate ? "GB/s" : "ns";
  const double value =
      is_rate ? 1e-9 * (double)figures[f].bytes / seconds : 1e9 * seconds / (double)figures[f].times;
  char text[32] = "-";
  if (o.json) snprintf(text, sizeof text, "null");
  if (seconds > 0) snprintf(text, sizeof text, o.json ? "%.6g" : is_rate ? "%.2f" : "%.0f", value);
  if (o.json)
    printf("{\"figure\": \"%s\", \"about\": \"%s\", \"ranks\": %d, \"unit\": \"%s\", \"value\": %s}\n",
           figures[f].name, figures[f].about, nprocs, unit, text);
  else
    printf("%-18s %9s %-5s %s\n", figures[f].name, text, unit, figures[f].about);
  (void)fflush(stdout);
}

static void report_caches(int nprocs)
{
  for (int level = 1; level <= 3; level++) {
    const int64_t bytes = node_cache_bytes(level);
    char text[32] = "-";
    if (o.json) snprintf(text, sizeof text, "null");
    if (bytes > 0) snprintf(text, sizeof text, "%lld", (long long)(o.json ? bytes : bytes / 1024));
    if (o.json)
      printf("{\"figure\": \"cache_%d\", \"about\": \"level %d cache\", \"ranks\": %d, \"unit\": \"bytes\", "
             "\"value\": %s}\n",
             level, level, nprocs, text);
    else
      printf("cache_%d            %9s %-5s level %d cache, as the system tells\n", level, text, "KiB", level);
  }
}

static int64_t run_all(const bench_launch *l)
{
  node n;
  node_open(MPI_COMM_WORLD, &n);
  if (l->rank == 0 && !o.json)
    printf("%d ranks; medians of %d samples, the slowest process\n", n.nprocs, o.reps);
  for (int f = 0; f < FIGURES; f++) {
    const double seconds = measure(&n, figures[f].sample);
    if (l->rank == 0) report_figure(f, n.nprocs, seconds);
  }
  if (l->rank == 0) report_caches(n.nprocs);
  node_close(&n);
  return 0;
}

const bench_program bench_node = {
    .about = "Processes copy alone and from one to another. Each figure takes at most 20 ms.",
    .options = options,
    .run = run_all};

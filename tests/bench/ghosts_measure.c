#include "fail.h"
#include "ghosts.h"
#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one method ------------------------------------------------------------------------------------- */

static int64_t check(const ghosts_method *method, ghosts_job *job)
{
  ghosts_fill_owned(job->mesh, job->data);
  ghosts_fill_ghosts(job->mesh, job->data);
  MPI_Barrier(job->mesh->comm); /* one process's run may read another's buffer */
  method->run(job);
  MPI_Barrier(job->mesh->comm);
  return bench_total(job->mesh->comm, ghosts_count_wrong(job->mesh, job->data));
}

/* Microseconds of one run on the slowest process. Before each all that is to be moved is written, as in a
 * program that computes: it is then in its process's cache, if in any. */
static double time_runs(const ghosts_method *method, ghosts_job *job, int runs, double *least)
{
  double spent = 0;
  for (int i = 0; i < runs; i++) {
    ghosts_fill_owned(job->mesh, job->data);
    if (job->mesh->reverse) ghosts_fill_ghosts(job->mesh, job->data);
    MPI_Barrier(job->mesh->comm);
    const double begun = bench_now();
    method->run(job);
    const double run = 1e6 * bench_span(job->mesh->comm, begun, bench_now());
    if (run < *least) *least = run;
    spent += run;
  }
  return spent / runs;
}

/* Makes it ready, checks it, and returns how often it runs in a turn. */
static int start(const ghosts_method *method, ghosts_job *job, ghosts_result *result)
{
  enum { MOST = 16, TURN_US = 4000 };
  MPI_Barrier(job->mesh->comm);
  const double begun = bench_now();
  method->create(job);
  method->run(job);
  result->measured = true;
  result->least_us = INFINITY;
  result->first_us = 1e6 * bench_span(job->mesh->comm, begun, bench_now());
  result->wrong = check(method, job);
  const double one = time_runs(method, job, 3, &result->least_us);
  return one * MOST <= TURN_US ? MOST : one >= TURN_US ? 1 : (int)(TURN_US / one);
}

/* ---- all methods ------------------------------------------------------------------------------------ */

void ghosts_measure(const ghosts_mesh *mesh, const char *methods, int reps, ghosts_result results[])
{
  ghosts_job jobs[GHOSTS_METHODS];
  int runs[GHOSTS_METHODS] = {0};
  double *times = bench_alloc(GHOSTS_METHODS * reps * (int64_t)sizeof *times);
  for (int m = 0; ghosts_methods[m].name; m++) {
    const ghosts_method *method = &ghosts_methods[m];
    results[m] = (ghosts_result){0};
    jobs[m] = (ghosts_job){.mesh = mesh};
    if (!bench_is_listed(methods, method->name) || (method->applies && !method->applies())) continue;
    runs[m] = start(method, &jobs[m], &results[m]);
  }
  for (int i = 0; i < reps; i++)
    for (int m = 0; ghosts_methods[m].name; m++)
      if (runs[m] > 0)
        times[m * reps + i] = time_runs(&ghosts_methods[m], &jobs[m], runs[m], &results[m].least_us);
  for (int m = 0; ghosts_methods[m].name; m++) {
    if (runs[m] == 0) continue;
    results[m].median_us = bench_median(times + m * reps, reps);
    results[m].wrong += check(&ghosts_methods[m], &jobs[m]);
    ghosts_methods[m].destroy(&jobs[m]);
  }
  free(times);
}

/* ---- the table ------------------------------------------------------------------------------------ */

/* The median of a method by its name; 0: it was not measured. */
static double median_of(const ghosts_result results[], const char *name)
{
  for (int m = 0; ghosts_methods[m].name; m++)
    if (strcmp(ghosts_methods[m].name, name) == 0) return results[m].measured ? results[m].median_us : 0;
  return 0;
}

static const char *ratio_text(bool is_peer, double ours, double theirs, char text[16])
{
  if (!is_peer && theirs > 0)
    snprintf(text, 16, "%.2f", ours / theirs);
  else
    snprintf(text, 16, "-");
  return text;
}

void ghosts_report(FILE *file, const ghosts_mesh *mesh, int64_t most_ghosts, const ghosts_result results[])
{
  const double hand = median_of(results, "hand"), vec = median_of(results, "vecghost");
  fprintf(file,
          "\n%lld nodes in %s, ghosts %s%s, %d component%s, %d rank%s; at most %lld ghosts on a process\n",
          (long long)mesh->nodes, ghosts_cut_names[mesh->cut], ghosts_order_names[mesh->order],
          mesh->reverse ? ", added to their owners" : "", mesh->components, mesh->components == 1 ? "" : "s",
          mesh->nprocs, mesh->nprocs == 1 ? "" : "s", (long long)most_ghosts);
  fprintf(file, "  %-12s %10s %10s %10s %8s %8s\n", "method", "median us", "least us", "first us", "/ hand",
          "/ Vec");
  for (int m = 0; ghosts_methods[m].name; m++) {
    const ghosts_result *r = &results[m];
    const bool is_peer = ghosts_methods[m].is_peer;
    char texts[2][16];
    if (!r->measured) continue;
    fprintf(file, "  %-12s %10.1f %10.1f %10.1f %8s %8s   %s%s\n", ghosts_methods[m].name, r->median_us,
            r->least_us, r->first_us, ratio_text(is_peer, r->median_us, hand, texts[0]),
            ratio_text(is_peer, r->median_us, vec, texts[1]), ghosts_methods[m].about,
            r->wrong ? "   WRONG" : "");
  }
  fflush(file);
}

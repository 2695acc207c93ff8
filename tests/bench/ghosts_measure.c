#include "command_line.h"
#include "ghosts.h"
#include "numbers.h"

#include <string.h>

/* ---- turns ------------------------------------------------------------------------------------------ */

typedef struct work {
  ghosts_job jobs[BENCH_METHODS];
  const ghosts_mesh *mesh;
  const char *methods; /* NULL: all */
} work;

static bool applies(void *context, int method)
{
  const ghosts_method *m = ghosts_methods[method];
  return bench_is_listed(((work *)context)->methods, m->name) && (!m->applies || m->applies());
}

static void create(void *context, int method)
{
  work *w = context;
  w->jobs[method] = (ghosts_job){.mesh = w->mesh};
  ghosts_methods[method]->create(&w->jobs[method]);
}

static void fill(void *context, int method)
{
  work *w = context;
  ghosts_fill_owned(w->mesh, w->jobs[method].data);
  ghosts_fill_ghosts(w->mesh, w->jobs[method].data);
}

/* Writes all moved elements before each run, as a program that computes does. They are then in this
 * process's cache, if in any. */
static void write_moved(void *context, int method)
{
  work *w = context;
  ghosts_fill_owned(w->mesh, w->jobs[method].data);
  if (w->mesh->reverse) ghosts_fill_ghosts(w->mesh, w->jobs[method].data);
}

static void run(void *context, int method)
{
  ghosts_methods[method]->run(&((work *)context)->jobs[method]);
}

static int64_t count_wrong(void *context, int method)
{
  const work *w = context;
  return ghosts_count_wrong(w->mesh, w->jobs[method].data);
}

static void destroy(void *context, int method)
{
  ghosts_methods[method]->destroy(&((work *)context)->jobs[method]);
}

void ghosts_measure(const ghosts_mesh *mesh, const char *methods, int reps, bench_time times[])
{
  work w = {.mesh = mesh, .methods = methods};
  const bench_turns turns = {.comm = mesh->comm,
                             .context = &w,
                             .methods = ghosts_methods_count,
                             .reps = reps,
                             .most = 16,
                             .turn_us = 4000,
                             .applies = applies,
                             .create = create,
                             .before = write_moved,
                             .run = run,
                             .fill = fill,
                             .wrong = count_wrong,
                             .destroy = destroy};
  bench_take_turns(&turns, times);
}

/* ---- the table ------------------------------------------------------------------------------------ */

/* Returns the median of a method by its name, or 0 if it was not measured. */
static double median_of(const bench_time times[], const char *name)
{
  for (int m = 0; m < ghosts_methods_count; m++)
    if (strcmp(ghosts_methods[m]->name, name) == 0) return times[m].measured ? times[m].median_us : 0;
  return 0;
}

/* Returns our time over theirs, or a negative number if they are not compared. */
static double ratio(bool is_peer, double ours, double theirs)
{
  return !is_peer && theirs > 0 ? ours / theirs : -1;
}

void ghosts_report(FILE *file, const ghosts_mesh *mesh, int64_t most_ghosts, const bench_time times[])
{
  const double hand = median_of(times, "hand"), vec = median_of(times, "vecghost");
  fprintf(file,
          "\n%lld nodes in %s, ghosts %s%s, %d component%s, %d rank%s; at most %lld ghosts on a process\n",
          (long long)mesh->nodes, ghosts_cut_names[mesh->cut], ghosts_order_names[mesh->order],
          mesh->reverse ? ", added to their owners" : "", mesh->components, mesh->components == 1 ? "" : "s",
          mesh->nprocs, mesh->nprocs == 1 ? "" : "s", (long long)most_ghosts);
  fprintf(file, "  %-12s %10s %10s %10s %8s %8s\n", "method", "median us", "least us", "first us", "/ hand",
          "/ Vec");
  for (int m = 0; m < ghosts_methods_count; m++) {
    const bench_time *r = &times[m];
    const bool is_peer = ghosts_methods[m]->is_peer;
    char texts[2][16];
    if (!r->measured) continue;
    fprintf(file, "  %-12s %10.1f %10.1f %10.1f %8s %8s   %s%s\n", ghosts_methods[m]->name, r->median_us,
            r->least_us, r->first_us, bench_number_text(ratio(is_peer, r->median_us, hand), 2, texts[0]),
            bench_number_text(ratio(is_peer, r->median_us, vec), 2, texts[1]), ghosts_methods[m]->about,
            r->wrong ? "   WRONG" : "");
  }
  fflush(file);
}

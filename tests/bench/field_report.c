#include "field.h"
#include "numbers.h"

#include <string.h>

/* Returns the median of a method by its name, or 0 if it was not measured. */
static double median_of(const bench_time times[], const char *name)
{
  for (int m = 0; m < field_methods_count; m++)
    if (strcmp(field_methods[m].name, name) == 0) return times[m].measured ? times[m].median_us : 0;
  return 0;
}

/* The peers' times, with which dapbridge's methods are compared. */
typedef struct peers {
  double global_to_local, local_to_local, local_to_global, copies;
  double best; /* of the peers that update halos in place */
} peers;

/* Returns the shorter of two times. 0 means none. */
static double shorter(double a, double b)
{
  return a > 0 && (b <= 0 || a < b) ? a : b;
}

static peers peers_of(const bench_time times[])
{
  const double in = median_of(times, "copy_in"), out = median_of(times, "copy_out");
  const double all = median_of(times, "alltoallw"), near = median_of(times, "neighbor");
  const double local = median_of(times, "local_to_local");
  return (peers){.best = shorter(local, shorter(all, near)),
                 .global_to_local = median_of(times, "global_to_local"),
                 .local_to_local = local,
                 .local_to_global = median_of(times, "local_to_global"),
                 .copies = in > 0 && out > 0 ? in + out : 0};
}

/* ---- the table ------------------------------------------------------------------------------------ */

/* Returns our time over theirs, or a negative number if they are not compared. */
static double ratio(bool applies, double ours, double theirs)
{
  return applies && theirs > 0 ? ours / theirs : -1;
}

static void report_table(FILE *file, const field_case *c, const bench_time times[])
{
  const peers p = peers_of(times);
  fprintf(file, "\n%lld^3 points, width %lld, %s %d x %d x %d, %s, %d rank%s\n", (long long)c->n,
          (long long)c->width, c->grid, c->procs[0], c->procs[1], c->procs[2],
          c->periodic ? "periodic" : "not periodic", c->nprocs, c->nprocs == 1 ? "" : "s");
  fprintf(file, "  %-16s %10s %10s %8s %8s %8s %8s %8s\n", "method", "median us", "first us", "/ GtoL",
          "/ LtoL", "/ best", "/ LtoG", "/ copies");
  for (int m = 0; m < field_methods_count; m++) {
    const bench_time *r = &times[m];
    const field_group group = field_methods[m].group;
    char texts[5][16];
    if (!r->measured) continue;
    fprintf(file, "  %-16s %10.1f %10.1f %8s %8s %8s %8s %8s   %s%s\n", field_methods[m].name, r->median_us,
            r->first_us,
            bench_number_text(ratio(group == FIELD_HALO, r->median_us, p.global_to_local), 2, texts[0]),
            bench_number_text(ratio(group == FIELD_HALO, r->median_us, p.local_to_local), 2, texts[1]),
            bench_number_text(ratio(group == FIELD_HALO, r->median_us, p.best), 2, texts[4]),
            bench_number_text(ratio(group == FIELD_SUM, r->median_us, p.local_to_global), 2, texts[2]),
            bench_number_text(ratio(group == FIELD_VIEW, r->median_us, p.copies), 2, texts[3]),
            field_methods[m].about, r->wrong ? "   WRONG" : "");
  }
  fflush(file);
}

/* ---- objects -------------------------------------------------------------------------------------- */

static void report_json(FILE *file, const field_case *c, const bench_time times[])
{
  const peers p = peers_of(times);
  for (int m = 0; m < field_methods_count; m++) {
    const bench_time *r = &times[m];
    const field_group group = field_methods[m].group;
    if (!r->measured) continue;
    fprintf(file, "{\"n\": %lld, \"width\": %lld, \"grid\": \"%s\", \"periodic\": %s, \"ranks\": %d",
            (long long)c->n, (long long)c->width, c->grid, c->periodic ? "true" : "false", c->nprocs);
    fprintf(file, ", \"method\": \"%s\", \"median_us\": %.9g, \"first_us\": %.9g", field_methods[m].name,
            r->median_us, r->first_us);
    bench_print_number(file, "vs_global_to_local",
                       ratio(group == FIELD_HALO, r->median_us, p.global_to_local));
    bench_print_number(file, "vs_local_to_local", ratio(group == FIELD_HALO, r->median_us, p.local_to_local));
    bench_print_number(file, "vs_best_halo", ratio(group == FIELD_HALO, r->median_us, p.best));
    bench_print_number(file, "vs_local_to_global",
                       ratio(group == FIELD_SUM, r->median_us, p.local_to_global));
    bench_print_number(file, "vs_copies", ratio(group == FIELD_VIEW, r->median_us, p.copies));
    fprintf(file, ", \"wrong\": %lld}\n", (long long)r->wrong);
  }
  fflush(file);
}

void field_report(FILE *file, const field_case *c, const bench_time times[], bool json)
{
  if (json)
    report_json(file, c, times);
  else
    report_table(file, c, times);
}

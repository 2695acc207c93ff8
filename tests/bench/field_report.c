#include "field.h"

#include <string.h>

/* The median of a method by its name; 0: it was not measured. */
static double median_of(const field_result results[], const char *name)
{
  for (int m = 0; field_methods[m].name; m++)
    if (strcmp(field_methods[m].name, name) == 0) return results[m].measured ? results[m].median_us : 0;
  return 0;
}

/* What dapbridge's methods are compared with, by the peers' times. */
typedef struct peers {
  double global_to_local, local_to_local, local_to_global, copies;
  double best; /* of those that update halos in place */
} peers;

/* The shorter of two times, of which 0 is none. */
static double shorter(double a, double b)
{
  return a > 0 && (b <= 0 || a < b) ? a : b;
}

static peers peers_of(const field_result results[])
{
  const double in = median_of(results, "copy_in"), out = median_of(results, "copy_out");
  const double all = median_of(results, "alltoallw"), near = median_of(results, "neighbor");
  const double local = median_of(results, "local_to_local");
  return (peers){.best = shorter(local, shorter(all, near)),
                 .global_to_local = median_of(results, "global_to_local"),
                 .local_to_local = local,
                 .local_to_global = median_of(results, "local_to_global"),
                 .copies = in > 0 && out > 0 ? in + out : 0};
}

/* ---- the table ------------------------------------------------------------------------------------ */

static const char *ratio_text(bool applies, double ours, double theirs, char text[16])
{
  if (applies && theirs > 0)
    snprintf(text, 16, "%.2f", ours / theirs);
  else
    snprintf(text, 16, "-");
  return text;
}

static void report_table(FILE *file, const field_case *c, const field_result results[])
{
  const peers p = peers_of(results);
  fprintf(file, "\n%lld^3 points, width %lld, %s %d x %d x %d, %s, %d rank%s\n", (long long)c->n,
          (long long)c->width, c->grid, c->procs[0], c->procs[1], c->procs[2],
          c->periodic ? "periodic" : "not periodic", c->nprocs, c->nprocs == 1 ? "" : "s");
  fprintf(file, "  %-16s %10s %10s %8s %8s %8s %8s %8s\n", "method", "median us", "first us", "/ GtoL",
          "/ LtoL", "/ best", "/ LtoG", "/ copies");
  for (int m = 0; field_methods[m].name; m++) {
    const field_result *r = &results[m];
    const field_group group = field_methods[m].group;
    char texts[5][16];
    if (!r->measured) continue;
    fprintf(file, "  %-16s %10.1f %10.1f %8s %8s %8s %8s %8s   %s%s\n", field_methods[m].name, r->median_us,
            r->first_us, ratio_text(group == FIELD_HALO, r->median_us, p.global_to_local, texts[0]),
            ratio_text(group == FIELD_HALO, r->median_us, p.local_to_local, texts[1]),
            ratio_text(group == FIELD_HALO, r->median_us, p.best, texts[4]),
            ratio_text(group == FIELD_SUM, r->median_us, p.local_to_global, texts[2]),
            ratio_text(group == FIELD_VIEW, r->median_us, p.copies, texts[3]), field_methods[m].about,
            r->wrong ? "   WRONG" : "");
  }
  fflush(file);
}

/* ---- objects -------------------------------------------------------------------------------------- */

static void print_ratio(FILE *file, const char *key, bool applies, double ours, double theirs)
{
  if (applies && theirs > 0)
    fprintf(file, ", \"%s\": %.4f", key, ours / theirs);
  else
    fprintf(file, ", \"%s\": null", key);
}

static void report_json(FILE *file, const field_case *c, const field_result results[])
{
  const peers p = peers_of(results);
  for (int m = 0; field_methods[m].name; m++) {
    const field_result *r = &results[m];
    const field_group group = field_methods[m].group;
    if (!r->measured) continue;
    fprintf(file, "{\"n\": %lld, \"width\": %lld, \"grid\": \"%s\", \"periodic\": %s, \"ranks\": %d",
            (long long)c->n, (long long)c->width, c->grid, c->periodic ? "true" : "false", c->nprocs);
    fprintf(file, ", \"method\": \"%s\", \"median_us\": %.9g, \"first_us\": %.9g", field_methods[m].name,
            r->median_us, r->first_us);
    print_ratio(file, "vs_global_to_local", group == FIELD_HALO, r->median_us, p.global_to_local);
    print_ratio(file, "vs_local_to_local", group == FIELD_HALO, r->median_us, p.local_to_local);
    print_ratio(file, "vs_best_halo", group == FIELD_HALO, r->median_us, p.best);
    print_ratio(file, "vs_local_to_global", group == FIELD_SUM, r->median_us, p.local_to_global);
    print_ratio(file, "vs_copies", group == FIELD_VIEW, r->median_us, p.copies);
    fprintf(file, ", \"wrong\": %lld}\n", (long long)r->wrong);
  }
  fflush(file);
}

void field_report(FILE *file, const field_case *c, const field_result results[], bool json)
{
  if (json)
    report_json(file, c, results);
  else
    report_table(file, c, results);
}

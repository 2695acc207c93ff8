#include "redistribute.h"

#include "numbers.h"

static const char *dtype_name(dap_dtype dtype)
{
  return dtype == DAP_F4 ? "f4" : dtype == DAP_C8 ? "c8" : dtype == DAP_C16 ? "c16" : "f8";
}

/* Returns the number of the fastest method of a role, or -1 if none was measured. */
static int fastest(const bench_result results[], bench_role role)
{
  int best = -1;
  for (int m = 0; m < bench_methods_count; m++)
    if (results[m].time.measured && bench_methods[m]->role == role &&
        (best < 0 || results[m].time.median_us < results[best].time.median_us))
      best = m;
  return best;
}

/* Returns a method's time over another one's, or a negative number if they cannot be compared. */
static double over(const bench_result results[], int method, int other)
{
  return method < 0 || other < 0 ? -1 : results[method].time.median_us / results[other].time.median_us;
}

/* ---- the table ------------------------------------------------------------------------------------ */

static const char *bytes_text(int64_t bytes, char text[16])
{
  if (bytes < 0)
    snprintf(text, 16, "-");
  else if (bytes < 1 << 20)
    snprintf(text, 16, "%.0f KiB", (double)bytes / 1024);
  else
    snprintf(text, 16, "%.1f MiB", (double)bytes / (1 << 20));
  return text;
}

static void print_row(FILE *file, const bench_result results[], int m, int limit, int peer)
{
  const bench_result *r = &results[m];
  const bool is_short = limit >= 0 && results[limit].time.median_us < 100; /* use microseconds */
  char name[64], texts[6][16];
  const bool sided = r->side[0] != 0;
  snprintf(name, sizeof name, "%s%s%s%s", bench_methods[m]->name, sided ? " (" : "", r->side,
           sided ? ")" : "");
  fprintf(
      file, "%s %-17s %10s %8s %10s %12s %12s %10s%s\n", m == peer ? "*" : " ", name,
      bench_number_text(is_short ? r->time.median_us : 1e-3 * r->time.median_us, is_short ? 2 : 3, texts[0]),
      bench_number_text(over(results, m, limit), 2, texts[1]),
      bench_number_text(m == limit ? -1 : over(results, peer, m), 2, texts[2]),
      bytes_text(r->extra_bytes, texts[3]), bytes_text(r->stats_bytes, texts[4]),
      bench_number_text(r->plan_ms, 3, texts[5]), r->time.wrong ? "   WRONG" : "");
}

void bench_report_table(FILE *file, const bench_case *c, const bench_result results[])
{
  const int limit = fastest(results, BENCH_LIMIT), peer = fastest(results, BENCH_PEER);
  fprintf(file, "\n%s: %s\n", c->name, c->about);
  fprintf(file, "n = %lld, ", (long long)c->n);
  if (c->ndim == 3) fprintf(file, "%lld^3 elements, ", (long long)c->from.axes[0].size);
  fprintf(file, "%s, %d rank%s\n", dtype_name(c->dtype), c->nprocs, c->nprocs == 1 ? "" : "s");
  fprintf(file, "  %-17s %10s %8s %10s %12s %12s %10s\n", "method",
          limit >= 0 && results[limit].time.median_us < 100 ? "median us" : "median ms", "x limit", "x peer",
          "extra", "own count", "plan ms");
  for (int m = 0; m < bench_methods_count; m++)
    if (results[m].time.measured) print_row(file, results, m, limit, peer);
  fflush(file);
}

/* ---- objects -------------------------------------------------------------------------------------- */

void bench_report_json(FILE *file, const bench_case *c, bool alone, const bench_result results[])
{
  static const char *const roles[] = {"dapbridge", "peer", "limit"};
  const int limit = fastest(results, BENCH_LIMIT), peer = fastest(results, BENCH_PEER);
  for (int m = 0; m < bench_methods_count; m++) {
    const bench_result *r = &results[m];
    if (!r->time.measured) continue;
    fprintf(file, "{\"case\": \"%s\", \"about\": \"%s\", \"n\": %lld, \"ranks\": %d, \"dtype\": \"%s\"",
            c->name, c->about, (long long)c->n, c->nprocs, dtype_name(c->dtype));
    fprintf(file, ", \"method\": \"%s\", \"role\": \"%s\"", bench_methods[m]->name,
            roles[bench_methods[m]->role]);
    fprintf(file, ", \"alone\": %s", alone ? "true" : "false");
    if (r->side[0]) fprintf(file, ", \"side\": \"%s\"", r->side);
    bench_print_number(file, "median_ms", 1e-3 * r->time.median_us);
    bench_print_number(file, "vs_limit", over(results, m, limit));
    bench_print_number(file, "vs_best_peer", m == limit ? -1 : over(results, peer, m));
    bench_print_number(file, "extra_bytes", (double)r->extra_bytes);
    bench_print_number(file, "stats_bytes", (double)r->stats_bytes);
    bench_print_number(file, "plan_ms", r->plan_ms);
    fprintf(file, ", \"wrong\": %lld}\n", (long long)r->time.wrong);
  }
  fflush(file);
}

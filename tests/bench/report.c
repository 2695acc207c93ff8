#include "report.h"

static const char *dtype_name(dap_dtype dtype)
{
  return dtype == DAP_F4 ? "f4" : dtype == DAP_C8 ? "c8" : dtype == DAP_C16 ? "c16" : "f8";
}

/* The first method of a role, the fastest if several; NULL: none was measured. */
static const bench_result *fastest(const bench_result results[], bench_role role)
{
  const bench_result *best = NULL;
  for (int m = 0; bench_methods[m].name; m++) {
    const bench_result *r = &results[m];
    if (r->method && r->method->role == role && (!best || r->median_ms < best->median_ms)) best = r;
  }
  return best;
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

/* A number, or "-" for one that is not there. */
static const char *number_text(double number, int digits, char text[16])
{
  if (number < 0)
    snprintf(text, 16, "-");
  else
    snprintf(text, 16, "%.*f", digits, number);
  return text;
}

/* Whether microseconds are the better unit. */
static bool is_short(const bench_result *limit)
{
  return limit && limit->median_ms < 0.1;
}

static void print_row(FILE *file, const bench_result *r, const bench_result *limit, const bench_result *peer)
{
  char name[64], texts[6][16];
  const char *mark = r == peer ? "*" : " ";
  const bool sided = r->side[0] != 0;
  snprintf(name, sizeof name, "%s%s%s%s", r->method->name, sided ? " (" : "", r->side, sided ? ")" : "");
  fprintf(file, "%s %-17s %10s %8s %10s %12s %12s %10s%s\n", mark, name,
          number_text(is_short(limit) ? 1e3 * r->median_ms : r->median_ms, is_short(limit) ? 2 : 3, texts[0]),
          number_text(limit ? r->median_ms / limit->median_ms : -1, 2, texts[1]),
          number_text(peer && r != limit ? peer->median_ms / r->median_ms : -1, 2, texts[2]),
          bytes_text(r->extra_bytes, texts[3]), bytes_text(r->stats_bytes, texts[4]),
          number_text(r->plan_ms, 3, texts[5]), r->wrong ? "   WRONG" : "");
}

void bench_report_table(FILE *file, const bench_case *c, const bench_result results[])
{
  const bench_result *limit = fastest(results, BENCH_LIMIT), *peer = fastest(results, BENCH_PEER);
  fprintf(file, "\n%s: %s\n", c->name, c->about);
  fprintf(file, "n = %lld, ", (long long)c->n);
  if (c->ndim == 3) fprintf(file, "%lld^3 elements, ", (long long)c->from.axes[0].size);
  fprintf(file, "%s, %d rank%s\n", dtype_name(c->dtype), c->nprocs, c->nprocs == 1 ? "" : "s");
  fprintf(file, "  %-17s %10s %8s %10s %12s %12s %10s\n", "method",
          is_short(limit) ? "median us" : "median ms", "x limit", "x peer", "extra", "own count", "plan ms");
  for (int m = 0; bench_methods[m].name; m++) {
    if (results[m].method) print_row(file, &results[m], limit, peer);
  }
  fflush(file);
}

/* ---- objects -------------------------------------------------------------------------------------- */

static void print_number(FILE *file, const char *key, double number)
{
  if (number < 0)
    fprintf(file, ", \"%s\": null", key);
  else
    fprintf(file, ", \"%s\": %.9g", key, number);
}

static void print_bytes(FILE *file, const char *key, int64_t bytes)
{
  if (bytes < 0)
    fprintf(file, ", \"%s\": null", key);
  else
    fprintf(file, ", \"%s\": %lld", key, (long long)bytes);
}

void bench_report_json(FILE *file, const bench_case *c, bool alone, const bench_result results[])
{
  static const char *const roles[] = {"dapbridge", "peer", "limit"};
  const bench_result *limit = fastest(results, BENCH_LIMIT), *peer = fastest(results, BENCH_PEER);
  for (int m = 0; bench_methods[m].name; m++) {
    const bench_result *r = &results[m];
    if (!r->method) continue;
    fprintf(file, "{\"case\": \"%s\", \"about\": \"%s\", \"n\": %lld, \"ranks\": %d, \"dtype\": \"%s\"",
            c->name, c->about, (long long)c->n, c->nprocs, dtype_name(c->dtype));
    fprintf(file, ", \"method\": \"%s\", \"role\": \"%s\"", r->method->name, roles[r->method->role]);
    fprintf(file, ", \"alone\": %s", alone ? "true" : "false");
    if (r->side[0]) fprintf(file, ", \"side\": \"%s\"", r->side);
    print_number(file, "median_ms", r->median_ms);
    print_number(file, "vs_limit", limit ? r->median_ms / limit->median_ms : -1);
    print_number(file, "vs_best_peer", peer && r != limit ? peer->median_ms / r->median_ms : -1);
    print_bytes(file, "extra_bytes", r->extra_bytes);
    print_bytes(file, "stats_bytes", r->stats_bytes);
    print_number(file, "plan_ms", r->plan_ms);
    fprintf(file, ", \"wrong\": %lld}\n", (long long)r->wrong);
  }
  fflush(file);
}

/* Reads a layout from a text. The grammar is in parse.h. */
#include <dapbridge/parse.h>

#include "parse_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* A text being read. */
typedef struct reader {
  dap_scan scan;
  int ndim;
  bool has_grid, has_axes;
  int64_t sizes[DAP_MAX_NDIM], procs[DAP_MAX_NDIM]; /* [ndim]; procs[k] is 0 if the text has no grid */
  int64_t nprocs;                                   /* of the axes so far */
  dap_map maps[DAP_MAX_NDIM];                       /* [ndim] */
  size_t ranks_at, ranks, rank_count; /* place in the text; first in scan.number; 0: none are named */
} reader;

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Reads numbers with "x" between them. at[] receives the place of each. */
static dap_status read_product(dap_scan *scan, const char *what, int64_t numbers[], size_t at[], int *count,
                               dap_error *err)
{
  *count = 0;
  do {
    if (*count == DAP_MAX_NDIM)
      return dap_scan_fail(scan, scan->at, DAP_ERR_ARG, err, "there are more than %d %s", DAP_MAX_NDIM, what);
    at[*count] = scan->at;
    DAP_TRY(dap_scan_number(scan, &numbers[(*count)++], err));
  } while (dap_scan_sign(scan, 'x'));
  return DAP_OK;
}

static dap_status read_sizes(reader *r, dap_error *err)
{
  size_t at[DAP_MAX_NDIM];
  if (dap_scan_phrase(&r->scan, "scalar")) return DAP_OK;
  if (!dap_scan_is_number(&r->scan)) return dap_scan_expected(&r->scan, "a size or 'scalar'", err);
  return read_product(&r->scan, "sizes", r->sizes, at, &r->ndim, err);
}

/* Counts the processes of the grid up to an axis. */
static dap_status count_procs(reader *r, size_t at, int64_t procs, dap_error *err)
{
  if (procs < 1)
    return dap_scan_fail(&r->scan, at, DAP_ERR_DIM, err, "%" PRId64 " processes are too few", procs);
  if (!dap_multiply(r->nprocs, procs, &r->nprocs)) r->nprocs = INT64_MAX;
  if (r->nprocs > DAP_PARSE_PROCS)
    return dap_scan_fail(&r->scan, at, DAP_ERR_RANGE, err, "%" PRId64 " processes exceed %d", r->nprocs,
                         DAP_PARSE_PROCS);
  return DAP_OK;
}

/* Fails because the grid and the array have different numbers of axes. If the grid has fewer, the text gives
 * one that would do. */
static dap_status fail_grid(const reader *r, size_t at, int count, dap_error *err)
{
  char cure[256] = "";
  dap_text text = dap_text_start(cure, sizeof cure);
  if (count < r->ndim) dap_text_add(&text, ", as in '");
  for (int k = 0; k < r->ndim && count < r->ndim; k++)
    dap_text_add(&text, "%s%" PRId64, k == 0 ? "on " : "x", k < count ? r->procs[k] : 1);
  if (count < r->ndim) dap_text_add(&text, "'");
  return dap_scan_fail(&r->scan, at, DAP_ERR_ARG, err,
                       "the grid has %d ax%s, the array %d: each needs its number of processes%s", count,
                       count == 1 ? "is" : "es", r->ndim, cure);
}

static dap_status read_grid(reader *r, dap_error *err)
{
  size_t at[DAP_MAX_NDIM];
  int count;
  const size_t begin = r->scan.at;
  r->has_grid = dap_scan_phrase(&r->scan, "on") || dap_scan_phrase(&r->scan, "over");
  if (!r->has_grid) return DAP_OK;
  DAP_TRY(read_product(&r->scan, "numbers of processes", r->procs, at, &count, err));
  if (count != r->ndim) return fail_grid(r, begin, count, err);
  for (r->scan.axis = 0; r->scan.axis < count; r->scan.axis++)
    DAP_TRY(count_procs(r, at[r->scan.axis], r->procs[r->scan.axis], err));
  r->scan.axis = -1;
  return DAP_OK;
}

/* Reads and makes axis k. Without a text, it is a block for each process. */
static dap_status read_axis(reader *r, int k, dap_error *err)
{
  const size_t at = r->scan.at;
  const int procs = (int)r->procs[k];
  const dap_dist even = dap_dist_even(r->sizes[k], procs > 0 ? procs : 1);
  if (!r->has_axes) return dap_map_create(k, &even, &r->maps[k], err);
  DAP_TRY(dap_parse_axis(&r->scan, r->sizes[k], procs, &r->maps[k], err));
  return r->has_grid ? DAP_OK : count_procs(r, at, r->maps[k].axis.procs, err);
}

static dap_status read_axes(reader *r, dap_error *err)
{
  r->has_axes = dap_scan_sign(&r->scan, ':');
  for (int k = 0; k < r->ndim; k++) {
    r->scan.axis = k;
    if (r->has_axes && k > 0 && !dap_scan_sign(&r->scan, ','))
      return dap_scan_expected(&r->scan, "',' and the distribution of this axis", err);
    DAP_TRY(read_axis(r, k, err));
  }
  r->scan.axis = -1;
  return DAP_OK;
}

static dap_status read_ranks(reader *r, dap_error *err)
{
  if (!dap_scan_sign(&r->scan, ';')) return DAP_OK;
  if (!dap_scan_phrase(&r->scan, "ranks")) return dap_scan_expected(&r->scan, "'ranks'", err);
  r->ranks_at = r->scan.at;
  DAP_TRY(dap_scan_numbers(&r->scan, &r->ranks, err));
  r->rank_count = r->scan.count - r->ranks;
  return DAP_OK;
}

/* Returns the words that can come next, for errors. */
static const char *end_of(const reader *r)
{
  if (r->ndim == 0 || r->rank_count > 0) return "the end";
  if (r->has_axes) return "';' or the end";
  return r->has_grid ? "'x', ':', ';' or the end" : "'x', 'on', ':', ';' or the end";
}

static dap_status read_text(reader *r, dap_error *err)
{
  DAP_TRY(read_sizes(r, err));
  if (r->ndim > 0) {
    DAP_TRY(read_grid(r, err));
    DAP_TRY(read_axes(r, err));
    DAP_TRY(read_ranks(r, err));
  }
  if (r->scan.text[r->scan.at] != '\0') return dap_scan_expected(&r->scan, end_of(r), err);
  if (r->rank_count > 0 && r->rank_count != (size_t)r->nprocs)
    return dap_scan_fail(&r->scan, r->ranks_at, DAP_ERR_ARG, err,
                         "%zu ranks are named of %" PRId64 " processes", r->rank_count, r->nprocs);
  return DAP_OK;
}

/* ---- making -------------------------------------------------------------------------------------------- */

static dap_status reorder(const reader *r, dap_layout **layout, dap_error *err)
{
  dap_error error = {0};
  dap_layout *made = *layout;
  const int nprocs = dap_layout_nprocs(made);
  if (r->rank_count == 0) return DAP_OK;
  int *ranks = malloc(r->rank_count * sizeof *ranks);
  dap_status s = ranks ? DAP_OK : dap_fail(&error, DAP_ERR_NOMEM, "no memory for %d ranks", nprocs);
  for (int i = 0; i < nprocs && !s; i++)
    ranks[i] = (int)dap_smaller(r->scan.number[r->ranks + (size_t)i], INT_MAX);
  *layout = NULL;
  if (!s) s = dap_layout_reorder(made, ranks, layout, &error);
  free(ranks);
  dap_layout_destroy(&made);
  return s ? dap_scan_place(r->ranks_at, s, &error, err) : DAP_OK;
}

dap_status dap_layout_parse(const char *text, dap_layout **layout, dap_error *err)
{
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout must not be NULL");
  *layout = NULL;
  DAP_REQUIRE(text, err, DAP_ERR_ARG, "text must not be NULL");
  reader r = {.nprocs = 1};
  dap_error error = {0};
  dap_status s = dap_scan_start(text, &r.scan, err);
  if (!s) s = read_text(&r, err);
  const dap_status made = dap_layout_from_maps(s, r.ndim, r.maps, layout, &error);
  if (made && !s) s = dap_scan_place(0, made, &error, err);
  if (!s) s = reorder(&r, layout, err);
  dap_scan_end(&r.scan);
  return s;
}

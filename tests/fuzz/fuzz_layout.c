/* Checks that the answers of a layout that the fuzzer found agree with each other. */
#include "fuzz.h"

#include <dapbridge/draw.h>
#include <dapbridge/parse.h>

#include <string.h>

enum { MOST_RUNS = 1000 }; /* axes of type 'c' can have as many runs as the largest number in a document */

void fuzz_listen(void *context, dap_status status, const dap_error *finding)
{
  fuzz_heard *heard = context;
  FUZZ_REQUIRE(status != DAP_OK && memchr(finding->text, '\0', DAP_ERROR_TEXT) && finding->text[0]);
  FUZZ_REQUIRE(!strpbrk(finding->text, "\n\r"));
  char suffix[32] = "";
  if (finding->rule > 0) (void)snprintf(suffix, sizeof suffix, " (rule %d)", finding->rule);
  FUZZ_REQUIRE(strlen(finding->text) > strlen(suffix) &&
               !strcmp(finding->text + strlen(finding->text) - strlen(suffix), suffix));
  if (heard->count++ == 0) memcpy(heard->first, finding->text, sizeof heard->first);
}

int64_t fuzz_spread(int64_t count, int i)
{
  const int last = FUZZ_FEW - 1, part = i % FUZZ_FEW;
  return part == last ? count - 1 : count / last * part + count % last * part / last;
}

/* ---- words ---------------------------------------------------------------------------------------- */

/* Returns a text, which the caller frees. Checks that it can be cut. */
static char *write_words(size_t (*writer)(const dap_layout *, char *, size_t), const dap_layout *layout)
{
  const size_t length = writer(layout, NULL, 0);
  char *text = malloc(length + 1), cut[16];
  FUZZ_REQUIRE(text && length < ((size_t)1 << 24));
  FUZZ_REQUIRE(writer(layout, text, length + 1) == length && strlen(text) == length);
  FUZZ_REQUIRE(writer(layout, cut, sizeof cut) == length && !strncmp(text, cut, strlen(cut)));
  return text;
}

/* ---- one axis ------------------------------------------------------------------------------------- */

static void look_at_runs(const dap_layout *layout, int axis, int coord)
{
  const int64_t extent = dap_layout_extent(layout, axis, coord);
  int64_t owned = 0;
  int runs = 0;
  for (dap_run run = {0}; dap_layout_next_run(layout, axis, coord, &run);) {
    FUZZ_REQUIRE(run.length >= 1 && run.global >= 0 && run.local >= 0);
    FUZZ_REQUIRE(run.global <= dap_layout_size(layout, axis) - run.length);
    FUZZ_REQUIRE(run.local <= extent - run.length);
    owned += run.length;
    if (++runs == MOST_RUNS) return;
  }
  FUZZ_REQUIRE(owned == dap_layout_owned(layout, axis, coord));
}

static void look_at_axis(const dap_layout *layout, int axis)
{
  const int procs = dap_layout_procs(layout, axis);
  dap_blocks blocks;
  int64_t *ranges = malloc(((size_t)procs + 1) * sizeof *ranges);
  FUZZ_REQUIRE(ranges);
  for (int i = 0; i < FUZZ_FEW; i++) {
    const int coord = (int)fuzz_spread(procs, i);
    FUZZ_REQUIRE(dap_layout_knows(layout, axis, coord));
    FUZZ_REQUIRE(dap_layout_owned(layout, axis, coord) <= dap_layout_extent(layout, axis, coord));
    look_at_runs(layout, axis, coord);
  }
  (void)dap_layout_blocks(layout, axis, &blocks, NULL);
  (void)dap_layout_ranges(layout, axis, ranges, NULL);
  free(ranges);
}

/* ---- elements ------------------------------------------------------------------------------------- */

int fuzz_find(const dap_layout *layout, const int64_t global[], int64_t local[])
{
  int64_t back[DAP_MAX_NDIM];
  const size_t bytes = (size_t)dap_layout_ndim(layout) * sizeof *global;
  int rank = -1;
  bool owned = false;
  FUZZ_REQUIRE(dap_layout_locate(layout, global, &rank, local, NULL) == DAP_OK);
  FUZZ_REQUIRE(dap_layout_globalize(layout, rank, local, back, &owned, NULL) == DAP_OK);
  FUZZ_REQUIRE(owned && !memcmp(global, back, bytes));
  return rank;
}

static void look_at_part(const dap_array *array, const dap_layout *layout, int rank, bool has_buffers)
{
  const int ndim = dap_layout_ndim(layout);
  int coords[DAP_MAX_NDIM];
  int64_t local[DAP_MAX_NDIM], global[DAP_MAX_NDIM], place[DAP_MAX_NDIM], extent[DAP_MAX_NDIM];
  bool owned = false;
  dap_layout_coords(layout, rank, coords);
  FUZZ_REQUIRE(dap_layout_rank(layout, coords) == rank);
  for (int k = 0; k < ndim; k++) {
    extent[k] = dap_layout_extent(layout, k, coords[k]);
    FUZZ_REQUIRE(!has_buffers || extent[k] == array->shape[k]);
    FUZZ_REQUIRE(array->dims[k].dist_type == '\0' || array->dims[k].dist_type == 'n' ||
                 array->dims[k].proc_grid_rank == coords[k]);
    if (extent[k] == 0) return;
  }
  for (int i = 0; i < FUZZ_FEW; i++) {
    for (int k = 0; k < ndim; k++) local[k] = fuzz_spread(extent[k], i + k);
    FUZZ_REQUIRE(dap_layout_globalize(layout, rank, local, global, &owned, NULL) == DAP_OK);
    const int owner = fuzz_find(layout, global, place);
    FUZZ_REQUIRE(!owned || (owner == rank && !memcmp(place, local, (size_t)ndim * sizeof *local)));
  }
}

void fuzz_format(const dap_layout *layout)
{
  char *text = write_words(dap_layout_format, layout);
  dap_layout *back = NULL;
  const dap_status s = dap_layout_parse(text, &back, NULL);
  FUZZ_REQUIRE(s == DAP_OK || dap_layout_nprocs(layout) > DAP_PARSE_PROCS);
  FUZZ_REQUIRE(s || dap_layout_is_equal(layout, back));
  dap_layout_destroy(&back);
  free(text);
}

void fuzz_layout(const fuzz_arrays *arrays, const dap_layout *layout)
{
  const int ndim = dap_layout_ndim(layout);
  FUZZ_REQUIRE(dap_layout_nprocs(layout) == arrays->nprocs);
  FUZZ_REQUIRE(dap_layout_is_equal(layout, layout));
  free(write_words(dap_layout_describe, layout));
  free(write_words(dap_layout_summary, layout));
  free(write_words(dap_layout_draw, layout));
  fuzz_format(layout);
  for (int k = 0; k < ndim; k++) look_at_axis(layout, k);
  for (int i = 0; i < FUZZ_FEW; i++) {
    const int rank = (int)fuzz_spread(arrays->nprocs, i);
    look_at_part(&arrays->of[rank], layout, rank, arrays->has_buffers);
  }
  int64_t global[DAP_MAX_NDIM], local[DAP_MAX_NDIM];
  for (int i = 0; i < FUZZ_FEW && dap_layout_count(layout) > 0; i++) {
    for (int k = 0; k < ndim; k++) global[k] = fuzz_spread(dap_layout_size(layout, k), i + k);
    (void)fuzz_find(layout, global, local);
  }
  fuzz_slices(arrays, layout);
  fuzz_export(layout);
}

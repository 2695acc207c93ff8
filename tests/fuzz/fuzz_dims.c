/* Fuzzes dictionaries in memory, as producers pass them: those of a valid layout, in which some words are
 * changed. It does not use JSON, so sanitizers see all code that runs. For libFuzzer; a contradiction ends
 * the run. */
#include "fuzz.h"

#include <string.h>

enum {
  AXES = 3,
  PROCS = 3 /* most processes along an axis */,
  RANKS = 27,
  LISTED = 48 /* most indices of a list */
};

/* ---- bytes as numbers ------------------------------------------------------------------------------ */

typedef struct input {
  const uint8_t *at;
  size_t left;
} input;

/* Returns a number below `below`, or 0 after the last byte. */
static int take(input *in, int below)
{
  if (in->left == 0) return 0;
  in->left--;
  return *in->at++ % below;
}

/* Returns mostly small numbers, and some at the limits of arithmetic. */
static int64_t take_number(input *in)
{
  static const int64_t ends[] = {
      INT64_MIN,     INT64_MIN + 1, INT64_MAX,          INT64_MAX - 1,       INT32_MAX,
      INT32_MIN,     UINT32_MAX,    INT64_C(1) << 31,   INT64_C(1) << 62,    INT64_C(3) << 61,
      INT64_MAX / 2, INT64_MAX / 3, INT64_MAX / 48 + 1, -(INT64_C(1) << 62), 0};
  const int count = sizeof ends / sizeof ends[0], kind = take(in, 256);
  if (kind < 160) return kind % 80 - 8;
  if (kind < 240) return (int64_t)((uint64_t)ends[kind % count] + (uint64_t)take(in, 3) - 1);
  uint64_t word = 0;
  for (int i = 0; i < 8; i++) word = word * 256 + (uint64_t)take(in, 256);
  return (int64_t)word;
}

/* ---- a right layout --------------------------------------------------------------------------------- */

/* Memory to which the distribution of an axis points. */
typedef struct lists {
  int64_t lengths[PROCS], indices[PROCS][LISTED];
  const int64_t *of[PROCS];
} lists;

/* Deals the indices out in random order, some of them twice. */
static void deal(input *in, dap_dist *dist, lists *l)
{
  const int step = 1 + take(in, 7), copies = take(in, 3);
  memset(l->lengths, 0, sizeof l->lengths);
  for (int64_t i = 0; i < dist->size; i++) {
    const int first = (int)(i * step % dist->procs);
    for (int c = 0; c <= (i % 5 < copies ? 1 : 0) && c < dist->procs; c++) {
      const int process = (first + c) % dist->procs;
      l->indices[process][l->lengths[process]++] = i;
    }
  }
  for (int c = 0; c < dist->procs; c++) l->of[c] = l->indices[c];
  dist->lengths = l->lengths;
  dist->indices = l->of;
  dist->one_to_one = copies == 0;
}

static dap_dist take_dist(input *in, lists *l)
{
  static const dap_dist_kind kinds[] = {DAP_DIST_EVEN,   DAP_DIST_CEIL,         DAP_DIST_LENGTHS,
                                        DAP_DIST_CYCLIC, DAP_DIST_UNSTRUCTURED, DAP_DIST_REPLICATED,
                                        DAP_DIST_EVEN,   DAP_DIST_EVEN};
  dap_dist dist = {.kind = kinds[take(in, 8)], .procs = 1 + take(in, PROCS), .size = take(in, LISTED)};
  if (dist.kind == DAP_DIST_CYCLIC) {
    dist.block_size = 1 + take(in, 9);
    dist.first_owner = take(in, dist.procs);
  } else if (dist.kind == DAP_DIST_UNSTRUCTURED) {
    deal(in, &dist, l);
  } else if (dist.kind != DAP_DIST_REPLICATED) {
    dist.halo = take(in, 3);
    dist.periodic = take(in, 2);
    dist.wraps = dist.periodic && take(in, 2);
    for (int side = 0; side < 2 && !dist.wraps; side++) dist.boundary[side] = take(in, 2);
  }
  if (dist.kind == DAP_DIST_LENGTHS) {
    int64_t left = dist.size;
    for (int c = 0; c < dist.procs; left -= l->lengths[c++])
      l->lengths[c] = c == dist.procs - 1 ? left : take(in, (int)left + 1);
    dist.lengths = l->lengths;
  }
  return dist;
}

/* ---- its arrays, changed ---------------------------------------------------------------------------- */

typedef struct made {
  fuzz_heard heard;
  dap_array arrays[RANKS];
  int64_t indices[RANKS][AXES][LISTED + 1];
} made;
_Static_assert(offsetof(made, heard) == 0, "fuzz_listen() and give() get the same pointer");

/* Copies indices, which are unsigned numbers in as few bytes as the layout needs, the lowest byte first
 * (x86). */
static void copy_indices(const dap_dim *dim, int64_t indices[])
{
  const size_t size = (size_t)dap_dtype_size(dim->indices_dtype);
  for (int64_t i = 0; i < dim->index_count; i++)
    memcpy(&indices[i], (const char *)dim->indices + (size_t)i * size, size);
}

/* Makes the arrays. Returns false if the version cannot describe the layout. */
static bool make_arrays(const dap_layout *layout, const char *version, made *m)
{
  for (int rank = 0; rank < dap_layout_nprocs(layout); rank++) {
    if (fuzz_array(layout, version, rank, &m->arrays[rank], NULL)) return false;
    for (int k = 0; k < dap_layout_ndim(layout); k++) {
      dap_dim *dim = &m->arrays[rank].dims[k];
      if (dim->dist_type != 'u') continue;
      copy_indices(dim, m->indices[rank][k]);
      dim->indices = m->indices[rank][k];
      dim->indices_dtype = DAP_I8;
    }
  }
  return true;
}

static void change_dim(input *in, dap_dim *dim, int64_t indices[])
{
  static const char types[] = {'b', 'c', 'u', 'n', 0, 'x'};
  int64_t *const words[] = {&dim->size, &dim->proc_grid_size, &dim->proc_grid_rank, &dim->start,
                            &dim->stop, &dim->padding[0],     &dim->padding[1],     &dim->block_size};
  const int which = take(in, 14);
  if (which < 8) *words[which] = take_number(in);
  if (which == 8) dim->dist_type = types[take(in, sizeof types)];
  if (which == 9) dim->periodic = !dim->periodic;
  if (which == 10) dim->one_to_one = !dim->one_to_one;
  if (which == 11) indices[take(in, LISTED)] = take_number(in);
  if (which == 12) dim->indices_dtype = (dap_dtype)take(in, DAP_U8 + 1);
  if (which == 13) dim->index_count = take(in, LISTED + 2) - 1;
  if (!dim->indices && dim->index_count > 0 && take(in, 2)) dim->indices = indices;
}

static void change(input *in, const dap_layout *layout, made *m)
{
  dap_array *array = &m->arrays[take(in, 255) % dap_layout_nprocs(layout)];
  const int axis = take(in, AXES), which = take(in, 16);
  if (which == 0) array->dim_count = take(in, AXES + 1);
  if (which == 1) array->ndim = take(in, AXES + 1);
  if (which == 2) array->shape[axis] = take_number(in);
  if (which == 3) array->strides[axis] = take_number(in);
  if (which == 4) array->version[take(in, DAP_VERSION_TEXT)] = (char)take(in, 128);
  if (which == 5) array->dtype = (dap_dtype)take_number(in);
  if (which == 6) array->data = NULL;
  if (which == 7) array->abi = (int32_t)take_number(in);
  if (which > 7) change_dim(in, &array->dims[axis], m->indices[array - m->arrays][axis]);
}

static dap_status give(void *context, int rank, dap_array *array, dap_error *err)
{
  (void)err;
  const made *m = context;
  *array = m->arrays[rank];
  return DAP_OK;
}

/* Joins the arrays. With and without a listener, the returned error must be the first finding. */
static void join(made *m, int nprocs, bool is_changed)
{
  dap_join with = {.nprocs = nprocs, .context = m, .part = give, .tell = fuzz_listen}, without = with;
  dap_layout *layout = NULL, *again = NULL;
  dap_error err = {.text = ""}, other = {.text = ""};
  without.tell = NULL;
  const dap_status s = dap_layout_join(&with, &layout, &err), t = dap_layout_join(&without, &again, &other);
  FUZZ_REQUIRE((s == DAP_OK) == (layout != NULL) && (s != DAP_OK) == (m->heard.count > 0));
  FUZZ_REQUIRE(s == t && (again != NULL) == (layout != NULL) && !strcmp(err.text, other.text));
  FUZZ_REQUIRE(!s || !strcmp(err.text, m->heard.first));
  if (s && !is_changed) (void)fprintf(stderr, "%s\n", err.text);
  FUZZ_REQUIRE(!s || is_changed);
  if (layout) FUZZ_REQUIRE(dap_layout_is_equal(layout, again));
  if (layout) fuzz_layout(&(fuzz_arrays){nprocs, m->arrays, .has_buffers = true}, layout);
  dap_layout_destroy(&layout);
  dap_layout_destroy(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static made m;
  static lists l[AXES];
  input in = {data, size};
  dap_dist dists[AXES];
  dap_layout *layout = NULL;
  dap_error err = {.text = ""};
  const char *version = fuzz_versions[take(&in, 3)];
  const int ndim = take(&in, AXES + 1), changes = take(&in, 5);
  for (int k = 0; k < ndim; k++) dists[k] = take_dist(&in, &l[k]);
  if (dap_layout_create(ndim, dists, &layout, &err)) {
    FUZZ_REQUIRE(err.text[0] && !layout);
    return 0;
  }
  memset(&m, 0, sizeof m);
  if (make_arrays(layout, version, &m)) {
    for (int i = 0; i < changes; i++) change(&in, layout, &m);
    join(&m, dap_layout_nprocs(layout), changes > 0);
  }
  dap_layout_destroy(&layout);
  return 0;
}

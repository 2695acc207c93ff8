/* Random layouts of all kinds, in one process: what they answer about every process, and what the
 * dictionaries of all processes say when they are joined again. The seed is printed, and DAP_TEST_SEED
 * repeats a run. */
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/join.h>
#include <inttypes.h>

enum { CASES = 4000, MOST = 200 /* elements */, PROCS = 8, AXES = 4, MOST_AXES = DAP_MAX_NDIM /* in some */ };

static random_array array; /* under test */

/* ---- ranks and axes ------------------------------------------------------------------------------ */

static void check_ranks(const dap_layout *layout)
{
  bool in_order = true;
  for (int rank = 0; rank < array.nprocs; rank++) {
    int coords[DAP_MAX_NDIM], want[DAP_MAX_NDIM];
    dap_layout_coords(layout, rank, coords);
    brute_coords(&array.model, rank, want);
    for (int k = 0; k < array.ndim; k++) EXPECT_INT(coords[k], want[k]);
    EXPECT_INT(dap_layout_rank(layout, want), rank);
    in_order = in_order && array.model.ranks[rank] == rank;
  }
  EXPECT_INT(dap_layout_is_row_major(layout), in_order);
  EXPECT_INT(dap_layout_nprocs(layout), array.nprocs);
  EXPECT_INT(dap_layout_ndim(layout), array.ndim);
  EXPECT_INT(dap_layout_count(layout), array.model.count);
}

static void check_axis(const dap_layout *layout, int k)
{
  const brute_axis *axis = &array.model.axes[k];
  EXPECT_INT(dap_layout_size(layout, k), axis->size);
  EXPECT_INT(dap_layout_procs(layout, k), axis->procs);
  for (int c = 0; c < axis->procs; c++) {
    int64_t width[2] = {-1, -1}, listed = 0;
    dap_layout_halo(layout, k, c, width);
    EXPECT(width[0] == axis->halo[c][0] && width[1] == axis->halo[c][1]);
    EXPECT_INT(dap_layout_owned(layout, k, c), axis->owned[c]);
    EXPECT_INT(dap_layout_extent(layout, k, c), axis->extent[c]);
    EXPECT(dap_layout_knows(layout, k, c));
    for (dap_run run = {0}; dap_layout_next_run(layout, k, c, &run); listed += run.length)
      for (int64_t i = 0; i < run.length; i++)
        EXPECT(axis->owner[run.global + i] == c && axis->local[run.global + i] == run.local + i);
    EXPECT_INT(listed, axis->owned[c]);
  }
}

/* ---- elements, one by one and all at once -------------------------------------------------------- */

enum { POSITIONS = 81 * MOST /* of a buffer with halos, at most */ };
static int64_t globals[POSITIONS * MOST_AXES], locals[POSITIONS * MOST_AXES], found[POSITIONS * MOST_AXES];
static int ranks[POSITIONS];
static bool owned[POSITIONS];

/* An index of the last element asked for put out of range: the text says which element and which axis, and
 * what was found before it stays. */
static void check_outside(const dap_layout *layout, int64_t count, test_random *random)
{
  const int axis = (int)test_random_int(random, 0, array.ndim - 1);
  const int64_t size = dap_layout_size(layout, axis);
  const int64_t bad = test_random_one_in(random, 2) ? -1 : size + test_random_int(random, 0, 1);
  int64_t *index = &globals[(count - 1) * array.ndim + axis];
  char parts[120];
  dap_error err = {0};
  snprintf(parts, sizeof parts, "axis %d|index %" PRId64 "|%" PRId64, axis, bad, size - 1);
  *index = bad;
  memset(ranks, -1, sizeof ranks);
  EXPECT_FAIL(dap_layout_locate(layout, index - axis, ranks, found, &err), DAP_ERR_ARG, &err, parts);
  EXPECT(ranks[0] == -1);
  snprintf(parts, sizeof parts, "element %" PRId64 "|axis %d|index %" PRId64, count - 1, axis, bad);
  EXPECT_FAIL(dap_layout_locate_all(layout, count, globals, ranks, found, &err), DAP_ERR_ARG, &err, parts);
  for (int64_t i = 0; i + 1 < count; i++) {
    int64_t want[DAP_MAX_NDIM];
    EXPECT_INT(ranks[i], brute_find(&array.model, globals + i * array.ndim, want));
  }
}

static void check_elements(const dap_layout *layout, test_random *random)
{
  int64_t count = 0;
  dap_error err = {0};
  for (brute_walk w = brute_walk_start(&array.model, -1); !w.done; brute_walk_next(&w), count++) {
    int rank = -1;
    int64_t local[DAP_MAX_NDIM];
    EXPECT_OK(dap_layout_locate(layout, w.global, &rank, local, &err), &err);
    EXPECT_INT(rank, w.owner);
    for (int k = 0; k < array.ndim; k++) EXPECT_INT(local[k], w.local[k]);
    for (int k = 0; k < array.ndim; k++) globals[count * array.ndim + k] = w.global[k];
  }
  EXPECT_OK(dap_layout_locate_all(layout, count, globals, ranks, found, &err), &err);
  count = 0;
  for (brute_walk w = brute_walk_start(&array.model, -1); !w.done; brute_walk_next(&w), count++) {
    EXPECT_INT(ranks[count], w.owner);
    for (int k = 0; k < array.ndim; k++) EXPECT_INT(found[count * array.ndim + k], w.local[k]);
  }
  if (count > 0 && array.ndim > 0) check_outside(layout, count, random);
}

static void check_beyond(const dap_layout *layout, int rank, int64_t count, test_random *random)
{
  const int axis = (int)test_random_int(random, 0, array.ndim - 1);
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, rank, coords);
  const int64_t extent = dap_layout_extent(layout, axis, coords[axis]);
  const int64_t bad = test_random_one_in(random, 2) ? -1 : extent;
  char parts[120];
  dap_error err = {0};
  snprintf(parts, sizeof parts, "element %" PRId64 "|axis %d|position %" PRId64, count - 1, axis, bad);
  locals[(count - 1) * array.ndim + axis] = bad;
  EXPECT_FAIL(dap_layout_globalize_all(layout, rank, count, locals, found, NULL, &err), DAP_ERR_ARG, &err,
              parts);
  EXPECT_FAIL(dap_layout_globalize(layout, array.nprocs, locals, found, NULL, &err), DAP_ERR_ARG, &err,
              "rank");
  EXPECT_FAIL(dap_layout_globalize(layout, -1, locals, found, NULL, &err), DAP_ERR_ARG, &err, "rank -1");
}

static void check_positions(const dap_layout *layout, int rank, test_random *random)
{
  int64_t count = 0;
  dap_error err = {0};
  for (brute_walk w = brute_walk_start(&array.model, rank); !w.done; brute_walk_next(&w), count++) {
    int64_t global[DAP_MAX_NDIM];
    bool mine = false;
    EXPECT_OK(dap_layout_globalize(layout, rank, w.local, global, &mine, &err), &err);
    EXPECT_INT(mine, w.part == BRUTE_OWNED);
    EXPECT(!mine || w.owner == rank);
    for (int k = 0; k < array.ndim; k++) EXPECT_INT(global[k], w.global[k]);
    if (!EXPECT(count < POSITIONS)) return;
    for (int k = 0; k < array.ndim; k++) locals[count * array.ndim + k] = w.local[k];
  }
  EXPECT_OK(dap_layout_globalize_all(layout, rank, count, locals, found, owned, &err), &err);
  count = 0;
  for (brute_walk w = brute_walk_start(&array.model, rank); !w.done; brute_walk_next(&w), count++) {
    EXPECT_INT(owned[count], w.part == BRUTE_OWNED);
    for (int k = 0; k < array.ndim; k++) EXPECT_INT(found[count * array.ndim + k], w.global[k]);
  }
  if (count > 0 && array.ndim > 0) check_beyond(layout, rank, count, random);
}

/* ---- exported and joined ------------------------------------------------------------------------- */

typedef struct exports {
  dap_array parts[PROCS];
  void *indices[PROCS];
} exports;

static dap_status part_of(void *context, int rank, dap_array *part, dap_error *err)
{
  (void)err;
  *part = ((exports *)context)->parts[rank];
  return DAP_OK;
}

/* What dap_array_init() gives: zeroed memory at a cache line, contiguous in either order. */
static void check_new_array(const dap_layout *layout, int rank, const dap_array *part, dap_order order)
{
  const unsigned char *bytes = part->data;
  int coords[DAP_MAX_NDIM];
  int64_t stride = 8;
  dap_layout_coords(layout, rank, coords);
  EXPECT(part->abi == DAP_ARRAY_ABI && part->ndim == array.ndim && part->dim_count == array.ndim);
  EXPECT(part->dtype == DAP_F8 && !part->readonly && !part->swapped);
  for (int i = 0; i < array.ndim; i++) {
    const int k = order == DAP_ORDER_C ? array.ndim - 1 - i : i;
    EXPECT_INT(part->shape[k], array.model.axes[k].extent[coords[k]]);
    if (part->shape[k] > 1) EXPECT_INT(part->strides[k], stride);
    stride *= part->shape[k] ? part->shape[k] : 1;
  }
  EXPECT((uintptr_t)bytes % 64 == 0 && (bytes || dap_array_bytes(part) == 0));
  for (int64_t i = 0; i < dap_array_bytes(part); i++) EXPECT(bytes[i] == 0);
}

/* The dictionaries in `version`, with a buffer and indices of random forms; `name` is what the parts say. */
static void export_part(const dap_layout *layout, int rank, const char *version, const char *name,
                        test_random *random, exports *all)
{
  const dap_order order = test_random_one_in(random, 2) ? DAP_ORDER_C : DAP_ORDER_F;
  dap_array *part = &all->parts[rank];
  dap_error err = {0};
  int coords[DAP_MAX_NDIM];
  EXPECT_OK(dap_array_init(part, layout, rank, DAP_F8, order, NULL, &err), &err);
  EXPECT(!strcmp(part->version, random_array_is_sayable(&array, "0.10.0") ? "0.10.0" : "0.9.0"));
  check_new_array(layout, rank, part, order);
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < array.ndim; k++)
    EXPECT_OK(dap_layout_dim(layout, version, k, coords[k], &part->dims[k], &err), &err);
  memcpy(part->version, name, strlen(name) + 1);
  random_indices(random, part, &all->indices[rank]);
  EXPECT_OK(strcmp(version, name) ? DAP_OK : dap_array_check(part, &err), &err);
}

static void tell(void *context, dap_status status, const dap_error *finding)
{
  (void)context;
  EXPECT_MSG(false, "told: %s, %s", dap_status_name(status), finding->text);
}

static void check_join(const dap_layout *layout, const char *version, test_random *random)
{
  static exports all;
  const bool by_rules = test_random_one_in(random, 3), without = test_random_one_in(random, 3);
  for (int rank = 0; rank < array.nprocs; rank++) {
    export_part(layout, rank, version, by_rules ? "my own 7" : version, random, &all);
    if (without) all.parts[rank].dtype = DAP_NONE;
    for (int k = 0; k < array.ndim && without; k++) all.parts[rank].shape[k] = -7;
  }
  const dap_join join = {.nprocs = array.nprocs,
                         .context = &all,
                         .part = part_of,
                         .tell = test_random_one_in(random, 2) ? tell : NULL,
                         .rules = by_rules ? version : NULL,
                         .without_buffers = without};
  dap_layout *joined = NULL;
  dap_error err = {.rank = 41, .rule = 42, .text = "untouched"};
  if (EXPECT_OK(dap_layout_join(&join, &joined, &err), &err)) {
    EXPECT(err.rank == 41 && err.rule == 42 && !strcmp(err.text, "untouched"));
    const bool same = is_as_read(joined, layout);
    EXPECT_MSG(same == random_array_lowest_own(&array), "joined in %s it is %s layout", version,
               same ? "the same" : "another");
  }
  dap_layout_destroy(&joined);
  for (int rank = 0; rank < array.nprocs; rank++) {
    dap_array_release(&all.parts[rank]);
    free(all.indices[rank]);
  }
}

/* Returns how many versions have words for the layout. */
static int check_exports(const dap_layout *layout, test_random *random)
{
  static const char *const versions[] = {"0.10.0", "0.9.0", "0.0.1"};
  int sayable = 0;
  dap_error err = {0};
  for (int i = 0; i < 3; i++) {
    const bool can = random_array_is_sayable(&array, versions[i]);
    bool all = true;
    dap_dim dim;
    for (int k = 0; k < array.ndim; k++) all = all && !dap_layout_dim(layout, versions[i], k, 0, &dim, &err);
    EXPECT_INT(all, can);
    sayable += can;
  }
  for (int i = 0; i < 3 && sayable; i++)
    if (random_array_is_sayable(&array, versions[i])) check_join(layout, versions[i], random);
  dap_array part;
  if (!sayable)
    EXPECT_STATUS(dap_array_init(&part, layout, 0, DAP_F8, DAP_ORDER_C, NULL, &err), DAP_ERR_UNSUPPORTED,
                  &err);
  return sayable;
}

static void random_layouts(void **state)
{
  (void)state;
  test_random random = test_random_init(72);
  int sayable[4] = {0}; /* layouts by the number of versions that have words for them */
  for (int i = 0; i < CASES; i++) {
    int64_t size[MOST_AXES];
    const int nprocs = (int)test_random_int(&random, 1, PROCS);
    const bool is_deep = test_random_one_in(&random, 40);
    const int ndim = (int)test_random_int(&random, nprocs > 1 || !test_random_one_in(&random, 4),
                                          is_deep ? MOST_AXES : AXES);
    random_shape(&random, ndim, is_deep ? MOST / 8 : MOST, size);
    random_array_draw(&random, nprocs, ndim, size, &array);
    TEST_CASE("seed %" PRIu64 ", case %d: %s", test_seed(), i, random_array_text(&array));
    dap_layout *layout = random_array_layout(&array);
    if (!layout) break;
    check_ranks(layout);
    for (int k = 0; k < ndim; k++) check_axis(layout, k);
    check_elements(layout, &random);
    for (int rank = 0; rank < nprocs; rank++) check_positions(layout, rank, &random);
    sayable[check_exports(layout, &random)]++;
    dap_layout_destroy(&layout);
  }
  EXPECT_MSG(sayable[0] > 5 && sayable[1] > 50 && sayable[2] > 50 && sayable[3] > CASES / 2,
             "%d, %d, %d, %d layouts sayable in 0, 1, 2, 3 versions", sayable[0], sayable[1], sayable[2],
             sayable[3]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(random_layouts)};

MPI_TEST_MAIN(tests)

/* Assembles named and random layouts of all kinds from exports of their processes. Each process must
 * receive the same layout, and know its own coordinate of 'u' axes and a slice of the owners.
 * dap_layout_lookup() must find the owner of any element. */
#include "case.h"
#include "mpi_test.h"
#include "mutate.h"

#include <inttypes.h>

enum { CASES = 200, MOST = 300 /* most elements */ };

static random_array array; /* under test */

/* ---- known facts --------------------------------------------------------------------------------- */

static bool knows_axis(int k, int coord)
{
  int mine[DAP_MAX_NDIM];
  brute_coords(&array.model, test_rank(), mine);
  return array.model.axes[k].kind != 'u' || mine[k] == coord;
}

static bool knows_rank(int rank)
{
  int coords[DAP_MAX_NDIM];
  bool knows = true;
  brute_coords(&array.model, rank, coords);
  for (int k = 0; k < array.ndim; k++) knows = knows && knows_axis(k, coords[k]);
  return knows;
}

/* Checks that counts are known for all coordinates, and elements only for this process's own. */
static void check_axis(const dap_layout *layout, int k)
{
  const brute_axis *axis = &array.model.axes[k];
  for (int c = 0; c < axis->procs; c++) {
    int64_t listed = 0;
    const bool knows = knows_axis(k, c);
    EXPECT_INT(dap_layout_knows(layout, k, c), knows);
    EXPECT_INT(dap_layout_owned(layout, k, c), axis->owned[c]);
    EXPECT_INT(dap_layout_extent(layout, k, c), axis->extent[c]);
    for (dap_run run = {0}; dap_layout_next_run(layout, k, c, &run); listed += run.length)
      for (int64_t i = 0; i < run.length; i++)
        EXPECT(axis->owner[run.global + i] == c && axis->local[run.global + i] == run.local + i);
    EXPECT_INT(listed, knows ? axis->owned[c] : 0);
  }
}

static void check_positions(const dap_layout *layout, int rank)
{
  dap_error err = {0};
  const bool knows = knows_rank(rank);
  for (brute_walk w = brute_walk_start(&array.model, rank); !w.done; brute_walk_next(&w)) {
    int64_t global[DAP_MAX_NDIM];
    bool owned = false;
    const dap_status s = dap_layout_globalize(layout, rank, w.local, global, &owned, &err);
    EXPECT_STATUS(s, knows ? DAP_OK : DAP_ERR_REMOTE, &err);
    if (s) return;
    EXPECT_INT(owned, w.part == BRUTE_OWNED);
    for (int k = 0; k < array.ndim; k++) EXPECT_INT(global[k], w.global[k]);
  }
}

/* Checks that owners are either right or unknown. Along each 'u' axis, one process of every row must know
 * an element. */
static void check_elements(const dap_layout *layout)
{
  dap_error err = {0};
  int64_t answers = 0, all = 0, rows = 1;
  for (brute_walk w = brute_walk_start(&array.model, -1); !w.done; brute_walk_next(&w)) {
    int64_t local[DAP_MAX_NDIM];
    int rank = -1;
    const dap_status s = dap_layout_locate(layout, w.global, &rank, local, &err);
    EXPECT_MSG(s == DAP_OK || s == DAP_ERR_REMOTE, "%s", err.text);
    if (s) continue;
    answers++;
    EXPECT_INT(rank, w.owner);
    for (int k = 0; k < array.ndim; k++) EXPECT_INT(local[k], w.local[k]);
  }
  for (int k = 0; k < array.ndim; k++)
    if (array.model.axes[k].kind != 'u') rows *= array.model.axes[k].procs;
  MPI_Allreduce(&answers, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(all, array.model.count * rows);
}

/* Checks that every process can export itself again, but no process that it does not know. */
static void check_export(const dap_layout *layout)
{
  dap_error err = {0};
  for (int rank = 0; rank < array.nprocs; rank++) {
    dap_array part;
    const dap_status want = knows_rank(rank) ? DAP_OK : DAP_ERR_REMOTE;
    EXPECT_STATUS(dap_array_init(&part, layout, rank, DAP_U1, DAP_ORDER_C, NULL, &err), want, &err);
    dap_array_release(&part);
  }
}

/* ---- lookups ------------------------------------------------------------------------------------- */

enum { ASKED = 200 /* most questions of a process at once */ };

/* Looks up elements. On each process, `layout` is the one that it created or the assembled one. */
static void check_lookup(test_random *own, const dap_layout *layout)
{
  static int64_t global[ASKED * DAP_MAX_NDIM], local[ASKED * DAP_MAX_NDIM];
  static int ranks[ASKED];
  dap_error err = {0};
  const bool asks = array.model.count > 0 && !test_random_one_in(own, 4);
  const int64_t count = asks ? test_random_int(own, 0, ASKED) : 0;
  for (int64_t i = 0; i < count; i++)
    for (int k = 0; k < array.ndim; k++)
      global[i * array.ndim + k] = test_random_int(own, 0, array.dists[k].size - 1);
  const dap_status s = dap_layout_lookup(MPI_COMM_WORLD, layout, count, global, ranks, local, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_OK, NULL);
  for (int64_t i = 0; i < count; i++) {
    int64_t want[DAP_MAX_NDIM];
    EXPECT_INT(ranks[i], brute_find(&array.model, global + i * array.ndim, want));
    for (int k = 0; k < array.ndim; k++) EXPECT_INT(local[i * array.ndim + k], want[k]);
  }
}

/* Looks up elements if all processes created the layout, all assembled it, or each did one of both.
 * Replicated axes need no questions. */
static void check_lookups(test_random *own, const dap_layout *layout, const dap_layout *assembled)
{
  dap_layout *created = layout_as_read(layout);
  check_lookup(own, layout);
  check_lookup(own, created);
  check_lookup(own, assembled);
  check_lookup(own, test_random_one_in(own, 2) ? created : assembled);
  dap_layout_destroy(&created);
}

/* ---- assembled ----------------------------------------------------------------------------------- */

static void check_assembled(const dap_layout *got, const dap_layout *want)
{
  EXPECT(is_as_read(got, want));
  EXPECT_INT(dap_layout_is_row_major(got), dap_layout_is_row_major(want));
  for (int k = 0; k < array.ndim; k++) check_axis(got, k);
  for (int rank = 0; rank < array.nprocs; rank++) check_positions(got, rank);
  check_elements(got);
  check_export(got);
}

/* One process passes a wrong argument, on any layout. A correct call after it must not change the error. */
static const struct {
  const char *change;
  dap_status want;
  int rule;
  const char *parts;
} faults[] = {
    {"abi 9", DAP_ERR_ARG, 0, "abi 9"},
    {"version 7.0", DAP_ERR_VERSION, 2, "'7.0'"},
    {"dtype 99", DAP_ERR_BUFFER, 20, "dtype 99"},
    {"dim_count 0", DAP_ERR_BUFFER, 4, "0 dictionaries"},
    {"type x", DAP_ERR_DIM, 1, "axis 0|dist_type 'x'"},
    {"size absent", DAP_ERR_DIM, 1, "axis 0|size|absent"},
    {"procs 0", DAP_ERR_DIM, 6, "axis 0|proc_grid_size 0"},
    {"rank -1", DAP_ERR_DIM, 6, "axis 0|proc_grid_rank -1"},
    {"extent 1000", DAP_ERR_BUFFER, 4, "axis 0|extent 1000"},
};

static void check_refused(const dap_layout *layout)
{
  static int turn;
  const int f = turn++ % (int)(sizeof faults / sizeof faults[0]), culprit = turn % test_nprocs();
  dap_layout *got = NULL;
  dap_array part, given;
  dap_error err = {0}, before;
  if (array.ndim == 0) return;
  EXPECT_OK(dap_array_init(&part, layout, test_rank(), DAP_U1, DAP_ORDER_C, NULL, &err), &err);
  if (!part.data) part.data = &part; /* any address */
  given = part;
  if (test_rank() == culprit) change_array(&given, faults[f].change);
  const dap_status s = dap_layout_assemble(MPI_COMM_WORLD, &given, &got, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, faults[f].want, faults[f].parts);
  EXPECT_MSG(err.rank == culprit && !got, "%s on rank %d: %s", faults[f].change, culprit, err.text);
  expect_rule(&err, faults[f].rule);
  memcpy(&before, &err, sizeof err);
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &part, &got, &err), &err);
  EXPECT(!memcmp(&before, &err, sizeof err));
  dap_array_release(&part);
  dap_layout_destroy(&got);
}

static const char *const versions[] = {"0.10.0", "0.9.0", "0.0.1"};

/* Assembles the array in one version, and then again from the facts that each process knows. */
static void check_version(const char *version, test_random *own)
{
  dap_layout *layout = random_array_layout(&array);
  dap_layout *once = assemble_again(MPI_COMM_WORLD, layout, version, own);
  if (once) check_assembled(once, layout);
  if (once) check_lookups(own, layout, once);
  check_refused(layout);
  dap_layout *twice = once ? assemble_again(MPI_COMM_WORLD, once, NULL, own) : NULL;
  if (twice) EXPECT(is_as_read(twice, layout));
  dap_layout_destroy(&layout);
  dap_layout_destroy(&once);
  dap_layout_destroy(&twice);
}

/* Tests the named layouts in every version that can describe them. */
static void named(void **state)
{
  (void)state;
  test_random random = test_random_init(14), own = test_random_init(2000 + (uint64_t)test_rank());
  for (int i = 0; i < named_layout_count; i++)
    for (int v = 0; v < 3; v++) {
      case_deal(&named_layouts[i], test_nprocs(), &random, &array);
      TEST_CASE("%s, %s", named_layouts[i].why, versions[v]);
      if (random_array_is_sayable(&array, versions[v])) check_version(versions[v], &own);
      SETTLE();
    }
}

static int checked; /* random layouts */

static void random_layout(int number, test_random *random)
{
  int64_t size[DAP_MAX_NDIM];
  const bool is_deep = test_random_one_in(random, 10);
  const int ndim = (int)test_random_int(random, is_deep ? 5 : 1, is_deep ? DAP_MAX_NDIM : 4);
  test_random own = test_random_init(1000 + (uint64_t)(number * test_nprocs() + test_rank()));
  random_shape(random, ndim, is_deep ? MOST / 12 : MOST, size);
  random_array_draw(random, test_nprocs(), ndim, size, &array);
  const char *version = versions[test_random_int(random, 0, 2)];
  TEST_CASE("seed %" PRIu64 ", case %d, %s: %s", test_seed(), number, version, random_array_text(&array));
  if (!random_array_is_sayable(&array, version)) return;
  check_version(version, &own);
  checked++;
}

static void random_layouts(void **state)
{
  (void)state;
  test_each(test_cases(CASES), 12, random_layout);
  EXPECT(checked > test_cases(CASES) / 3);
  SETTLE();
}

/* ---- lists of other processes -------------------------------------------------------------------- */

static dap_layout *assemble_list(int64_t size, int64_t count, dap_dtype dtype, const void *indices)
{
  const dap_array part = list_part(size, count, dtype, indices);
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &part, &layout, &err), &err);
  return layout;
}

/* Two processes exchange an index, or one of them reverses its list. All processes must notice it, even
 * those that do not hold the changed indices. */
static void lists_of_others(void **state)
{
  (void)state;
  const int P = test_nprocs(), me = test_rank();
  if (P < 2) return;
  int64_t plain[3], other[3];
  for (int i = 0; i < 3; i++) plain[i] = 3 * me + i;
  dap_layout *a = assemble_list(3 * P, 3, DAP_I8, plain), *again = assemble_list(3 * P, 3, DAP_I8, plain);
  EXPECT(dap_layout_is_equal(a, again));
  for (int p = 0; p < P; p++)
    for (int q = 0; q < P; q++)
      for (int i = 0; i < 3; i++) {
        memcpy(other, plain, sizeof other);
        if (p != q && me == p) other[i] = 3 * q + i;
        if (p != q && me == q) other[i] = 3 * p + i;
        if (p == q && me == p) other[i] = plain[(i + 1) % 3];
        if (p == q && me == p) other[(i + 1) % 3] = plain[i];
        TEST_CASE("%d and %d change their index %d", p, q, i);
        dap_layout *b = assemble_list(3 * P, 3, DAP_I8, other);
        EXPECT(!dap_layout_is_equal(a, b));
        EXPECT(dap_layout_hash(a) != dap_layout_hash(b));
        dap_layout_destroy(&b);
      }
  dap_layout_destroy(&a);
  dap_layout_destroy(&again);
  SETTLE();
}

/* All processes of a plane across the second axis share the one coordinate of a listed axis. From plane
 * `odd` on, all processes hold another list, so lists differ only between planes. */
static void lists_that_differ_between_planes(void **state)
{
  (void)state;
  static const int64_t orders[2][3] = {{0, 1, 2}, {2, 1, 0}}, length = 3;
  const int64_t *const list = orders[0];
  for (int last = 1; last <= 2; last++) {
    const int planes = test_nprocs() / last;
    if (planes * last != test_nprocs()) continue;
    const dap_dist dists[] = {dap_dist_unstructured(length, 1, &length, &list), dap_dist_even(planes, planes),
                              dap_dist_even(last, last)};
    dap_layout *layout = NULL, *got = NULL;
    dap_array part;
    dap_error err = {0};
    EXPECT_OK(dap_layout_create(3, dists, &layout, NULL), NULL);
    EXPECT_OK(dap_array_init(&part, layout, test_rank(), DAP_I2, DAP_ORDER_C, NULL, NULL), NULL);
    part.dims[0].indices_dtype = DAP_I8;
    for (int odd = 1; odd < planes; odd++) {
      TEST_CASE("1 x %d x %d, from plane %d on", planes, last, odd);
      part.dims[0].indices = orders[test_rank() / last >= odd];
      const dap_status s = dap_layout_assemble(MPI_COMM_WORLD, &part, &got, &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LAYOUT, "axis 0|indices[0] 2|(rule 7)");
    }
    dap_array_release(&part);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* Uses lists that are as long as each integer type allows, or longer than the next narrower type allows.
 * Indices are dealt in turns, and in falling order. */
static void indices_of_every_type(void **state)
{
  (void)state;
  static const struct {
    dap_dtype dtype;
    int64_t size;
  } types[] = {{DAP_I1, 128},   {DAP_U1, 256},   {DAP_I2, 32768}, {DAP_U2, 65536},
               {DAP_I4, 70000}, {DAP_U4, 70000}, {DAP_I8, 70000}, {DAP_U8, 70000}};
  const int P = test_nprocs(), me = test_rank();
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
    const int64_t size = types[t].size, count = (size - me + P - 1) / P,
                  width = dap_dtype_size(types[t].dtype);
    dap_error err = {0};
    char *indices = calloc((size_t)count, (size_t)width);
    TEST_CASE("%s", dap_dtype_name(types[t].dtype));
    for (int64_t i = 0; i < count && EXPECT(indices != NULL); i++)
      value_of(types[t].dtype, me + (count - 1 - i) * P - 1, indices + i * dap_dtype_size(types[t].dtype));
    dap_layout *layout = assemble_list(size, count, types[t].dtype, indices);
    SETTLE();
    for (int64_t i = 0; i < count; i++) {
      int64_t global = -1;
      EXPECT_OK(dap_layout_globalize(layout, me, &i, &global, NULL, &err), &err);
      EXPECT_INT(global, me + (count - 1 - i) * P);
    }
    for (int64_t i = 0; i < size; i++) {
      int64_t local = -1;
      int rank = -1;
      if (dap_layout_locate(layout, &i, &rank, &local, &err)) continue;
      EXPECT(rank == i % P && local == (size - rank + P - 1) / P - 1 - i / P);
    }
    dap_layout_destroy(&layout);
    free(indices);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(named),
    cmocka_unit_test(random_layouts),
    cmocka_unit_test(lists_of_others),
    cmocka_unit_test(lists_that_differ_between_planes),
    cmocka_unit_test(indices_of_every_type),
};

MPI_TEST_MAIN(tests)

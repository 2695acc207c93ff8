/* An adapter with all that the layer offers: several targets in memory of the view's own, ranges, a
 * communicator of the part, votes, words, and forms that are kept. */
#include "fixture.h"
#include "pair.h"

/* ---- a matrix and its view ----------------------------------------------------------------------- */

/* In ranges of rows. */
static fixture make_rows(dap_order order)
{
  return fixture_make(DAP_F8, order, "12x7 on %dx1");
}

static bool get(MPI_Comm comm, const fixture *f, dap_access access, const pair_options *o, pair_matrix *m)
{
  dap_error err = {.rank = -1};
  return EXPECT_OK(pair_get(comm, (dap_darray){f->layout, &f->local}, access, o, m, &err), &err);
}

static void restore(pair_matrix *m)
{
  dap_error err = {.rank = -1};
  EXPECT_OK(pair_restore(m, &err), &err);
}

static double *element(const pair_block *b, int64_t i, int64_t j)
{
  return (double *)(void *)((char *)b->data + i * b->strides[0] + j * b->strides[1]);
}

/* Which element of the array, in C order, is (i, j) of the matrix. */
typedef struct part_of {
  int64_t origin, step[2];
} part_of;

static void check_block(const pair_matrix *m, const pair_block *b, int axis, part_of p, bool writes)
{
  for (int64_t a = 0; a < b->count; a++)
    for (int64_t c = 0; c < m->size[1 - axis]; c++) {
      const int64_t i = axis == 0 ? b->first + a : c, j = axis == 0 ? c : b->first + a;
      const double want = (double)(p.origin + i * p.step[0] + j * p.step[1] + 1);
      double *at = axis == 0 ? element(b, a, c) : element(b, c, a);
      if (!EXPECT_MSG(*at == want, "%s (%d, %d) is %g, not %g", axis == 0 ? "rows" : "columns", (int)i,
                      (int)j, *at, want))
        return;
      if (writes) *at = -want;
    }
}

/* All elements come in, by rows and by columns; what is written to the rows goes out. */
static void check_pair(const fixture *f, const pair_options *o, const int64_t size[2], part_of p)
{
  pair_matrix m;
  if (!get(MPI_COMM_WORLD, f, DAP_READ_WRITE, o, &m)) return;
  for (int k = 0; k < 2; k++) EXPECT_INT(m.size[k], size[k]);
  if (!m.columns.shared) check_block(&m, &m.columns, 1, p, false);
  check_block(&m, &m.rows, 0, p, true);
  restore(&m);
  if (!get(MPI_COMM_WORLD, f, DAP_READ, o, &m)) return;
  int64_t rows = m.rows.count;
  for (int64_t a = 0; a < m.rows.count; a++)
    for (int64_t j = 0; j < size[1]; j++) *element(&m.rows, a, j) *= m.rows.shared ? 1 : -1;
  if (!m.rows.shared) check_block(&m, &m.rows, 0, p, false);
  MPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(rows, size[0]);
  restore(&m);
}

/* ---- values -------------------------------------------------------------------------------------- */

static void test_whole(void **state)
{
  (void)state;
  static const char *const cases[] = {"12x7 on %dx1", "5x11 on 1x%d", "9x4 on %dx1: c(2), b"};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (int sharing = 0; sharing < 2; sharing++) {
      const pair_options o = {.sharing = sharing ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE};
      fixture f = fixture_make(DAP_F8, i % 2 ? DAP_ORDER_F : DAP_ORDER_C, cases[i]);
      const int64_t size[2] = {dap_layout_size(f.layout, 0), dap_layout_size(f.layout, 1)};
      TEST_CASE("case %zu, sharing %d", i, sharing);
      check_pair(&f, &o, size, (part_of){0, {size[1], 1}});
      fixture_end(&f);
      SETTLE();
    }
}

/* A range of rows and columns where it lies, and moved. */
static void test_ranges(void **state)
{
  (void)state;
  static const int64_t start[2] = {2, 1}, shape[2] = {7, 4};
  for (int sharing = 0; sharing < 2; sharing++) {
    fixture f = make_rows(DAP_ORDER_C);
    pair_options o = {.sharing = sharing ? DAP_SHARE_NEVER : DAP_SHARE_OR_FAIL, .rows_only = true};
    pair_matrix m;
    o.part = (dap_part){.start = start, .shape = shape};
    TEST_CASE("sharing %d", sharing);
    if (get(MPI_COMM_WORLD, &f, DAP_READ, &o, &m)) {
      EXPECT(m.rows.shared == !sharing);
      EXPECT(m.columns.data == NULL && test_contains(m.columns.reason, "not wanted"));
      restore(&m);
    }
    check_pair(&f, &o, shape, (part_of){2 * 7 + 1, {7, 1}});
    fixture_end(&f);
    SETTLE();
  }
}

/* One index of an axis that is spread: the part's processes talk among themselves. */
static void test_part_comm(void **state)
{
  (void)state;
  static const int axes[2] = {0, 2};
  static const int64_t shape[2] = {3, 4};
  const int n = test_nprocs(), procs[2] = {n % 2 ? 1 : 2, n % 2 ? n : n / 2};
  char format[64];
  snprintf(format, sizeof format, "3x%%dx4 on %dx%dx1", procs[0], procs[1]);
  fixture f = fixture_make(DAP_F8, DAP_ORDER_C, format);
  for (int64_t index = 0; index < n; index++) {
    const int64_t start[3] = {0, index, 0};
    const pair_options o = {.part = {.naxes = 2, .axes = axes, .start = start}};
    pair_matrix m;
    int members;
    TEST_CASE("index %d", (int)index);
    if (!get(MPI_COMM_WORLD, &f, DAP_READ, &o, &m)) continue;
    const int here = m.members > 0;
    MPI_Allreduce(&here, &members, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_INT(members, procs[0]);
    EXPECT(!here || m.members == procs[0]);
    restore(&m);
    check_pair(&f, &o, shape, (part_of){index * 4, {(int64_t)n * 4, 1}});
    SETTLE();
  }
  fixture_end(&f);
}

/* Without DAP_READ the view's own memory is zeros, on a cache line. */
static void test_memory(void **state)
{
  (void)state;
  fixture f = make_rows(DAP_ORDER_C);
  pair_matrix m;
  const pair_options o = {.sharing = DAP_SHARE_NEVER};
  if (get(MPI_COMM_WORLD, &f, DAP_WRITE, &o, &m)) {
    const pair_block *blocks[2] = {&m.rows, &m.columns};
    for (int k = 0; k < 2; k++) {
      const double *values = blocks[k]->data;
      EXPECT((values != NULL) == (blocks[k]->count > 0));
      EXPECT_INT((uintptr_t)values % 64, 0);
      for (int64_t i = 0; i < blocks[k]->count * m.size[1 - k]; i++) EXPECT(values[i] == 0);
    }
    restore(&m);
  }
  fixture_end(&f);
  SETTLE();
}

/* A line for each target. */
static void test_lines(void **state)
{
  (void)state;
  const pair_options o = {.rows_only = true};
  fixture f = make_rows(DAP_ORDER_C);
  pair_matrix m;
  char text[4 * DAP_ERROR_TEXT];
  if (get(MPI_COMM_WORLD, &f, DAP_READ, &o, &m)) {
    const size_t length = pair_describe(&m, text, sizeof text);
    const char *want = "pair\nrows shared: ranges of rows\ncolumns not wanted\nbytes moved: 0\n";
    EXPECT_MSG(strcmp(text, want) == 0, "%s", text);
    EXPECT_INT(length, strlen(want));
    restore(&m);
  }
  fixture_end(&f);
  SETTLE();
}

/* ---- votes and words ----------------------------------------------------------------------------- */

/* The order that all buffers have; if one has another, none. */
static void test_votes(void **state)
{
  (void)state;
  for (int row = 0; row < 3; row++) {
    const bool last = test_rank() == test_nprocs() - 1;
    const dap_order orders[] = {DAP_ORDER_C, DAP_ORDER_F, last ? DAP_ORDER_F : DAP_ORDER_C};
    fixture f = fixture_make(DAP_F8, orders[row], "24x7 on %dx1");
    pair_matrix m;
    TEST_CASE("row %d", row);
    if (get(MPI_COMM_WORLD, &f, DAP_READ, NULL, &m)) {
      EXPECT_INT(m.order, test_nprocs() == 1 && row == 2 ? 'F' : "CF-"[row]);
      EXPECT(m.rows.shared == (m.order != '-'));
      restore(&m);
    }
    fixture_end(&f);
    SETTLE();
  }
}

/* A word with a name must be the same on every process; one without need not. */
static void test_words(void **state)
{
  (void)state;
  const int rank = test_rank();
  fixture f = make_rows(DAP_ORDER_C);
  const dap_darray array = {f.layout, &f.local};
  const pair_options tags = {.tag = rank}, colours = {.colour = rank};
  pair_matrix m;
  dap_error err = {.rank = -1};
  if (test_nprocs() > 1)
    expect_same_error(MPI_COMM_WORLD, pair_get(MPI_COMM_WORLD, array, DAP_READ, &tags, &m, &err), &err,
                      DAP_ERR_ARG, "rank 1|options: tag|not the same");
  if (get(MPI_COMM_WORLD, &f, DAP_READ, &colours, &m)) restore(&m);
  fixture_end(&f);
  SETTLE();
}

/* ---- forms that are kept --------------------------------------------------------------------------- */

/* Gets a view `count` times; returns how many forms were thought out. */
static int prepared_by(MPI_Comm comm, const fixture *f, dap_access access, const pair_options *o, int count)
{
  const int before = pair_prepared;
  for (int i = 0; i < count; i++) {
    pair_matrix m;
    if (get(comm, f, access, o, &m)) restore(&m);
  }
  return pair_prepared - before;
}

static void test_kept(void **state)
{
  (void)state;
  const bool last = test_rank() == test_nprocs() - 1;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  fixture f = make_rows(DAP_ORDER_C), g = make_rows(DAP_ORDER_F), h = make_rows(DAP_ORDER_C);
  const int released = pair_released;
  const pair_options never = {.sharing = DAP_SHARE_NEVER}, tag = {.tag = 1}, colour = {.colour = last},
                     rows = {.rows_only = true};
  const int before = pair_prepared;
  EXPECT_INT(prepared_by(comm, &f, DAP_READ_WRITE, &never, 3), 1);
  EXPECT_INT(prepared_by(comm, &h, DAP_READ_WRITE, &never, 3), 0); /* another buffer of the same form */
  EXPECT_INT(prepared_by(comm, &f, DAP_READ, &never, 2), 1);
  EXPECT_INT(prepared_by(comm, &g, DAP_READ_WRITE, &never, 2), 1);
  EXPECT_INT(prepared_by(comm, &f, DAP_READ_WRITE, NULL, 2), 1);
  EXPECT_INT(prepared_by(comm, &f, DAP_READ_WRITE, &tag, 2), 1);
  EXPECT_INT(prepared_by(comm, &f, DAP_READ_WRITE, &colour, 2),
             1); /* its own fact on one process, new for all */
  EXPECT_INT(prepared_by(comm, &f, DAP_READ_WRITE, &rows, 2), 1);
  EXPECT_INT(prepared_by(comm, &f, DAP_READ_WRITE, &never, 1), 0);
  pair_is_usable = !last;
  EXPECT_INT(prepared_by(comm, &f, DAP_READ_WRITE, &never, 1), 1);
  pair_is_usable = true;
  EXPECT_INT(pair_released, released);
  MPI_Comm_free(&comm);
  EXPECT_INT(pair_released - released, pair_prepared - before);
  fixture_end(&f), fixture_end(&g), fixture_end(&h);
  SETTLE();
}

/* Views of kept forms have their values, while the first is alive and after; the communicator may go
 * before. */
static void test_kept_values(void **state)
{
  (void)state;
  const pair_options o = {.sharing = DAP_SHARE_NEVER};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  fixture f[3] = {make_rows(DAP_ORDER_C), make_rows(DAP_ORDER_C), make_rows(DAP_ORDER_C)};
  const int prepared = pair_prepared, released = pair_released;
  pair_matrix m[3];
  for (int i = 0; i < 3; i++) {
    if (!get(comm, &f[i], DAP_READ_WRITE, &o, &m[i])) continue;
    check_block(&m[i], &m[i].columns, 1, (part_of){0, {7, 1}}, false);
    check_block(&m[i], &m[i].rows, 0, (part_of){0, {7, 1}}, true);
  }
  EXPECT_INT(pair_prepared, prepared + 1);
  MPI_Comm_free(&comm);
  for (int i = 0; i < 3; i++) {
    EXPECT_INT(pair_released, released);
    restore(&m[(i + 1) % 3]);
  }
  EXPECT_INT(pair_released, released + 1);
  for (int i = 0; i < 3; i++) {
    double *values = f[i].local.data;
    for (int64_t k = 0; k < dap_array_count(&f[i].local); k++) values[k] = -values[k];
    check_global(f[i].layout, test_rank(), &f[i].local, PADDING_ANY);
    fixture_end(&f[i]);
  }
  SETTLE();
}

/* The form that was not used for longest goes where there are too many. */
static void test_many_kinds(void **state)
{
  (void)state;
  enum { KINDS = 40, MOST_KEPT = 16 };
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  fixture f = make_rows(DAP_ORDER_C);
  const int prepared = pair_prepared, released = pair_released;
  for (int i = 0; i < KINDS; i++) {
    const pair_options first = {.tag = 0}, o = {.tag = i};
    (void)prepared_by(comm, &f, DAP_READ, &o, 1);
    EXPECT_INT(prepared_by(comm, &f, DAP_READ, &first, 1), 0); /* in use all the time */
  }
  EXPECT_INT(pair_prepared - prepared, KINDS);
  EXPECT_INT(pair_released - released, KINDS - MOST_KEPT);
  MPI_Comm_free(&comm);
  EXPECT_INT(pair_released - released, KINDS);
  fixture_end(&f);
  SETTLE();
}

/* What fails on one process while a form is made fails for all, and is not kept. */
static void test_failures(void **state)
{
  (void)state;
  static const char *const where[] = {"prepare", "plan"};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  fixture f = make_rows(DAP_ORDER_C);
  const dap_darray array = {f.layout, &f.local};
  for (int i = 0; i < 2; i++) {
    const pair_options o = {.tag = i, .sharing = DAP_SHARE_NEVER}, bad = {.tag = i,
                                                                          .sharing = DAP_SHARE_NEVER,
                                                                          .fails = where[i],
                                                                          .fails_on = test_nprocs() - 1};
    pair_matrix m;
    dap_error err = {.rank = -1};
    const int prepared = pair_prepared, released = pair_released;
    TEST_CASE("%s", where[i]);
    expect_same_error(MPI_COMM_WORLD, pair_get(comm, array, DAP_READ, &bad, &m, &err), &err, DAP_ERR_LIBRARY,
                      "fails as asked");
    EXPECT_INT(pair_released - released, pair_prepared - prepared);
    EXPECT_INT(prepared_by(comm, &f, DAP_READ, &o, 2), 1);
    SETTLE();
  }
  MPI_Comm_free(&comm);
  fixture_end(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_whole),      cmocka_unit_test(test_ranges),   cmocka_unit_test(test_part_comm),
    cmocka_unit_test(test_memory),     cmocka_unit_test(test_lines),    cmocka_unit_test(test_votes),
    cmocka_unit_test(test_words),      cmocka_unit_test(test_kept),     cmocka_unit_test(test_kept_values),
    cmocka_unit_test(test_many_kinds), cmocka_unit_test(test_failures),
};
MPI_TEST_MAIN(tests)

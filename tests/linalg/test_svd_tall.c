/* dap_linalg_svd() of matrices with many rows for each column and process, or many columns for each row:
 * every layout, several chunks a process, special matrices, options, and how much memory it takes. */
#include "allocations.h"
#include "svd_test.h"
#include "tall.h"

#include <inttypes.h>
#include <string.h>

/* Extents: `longer` along axis `along`. */
static void set_shape(trial *t, int along, int64_t longer, int64_t shorter)
{
  t->size[along] = longer, t->size[1 - along] = shorter;
}

static void describe(const trial *t, const char *why)
{
  TEST_CASE("%s: %d x %d %s, %s over %d x %d", why, (int)t->size[0], (int)t->size[1], t->type->name,
            t->source->name, t->grid[0], t->grid[1]);
}

/* ---- every layout -------------------------------------------------------------------------------------- */

/* With rows whole on each process, and with all in pieces. */
static void layouts(void **state)
{
  (void)state;
  const int nprocs = test_nprocs();
  for (int i = 0; i < 4 * source_count; i++) {
    const int along = i / 2 % 2, split = i % 2;
    trial t = {.number = i, .source = &sources[i / 4]};
    t.type = &element_types[(i / 4 + i) % ELEMENT_TYPES];
    set_shape(&t, along, (int64_t)20 * nprocs + i % 7, 5);
    t.grid[along] = split ? 1 : nprocs, t.grid[1 - along] = split ? nprocs : 1;
    describe(&t, "layouts");
    const int how = i / 4 % 3 == 0 ? SVD_GESVD : 0;
    svd_check(&t, SVD_LEFT | SVD_RIGHT | SVD_ALIKE | how, entry_any, "svd, tall");
    svd_check(&t, i % 3 ? SVD_LEFT : SVD_RIGHT, entry_any, "svd, tall, one kind elsewhere");
    svd_check(&t, i % 5 ? SVD_KEEP : SVD_GESVD, entry_any, "svd, tall, values");
    SETTLE();
  }
}

/* ---- special matrices ---------------------------------------------------------------------------------- */

static double complex entry_nearly(int64_t i, int64_t j) /* columns that differ in their last bits */
{
  return entry_any(i, 0) + entry_any(i, j) * 0x1p-20;
}

static double complex entry_top(int64_t i, int64_t j) /* most processes have zeros */
{
  return i < 3 && j < 3 ? entry_any(i, j) : 0;
}

static double complex entry_minute(int64_t i, int64_t j) /* squares underflow in double precision */
{
  return entry_any(i, j) * 0x1p-500;
}

static double complex entry_vast(int64_t i, int64_t j)
{
  return entry_any(i, j) * 0x1p500;
}

/* `longer` for each process. From 3200 rows of 20 columns on a process has several chunks. */
static const struct {
  const char *why;
  int64_t longer, shorter;
  int source;
  formula *entry;
  bool wide_range; /* of double precision */
} special[] = {
    {"svd, tall, one chunk", 300, 20, 9, entry_any, false},
    {"svd, tall, two chunks, the last short", 3203, 20, 9, entry_any, false},
    {"svd, tall, three chunks", 7000, 20, 10, entry_any, false},
    {"svd, tall, chunks of uneven rows", 3300, 20, 17, entry_any, false},
    {"svd, tall, chunks on one process", 3300, 20, 16, entry_any, false},
    {"svd, tall, padded chunks", 3300, 20, 11, entry_any, false},
    {"svd, tall, one column", 3300, 1, 9, entry_any, false},
    {"svd, tall, as many rows as is least", 64, 16, 10, entry_any, false},
    {"svd, tall, graded", 200, 21, 9, entry_tall_graded, false},
    {"svd, tall, graded upwards", 3300, 20, 10, entry_tall_graded_up, false},
    {"svd, tall, rank 1", 3300, 20, 9, entry_tall_equal, false},
    {"svd, tall, rank 2", 200, 13, 12, entry_rank2, false},
    {"svd, tall, rank 3, few rows left for a chunk", 3203, 20, 9, entry_tall_dependent, false},
    {"svd, tall, rank 3, few rows on a process", 80, 20, 17, entry_tall_dependent, false},
    {"svd, tall, rank 3, rows on one process", 80, 20, 16, entry_tall_dependent, false},
    {"svd, tall, rank 3 once more, few rows on a process", 83, 20, 17, entry_tall_dependent, false},
    {"svd, tall, nearly rank 1", 200, 13, 8, entry_nearly, false},
    {"svd, tall, zeros", 100, 7, 9, entry_zero, false},
    {"svd, tall, identity", 100, 9, 0, entry_identity, false},
    {"svd, tall, nearly all zeros", 100, 6, 9, entry_top, false},
    {"svd, tall, one element", 100, 6, 10, entry_tall_corner, false},
    {"svd, tall, tiny", 100, 6, 9, entry_tall_small, false},
    {"svd, tall, huge", 100, 6, 10, entry_tall_large, false},
    {"svd, tall, minute", 100, 6, 9, entry_minute, true},
    {"svd, tall, vast", 100, 6, 10, entry_vast, true},
};

static void special_matrices(void **state)
{
  (void)state;
  const int nprocs = test_nprocs(), count = (int)(sizeof special / sizeof special[0]);
  for (int i = 0; i < 2 * count; i++) {
    const int along = i / count;
    trial t = {.number = i, .source = &sources[special[i % count].source]};
    t.type = &element_types[special[i % count].wide_range ? 2 * (i % 2) + 1 : (i + along) % ELEMENT_TYPES];
    set_shape(&t, along, special[i % count].longer * nprocs, special[i % count].shorter);
    t.grid[along] = nprocs, t.grid[1 - along] = 1;
    describe(&t, special[i % count].why);
    svd_check(&t, SVD_LEFT | SVD_RIGHT | SVD_ALIKE, special[i % count].entry, special[i % count].why);
    svd_check(&t, along ? SVD_LEFT : SVD_RIGHT, special[i % count].entry, "svd, tall, special, one kind");
    svd_check(&t, 0, special[i % count].entry, "svd, tall, special, values");
    SETTLE();
  }
}

/* ---- one matrix, by hand ------------------------------------------------------------------------------- */

typedef struct operands {
  matrix a, u, s, vt;
} operands;

static operands make(int row, int along, int64_t longer, int64_t shorter, formula *entry)
{
  trial t = {.source = &sources[row], .type = element_type_of(DAP_F8)};
  set_shape(&t, along, longer, shorter);
  t.grid[along] = test_nprocs(), t.grid[1 - along] = 1;
  return (operands){.a = trial_matrix(&t, t.size[0], t.size[1], entry),
                    .u = trial_matrix(&t, t.size[0], shorter, entry_nans),
                    .s = trial_vector(&t, shorter, true, entry_nans),
                    .vt = trial_matrix(&t, shorter, t.size[1], entry_nans)};
}

static void end(operands *o)
{
  matrix_free(&o->vt), matrix_free(&o->s), matrix_free(&o->u), matrix_free(&o->a);
}

static dap_status decompose(operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(&o->a), matrix_operand(&o->u), matrix_operand(&o->s),
                        matrix_operand(&o->vt), options, err);
}

static bool is_unchanged(const operands *o)
{
  return expect_same(&o->a) && expect_same(&o->u) && expect_same(&o->s) && expect_same(&o->vt);
}

/* ---- elements that are not finite ---------------------------------------------------------------------- */

static const struct {
  const char *why;
  int source, along;
  int64_t row, column;
  double value;
  const char *place;
} unfinished[] = {
    {"NaN, the first element", 9, 0, 0, 0, NAN, "A has|not finite|(0, 0)"},
    {"infinity in the last process's last row", 10, 0, -1, 2, INFINITY, "A has|not finite|, 2)"},
    {"minus infinity in padded blocks", 11, 0, 7, 1, -INFINITY, "A has|not finite|(7, 1)"},
    {"NaN of a wide matrix", 9, 1, 3, 11, NAN, "A has|not finite|(3, 11)"},
    {"NaN of a matrix that is moved", 25, 0, 5, 4, NAN, "A has|not finite|(5, 4)"},
};

static void not_finite(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof unfinished / sizeof unfinished[0]; i++) {
    TEST_CASE("%s", unfinished[i].why);
    const int64_t longer = (int64_t)40 * test_nprocs();
    operands o = make(unfinished[i].source, unfinished[i].along, longer, 5, entry_any);
    const int64_t row = unfinished[i].row < 0 ? longer - 1 : unfinished[i].row;
    matrix_set(&o.a, row, unfinished[i].column, unfinished[i].value);
    dap_error err = {0};
    const dap_status s = decompose(&o, NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NUMERIC, unfinished[i].place);
    EXPECT(is_unchanged(&o));
    end(&o);
    SETTLE();
  }
}

/* ---- sharing ------------------------------------------------------------------------------------------- */

static const struct {
  const char *why;
  int source;
  dap_sharing sharing;
  int shared; /* A and U */
} sharings[] = {
    {"uneven rows need no copy", 17, DAP_SHARE_OR_FAIL, 1},
    {"a copy was asked for", 17, DAP_SHARE_NEVER, 0},
    {"lists of rows are moved", 25, DAP_SHARE_IF_POSSIBLE, 0},
};

static void sharing(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof sharings / sizeof sharings[0]; i++) {
    TEST_CASE("%s", sharings[i].why);
    operands o = make(sharings[i].source, 0, (int64_t)40 * test_nprocs(), 5, entry_any);
    dap_linalg_report report;
    const dap_linalg_options options = {.sharing = sharings[i].sharing, .report = &report};
    dap_error err = {0};
    EXPECT_OK(decompose(&o, &options, &err), &err);
    EXPECT(expect_same(&o.a));
    expect_use(&report, 0, "A", &o.a, sharings[i].shared);
    expect_use(&report, 1, "U", &o.u, sharings[i].shared);
    end(&o);
    SETTLE();
  }
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* gesvd's workspace has the square of a block's rows: 28 GiB and more here. */
static void memory(void **state)
{
  (void)state;
  for (int along = 0; along < 2; along++) {
    for (int64_t rows = 60000; rows <= 240000; rows *= 4) {
      TEST_CASE("%d rows on each process, axis %d", (int)rows, along);
      operands o = make(along ? 9 : 10, along, rows * test_nprocs(), 3, entry_any);
      dap_error err = {0};
      allocations_start(0);
      EXPECT_OK(decompose(&o, NULL, &err), &err);
      const int64_t peak = allocations_peak();
      EXPECT_MSG(peak < 2 << 20, "%" PRId64 " bytes at a time", peak);
      end(&o);
      SETTLE();
    }
  }
}

/* The results are singular values of A and vectors of them. */
static void check_product(const operands *o, const double complex *a)
{
  const int64_t m = o->a.size[0], n = o->a.size[1], k = m < n ? m : n;
  double complex *u = matrix_whole(&o->u), *s = matrix_whole(&o->s), *vt = matrix_whole(&o->vt);
  double complex *want = serial_singular_values(m, n, a);
  expect_residual("singular values", residual_difference(k, 1, s, want, creal(want[0]), k, DBL_EPSILON));
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < m; i++) u[i + j * m] *= s[j];
  double complex *product = serial_multiply('N', 'N', m, n, k, u, vt);
  expect_residual("U S VT - A", residual_difference(m, n, product, a, creal(want[0]), m, DBL_EPSILON));
  free(product), free(want), free(vt), free(s), free(u);
}

/* Each allocation of process 0 is refused once. QR iteration takes the place of divide and conquer where
 * that has too little, unless divide and conquer was asked for. */
static void refuse_each(dap_svd_solver solver, int *by_iteration)
{
  int refused = 1;
  for (int64_t number = 1; refused; number++) {
    TEST_CASE("solver %d, allocation %d is refused", (int)solver, (int)number);
    operands o = make(9, (int)number % 2, (int64_t)40 * test_nprocs(), 5, entry_any);
    double complex *whole = matrix_whole(&o.a);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report, .svd.solver = solver};
    dap_error err = {0};
    if (test_rank() == 0) allocations_start(number);
    const dap_status s = decompose(&o, &options, &err);
    refused = test_rank() == 0 && allocations_count() >= number;
    if (test_rank() == 0) allocations_start(0);
    MPI_Bcast(&refused, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (s)
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "");
    else
      check_product(&o, whole), *by_iteration += strstr(report.method, "QR iteration") != NULL;
    EXPECT(expect_same(&o.a));
    EXPECT(refused || !s);
    free(whole);
    end(&o);
    SETTLE();
  }
}

static void without_memory(void **state)
{
  (void)state;
  enum { PIECES = 6 }; /* a, u, vt, work, rwork and iwork of LAPACK's routine */
  int by_rule = 0, by_name = 0;
  refuse_each(DAP_SVD_AUTO, &by_rule);
  refuse_each(DAP_SVD_GESDD, &by_name);
  EXPECT_INT(by_rule, PIECES);
  EXPECT_INT(by_name, 0);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(layouts),    cmocka_unit_test(special_matrices),
                                          cmocka_unit_test(not_finite), cmocka_unit_test(sharing),
                                          cmocka_unit_test(memory),     cmocka_unit_test(without_memory)};
LINALG_TEST_MAIN(tests)

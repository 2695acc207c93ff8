/* dap_linalg_qr() of matrices with many rows for each column and process: every layout, Q in A's place,
 * several chunks a process, special matrices, options, and how much memory it takes. */
#include "allocations.h"
#include "tall.h"
#include "tall_runs.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- one problem --------------------------------------------------------------------------------------- */

/* What is wanted, where Q lies, and whether A is kept. */
enum { WANT_Q = 1, WANT_R = 2, ALIKE = 4, IN_PLACE = 8, KEEP = 16 };

typedef struct operands {
  matrix a, q, r;
  int how;
} operands;

static operands make(const trial *t, int how, formula *entry)
{
  const int64_t m = t->size[0], n = t->size[1];
  return (operands){.a = trial_matrix(t, m, n, entry),
                    .q = how & ALIKE ? trial_matrix(t, m, n, entry_nans) : trial_other(t, m, n, entry_nans),
                    .r = how & ALIKE ? trial_matrix(t, n, n, entry_nans) : trial_other(t, n, n, entry_nans),
                    .how = how};
}

static void end(operands *o)
{
  matrix_free(&o->r), matrix_free(&o->q), matrix_free(&o->a);
}

static dap_status factor(const operands *o, const dap_linalg_options *options, dap_error *err)
{
  const dap_darray none = {0}, q = o->how & IN_PLACE ? matrix_operand(&o->a) : matrix_operand(&o->q);
  return dap_linalg_qr(MPI_COMM_WORLD, matrix_operand(&o->a), o->how & WANT_Q ? q : none,
                       o->how & WANT_R ? matrix_operand(&o->r) : none, options, err);
}

/* R^H R = A^H A is all that R alone can say. Q alone is orthonormal, and Q^H A is triangular. */
static double check_one(const trial *t, const double complex *a, const double complex *q,
                        const double complex *r)
{
  const int64_t m = t->size[0], n = t->size[1];
  double complex *product =
      r ? serial_multiply('C', 'N', n, n, n, r, r) : serial_multiply('C', 'N', n, n, m, q, a);
  const double residual =
      r ? residual_product('C', 'N', n, n, m, a, a, product, t->type->eps)
        : below_diagonal(n, n, product) / (t->type->eps * fmax(whole_norm('F', m, n, a), 1e-300));
  expect_residual(r ? "R^H R - A^H A" : "Q^H A below the diagonal", residual);
  free(product);
  return residual;
}

/* Q is orthonormal to some eps whatever its length, as far as the sums of a chunk are. */
static double check_factors(const trial *t, const double complex *a, const operands *o)
{
  const int64_t m = t->size[0], n = t->size[1];
  double complex *q = o->how & WANT_Q ? matrix_whole(o->how & IN_PLACE ? &o->a : &o->q) : NULL;
  double complex *r = o->how & WANT_R ? matrix_whole(&o->r) : NULL;
  double residual = 0;
  if (q) {
    residual = residual_orthogonal(m, n, q, t->type->eps);
    expect_residual("Q^H Q - I", residual);
    expect_residual("Q^H Q - I, in eps", residual * (double)m / (40 * sqrt((double)n)));
  }
  if (r) EXPECT_MSG(below_diagonal(n, n, r) == 0, "%g below R's diagonal", below_diagonal(n, n, r));
  if (q && r) {
    residual = residual_product('N', 'N', m, n, n, q, r, a, t->type->eps);
    expect_residual("Q R - A", residual);
  } else {
    residual = check_one(t, a, q, r);
  }
  free(r), free(q);
  return residual;
}

/* A is only read, unless Q is A. It is used where it is if each process has whole rows, and so is a Q that
 * lies as A does. Results that are not wanted keep their elements. */
static void check_uses(const trial *t, const operands *o, const dap_linalg_report *report)
{
  const bool whole_rows = t->grid[1] == 1 && !source_is_listed(t->source);
  EXPECT(o->how & IN_PLACE ? expect_padding(&o->a) : expect_same(&o->a));
  EXPECT(o->how & WANT_Q && !(o->how & IN_PLACE) ? expect_padding(&o->q) : expect_same(&o->q));
  EXPECT(o->how & WANT_R ? expect_padding(&o->r) : expect_same(&o->r));
  expect_use(report, 0, "A", &o->a, whole_rows);
  if (o->how & IN_PLACE)
    expect_use(report, 1, "Q", &o->a, whole_rows);
  else if (o->how & WANT_Q)
    expect_use(report, 1, "Q", &o->q, !whole_rows ? 0 : o->how & ALIKE ? 1 : -1);
  if (o->how & WANT_R) expect_use(report, 2, "R", &o->r, 0);
}

static void check(const trial *t, int how, formula *entry, const char *name)
{
  operands o = make(t, how, entry);
  double complex *whole = matrix_whole(&o.a);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = how & KEEP};
  dap_error err = {0};
  EXPECT_OK(factor(&o, &options, &err), &err);
  const double residual = check_factors(t, whole, &o);
  check_uses(t, &o, &report);
  log_trial(name, t, &report, residual);
  free(whole);
  end(&o);
}

/* ---- every layout -------------------------------------------------------------------------------------- */

/* With rows whole on each process, and with all in pieces. */
static void layouts(void **state)
{
  (void)state;
  const int nprocs = test_nprocs();
  for (int i = 0; i < 2 * source_count; i++) {
    const bool split = i % 2;
    trial t = {.number = i, .source = &sources[i / 2], .type = &element_types[(i / 2 + i) % ELEMENT_TYPES]};
    t.size[0] = (int64_t)20 * nprocs + i % 7, t.size[1] = 5;
    t.grid[0] = split ? 1 : nprocs, t.grid[1] = split ? nprocs : 1;
    TEST_CASE("layouts: %s, %s over %d x %d", t.source->name, t.type->name, t.grid[0], t.grid[1]);
    check(&t, WANT_Q | WANT_R | ALIKE, entry_any, "tall");
    check(&t, WANT_Q | WANT_R | KEEP, entry_any, "tall, elsewhere");
    check(&t, WANT_Q | WANT_R | IN_PLACE, entry_any, "tall, in place");
    check(&t, i % 4 < 2 ? WANT_Q : WANT_R, entry_any, "tall, one factor");
    SETTLE();
  }
}

/* ---- special matrices ---------------------------------------------------------------------------------- */

/* `rows` for each process. */
static const struct {
  const char *why;
  int64_t rows, cols;
  int source;
  formula *entry;
} special[] = {
    {"one chunk", 300, 20, 9, entry_any},
    {"two chunks, the last short", 3203, 20, 9, entry_any},
    {"three chunks", 7000, 20, 10, entry_any},
    {"dependent columns, few rows left for a chunk", 3203, 20, 9, entry_tall_dependent},
    {"dependent columns, few rows on a process", 80, 20, 17, entry_tall_dependent},
    {"dependent columns on one process", 80, 20, 16, entry_tall_dependent},
    {"more dependent columns, few rows on a process", 83, 20, 17, entry_tall_dependent},
    {"chunks of uneven rows", 3300, 20, 17, entry_any},
    {"chunks on one process", 3300, 20, 16, entry_any},
    {"padded chunks", 3300, 20, 11, entry_any},
    {"one column", 3300, 1, 9, entry_any},
    {"as many rows as is least", 64, 16, 10, entry_any},
    {"fewer rows than is least, by other means", 63, 16, 9, entry_any},
    {"graded", 200, 21, 9, entry_tall_graded},
    {"graded upwards", 3300, 20, 10, entry_tall_graded_up},
    {"rank 1", 3300, 20, 9, entry_tall_equal},
    {"zeros", 100, 7, 9, entry_zero},
    {"identity", 100, 9, 0, entry_identity},
    {"one element", 100, 6, 10, entry_tall_corner},
    {"small", 100, 6, 9, entry_tall_small},
    {"large", 100, 6, 10, entry_tall_large},
};

static void special_matrices(void **state)
{
  (void)state;
  const int nprocs = test_nprocs();
  for (int i = 0; i < (int)(sizeof special / sizeof special[0]); i++) {
    trial t = {
        .number = i + 1, .source = &sources[special[i].source], .type = &element_types[i % ELEMENT_TYPES]};
    t.size[0] = special[i].rows * nprocs, t.size[1] = special[i].cols;
    t.grid[0] = nprocs, t.grid[1] = 1;
    for (int k = 0; k < 2; k++) {
      const int how = WANT_Q | WANT_R | ALIKE | (k == 0 ? 0 : IN_PLACE);
      TEST_CASE("%s: %d x %d %s", special[i].why, (int)t.size[0], (int)t.size[1], t.type->name);
      operands o = make(&t, how, special[i].entry);
      double complex *whole = matrix_whole(&o.a);
      dap_error err = {0};
      EXPECT_OK(factor(&o, NULL, &err), &err);
      check_factors(&t, whole, &o);
      free(whole);
      end(&o);
      SETTLE();
    }
  }
}

/* ---- options ------------------------------------------------------------------------------------------- */

/* NaN and infinity reach R. */
static void not_finite(void **state)
{
  (void)state;
  const double values[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 6; i++) {
    TEST_CASE("%g in A", values[i % 3]);
    const trial t = tall_trial(i < 3 ? 9 : 25, 40);
    operands o = make(&t, WANT_Q | WANT_R | ALIKE, entry_any);
    matrix_set(&o.a, t.size[0] - 2, 1, values[i % 3]);
    dap_error err = {0};
    EXPECT_OK(factor(&o, NULL, &err), &err);
    double complex *r = matrix_whole(&o.r);
    bool is_finite = true;
    for (int64_t k = 0; k < 25; k++) is_finite = is_finite && isfinite(creal(r[k]));
    EXPECT(!is_finite);
    free(r);
    end(&o);
    SETTLE();
  }
}

static const tall_sharing sharings[] = {
    {"uneven rows need no copy", 17, ALIKE, DAP_SHARE_OR_FAIL, DAP_OK, {1, 1}},
    {"Q is A, in uneven rows", 17, IN_PLACE, DAP_SHARE_OR_FAIL, DAP_OK, {1, 1}},
    {"Q lies elsewhere, and must not be moved", 17, 0, DAP_SHARE_OR_FAIL, DAP_ERR_SHARE, {-1, -1}},
    {"Q lies elsewhere, and A stays", 17, 0, DAP_SHARE_IF_POSSIBLE, DAP_OK, {1, 0}},
    {"Q comes from blocks of rotated ranks", 7, 0, DAP_SHARE_IF_POSSIBLE, DAP_OK, {1, 0}},
    {"copies were asked for", 17, ALIKE, DAP_SHARE_NEVER, DAP_OK, {0, 0}},
    {"a copy was asked for, and Q is A", 17, IN_PLACE, DAP_SHARE_NEVER, DAP_OK, {0, 0}},
    {"lists of rows are moved", 25, ALIKE, DAP_SHARE_IF_POSSIBLE, DAP_OK, {0, 0}},
};

static void check_sharing(const trial *t, const tall_sharing *row, const dap_linalg_options *options)
{
  operands o = make(t, WANT_Q | WANT_R | row->how, entry_any);
  double complex *whole = matrix_whole(&o.a);
  dap_error err = {0};
  EXPECT_STATUS(factor(&o, options, &err), row->want, &err);
  EXPECT(row->how & IN_PLACE || expect_same(&o.a));
  if (!row->want) {
    check_factors(t, whole, &o);
    expect_use(options->report, 0, "A", &o.a, row->shared[0]);
    expect_use(options->report, 1, "Q", row->how & IN_PLACE ? &o.a : &o.q, row->shared[1]);
  }
  free(whole);
  end(&o);
}

static void sharing(void **state)
{
  (void)state;
  tall_check_sharing(sharings, sizeof sharings / sizeof sharings[0], ALIKE | IN_PLACE, check_sharing);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static void memory(void **state)
{
  (void)state;
  for (int64_t rows = 60000; rows <= 240000; rows *= 4) {
    TEST_CASE("%d rows on each process", (int)rows);
    const trial t = tall_trial(10, rows);
    operands o = make(&t, WANT_Q | WANT_R | ALIKE, entry_any);
    dap_error err = {0};
    allocations_start(0);
    EXPECT_OK(factor(&o, NULL, &err), &err);
    const int64_t peak = allocations_peak();
    EXPECT_MSG(peak < 2 << 20, "%" PRId64 " bytes at a time", peak);
    end(&o);
    SETTLE();
  }
}

/* Each allocation of process 0 is refused once: R is not written, and nor is a Q that is moved. */
static void without_memory(void **state)
{
  (void)state;
  int refused = 1;
  for (int64_t number = 1; refused; number++) {
    TEST_CASE("allocation %d is refused", (int)number);
    const bool moved = number % 2;
    const trial t = tall_trial(moved ? 25 : 9, 40);
    operands o = make(&t, WANT_Q | WANT_R | ALIKE, entry_any);
    double complex *whole = matrix_whole(&o.a);
    dap_error err = {0};
    if (test_rank() == 0) allocations_start(number);
    const dap_status s = factor(&o, NULL, &err);
    refused = test_rank() == 0 && allocations_count() >= number;
    if (test_rank() == 0) allocations_start(0);
    MPI_Bcast(&refused, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (s) {
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "");
      EXPECT(expect_same(&o.r) && expect_same(&o.q));
    } else {
      check_factors(&t, whole, &o);
    }
    EXPECT(expect_same(&o.a));
    EXPECT(refused || !s);
    free(whole);
    end(&o);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(layouts),    cmocka_unit_test(special_matrices),
                                          cmocka_unit_test(not_finite), cmocka_unit_test(sharing),
                                          cmocka_unit_test(memory),     cmocka_unit_test(without_memory)};
LINALG_TEST_MAIN(tests)

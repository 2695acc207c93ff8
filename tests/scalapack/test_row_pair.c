/* Routines that are wrong with a matrix of one row and two columns on several processes, as its reflector is
 * lost on all but one of them: views never give them one. */
#include "operand.h"

#include <math.h>

#include <dapbridge/scalapack_calls.h>

static const char *const names[] = {"gelqf", "gels", "gesvd"};
enum { NAMES = sizeof names / sizeof names[0] };

/* gesvd also needs as many rows or columns as processes. */
static bool is_possible(const char *routine)
{
  return strcmp(routine, "gesvd") != 0 || test_nprocs() <= 2;
}

/* An array with `wide` 1 x 2, else 2 x 1, whose axis `cut` is over the processes. */
static operand make_pair(bool wide, int cut, operand_form form)
{
  const int64_t size[2] = {wide ? 1 : 2, wide ? 2 : 1};
  dap_dist dists[2];
  for (int k = 0; k < 2; k++) dists[k] = dap_dist_even(size[k], k == cut ? test_nprocs() : 1);
  return operand_make(MPI_COMM_WORLD, dists, DAP_F8, form);
}

static dap_status get(const operand *o, const dap_scalapack_options *options, dap_scalapack_matrix *m,
                      dap_error *err)
{
  return dap_scalapack_get(o->comm, (dap_darray){o->layout, &o->array}, DAP_READ_WRITE, options, m, err);
}

static void pairs_are_columns(void **state)
{
  (void)state;
  static const operand_form forms[] = {OPERAND_C, OPERAND_F, OPERAND_WIDE, OPERAND_GAPS};
  for (int i = 0; i < NAMES * 2 * 2 * 4; i++) {
    const char *routine = names[i % NAMES];
    const bool wide = i / NAMES % 2;
    operand o = make_pair(wide, i / NAMES / 2 % 2, forms[i / NAMES / 4]);
    dap_scalapack_matrix m;
    dap_error err = {0};
    TEST_CASE("%s, %s, axis %d over the processes, form %d", routine, wide ? "1 x 2" : "2 x 1",
              i / NAMES / 2 % 2, i / NAMES / 4);
    if (is_possible(routine)) {
      EXPECT_OK(get(&o, &(dap_scalapack_options){.routine = routine}, &m, &err), &err);
      EXPECT(test_nprocs() == 1 || (m.m == 2 && m.n == 1 && m.op == (wide ? 'T' : 'N')));
      matrix_check(&m, &o);
      EXPECT_OK(dap_scalapack_restore(&m, &err), &err);
    }
    operand_free(&o);
    SETTLE();
  }
}

/* With the other op there is no view of a pair. */
static void the_other_op_is_refused(void **state)
{
  (void)state;
  for (int i = 0; i < NAMES * 2; i++) {
    const char *routine = names[i % NAMES];
    const bool wide = i / NAMES;
    operand o = make_pair(wide, wide, OPERAND_C);
    dap_scalapack_matrix m;
    dap_error err = {0};
    const dap_scalapack_options options = {.routine = routine, .op = wide ? 'N' : 'T'};
    TEST_CASE("%s, %s with op %c", routine, wide ? "1 x 2" : "2 x 1", options.op);
    if (is_possible(routine)) {
      const dap_status status = get(&o, &options, &m, &err);
      if (test_nprocs() == 1)
        EXPECT_OK(status, &err);
      else
        expect_same_error(o.comm, status, &err, DAP_ERR_UNSUPPORTED,
                          "a matrix of 1 x 2|with the other op it is 2 x 1");
      EXPECT_OK(dap_scalapack_restore(&m, &err), &err);
    }
    operand_free(&o);
    SETTLE();
  }
}

/* Two elements of a row are a pair where the array has no other row, or where they are moved. */
static void parts_of_arrays(void **state)
{
  (void)state;
  enum { SHARED, MOVED, REFUSED };
  static const struct {
    const char *why;
    int64_t rows;
    bool gaps, by_op;
    int is; /* on several processes */
  } rows[] = {
      {"of one row, as it lies", 1, false, true, REFUSED},
      {"of several rows, as it lies", 3, false, true, SHARED},
      {"of several rows, with gaps", 3, true, false, MOVED},
      {"of several rows, with gaps, as it lies", 3, true, true, REFUSED},
  };
  for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
    const bool turned = i % 2; /* the array's rows are the matrix's columns */
    const int is = test_nprocs() > 1 || rows[i / 2].gaps ? rows[i / 2].is : SHARED;
    const int64_t at[2] = {turned ? 4 : 0, turned ? 0 : 4}, shape[2] = {turned ? 2 : 1, turned ? 1 : 2};
    const dap_dist along = dap_dist_cyclic(8, test_nprocs(), 4),
                   across = dap_dist_cyclic(rows[i / 2].rows, 1, 4);
    const dap_dist dists[2] = {turned ? along : across, turned ? across : along};
    operand o = operand_make(MPI_COMM_WORLD, dists, DAP_F8,
                             rows[i / 2].gaps ? OPERAND_GAPS
                             : turned         ? OPERAND_C
                                              : OPERAND_F);
    const dap_scalapack_options options = {.routine = "gelqf",
                                           .op = (char)(!rows[i / 2].by_op ? 0
                                                        : turned           ? 'T'
                                                                           : 'N'),
                                           .part = {.start = at, .shape = shape}};
    dap_scalapack_matrix m;
    dap_error err = {0};
    TEST_CASE("a part of an array %s, %s", rows[i / 2].why, turned ? "transposed" : "as the matrix");
    const dap_status status = get(&o, &options, &m, &err);
    if (is == REFUSED && test_nprocs() > 1) {
      expect_same_error(o.comm, status, &err, DAP_ERR_UNSUPPORTED, "with the other op it is 2 x 1");
    } else {
      EXPECT_OK(status, &err);
      EXPECT_MSG(m.shared == (is == SHARED), "%s", m.reason);
      EXPECT(is != MOVED || test_nprocs() == 1 || (m.m == 2 && m.n == 1));
    }
    EXPECT_OK(dap_scalapack_restore(&m, &err), &err);
    operand_free(&o);
    SETTLE();
  }
}

/* ---- a caller's gels --------------------------------------------------------------------------------- */

enum { SIDES = 5 };

static void write_entry(void *element, int64_t flat, void *context)
{
  *(double *)element = ((const double *)context)[flat];
}

static void check_entry(void *element, int64_t flat, void *context)
{
  const double want = ((const double *)context)[flat], got = *(double *)element;
  EXPECT_MSG(fabs(got - want) < 1e-12, "X(%d, %d) is %g, not %g", (int)flat / SIDES, (int)flat % SIDES, got,
             want);
}

/* The x of least norm with a x = b, a = (3, 4): a^T b / 25. */
static void gels_solves(void **state)
{
  (void)state;
  double a[2] = {3, 4}, b[2 * SIDES] = {0}, x[2 * SIDES];
  for (int j = 0; j < SIDES; j++) b[j] = 25 * (j + 1);
  for (int j = 0; j < 2 * SIDES; j++) x[j] = a[j / SIDES] * (j % SIDES + 1);
  const dap_dist dists[2] = {dap_dist_even(2, 1), dap_dist_cyclic(SIDES, test_nprocs(), 1)};
  for (int cut = 0; cut < 2; cut++) {
    operand oa = make_pair(true, cut, OPERAND_C), ob = operand_make(MPI_COMM_WORLD, dists, DAP_F8, OPERAND_F);
    dap_scalapack_matrix ma, mb;
    dap_error err = {0};
    static double work[1 << 16];
    const dap_scalapack_int lwork = 1 << 16, sides = SIDES;
    dap_scalapack_int info = -1;
    TEST_CASE("axis %d of A over the processes", cut);
    EXPECT_OK(get(&oa, &(dap_scalapack_options){.routine = "gels"}, &ma, &err), &err);
    EXPECT_OK(
        get(&ob, &(dap_scalapack_options){.routine = "gels", .op = 'N', .aligned_with = &ma}, &mb, &err),
        &err);
    (void)matrix_visit(&ma, sizeof(double), write_entry, a);
    (void)matrix_visit(&mb, sizeof(double), write_entry, b);
    pdgels_(&ma.op, &ma.m, &ma.n, &sides, ma.data, &ma.ia, &ma.ja, ma.desc, mb.data, &mb.ia, &mb.ja, mb.desc,
            work, &lwork, &info);
    EXPECT_INT(info, 0);
    (void)matrix_visit(&mb, sizeof(double), check_entry, x);
    EXPECT_OK(dap_scalapack_restore(&mb, &err), &err);
    EXPECT_OK(dap_scalapack_restore(&ma, &err), &err);
    operand_free(&ob), operand_free(&oa);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_columns),
                                          cmocka_unit_test(the_other_op_is_refused),
                                          cmocka_unit_test(parts_of_arrays), cmocka_unit_test(gels_solves)};
MPI_TEST_MAIN(tests)

/* Some routines are wrong with a matrix of one row and two columns on several processes, because only one
 * process keeps its reflector. Views must never give them such a matrix. */
#include "operand.h"

static const char *const names[] = {"gelqf", "gels", "gesvd"};
enum { NAMES = sizeof names / sizeof names[0] };

/* gesvd also needs as many rows or columns as processes. */
static bool is_possible(const char *routine)
{
  return strcmp(routine, "gesvd") != 0 || test_nprocs() <= 2;
}

/* Makes an array of 1 x 2 if `wide`, else of 2 x 1. Its axis `cut` is over the processes. */
static held_array make_pair(bool wide, int cut, test_form form)
{
  const int64_t size[2] = {wide ? 1 : 2, wide ? 2 : 1};
  dap_dist dists[2];
  for (int k = 0; k < 2; k++) dists[k] = dap_dist_even(size[k], k == cut ? test_nprocs() : 1);
  return operand_make(MPI_COMM_WORLD, dists, DAP_F8, form);
}

/* Gets the view that the routine can use, and then asks for the other op, of which there is no view. */
static void pairs_are_columns(void **state)
{
  (void)state;
  static const test_form forms[] = {FORM_C, FORM_F, FORM_WIDE, FORM_GAPS};
  for (int i = 0; i < NAMES * 2 * 2 * 4; i++) {
    const char *routine = names[i % NAMES];
    const bool wide = i / NAMES % 2;
    const int cut = i / NAMES / 2 % 2, form = i / NAMES / 4;
    TEST_CASE("%s, %s, axis %d over the processes, form %d", routine, wide ? "1 x 2" : "2 x 1", cut, form);
    held_array o = make_pair(wide, cut, forms[form]);
    const dap_scalapack_options other = {.routine = routine, .op = wide ? 'N' : 'T'};
    dap_scalapack_matrix m;
    dap_error err = {0};
    if (is_possible(routine)) {
      operand_get(&o, DAP_READ_WRITE, &(dap_scalapack_options){.routine = routine}, &m);
      EXPECT(test_nprocs() == 1 || (m.m == 2 && m.n == 1 && m.op == (wide ? 'T' : 'N')));
      matrix_check(&m, &o);
      operand_restore(&m);
      const dap_status s = dap_scalapack_get(o.comm, held_darray(&o), DAP_READ_WRITE, &other, &m, &err);
      expect_same_error(o.comm, s, &err, test_nprocs() == 1 ? DAP_OK : DAP_ERR_UNSUPPORTED,
                        "1 x 2|other op|2 x 1");
      operand_restore(&m);
    }
    held_array_free(&o);
    SETTLE();
  }
}

/* Two elements of a row are refused if the array has no other row, or if they must be moved. */
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
    held_array o = operand_make(MPI_COMM_WORLD, dists, DAP_F8,
                                rows[i / 2].gaps ? FORM_GAPS
                                : turned         ? FORM_C
                                                 : FORM_F);
    const dap_scalapack_options options = {.routine = "gelqf",
                                           .op = (char)(!rows[i / 2].by_op ? 0
                                                        : turned           ? 'T'
                                                                           : 'N'),
                                           .part = {.start = at, .shape = shape}};
    dap_scalapack_matrix m;
    dap_error err = {0};
    TEST_CASE("a part of an array %s, %s", rows[i / 2].why, turned ? "transposed" : "as the matrix");
    const dap_status status = dap_scalapack_get(o.comm, held_darray(&o), DAP_READ_WRITE, &options, &m, &err);
    if (is == REFUSED && test_nprocs() > 1) {
      expect_same_error(o.comm, status, &err, DAP_ERR_UNSUPPORTED, "other op|2 x 1");
    } else {
      EXPECT_OK(status, &err);
      EXPECT_MSG(m.shared == (is == SHARED), "%s", m.reason);
      EXPECT(is != MOVED || test_nprocs() == 1 || (m.m == 2 && m.n == 1));
    }
    operand_restore(&m);
    held_array_free(&o);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pairs_are_columns),
    cmocka_unit_test(parts_of_arrays),
};
MPI_TEST_MAIN(tests)

/* Tests needs of routines, given by the routine's name or by the caller. */
#include "operand.h"

static void routines_get_what_they_need(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist unequal[2] = {dap_dist_cyclic(30, n, 3), dap_dist_cyclic(30, 1, 5)};
  const dap_dist blocks[2] = {dap_dist_cyclic(30, 1, 4), dap_dist_cyclic(30, n, 4)};
  const dap_dist one_block[2] = {dap_dist_cyclic(8, 1, 8), dap_dist_cyclic(8, n, 8)};
  static const char *const names[] = {"pdsyevd", "dsyevd", "syevd", "pdsyevd_"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    TEST_CASE("%s", names[i]);
    held_array o[3] = {operand_make(MPI_COMM_WORLD, unequal, DAP_F8, FORM_F),
                       operand_make(MPI_COMM_WORLD, blocks, DAP_F8, FORM_F),
                       operand_make(MPI_COMM_WORLD, one_block, DAP_F8, FORM_F)};
    for (int k = 0; k < 3; k++) {
      dap_scalapack_matrix m;
      const dap_scalapack_options options = {.routine = names[i]};
      operand_get(&o[k], DAP_READ, &options, &m);
      EXPECT(m.desc[4] == m.desc[5] && m.desc[6] == 0 && m.desc[7] == 0);
      EXPECT(n == 1 || m.desc[3] > m.desc[5]); /* several blocks */
      EXPECT_MSG(m.shared == (k < 2 || n == 1), "%s", m.reason);
      matrix_check(&m, &o[k]);
      operand_restore(&m);
      held_array_free(&o[k]);
    }
    SETTLE();
  }
  held_array o = operand_make(MPI_COMM_WORLD, blocks, DAP_F8, FORM_F);
  dap_scalapack_matrix m;
  dap_error err = {0};
  dap_status s = dap_scalapack_get(o.comm, held_darray(&o), DAP_READ,
                                   &(dap_scalapack_options){.routine = "pdsyevq"}, &m, &err);
  expect_same_error(o.comm, s, &err, DAP_ERR_ARG, "unknown|'pdsyevq'");
  s = dap_scalapack_get(o.comm, held_darray(&o), DAP_READ,
                        &(dap_scalapack_options){.needs = {.least_block = 9, .most_block = 8}}, &m, &err);
  expect_same_error(o.comm, s, &err, DAP_ERR_ARG, "9 .. 8");
  EXPECT_OK(dap_scalapack_get(o.comm, held_darray(&o), DAP_READ,
                              &(dap_scalapack_options){.needs = {.least_block = 5, .most_block = 6}}, &m,
                              &err),
            &err);
  EXPECT_MSG(n == 1 || (!m.shared && test_contains(m.reason, "at least 5|4 x 4|")) || m.desc[4] != 4, "%s",
             m.reason);
  EXPECT(m.desc[5] >= 5 && m.desc[5] <= 6);
  operand_restore(&m);
  held_array_free(&o);
  SETTLE();
}

/* A view is refused if the routine would misread every copy. */
static void routines_refuse_what_they_cannot_take(void **state)
{
  (void)state;
  static const struct {
    const char *why, *routine;
    int64_t size[2];
    dap_dtype dtype;
    dap_status status;
    const char *text; /* NULL: the view is accepted */
  } rows[] = {
      {"the letter is another type's", "pdsyevd", {30, 30}, DAP_F4, DAP_ERR_BUFFER, "of float64|are float32"},
      {"complex for real", "pdgesv", {30, 30}, DAP_C16, DAP_ERR_BUFFER, "of float64|are complex128"},
      {"integers", "pdpotrf", {30, 30}, DAP_I4, DAP_ERR_BUFFER, "of float64|are int32"},
      {"integers, without a letter", "gemm", {30, 30}, DAP_I4, DAP_ERR_BUFFER, "float32|float64|complex64"},
      {"integers have gemr2d", "pigemr2d", {40, 30}, DAP_I4, DAP_OK, NULL},
      {"real only, without a letter", "syevd", {30, 30}, DAP_C8, DAP_ERR_BUFFER, "float32|float64|array's"},
      {"complex only", "heev", {30, 30}, DAP_F8, DAP_ERR_BUFFER, "complex64|complex128|array's"},
      {"no such routine", "pdheev", {30, 30}, DAP_F8, DAP_ERR_ARG, "'pdheev'|exist|complex"},
      {"nor this", "pcorgqr", {30, 30}, DAP_C8, DAP_ERR_ARG, "'pcorgqr'|exist|real"},
      {"not square", "pdsyevd", {40, 30}, DAP_F8, DAP_ERR_ARG, "square|40 x 30"},
      {"not square", "potrf", {30, 31}, DAP_F4, DAP_ERR_ARG, "square|30 x 31"},
      {"not square, and need not be", "pzgetrf", {40, 30}, DAP_C16, DAP_OK, NULL},
      {"not square, and need not be", "psgesvd", {40, 30}, DAP_F4, DAP_OK, NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s: %s", rows[i].routine, rows[i].why);
    const dap_dist dists[2] = {dap_dist_cyclic(rows[i].size[0], test_nprocs(), 3),
                               dap_dist_cyclic(rows[i].size[1], 1, 3)};
    held_array o = operand_make(MPI_COMM_WORLD, dists, rows[i].dtype, FORM_F);
    dap_scalapack_matrix m;
    dap_error err = {0};
    const dap_scalapack_options options = {.routine = rows[i].routine};
    const dap_status s = dap_scalapack_get(o.comm, held_darray(&o), DAP_READ, &options, &m, &err);
    if (rows[i].text)
      expect_same_error(o.comm, s, &err, rows[i].status, rows[i].text);
    else
      EXPECT_OK(s, &err);
    operand_restore(&m);
    held_array_free(&o);
    SETTLE();
  }
}

/* The longer side of the grid of a moved square matrix is along its columns, or along its rows for a
 * routine that is faster with them. An array's own grid with two sides is kept in all cases, and arrays
 * that can be shared are shared. */
static void a_routine_has_a_say_in_the_grid(void **state)
{
  (void)state;
  const int n = test_nprocs();
  enum { ACROSS, ALONG, OWN, SHARED };
  const int own[2] = {n == 4 ? 2 : n == 6 ? 3 : 1, n == 4 || n == 6 ? 2 : n};
  const struct {
    const char *why, *routine;
    dap_dist dists[2];
    int is; /* OWN: the array's, if it has two sides */
  } rows[] = {
      {"factorised", "potrf", {dap_dist_cyclic(30, n, 3), dap_dist_cyclic(30, 1, 5)}, ACROSS},
      {"used, from rows", "potrs", {dap_dist_even(30, n), dap_dist_even(30, 1)}, ALONG},
      {"used, from columns", "pdpotrs", {dap_dist_even(30, 1), dap_dist_even(30, n)}, ALONG},
      {"used, on a grid", "potrs", {dap_dist_even(31, own[0]), dap_dist_even(31, own[1])}, OWN},
      {"used, and shared", "potrs", {dap_dist_cyclic(30, 1, 4), dap_dist_cyclic(30, n, 4)}, SHARED},
  };
  for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
    const dap_order order = i % 2 ? DAP_ORDER_C : DAP_ORDER_F;
    const int is = rows[i / 2].is;
    TEST_CASE("%s, order %c", rows[i / 2].why, order == DAP_ORDER_C ? 'C' : 'F');
    held_array o = operand_make(MPI_COMM_WORLD, rows[i / 2].dists, DAP_F8, i % 2 ? FORM_C : FORM_F);
    dap_scalapack_matrix m;
    const dap_scalapack_options options = {.routine = rows[i / 2].routine,
                                           .sharing = is == SHARED ? DAP_SHARE_OR_FAIL : DAP_SHARE_NEVER};
    operand_get(&o, DAP_READ, &options, &m);
    int grid[4];
    matrix_grid(&m, grid);
    const int rows_axis = m.op == 'T'; /* the array's axis along the matrix's rows */
    if (is == OWN && own[0] > 1)
      EXPECT(grid[rows_axis] == own[0] && grid[1 - rows_axis] == own[1]);
    else if (is == ACROSS)
      EXPECT_MSG(grid[1] >= grid[0], "%d x %d", grid[0], grid[1]);
    else if (is != SHARED)
      EXPECT_MSG(grid[0] >= grid[1], "%d x %d", grid[0], grid[1]);
    matrix_check(&m, &o);
    operand_restore(&m);
    held_array_free(&o);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(routines_get_what_they_need),
                                          cmocka_unit_test(routines_refuse_what_they_cannot_take),
                                          cmocka_unit_test(a_routine_has_a_say_in_the_grid)};
MPI_TEST_MAIN(tests)

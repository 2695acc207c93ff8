/* Tests operands in one buffer, and operands that do not fit each other. The tests of edges draw what is
 * shared as far as the options allow. */
#include "harness.h"

/* Three operands lie in one buffer of each process. A row gives their first elements and strides, in
 * doubles. */
static const struct {
  const char *why;
  struct {
    int64_t first, strides[2];
  } of[3];           /* A, B, C */
  const char *parts; /* of the error; NULL: they do not overlap */
} shared_buffers[] = {
    {"one behind the other", {{0, {4, 1}}, {16, {4, 1}}, {32, {4, 1}}}, NULL},
    {"columns beside each other", {{0, {12, 1}}, {4, {12, 1}}, {8, {12, 1}}}, NULL},
    {"every third element", {{0, {12, 3}}, {1, {12, 3}}, {2, {12, 3}}}, NULL},
    {"A and B are only read", {{0, {4, 1}}, {3, {4, 1}}, {32, {4, 1}}}, NULL},
    {"C shifted into A by a row", {{0, {4, 1}}, {32, {4, 1}}, {12, {4, 1}}}, "A and C|overlap"},
    {"C shifted into B by an element", {{32, {4, 1}}, {0, {4, 1}}, {15, {4, 1}}}, "B and C|overlap"},
    {"C ends in A", {{15, {4, 1}}, {32, {4, 1}}, {0, {4, 1}}}, "A and C|overlap"},
    {"C in the other order", {{0, {4, 1}}, {32, {4, 1}}, {8, {1, 4}}}, "A and C|overlap"},
    {"C among A's columns", {{0, {12, 3}}, {1, {12, 3}}, {5, {12, 2}}}, "C|overlap"},
    {"C overlaps itself", {{0, {4, 1}}, {16, {4, 1}}, {32, {2, 1}}}, "C|buffer|overlap"},
};

static void one_buffer(void **state)
{
  enum { N = 4, ROOM = 64 };
  (void)state;
  if (test_nprocs() > 1) return; /* each process finds its overlaps alone */
  const dap_dist dists[2] = {dap_dist_even(N, 1), dap_dist_even(N, 1)};
  for (size_t i = 0; i < sizeof shared_buffers / sizeof shared_buffers[0]; i++) {
    TEST_CASE("%s", shared_buffers[i].why);
    dap_layout *layout;
    dap_array arrays[3];
    dap_darray of[3];
    double room[ROOM];
    for (int k = 0; k < ROOM; k++) room[k] = k % 7;
    dap_error err = {0};
    EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
    for (int k = 0; k < 3; k++) {
      double *first = room + shared_buffers[i].of[k].first;
      EXPECT_OK(dap_array_init(&arrays[k], layout, 0, DAP_F8, DAP_ORDER_C, first, &err), &err);
      for (int d = 0; d < 2; d++) arrays[k].strides[d] = shared_buffers[i].of[k].strides[d] * 8;
      of[k] = (dap_darray){layout, &arrays[k]};
    }
    const dap_status s =
        dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, of[0], of[1], NULL, of[2], NULL, &err);
    EXPECT_MSG(shared_buffers[i].parts ? s == DAP_ERR_ARG || s == DAP_ERR_BUFFER : !s, "%d: %s", (int)s,
               err.text);
    EXPECT_MSG(!shared_buffers[i].parts || test_contains(err.text, shared_buffers[i].parts), "%s", err.text);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* If one process has another type for an operand, the error names that operand, not the next one. */
static void type_of_one_rank(void **state)
{
  (void)state;
  const trial t = trial_of(1, 4, 4); /* f8 */
  matrix a = trial_matrix(&t, 4, 4, entry_any), b = trial_matrix(&t, 4, 4, entry_any);
  matrix c = trial_matrix(&t, 4, 4, entry_any);
  dap_array single = a.held.array;
  if (test_rank() == 1) single.dtype = DAP_F4;
  dap_error err = {0};
  const dap_status s =
      dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, (dap_darray){a.held.layout, &single},
                          matrix_operand(&b), NULL, matrix_operand(&c), NULL, &err);
  EXPECT_MSG(test_nprocs() > 1 ? s == DAP_ERR_ARG && strstr(err.text, "A: its type") : !s, "%d: %s", (int)s,
             err.text);
  matrix_free(&c), matrix_free(&b), matrix_free(&a);
  SETTLE();
}

/* Q at A's address, but not with the elements at A's places. */
static void turned_over(void **state)
{
  (void)state;
  const trial t = trial_of(0, 33, 33);
  matrix a = trial_matrix(&t, t.size[0], t.size[0], entry_any);
  const dap_darray oa = matrix_operand(&a), none = {0};
  dap_array turned = *oa.local, swapped = *oa.local;
  turned.strides[0] = oa.local->strides[1], turned.strides[1] = oa.local->strides[0];
  swapped.swapped = !swapped.swapped;
  const dap_darray strides = {oa.layout, &turned}, bytes = {oa.layout, &swapped};
  dap_error err = {0};
  EXPECT_FAIL(dap_linalg_qr(MPI_COMM_WORLD, oa, strides, none, NULL, &err), DAP_ERR_ARG, &err,
              "Q|A's|strides");
  EXPECT_FAIL(dap_linalg_qr(MPI_COMM_WORLD, oa, bytes, none, NULL, &err), DAP_ERR_ARG, &err,
              "Q|A's|byte order");
  EXPECT(expect_same(&a));
  matrix_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(one_buffer), cmocka_unit_test(type_of_one_rank),
                                          cmocka_unit_test(turned_over)};
MPI_TEST_MAIN(tests)

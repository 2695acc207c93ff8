/* What products share as far as the options allow, and operands in one buffer. Products and factors in every
 * layout are drawn by linalg_edges_products and linalg_edges_qr. */
#include "harness.h"

/* Never: all is moved. Or fail: nothing is, or C is left as it was. */
static void check_sharing(const trial *t, dap_sharing sharing)
{
  const int64_t n = t->size[0];
  matrix a = trial_matrix(t, n, n, entry_any), c = trial_matrix(t, n, n, entry_any);
  double complex *whole_a = matrix_whole(&a);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.sharing = sharing, .block_size = 3, .report = &report};
  dap_error err = {0};
  const dap_status status = dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'C', NULL, matrix_operand(&a),
                                                matrix_operand(&a), NULL, matrix_operand(&c), &options, &err);
  if (status == DAP_ERR_SHARE) {
    EXPECT_MSG(sharing == DAP_SHARE_OR_FAIL && source_shares(t->source, t->size, t->grid) != 1, "%s",
               err.text);
    EXPECT(err.text[0] && expect_same(&c));
  } else {
    EXPECT_OK(status, &err);
    double complex *whole_c = matrix_whole(&c);
    expect_residual("C - A A^H",
                    residual_product('N', 'C', n, n, n, whole_a, whole_a, whole_c, t->type->eps));
    free(whole_c);
    for (int i = 0; i < 3; i++) EXPECT(report.uses[i].shared == (sharing == DAP_SHARE_OR_FAIL));
    for (int i = 0; i < 3; i++) EXPECT(report.uses[i].moved_bytes == 0 || sharing == DAP_SHARE_NEVER);
  }
  expect_padding(&c);
  free(whole_a);
  matrix_free(&c), matrix_free(&a);
}

static void sharing_as_asked(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    if (t.size[0] == 0) continue;
    check_sharing(&t, DAP_SHARE_NEVER);
    check_sharing(&t, DAP_SHARE_OR_FAIL);
    SETTLE();
  }
}

/* Three operands in one buffer of each process, laid out as the row says: strides and first elements in
 * doubles. */
static const struct {
  const char *why;
  struct {
    int64_t first, strides[2];
  } a, b, c;
  const char *text; /* NULL: they do not overlap */
} shared_buffers[] = {
    {"one behind the other", {0, {4, 1}}, {16, {4, 1}}, {32, {4, 1}}, NULL},
    {"columns beside each other", {0, {12, 1}}, {4, {12, 1}}, {8, {12, 1}}, NULL},
    {"every third element", {0, {12, 3}}, {1, {12, 3}}, {2, {12, 3}}, NULL},
    {"A and B are only read", {0, {4, 1}}, {3, {4, 1}}, {32, {4, 1}}, NULL},
    {"C shifted into A by a row", {0, {4, 1}}, {32, {4, 1}}, {12, {4, 1}}, "A and C overlap in memory"},
    {"C shifted into B by an element", {32, {4, 1}}, {0, {4, 1}}, {15, {4, 1}}, "B and C overlap in memory"},
    {"C ends in A", {15, {4, 1}}, {32, {4, 1}}, {0, {4, 1}}, "A and C overlap in memory"},
    {"C in the other order", {0, {4, 1}}, {32, {4, 1}}, {8, {1, 4}}, "A and C overlap in memory"},
    {"C among A's columns", {0, {12, 3}}, {1, {12, 3}}, {5, {12, 2}}, "overlap in memory"},
    {"C overlaps itself", {0, {4, 1}}, {16, {4, 1}}, {32, {2, 1}}, "elements of its buffer overlap"},
};

static void one_buffer(void **state)
{
  enum { N = 4, ROOM = 64 };
  (void)state;
  if (test_nprocs() > 1) return; /* what overlaps is each process's own to find */
  const dap_dist dists[2] = {dap_dist_even(N, 1), dap_dist_even(N, 1)};
  for (size_t i = 0; i < sizeof shared_buffers / sizeof shared_buffers[0]; i++) {
    TEST_CASE("%s", shared_buffers[i].why);
    dap_layout *layout;
    dap_array a, b, c;
    double room[ROOM];
    for (int k = 0; k < ROOM; k++) room[k] = k % 7;
    dap_error err = {0};
    EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
    EXPECT_OK(dap_array_init(&a, layout, 0, DAP_F8, DAP_ORDER_C, room + shared_buffers[i].a.first, &err),
              &err);
    EXPECT_OK(dap_array_init(&b, layout, 0, DAP_F8, DAP_ORDER_C, room + shared_buffers[i].b.first, &err),
              &err);
    EXPECT_OK(dap_array_init(&c, layout, 0, DAP_F8, DAP_ORDER_C, room + shared_buffers[i].c.first, &err),
              &err);
    for (int k = 0; k < 2; k++) {
      a.strides[k] = shared_buffers[i].a.strides[k] * 8;
      b.strides[k] = shared_buffers[i].b.strides[k] * 8;
      c.strides[k] = shared_buffers[i].c.strides[k] * 8;
    }
    const dap_status s =
        dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, (dap_darray){layout, &a},
                            (dap_darray){layout, &b}, NULL, (dap_darray){layout, &c}, NULL, &err);
    EXPECT_MSG(shared_buffers[i].text ? s == DAP_ERR_ARG || s == DAP_ERR_BUFFER : !s, "%d: %s", (int)s,
               err.text);
    EXPECT_MSG(!shared_buffers[i].text || strstr(err.text, shared_buffers[i].text), "%s", err.text);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* A type that one process alone has is blamed on that operand, not on the next one. */
static void type_of_one_rank(void **state)
{
  (void)state;
  trial t = {0};
  while (trial_next(&t, TRIALS_SQUARE) && (t.size[0] < 4 || t.type->dtype != DAP_F8)) continue;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  matrix a = trial_matrix(&t, 4, 4, entry_any), b = trial_matrix(&t, 4, 4, entry_any);
  matrix c = trial_matrix(&t, 4, 4, entry_any);
  dap_array single = a.array;
  if (rank == 1) single.dtype = DAP_F4;
  dap_error err = {0};
  const dap_status s = dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, (dap_darray){a.layout, &single},
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
  trial t = {0};
  while (trial_next(&t, TRIALS_SQUARE) && t.size[0] < 7) continue;
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

static const struct CMUnitTest tests[] = {cmocka_unit_test(sharing_as_asked), cmocka_unit_test(one_buffer),
                                          cmocka_unit_test(type_of_one_rank), cmocka_unit_test(turned_over)};
MPI_TEST_MAIN(tests)

/* Tests when a layout is a matrix for ScaLAPACK. Each element of a form and of a buffer is compared with
 * the formulas of block-cyclic matrices. If the library refuses, a search over all forms must not find
 * one. */
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/matrix.h>
#include <dapbridge/matrix_op.h>
#include <inttypes.h>

enum { CASES = 3000, MOST_SIZE = 12, MOST_PROCS = 12 };

/* ---- layouts ----------------------------------------------------------------------------------------- */

/* Draws a layout without lists that a version of the protocol can describe. */
static dap_layout *draw_layout(test_random *random)
{
  static random_array array;
  int64_t size[2];
  bool is_right = false;
  while (!is_right) {
    for (int k = 0; k < 2; k++) size[k] = test_random_int(random, 0, MOST_SIZE);
    random_array_draw(random, (int)test_random_int(random, 1, MOST_PROCS), 2, size, &array);
    is_right = random_array_is_sayable(&array, "0.10") || random_array_is_sayable(&array, "0.9");
    for (int k = 0; k < 2; k++) is_right = is_right && array.dists[k].kind != DAP_DIST_UNSTRUCTURED;
  }
  return random_array_layout(&array);
}

/* Finds index i along an axis: the owner's coordinate, and the number of the owner's elements before it. */
static void locate(const dap_layout *layout, int axis, int64_t i, int *coord, int64_t *before)
{
  for (*coord = 0; *coord < dap_layout_procs(layout, axis); ++*coord) {
    *before = 0;
    for (dap_run run = {0}; dap_layout_next_run(layout, axis, *coord, &run); *before += run.length)
      if (i >= run.global && i < run.global + run.length) {
        *before += i - run.global;
        return;
      }
  }
}

/* Returns whether the axis is dealt in blocks from this process on, by INDXG2P and INDXG2L of ScaLAPACK's
 * TOOLS. */
static bool is_dealt(const dap_layout *layout, int axis, int64_t block, int source)
{
  const int procs = dap_layout_procs(layout, axis);
  for (int64_t i = 0; i < dap_layout_size(layout, axis); i++) {
    int coord;
    int64_t before = 0;
    locate(layout, axis, i, &coord, &before);
    if (coord != (source + i / block) % procs || before != i / (block * procs) * block + i % block)
      return false;
  }
  return true;
}

/* Returns whether the needs allow this pair of block sizes. */
static bool is_allowed(const dap_matrix_needs *needs, const int64_t size[2], const int procs[2],
                       const int64_t block[2])
{
  const int n = procs[0] * procs[1];
  for (int k = 0; k < 2; k++)
    if (needs->occupied && size[k] > 0 && (procs[k] - 1) * block[k] >= size[k]) return false;
  for (int k = 0; k < 2; k++)
    if (block[k] < needs->least_block || (needs->most_block && block[k] > needs->most_block)) return false;
  if (needs->square_blocks && block[0] != block[1]) return false;
  if (needs->several_blocks && n > 1 && size[1] <= block[1]) return false;
  if (needs->no_row_pair && n > 1 && size[0] == 1 && size[1] == 2) return false;
  return !needs->spans_grid || size[0] >= n || size[1] >= n;
}

/* Returns whether some block sizes and sources match the layout and meet the needs. */
static bool some_fit(const dap_layout *layout, char op, const dap_matrix_needs *needs)
{
  bool fits[2][2 * MOST_SIZE + 1] = {{false}};
  int64_t size[2];
  int procs[2];
  for (int axis = 0; axis < 2; axis++) {
    const int k = op == 'N' ? axis : 1 - axis;
    size[k] = dap_layout_size(layout, axis);
    procs[k] = dap_layout_procs(layout, axis);
    for (int block = 1; block <= 2 * MOST_SIZE && dap_layout_axis(layout, axis).dist_type != 'u'; block++)
      for (int source = 0; source < dap_layout_procs(layout, axis); source++)
        fits[k][block] = fits[k][block] || is_dealt(layout, axis, block, source);
  }
  for (int64_t m = 1; m <= 2 * MOST_SIZE; m++)
    for (int64_t n = 1; n <= 2 * MOST_SIZE; n++) {
      const int64_t block[2] = {m, n};
      if (fits[0][m] && fits[1][n] && is_allowed(needs, size, procs, block)) return true;
    }
  return false;
}

static void check_form(const dap_layout *layout, char op, const dap_matrix_needs *needs,
                       const int64_t wish[2], const dap_matrix_form *form)
{
  bool takes[2];
  EXPECT_INT(form->op, op);
  for (int axis = 0; axis < 2; axis++) {
    const int k = op == 'N' ? axis : 1 - axis, source = form->source[k] < 0 ? 0 : form->source[k];
    EXPECT_INT(form->size[k], dap_layout_size(layout, axis));
    EXPECT_INT(form->procs[k], dap_layout_procs(layout, axis));
    EXPECT_MSG(is_dealt(layout, axis, form->block[k], source), "axis %d is not in blocks of %" PRId64, axis,
               form->block[k]);
    for (int s = 0; s < form->procs[k] && form->source[k] < 0; s++)
      EXPECT(is_dealt(layout, axis, form->block[k], s)); /* any source fits */
    takes[k] = is_dealt(layout, axis, wish[k], source);
  }
  EXPECT(is_allowed(needs, form->size, form->procs, form->block));
  if (takes[0] && takes[1] && is_allowed(needs, form->size, form->procs, wish))
    EXPECT_MSG(form->block[0] == wish[0] && form->block[1] == wish[1],
               "blocks of %" PRId64 " x %" PRId64 ", not as wished %" PRId64 " x %" PRId64, form->block[0],
               form->block[1], wish[0], wish[1]);
}

static void test_fit(void **state)
{
  (void)state;
  int counts[2] = {0, 0};
  test_random random = test_random_init(301);
  for (int i = 0; i < CASES; i++) {
    TEST_CASE("case %d", i);
    dap_layout *layout = draw_layout(&random);
    const char op = test_random_one_in(&random, 2) ? 'N' : 'T';
    const dap_matrix_needs needs = {.square_blocks = test_random_one_in(&random, 3),
                                    .several_blocks = test_random_one_in(&random, 4),
                                    .spans_grid = test_random_one_in(&random, 4),
                                    .occupied = test_random_one_in(&random, 4),
                                    .no_row_pair = test_random_one_in(&random, 2),
                                    .least_block = test_random_int(&random, 0, 2),
                                    .most_block = test_random_one_in(&random, 3) ? 6 : 0};
    const int64_t wish[2] = {test_random_int(&random, 1, 8), test_random_int(&random, 1, 8)};
    dap_matrix_form form;
    dap_error err = {.text = ""};
    const dap_status s = dap_matrix_fit(layout, op, &needs, wish, &form, &err);
    EXPECT_MSG(s == DAP_OK || s == DAP_ERR_SHARE, "%d: %s", (int)s, err.text);
    if (s == DAP_OK) check_form(layout, op, &needs, wish, &form);
    EXPECT_MSG((s == DAP_OK) == some_fit(layout, op, &needs), "%s", s ? err.text : "fits");
    counts[s != DAP_OK]++;
    dap_layout_destroy(&layout);
  }
  EXPECT_MSG(counts[0] > CASES / 20 && counts[1] > CASES / 20, "%d fit, %d do not", counts[0], counts[1]);
  SETTLE();
}

/* Tests which blocks a wish of 0 gives. The first axis is on two processes, the second one is free. */
static void test_usual(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int64_t size[2];
    char op;
    dap_matrix_needs needs;
    int64_t block[2];
  } rows[] = {
      {"a long axis: the block is as short as the other one", {40000000, 3}, 'N', {0}, {20000000, 3}},
      {"as rows", {40000000, 3}, 'T', {0}, {3, 20000000}},
      {"just long", {16384, 63}, 'N', {0}, {8192, 63}},
      {"not long", {16382, 3}, 'N', {0}, {8191, 64}},
      {"more than a block", {40000000, 65}, 'N', {0}, {20000000, 64}},
      {"no elements", {40000000, 0}, 'N', {0}, {20000000, 64}},
      {"square", {40000, 40000}, 'N', {0}, {20000, 64}},
      {"the needs go first", {40000000, 3}, 'N', {.several_blocks = true}, {20000000, 2}},
      {"at least so much", {40000000, 3}, 'N', {.least_block = 6}, {20000000, 6}},
      {"square blocks are the other's", {40000000, 3}, 'N', {.square_blocks = true}, {20000000, 20000000}},
  };
  static const int64_t usual[2] = {0, 0};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_dist dists[2] = {dap_dist_even(rows[i].size[0], 2), dap_dist_local(rows[i].size[1])};
    dap_layout *layout = NULL;
    dap_matrix_form form = {0};
    dap_error err = {.text = ""};
    TEST_CASE("%s", rows[i].why);
    EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
    EXPECT_OK(dap_matrix_fit(layout, rows[i].op, &rows[i].needs, usual, &form, &err), &err);
    for (int k = 0; k < 2; k++) EXPECT_INT(form.block[k], rows[i].block[k]);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* ---- buffers ----------------------------------------------------------------------------------------- */

/* Returns the first element that a process owns, and their number along both axes. */
static const char *first_of(const dap_layout *layout, int rank, const dap_array *array, int64_t owned[2])
{
  int coords[2];
  const char *first = array->data;
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < 2; k++) {
    int64_t halo[2];
    dap_layout_halo(layout, k, coords[k], halo);
    owned[k] = dap_layout_owned(layout, k, coords[k]);
    first += halo[0] * array->strides[k];
  }
  return first;
}

/* Returns whether every element (i, j) of the matrix's part is at data + i + j lld. */
static bool is_placed(const dap_layout *layout, int rank, const dap_array *array, char op, const void *data,
                      int64_t lld)
{
  int64_t owned[2];
  const char *first = first_of(layout, rank, array, owned);
  const int64_t item = dap_dtype_size(array->dtype);
  for (int64_t p = 0; p < owned[0]; p++)
    for (int64_t q = 0; q < owned[1]; q++) {
      const int64_t i = op == 'N' ? p : q, j = op == 'N' ? q : p;
      const char *at = first + p * array->strides[0] + q * array->strides[1];
      if (at != (const char *)data + (i + j * lld) * item) return false;
    }
  return true;
}

/* Returns whether the buffer has a leading dimension that ScaLAPACK allows. */
static bool some_place(const dap_layout *layout, int rank, const dap_array *array, char op)
{
  int64_t owned[2];
  const char *first = first_of(layout, rank, array, owned);
  if (array->dtype != DAP_F8 && array->dtype != DAP_C8) return false;
  if (owned[0] == 0 || owned[1] == 0) return true;
  if (array->swapped || (uintptr_t)first % (array->dtype == DAP_C8 ? 4 : 8)) return false;
  for (int64_t lld = owned[op == 'N' ? 0 : 1]; lld < 200; lld++)
    if (is_placed(layout, rank, array, op, first, lld)) return true;
  return false;
}

/* Draws an array in C or F order, with gaps after elements or rows, reversed, or unaligned. */
static void draw_array(test_random *random, const dap_layout *layout, int rank, dap_array *array)
{
  static char memory[1 << 16];
  static const dap_dtype dtypes[] = {DAP_F8, DAP_F8, DAP_C8, DAP_I2};
  const dap_dtype dtype = dtypes[test_random_int(random, 0, 3)];
  const dap_order order = test_random_one_in(random, 2) ? DAP_ORDER_C : DAP_ORDER_F;
  const int slow = order == DAP_ORDER_C ? 0 : 1;
  dap_error err;
  EXPECT_OK(dap_array_init(array, layout, rank, dtype, order, memory + (1 << 15), &err), &err);
  const int64_t item = dap_dtype_size(dtype);
  if (test_random_one_in(random, 3)) array->strides[slow] += item * test_random_int(random, 1, 3);
  if (test_random_one_in(random, 8)) array->strides[slow] += item / 2;
  if (test_random_one_in(random, 6)) array->strides[1 - slow] *= 2;
  if (test_random_one_in(random, 8)) array->strides[slow] = -array->strides[slow];
  if (test_random_one_in(random, 8)) array->data = (char *)array->data + 4;
  array->swapped = test_random_one_in(random, 10);
}

/* Returns the orders that the strides exclude: both for an empty array, whose strides tell nothing. */
static unsigned order_bits(const dap_array *array)
{
  const int64_t *s = array->strides;
  const bool is_empty = array->shape[0] == 0 || array->shape[1] == 0;
  return (is_empty || llabs(s[0]) >= llabs(s[1]) ? DAP_MATRIX_NOT_F : 0U) |
         (is_empty || llabs(s[0]) <= llabs(s[1]) ? DAP_MATRIX_NOT_C : 0U);
}

static void check_place(const dap_layout *layout, int rank, const dap_array *array, int counts[2])
{
  unsigned can = 0;
  for (int o = 0; o < 2; o++) {
    const char op = "NT"[o];
    void *data = NULL;
    int64_t lld = -1;
    dap_error err = {.text = ""};
    const dap_status s = dap_matrix_local((dap_darray){layout, array}, rank, op, &data, &lld, &err);
    EXPECT_MSG(s == (some_place(layout, rank, array, op) ? DAP_OK : DAP_ERR_SHARE), "op %c: %s", op,
               err.text);
    counts[s != DAP_OK]++;
    if (s) continue;
    can |= o ? DAP_MATRIX_CAN_T : DAP_MATRIX_CAN_N;
    EXPECT(is_placed(layout, rank, array, op, data, lld));
    int coords[2];
    dap_layout_coords(layout, rank, coords);
    EXPECT(lld >= 1 && lld >= dap_layout_owned(layout, o, coords[o]));
  }
  EXPECT_INT(dap_matrix_vote((dap_darray){layout, array}, rank), can | order_bits(array));
}

static void test_place(void **state)
{
  (void)state;
  int counts[2] = {0, 0};
  test_random random = test_random_init(302);
  for (int i = 0; i < CASES; i++) {
    TEST_CASE("case %d", i);
    dap_layout *layout = draw_layout(&random);
    const int rank = (int)test_random_int(&random, 0, dap_layout_nprocs(layout) - 1);
    dap_array array;
    draw_array(&random, layout, rank, &array);
    check_place(layout, rank, &array, counts);
    dap_array_release(&array);
    dap_layout_destroy(&layout);
  }
  EXPECT_MSG(counts[0] > CASES / 10 && counts[1] > CASES / 10, "%d can, %d cannot", counts[0], counts[1]);
  SETTLE();
}

static void test_choose(void **state)
{
  (void)state;
  for (unsigned votes = 0; votes < 16; votes++) {
    const bool n = votes & DAP_MATRIX_CAN_N, t = votes & DAP_MATRIX_CAN_T;
    const bool some_f = !(votes & DAP_MATRIX_NOT_F), some_c = !(votes & DAP_MATRIX_NOT_C);
    const char want = n != t ? (n ? 'N' : 'T') : some_f && !some_c ? 'N' : 'T';
    EXPECT_MSG(dap_matrix_choose_op(votes) == want, "votes %u", votes);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_fit),
    cmocka_unit_test(test_place),
    cmocka_unit_test(test_choose),
    cmocka_unit_test(test_usual),
};
MPI_TEST_MAIN(tests)

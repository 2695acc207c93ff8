/* Plans between named layouts: each row says why it is there. Every element of the destination is checked
 * against the map. */
#include "mpi_test.h"
#include "plan_rows.h"

/* Moves twice with one plan, so that what a run leaves behind cannot help the next. */
static void move(const plan_row *r, const dap_layout *from, const dap_layout *to, test_random *random,
                 const dap_plan_options *options)
{
  const int rank = test_rank();
  test_buffer source = test_buffer_make(from, rank, r->itemsize, r->from_form, random);
  test_buffer target = test_buffer_make(to, rank, r->itemsize, r->to_form, random);
  dap_plan *plan = NULL;
  dap_error err;
  const dap_side a = {.layout = from, .strides = source.strides},
                 b = {.layout = to, .strides = target.strides};
  fill_bytes(from, rank, source.data, source.strides, r->itemsize);
  const bool made =
      EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, r->itemsize, options, &plan, &err), &err);
  for (int i = 0; i < 2 && made; i++) {
    fill_poison(to, rank, target.data, target.strides, r->itemsize);
    EXPECT_OK(dap_plan_begin(plan, source.data, target.data, &err), &err);
    EXPECT_OK(dap_plan_end(plan, &err), &err);
    check_bytes(to, rank, target.data, target.strides, r->itemsize, PADDING_POISON);
    check_bytes(from, rank, source.data, source.strides, r->itemsize, PADDING_POISON);
    check_gaps(&target);
  }
  dap_plan_destroy(&plan);
  dap_plan_destroy(&plan);
  test_buffer_free(&source);
  test_buffer_free(&target);
}

static void moves_every_row(void **state)
{
  (void)state;
  test_random random = test_random_init(1);
  for (const plan_row *r = plan_rows; r->why; r++) {
    TEST_CASE("%s", r->why);
    dap_layout *from = plan_row_layout(r, r->from), *to = plan_row_layout(r, r->to);
    move(r, from, to, &random, NULL);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
    SETTLE();
  }
}

/* Messages of a few bytes: a message falls into many parts, none of which ends with an element. */
static void cuts_long_messages(void **state)
{
  (void)state;
  test_random random = test_random_init(2);
  const dap_plan_options options = {.message_bytes = 37};
  for (const plan_row *r = plan_rows; r->why; r++) {
    TEST_CASE("in parts of 37 bytes: %s", r->why);
    dap_layout *from = plan_row_layout(r, r->from), *to = plan_row_layout(r, r->to);
    move(r, from, to, &random, &options);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
    SETTLE();
  }
}

/* ---- parts of a communicator, no axes ---------------------------------------------------------------- */

/* The source lives on the first processes, the destination on the last ones in reverse; with three or
 * more processes neither covers the communicator, and with two they are disjoint. */
static void moves_between_parts_of_a_communicator(void **state)
{
  (void)state;
  const int nprocs = test_nprocs(), rank = test_rank(), half = (nprocs + 1) / 2;
  const plan_row r = {"parts", 2, {11, 13}, {{0}}, {{0}}, FORM_C, FORM_F, 8};
  const dap_dist from_dists[] = {dap_dist_cyclic(11, half, 2), dap_dist_even(13, 1)};
  const dap_dist to_dists[] = {dap_dist_even(11, 1), dap_dist_cyclic(13, half, 3)};
  int first[6], last[6];
  for (int i = 0; i < half; i++) {
    first[i] = i;
    last[i] = nprocs - 1 - i;
  }
  const int p = rank < half ? rank : -1, q = nprocs - 1 - rank < half ? nprocs - 1 - rank : -1;
  dap_layout *from = NULL, *to = NULL;
  dap_plan *plan = NULL;
  dap_error err;
  EXPECT_OK(dap_layout_create(2, from_dists, &from, &err), &err);
  EXPECT_OK(dap_layout_create(2, to_dists, &to, &err), &err);
  test_random random = test_random_init(4);
  test_buffer source = test_buffer_make(from, p < 0 ? 0 : p, r.itemsize, r.from_form, &random);
  test_buffer target = test_buffer_make(to, q < 0 ? 0 : q, r.itemsize, r.to_form, &random);
  const dap_side a = {.layout = from, .ranks = first, .strides = source.strides};
  const dap_side b = {.layout = to, .ranks = last, .strides = target.strides};
  if (p >= 0) fill_bytes(from, p, source.data, source.strides, r.itemsize);
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, r.itemsize, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, p < 0 ? NULL : source.data, q < 0 ? NULL : target.data, &err), &err);
  if (q >= 0) check_bytes(to, q, target.data, target.strides, r.itemsize, PADDING_ANY);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  test_buffer_free(&source);
  test_buffer_free(&target);
  SETTLE();
}

/* A scalar has one element and no axis. */
static void moves_a_scalar(void **state)
{
  (void)state;
  dap_layout *scalar = NULL;
  dap_plan *plan = NULL;
  dap_error err;
  const int from_rank = 0, to_rank = test_nprocs() - 1;
  double source = 42.5, target = 0;
  EXPECT_OK(dap_layout_create(0, NULL, &scalar, &err), &err);
  const dap_side a = {.layout = scalar, .ranks = &from_rank, .contiguous = true},
                 b = {.layout = scalar, .ranks = &to_rank, .contiguous = true};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, &source, &target, &err), &err);
  EXPECT(target == (test_rank() == to_rank ? 42.5 : 0));
  dap_plan_destroy(&plan);
  dap_layout_destroy(&scalar);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(moves_every_row),
    cmocka_unit_test(cuts_long_messages),
    cmocka_unit_test(moves_between_parts_of_a_communicator),
    cmocka_unit_test(moves_a_scalar),
};
MPI_TEST_MAIN(tests)

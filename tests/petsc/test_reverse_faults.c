/* Reverse halo updates of fields that cannot be: an allocation that one process alone is refused, each in
 * turn, and arguments that differ. All processes learn of it in the same words; the buffer stays as it
 * was. */
#include "refuse.h"
#include "reverse_trial.h"

#include <inttypes.h>

/* clang-format off */
static const field_row rows[] = {
    {"padding", 2, {11, 13}, SQUARE, .halo = {1, 1}},
    {"stripped", 2, {15, 17}, SQUARE, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}}, .periodic = {1, 1},
     .options = {.strip_periodic = true}},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0] };

/* A number in every position, padding too. */
static void fill(const trial *t)
{
  const int64_t count = dap_array_count(&t->a.array);
  PetscScalar *at = t->a.array.data;
  for (int64_t i = 0; i < count; i++) at[i] = (PetscReal)(i + 1);
}

static void check_untouched(const trial *t)
{
  const int64_t count = dap_array_count(&t->a.array);
  const PetscScalar *at = t->a.array.data;
  for (int64_t i = 0; i < count; i++)
    if (!EXPECT_MSG(at[i] == (PetscScalar)(PetscReal)(i + 1), "position %" PRId64 " has changed", i)) return;
}

/* ---- memory ------------------------------------------------------------------------------------------- */

typedef struct attempt {
  const field_row *row;
  dap_padding padding;
} attempt;

static bool refuse_one(const void *what, const refuser *r, int64_t number)
{
  const attempt *a = what;
  trial t;
  dap_error err = {.rank = -1};
  bool was_met = false;
  if (reverse_begin(&t, a->row, DAP_READ_WRITE)) {
    fill(&t);
    r->start(number);
    const dap_status s = dap_petsc_field_halo_reverse(&t.a.field, DAP_COMBINE_SUM, a->padding, &err);
    was_met = refuse_was_met(r, number, s, &err);
    if (s) check_untouched(&t);
  }
  reverse_end(&t);
  return was_met;
}

static void memory_is_refused(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++)
    for (int padding = DAP_PADDING_KEEP; padding <= DAP_PADDING_REFRESH; padding++) {
      const attempt a = {&rows[i], (dap_padding)padding};
      char why[100];
      (void)snprintf(why, sizeof why, "%s, padding %d", rows[i].why, padding);
      const int64_t count = refuse_all(why, &refuse_allocations, refuse_one, &a);
      EXPECT_MSG(count > 5, "only %" PRId64 " allocations", count);
      SETTLE();
    }
}

/* ---- arguments ---------------------------------------------------------------------------------------- */

static void arguments_differ(void **state)
{
  (void)state;
  static const dap_padding pairs[][2] = {{DAP_PADDING_KEEP, DAP_PADDING_CLEAR},
                                         {DAP_PADDING_REFRESH, DAP_PADDING_KEEP},
                                         {DAP_PADDING_CLEAR, DAP_PADDING_REFRESH}};
  for (int i = 0; i < ROWS * 3; i++) {
    trial t;
    dap_error err;
    const dap_padding padding = pairs[i % 3][test_rank() > 0];
    TEST_CASE("%s: padding %d and %d", rows[i / 3].why, (int)pairs[i % 3][0], (int)pairs[i % 3][1]);
    if (reverse_begin(&t, &rows[i / 3], DAP_READ_WRITE)) {
      fill(&t);
      const dap_status s = dap_petsc_field_halo_reverse(&t.a.field, DAP_COMBINE_SUM, padding, &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "padding|not the same");
      check_untouched(&t);
    }
    reverse_end(&t);
    SETTLE();
  }
}

/* ---- refusals ----------------------------------------------------------------------------------------- */

static void refuses(void **state)
{
  (void)state;
  trial t;
  dap_error err;
  dap_petsc_field none = {0};
  EXPECT_FAIL(dap_petsc_field_halo_reverse(NULL, 0, 0, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_petsc_field_halo_reverse(&none, 0, 0, &err), DAP_ERR_ARG, &err, "not a live view");
  if (reverse_begin(&t, &rows[0], DAP_READ))
    EXPECT_FAIL(dap_petsc_field_halo_reverse(&t.a.field, 0, 0, &err), DAP_ERR_ARG, &err, "DAP_WRITE");
  reverse_end(&t);
  if (reverse_begin(&t, &rows[0], DAP_READ_WRITE)) {
    dap_status s = dap_petsc_field_halo_reverse(&t.a.field, (dap_combine)7, DAP_PADDING_KEEP, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "combine 7");
    s = dap_petsc_field_halo_reverse(&t.a.field, DAP_COMBINE_SUM, (dap_padding)3, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "padding 3");
    EXPECT_OK(dap_petsc_field_halo_reverse(&t.a.field, DAP_COMBINE_SUM, DAP_PADDING_KEEP, NULL), NULL);
  }
  reverse_end(&t);
  if (reverse_begin(&t, &rows[1], DAP_READ_WRITE)) {
    const dap_status s = dap_petsc_field_halo_reverse(&t.a.field, DAP_COMBINE_MAX, DAP_PADDING_KEEP, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "stripped");
  }
  reverse_end(&t);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts), cmocka_unit_test(memory_is_refused), cmocka_unit_test(arguments_differ),
    cmocka_unit_test(refuses),      cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)

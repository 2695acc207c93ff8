/* Updates halos of vectors and fields of random arrays in both directions, in the caller's buffer. Padding,
 * ghosts, and copies along replicated axes are compared with the brute-force model. The seed is printed,
 * and DAP_TEST_SEED repeats a run. */
#include "any_view.h"
#include "mpi_test.h"
#include "task.h"

#include <inttypes.h>

enum { CASES = 160, MOST = 600 /* elements */, COMBINES = 4 };

static task model; /* of the last call */

/* ---- the views ---------------------------------------------------------------------------------------- */

typedef struct combine_kind {
  dap_dtype dtype;
  dap_combine how;
} combine_kind;

typedef struct trial {
  combine_kind numbers;
  bool swapped;
  test_side side;
  any_view view;
} trial;

static dap_status get(trial *t, dap_error *err)
{
  dap_array array = test_buffer_array(&t->side.buffer, t->numbers.dtype);
  array.swapped = t->swapped;
  return any_get(MPI_COMM_WORLD, &t->view, (dap_darray){t->side.layout, &array}, DAP_READ_WRITE, err);
}

/* ---- a case ------------------------------------------------------------------------------------------- */

/* Writes a number to each position. */
static void start(const trial *t, task_kind kind, dap_padding padding)
{
  task_of(&model, kind, &t->side, &t->side, t->numbers.dtype, t->numbers.dtype);
  model.swaps[0] = t->swapped ? ~0 : 0;
  model.options.combine = kind == TASK_REVERSE ? t->numbers.how : DAP_COMBINE_NONE;
  model.options.padding = padding;
  model.salt = (int)padding;
  task_fill(&model, &t->side, &t->side);
}

static void try_reverse(trial *t, dap_padding padding)
{
  dap_error err = {0};
  start(t, TASK_REVERSE, padding);
  if (EXPECT_OK(any_halo_reverse(&t->view, t->numbers.how, padding, &err), &err))
    task_check(&model, &t->side, &t->side);
}

/* Afterwards every process that has an element must have the owner's number. Along replicated axes the first
 * process is the owner. */
static void try_halo(trial *t)
{
  dap_error err = {0};
  start(t, TASK_HALO, DAP_PADDING_KEEP);
  if (EXPECT_OK(any_do(&t->view, HALO, &err), &err)) task_check(&model, &t->side, &t->side);
}

/* Updates in three ways, in an order that depends on the case, and once more by the plans that are kept. */
static void try_all(trial *t, int number)
{
  for (int i = 0; i < 4; i++) {
    try_reverse(t, (dap_padding)((number + i) % 3));
    if (i == number % 4) try_halo(t);
  }
}

/* Returns whether the view was got. Fields of some arrays are refused, which all processes must learn
 * alike. */
static bool begin(trial *t)
{
  dap_error err = {0};
  const dap_status s = get(t, &err);
  if (t->view.kind == FIELD && s == DAP_ERR_UNSUPPORTED) {
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "");
    return false;
  }
  return EXPECT_OK(s, &err);
}

/* ---- random cases ------------------------------------------------------------------------------------- */

static random_array array;
static int fields; /* that were got */

static void draw(test_random *random, int number, trial *t)
{
  const combine_kind kinds[COMBINES] = {{scalar_dtype(), DAP_COMBINE_SUM},
                                        {DAP_F4, DAP_COMBINE_SUM},
                                        {DAP_F4, DAP_COMBINE_MAX},
                                        {DAP_I4, DAP_COMBINE_MIN}};
  int64_t size[DAP_MAX_NDIM];
  const int ndim = (int)test_random_int(random, 1, 3);
  const side_origin origin = (side_origin)test_random_int(random, CREATED, MIXED);
  *t = (trial){.numbers = kinds[test_random_int(random, 0, COMBINES - 1)],
               .view = {.kind = number % 2 ? FIELD : VECTOR,
                        .of_field = {.lossy = true},
                        .of_vector = {.lossy = true}}};
  any_share(&t->view, test_random_one_in(random, 4) ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE);
  const int64_t swaps = test_random_int(random, 0, 63) * test_random_int(random, 0, 1);
  t->swapped = swaps >> test_rank() & 1;
  random_shape(random, ndim, MOST, size);
  random_array_draw(random, test_nprocs(), ndim, size, &array);
  t->side = side_make(&array, origin, NULL, dap_dtype_size(t->numbers.dtype),
                      (test_form)test_random_int(random, 0, FORM_COUNT - 1), random);
}

static void random_view(int number, test_random *random)
{
  trial t;
  dap_error err = {0};
  draw(random, number, &t);
  TEST_CASE("seed %" PRIu64 ", case %d, %s, %s, combine %d: %s", test_seed(), number, any_names[t.view.kind],
            dap_dtype_name(t.numbers.dtype), (int)t.numbers.how, random_array_text(&array));
  if (begin(&t)) {
    fields += t.view.kind == FIELD;
    try_all(&t, number);
    EXPECT_OK(any_do(&t.view, DISCARD, &err), &err);
  }
  side_free(&t.side);
}

static void random_views(void **state)
{
  (void)state;
  const int cases = test_cases(CASES);
  test_each(cases, 92, random_view);
  TEST_CASE("seed %" PRIu64, test_seed());
  EXPECT_MSG(fields > cases / 4, "%d fields in %d cases", fields, cases);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(random_views),
    cmocka_unit_test(petsc_ends),
};
MPI_TEST_MAIN(tests)

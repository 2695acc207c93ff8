/* Moves elements by all transports, under a limit of the system, and checks them:
 *
 *     limits plain|files|space [words]
 *
 * The description of the plan must contain the words, or must not if they begin with "!". With "files", no
 * file can be opened. With "space", there are only a few MiB of memory. This may lead to an error, which must
 * be the same on all processes, but never to a crash. */
#include "case.h"
#include "mpi_test.h"
#include "shared_memory.h"

static const char *kind, *described; /* arguments of the program */

static const case_layout forms[2] = {
    {.why = "even", .ndim = 2, .size = {250, 240}, .axes = FIRST_AXIS},
    {.why = "others", .ndim = 2, .size = {250, 240}, .axes = FIRST_AXIS, .cut = {CUT_IRREGULAR}},
};
static test_side sides[2];

/* A failure must be the same on all processes. There may be one only if memory is short. */
static bool is_made(dap_status s, const dap_error *err, bool may_fail)
{
  if (!s) return true;
  EXPECT_MSG(may_fail, "%s", err->text);
  expect_same_error(MPI_COMM_WORLD, s, err, DAP_ERR_NOMEM, "");
  return false;
}

static void move(unsigned transports, bool may_fail, const char *words)
{
  const dap_side from = side_of(&sides[0]), to = side_of(&sides[1]);
  const dap_plan_options options = {.transports = transports};
  dap_plan *plan = NULL;
  dap_error err = {0};
  char text[4096] = "";
  TEST_CASE("transports 0x%x", transports);
  side_poison(&sides[1]);
  const dap_status s = dap_plan_create(MPI_COMM_WORLD, &from, &to, sizeof(int64_t), &options, &plan, &err);
  if (is_made(s, &err, may_fail) &&
      EXPECT_OK(dap_plan_run(plan, side_data(&sides[0]), side_data(&sides[1]), &err), &err))
    side_check(&sides[1], 0, COPIES_RIGHT, PADDING_ANY);
  (void)dap_plan_describe(plan, text, sizeof text);
  if (words && !s && test_nprocs() > 1)
    EXPECT_MSG(words[0] == '!' ? !strstr(text, words + 1) : strstr(text, words) != NULL, "not by %s: %s",
               words, text);
  dap_plan_destroy(&plan);
  SETTLE();
}

/* Moves to memory that the processes share, if there is any. */
static void move_shared(bool may_fail)
{
  const dap_side from = side_of(&sides[0]);
  dap_array array = {0};
  dap_plan *plan = NULL;
  dap_error err = {0};
  TEST_CASE("an array that is shared, if it can be");
  dap_status s = dap_array_alloc(MPI_COMM_WORLD, sides[1].layout, DAP_I8, DAP_ORDER_C, &array, NULL, &err);
  if (is_made(s, &err, may_fail)) {
    dap_side to = dap_side_of((dap_darray){sides[1].layout, &array});
    to.dtype = DAP_NONE;
    s = dap_plan_create(MPI_COMM_WORLD, &from, &to, sizeof(int64_t), NULL, &plan, &err);
    if (is_made(s, &err, may_fail) &&
        EXPECT_OK(dap_plan_run(plan, side_data(&sides[0]), array.data, &err), &err))
      check_global(sides[1].layout, test_rank(), &array, PADDING_ANY);
  }
  dap_plan_destroy(&plan);
  dap_array_release(&array);
  SETTLE();
}

static void moves_all_the_same(void **state)
{
  (void)state;
  enum { ALL = DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES };
  static random_array arrays[2];
  test_random random = test_random_init(15);
  for (int k = 0; k < 2; k++) sides[k] = case_side(&forms[k], sizeof(int64_t), FORM_C, &random, &arrays[k]);
  side_fill(&sides[0], 0, COPIES_RIGHT);
  const bool is_space = !strcmp(kind, "space");
  if (!strcmp(kind, "files")) limit_start(LIMIT_FILES);
  if (is_space) limit_start(LIMIT_SPACE);
  move(ALL, is_space, described);
  move(0, is_space, NULL);
  move(DAP_TRANSPORT_MESSAGES, is_space, NULL);
  move_shared(is_space);
  if (is_space) limit_end();
  move(0, false, NULL);
  move_shared(false);
  for (int k = 0; k < 2; k++) side_free(&sides[k]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(moves_all_the_same)};

int main(int argc, char **argv)
{
  kind = argc > 1 ? argv[1] : "plain";
  described = argc > 2 ? argv[2] : NULL;
  return mpi_test_main(&argc, &argv, tests, 1);
}

/* Moves elements with one option after the other, and between all types. Every position of every
 * destination is checked against a serial model. test_random_programs.c draws combinations of options. */
#include "mpi_test.h"
#include "number.h"
#include "task.h"

#include <inttypes.h>

static task drawn;

static void check_wish(const char *why, const task_wish *wish, test_random *random)
{
  task_draw(&drawn, wish, NULL, random);
  TEST_CASE("seed %" PRIu64 ", %s: %s", test_seed(), why, task_text(&drawn));
  task_move(&drawn, MPI_COMM_WORLD, 2);
  task_free(&drawn);
  SETTLE();
}

/* ---- one option after the other --------------------------------------------------------------------- */

#define TYPES(a, b) .from = (a), .to = (b)
#define DONE(...) .options = {__VA_ARGS__}

static const double zero[] = {0, 0}, one[] = {1, 0}, minus_one[] = {-1, 0}, two[] = {2, 0},
                    imaginary[] = {0, 1};

static const struct {
  const char *why;
  task_wish wish;
} rows[] = {
    {"float64 to float32: fewer bytes than were sent for", {TYPES(DAP_F8, DAP_F4), .is_all = true}},
    {"float32 to float64: more bytes than were sent for", {TYPES(DAP_F4, DAP_F8)}},
    {"int32 to float64 loses nothing", {TYPES(DAP_I4, DAP_F8)}},
    {"float64 to int32 is cut off", {TYPES(DAP_F8, DAP_I4)}},
    {"real to complex", {TYPES(DAP_F8, DAP_C16)}},
    {"complex to real drops a part", {TYPES(DAP_C16, DAP_F8)}},
    {"conjugate", {TYPES(DAP_C16, DAP_C16), DONE(.conjugate = true), .is_all = true}},
    {"conjugate of what is real: nothing", {TYPES(DAP_F8, DAP_F8), DONE(.conjugate = true)}},
    {"a real factor", {TYPES(DAP_F8, DAP_F8), DONE(.alpha = (const double[]){-3, 0})}},
    {"a complex factor", {TYPES(DAP_C16, DAP_C16), DONE(.alpha = (const double[]){0.5, -1})}},
    {"added to what is there", {TYPES(DAP_F8, DAP_F8), DONE(.beta = one)}},
    {"added to what is there, halos too", {TYPES(DAP_F8, DAP_F8), DONE(.beta = one, .fill_halos = true)}},
    {"added times i to what is there, halos too",
     {TYPES(DAP_C16, DAP_C16), DONE(.beta = imaginary, .fill_halos = true)}},
    {"alpha 0: what is there is scaled", {TYPES(DAP_F8, DAP_F8), DONE(.alpha = zero, .beta = two)}},
    {"both factors complex, conjugate, another type",
     {TYPES(DAP_C8, DAP_C16),
      DONE(.conjugate = true, .alpha = (const double[]){2, 0.5}, .beta = (const double[]){-1, 4})}},
    {"integers are scaled, too", {TYPES(DAP_I2, DAP_I2), DONE(.alpha = two, .beta = minus_one)}},
    {"halos of a part are filled inside it only", {TYPES(DAP_F4, DAP_F4), DONE(.fill_halos = true)}},
};

static void one_option_after_the_other(void **state)
{
  (void)state;
  test_random random = test_random_init(101);
  for (int i = 0; i < 3 * (int)(sizeof rows / sizeof rows[0]); i++)
    check_wish(rows[i / 3].why, &rows[i / 3].wish, &random);
}

/* A cast that can lose something is refused on all processes, unless options.lossy allows it. */
static void lossy_casts_need_leave(void **state)
{
  (void)state;
  test_random random = test_random_init(104);
  for (dap_dtype from = DAP_BOOL; from <= DAP_C32; from++)
    for (dap_dtype to = DAP_BOOL; to <= DAP_C32; to++) {
      const task_wish wish = {TYPES(from, to), .most = 40};
      task *t = &drawn;
      dap_plan *plan = NULL;
      dap_error err = {0};
      task_draw(t, &wish, NULL, &random);
      TEST_CASE("%s", task_text(t));
      const bool lossy = task_is_lossy(t);
      t->options.lossy = false;
      const dap_status s = task_create(t, MPI_COMM_WORLD, &plan, &err);
      if (lossy) {
        expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "lossy|rule 20");
        EXPECT_INT(err.rule, 20);
        EXPECT(plan == NULL);
      } else {
        EXPECT_OK(s, &err);
      }
      dap_plan_destroy(&plan);
      t->options.lossy = lossy;
      if ((from + to) % 3 == 0) task_move(t, MPI_COMM_WORLD, 2);
      task_free(t);
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_option_after_the_other),
    cmocka_unit_test(lossy_casts_need_leave),
};
MPI_TEST_MAIN(tests)

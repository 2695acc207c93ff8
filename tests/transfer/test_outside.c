/* Plans with a process that is none of a listed layout's: it has the layout from words that another one
 * sent, and asks those that know the lists. */
#include "case.h"
#include "mpi_test.h"
#include "random_array.h"

#include <inttypes.h>
#include <model_impl.h>

enum { SIZE = 48 };

/* The layout as its processes assemble it, and the last process of all has it from the first. */
static dap_layout *hand_out(MPI_Comm inside, const random_array *array)
{
  dap_layout *all = random_array_layout(array), *layout = NULL;
  int64_t *words = NULL, count = 0;
  test_random types = test_random_init(1);
  if (inside != MPI_COMM_NULL) layout = assemble_again(inside, all, NULL, &types);
  dap_layout_destroy(&all);
  if (test_rank() == 0) EXPECT_OK(dap_layout_pack(layout, &words, &count, NULL), NULL);
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  if (!words) words = malloc((size_t)count * sizeof *words);
  MPI_Bcast(words, (int)count, MPI_INT64_T, 0, MPI_COMM_WORLD);
  if (inside == MPI_COMM_NULL) EXPECT_OK(dap_layout_unpack(words, count, &layout, NULL), NULL);
  free(words);
  return layout;
}

/* To the process outside and back: every element of every holder. */
static void there_and_back(const brute_axis *axis, const dap_layout *layout, const dap_layout *one)
{
  const int last = test_nprocs() - 1, rank = test_rank();
  const dap_side listed = {.layout = layout, .contiguous = true},
                 outside = {.layout = one, .ranks = &last, .contiguous = true};
  int64_t mine[SIZE], whole[SIZE];
  const int64_t held = rank < last ? axis->extent[rank] : 0;
  dap_plan *plan = NULL;
  dap_error err = {0};
  for (int64_t i = 0; i < SIZE; i++) mine[i] = whole[i] = -1;
  /* a copy that is not the owner's has another value, which must not come */
  for (int64_t i = 0; i < held; i++) mine[i] = brute_owns(axis, rank, i) ? 1000 + axis->held[rank][i] : -2;
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &listed, &outside, sizeof *mine, NULL, &plan, &err), &err);
  if (plan) EXPECT_OK(dap_plan_run(plan, held > 0 ? mine : NULL, rank == last ? whole : NULL, &err), &err);
  dap_plan_destroy(&plan);
  for (int64_t g = 0; g < SIZE; g++) EXPECT_INT(whole[g], rank == last ? 1000 + g : -1);
  for (int64_t g = 0; g < SIZE; g++) whole[g] = rank == last ? 2000 + g : -1;
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &outside, &listed, sizeof *mine, NULL, &plan, &err), &err);
  if (plan) EXPECT_OK(dap_plan_run(plan, rank == last ? whole : NULL, held > 0 ? mine : NULL, &err), &err);
  dap_plan_destroy(&plan);
  for (int64_t i = 0; i < held; i++) EXPECT_INT(mine[i], 2000 + axis->held[rank][i]);
}

static void one_process_outside(void **state)
{
  (void)state;
  static const case_cut kinds[] = {CUT_ASCENDING, CUT_DEALT,      CUT_BACKWARDS, CUT_SHUFFLED, CUT_ONE_HOLDER,
                                   CUT_EDGES,     CUT_EVERYWHERE, CUT_COPIES,    CUT_CYCLIC};
  static const char *const names[] = {"in order", "dealt",      "backwards", "shuffled", "one holder",
                                      "overlap",  "everywhere", "whole",     "cyclic"};
  static random_array array;
  const int inside_count = test_nprocs() - 1;
  MPI_Comm inside = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, test_rank() < inside_count ? 0 : MPI_UNDEFINED, test_rank(), &inside);
  const dap_dist single = dap_dist_even(SIZE, 1);
  dap_layout *one = NULL;
  EXPECT_OK(dap_layout_create(1, &single, &one, NULL), NULL);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    test_random random = test_random_init(2);
    const dap_dist dist = cut_axis(kinds[i], SIZE, inside_count, 0, &random, &array.memory[0]);
    TEST_CASE("%s", names[i]);
    (void)array_deal(1, &dist, NULL, &array);
    dap_layout *layout = hand_out(inside, &array);
    there_and_back(&array.model.axes[0], layout, one);
    dap_layout_destroy(&layout);
    SETTLE();
  }
  dap_layout_destroy(&one);
  if (inside != MPI_COMM_NULL) MPI_Comm_free(&inside);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(one_process_outside)};

MPI_TEST_MAIN(tests)

/* A function of PETSc's that fails on one process alone, while a view is made, used or ended: each call in
 * turn, of those that are no business of other processes. All learn of it, and nobody waits. */
#include "petsc_calls.h"
#include "views.h"

#include <inttypes.h>

static void check_outcome(dap_status s, const dap_error *err)
{
  int failed = s != DAP_OK;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  if (failed) expect_same_error(MPI_COMM_WORLD, s, err, DAP_ERR_LIBRARY, "is refused");
}

/* Call number `number` of this process is refused, or none if 0. Returns whether there was one on any. */
static bool refuse_one(const view_row *row, phase p, int64_t number)
{
  trial t;
  dap_error err = {.rank = -1};
  trial_make(&t, row);
  if (p != GET) EXPECT_OK(do_phase(&t, GET, &err), &err);
  /* PETSc ends a shell, and loses the rest of it where the shell's own end fails. */
  petsc_calls_start(number, row->kind != MATRIX || p == GET);
  const dap_status s = do_phase(&t, p, &err);
  int was_refused = number > 0 && petsc_calls_count() >= number;
  petsc_calls_start(0, false);
  check_outcome(s, &err);
  MPI_Allreduce(MPI_IN_PLACE, &was_refused, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  EXPECT(is_live(&t) == (p == GET ? s == DAP_OK : p != RESTORE));
  if (is_live(&t)) EXPECT_OK(do_phase(&t, RESTORE, &err), &err);
  EXPECT(check_global(t.layout, test_rank(), &t.array, PADDING_ANY));
  trial_free(&t);
  SETTLE();
  return was_refused;
}

/* Returns how many calls there were. PETSc holds no more than before. */
static int64_t refuse_all(const view_row *row, phase p, int victim)
{
  PetscLogDouble before = 0, after = 0;
  int64_t number = 1;
  TEST_CASE("%s, phase %d", row->why, (int)p);
  for (int warm = 0; warm < 2; warm++) (void)refuse_one(row, p, 0);
  EXPECT(!PetscMallocGetCurrentUsage(&before));
  for (bool more = true; more; number++) {
    TEST_CASE("%s, phase %d: call %" PRId64 " on rank %d is refused", row->why, (int)p, number, victim);
    more = refuse_one(row, p, test_rank() == victim ? number : 0);
    EXPECT(!PetscMallocGetCurrentUsage(&after));
    EXPECT_MSG(before == after, "PETSc holds %g bytes, not %g", after, before);
  }
  return number - 2;
}

static void calls_of_one_process(void **state)
{
  (void)state;
  int64_t calls = 0;
  for (int i = 0; i < VIEWS; i++)
    for (phase p = GET; p < PHASES; p++) {
      calls += refuse_all(&views[i], p, 0);
      if (test_nprocs() > 1) calls += refuse_all(&views[i], p, test_nprocs() - 1);
    }
  EXPECT_MSG(calls > 30, "only %" PRId64 " calls", calls);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts_watched),
    cmocka_unit_test(calls_of_one_process),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)

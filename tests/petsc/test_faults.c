/* An allocation that one process alone is refused, while a view is made, used or ended: each in turn. All
 * learn of it, in the same words; PETSc holds no more than before, and the array what it held. */
#include "allocations.h"
#include "refused.h"
#include "views.h"

#include <inttypes.h>

/* Allocation number `number` of this process is refused, or of none if 0. Returns whether there was one on
 * any. */
static bool refuse_one(trial *t, phase p, int64_t number)
{
  dap_error err = {.rank = -1};
  if (p != GET) EXPECT_OK(do_phase(t, GET, &err), &err);
  allocations_start(number);
  const dap_status s = do_phase(t, p, &err);
  const refusal r = refusal_of(number, s);
  if (r.failed) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "memory");
  EXPECT(is_live(t) == (p == GET ? !r.failed : p != RESTORE));
  if (is_live(t)) EXPECT_OK(do_phase(t, RESTORE, &err), &err);
  EXPECT(check_global(t->layout, test_rank(), &t->array, PADDING_ANY));
  return r.was_met;
}

/* One trial of its own, and what PETSc holds after it. */
static bool try_one(const view_row *row, phase p, int64_t number, PetscLogDouble *used)
{
  trial t;
  trial_make(&t, row);
  const bool more = refuse_one(&t, p, number);
  trial_free(&t);
  EXPECT(!PetscMallocGetCurrentUsage(used));
  SETTLE();
  return more;
}

static void refuse_all(const view_row *row, phase p, int victim)
{
  PetscLogDouble before = 0, after = 0;
  int64_t number = 1;
  TEST_CASE("%s, phase %d", row->why, (int)p);
  for (int warm = 0; warm < 2; warm++) (void)try_one(row, p, 0, &before);
  for (bool more = true; more; number++) {
    TEST_CASE("%s, phase %d: allocation %" PRId64 " of rank %d is refused", row->why, (int)p, number, victim);
    more = try_one(row, p, test_rank() == victim ? number : 0, &after);
    EXPECT_MSG(before == after, "PETSc holds %g bytes, not %g", after, before);
  }
  EXPECT_MSG(p != GET || number > 2, "only %" PRId64 " allocations", number);
}

static void views_of_one_process(void **state)
{
  (void)state;
  for (int i = 0; i < VIEWS; i++)
    for (phase p = GET; p < PHASES; p++) {
      refuse_all(&views[i], p, 0);
      if (test_nprocs() > 1) refuse_all(&views[i], p, test_nprocs() - 1);
    }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts_watched),
    cmocka_unit_test(views_of_one_process),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)

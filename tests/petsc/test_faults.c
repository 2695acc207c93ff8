/* An allocation, or a call of PETSc's, that one process alone is refused, while a view is made, used or
 * ended: each in turn. All learn of it, in the same words, and the array holds what it held. */
#include "refuse.h"
#include "views.h"

enum { GET = -1 }; /* among the deeds */

typedef struct attempt {
  const view_row *row;
  int deed;
} attempt;

static bool refuse_one(const void *what, const refuser *r, int64_t number)
{
  const attempt *a = what;
  const int deed = a->deed;
  trial t;
  dap_error err = {.rank = -1};
  trial_make(&t, a->row);
  if (deed != GET) EXPECT_OK(trial_get(&t, &err), &err);
  r->start(number);
  const dap_status s = deed == GET ? trial_get(&t, &err) : any_do(&t.view, (any_deed)deed, &err);
  const bool was_met = refuse_was_met(r, number, s, &err);
  EXPECT(any_is_live(&t.view) == (deed == GET ? !s : deed != RESTORE));
  if (any_is_live(&t.view)) EXPECT_OK(any_do(&t.view, RESTORE, &err), &err);
  EXPECT(check_global(t.layout, test_rank(), &t.array, PADDING_ANY));
  trial_free(&t);
  return was_met;
}

static int64_t refuse_deed(const view_row *row, int deed, const refuser *r)
{
  const attempt a = {row, deed};
  char why[100];
  (void)snprintf(why, sizeof why, "%s, %s", row->why, deed == GET ? "get" : any_deed_names[deed]);
  return refuse_all(why, r, refuse_one, &a);
}

static void memory_is_refused(void **state)
{
  (void)state;
  for (int i = 0; i < VIEWS; i++)
    for (int deed = GET; deed <= HALO; deed++) {
      const int64_t count = refuse_deed(&views[i], deed, &refuse_allocations);
      EXPECT_MSG(deed != GET || count > 1, "only %d allocations", (int)count);
      SETTLE();
    }
}

static void calls_are_refused(void **state)
{
  (void)state;
  int64_t count = 0;
  for (int i = 0; i < VIEWS; i++)
    for (int deed = GET; deed <= HALO; deed++) {
      /* PETSc ends a shell, and loses the rest of it where the shell's own end fails. */
      const bool ends = views[i].kind != MATRIX || deed == GET;
      count += refuse_deed(&views[i], deed, ends ? &refuse_calls_and_ends : &refuse_calls);
    }
  EXPECT_MSG(count > 30, "only %d calls", (int)count);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts_watched),
    cmocka_unit_test(memory_is_refused),
    cmocka_unit_test(calls_are_refused),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)

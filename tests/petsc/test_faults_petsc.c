/* A function of PETSc's that fails on one process alone, while a view is made, used or ended: each call in
 * turn, of those that are no business of other processes. All learn of it, and nobody waits. */
#include "views.h"

#include <inttypes.h>

/* ---- functions that fail ----------------------------------------------------------------------------- */

static int64_t count, refused;
static bool has_vectors; /* the view's own are destroyed, and no other */

static bool is_refused(void)
{
  return ++count == refused;
}

/* The linker's names: `call` is __real_...
 * NOLINTBEGIN(bugprone-reserved-identifier, bugprone-macro-parentheses) */
#define REFUSED(name, parameters, arguments)                                                                 \
  PetscErrorCode __real_##name parameters;                                                                   \
  PetscErrorCode __wrap_##name parameters;                                                                   \
  PetscErrorCode __wrap_##name parameters                                                                    \
  {                                                                                                          \
    if (is_refused()) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s is refused", #name);                       \
    return __real_##name arguments;                                                                          \
  }

REFUSED(VecGetArray, (Vec v, PetscScalar **a), (v, a))
REFUSED(VecGetArrayRead, (Vec v, const PetscScalar **a), (v, a))
REFUSED(VecRestoreArray, (Vec v, PetscScalar **a), (v, a))
REFUSED(VecRestoreArrayRead, (Vec v, const PetscScalar **a), (v, a))
REFUSED(MatDenseGetArrayRead, (Mat m, const PetscScalar **a), (m, a))
REFUSED(MatDenseGetArrayWrite, (Mat m, PetscScalar **a), (m, a))
REFUSED(MatDenseRestoreArrayRead, (Mat m, const PetscScalar **a), (m, a))
REFUSED(MatDenseRestoreArrayWrite, (Mat m, PetscScalar **a), (m, a))
REFUSED(PetscObjectCompose, (PetscObject o, const char name[], PetscObject p), (o, name, p))
REFUSED(PetscObjectQuery, (PetscObject o, const char name[], PetscObject *p), (o, name, p))
REFUSED(DMDAGetGhostCorners,
        (DM d, PetscInt *x, PetscInt *y, PetscInt *z, PetscInt *m, PetscInt *n, PetscInt *p),
        (d, x, y, z, m, n, p))
REFUSED(MatGetLocalSize, (Mat t, PetscInt *m, PetscInt *n), (t, m, n))
REFUSED(MatDenseGetLDA, (Mat m, PetscInt *lead), (m, lead))

/* Done all the same: others take part in it, or what was not destroyed would be lost. */
#define REFUSED_LATER(name, parameters, arguments, condition)                                                \
  PetscErrorCode __real_##name parameters;                                                                   \
  PetscErrorCode __wrap_##name parameters;                                                                   \
  PetscErrorCode __wrap_##name parameters                                                                    \
  {                                                                                                          \
    PetscCall(__real_##name arguments);                                                                      \
    if ((condition) && is_refused()) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s is refused", #name);        \
    return 0;                                                                                                \
  }

REFUSED_LATER(MatCreateTranspose, (Mat m, Mat *made), (m, made), true)
REFUSED_LATER(VecDestroy, (Vec * v), (v), has_vectors)
/* NOLINTEND(bugprone-reserved-identifier, bugprone-macro-parentheses) */

/* ---- each in turn ------------------------------------------------------------------------------------ */

/* A halo update has no agreement of its own (petsc.h): there a failure may be told on that process alone. */
static void check_outcome(dap_status s, const dap_error *err, phase p, bool refused_here)
{
  if (p == HALO) {
    EXPECT(!s || (s == DAP_ERR_LIBRARY && strstr(err->text, "is refused")));
    EXPECT(s || !refused_here);
    return;
  }
  int failed = s != DAP_OK;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  if (failed) expect_same_error(MPI_COMM_WORLD, s, err, DAP_ERR_LIBRARY, "is refused");
}

/* Call number `number` of this process is refused, or none if 0. Returns whether there was one on any. */
static bool refuse_one(const view_row *row, phase p, int64_t number)
{
  trial t;
  dap_error err = {.rank = -1};
  has_vectors = row->kind != MATRIX;
  trial_make(&t, row);
  if (p != GET) EXPECT_OK(do_phase(&t, GET, &err), &err);
  count = 0;
  refused = number;
  const dap_status s = do_phase(&t, p, &err);
  int was_refused = number > 0 && count >= number;
  refused = 0;
  check_outcome(s, &err, p, was_refused);
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

/* PETSc counts its memory only if asked to before it starts. */
static void petsc_counts(void **state)
{
  EXPECT(!PetscOptionsSetValue(NULL, "-malloc_debug", "true"));
  petsc_starts(state);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_counts),
    cmocka_unit_test(calls_of_one_process),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)

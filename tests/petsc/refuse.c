/* Makes allocations or calls of PETSc's functions fail. The linker replaces PETSc's functions by these in
 * calls from the library and the tests (-Wl,--wrap). */
#include "refuse.h"

#include <inttypes.h>
#include <petscdmda.h>

/* ---- PETSc's functions: those that are no business of other processes ----------------------------- */

static int64_t calls, refused;
bool refuse_ends;

static void start_calls(int64_t number)
{
  refused = number > 0 ? calls + number : 0;
}

static int64_t count_calls(void)
{
  return calls;
}

const fault refused_calls = {"call", start_calls, count_calls};

static bool is_refused(void)
{
  return ++calls == refused;
}

/* The names __real_... and __wrap_... are the linker's. Some refused calls are made all the same: other
 * processes take part in them, or an object that is not destroyed would be lost.
 * NOLINTBEGIN(bugprone-reserved-identifier, bugprone-macro-parentheses) */
#define REFUSED_IF(condition, is_done, name, parameters, arguments)                                          \
  PetscErrorCode __real_##name parameters;                                                                   \
  PetscErrorCode __wrap_##name parameters;                                                                   \
  PetscErrorCode __wrap_##name parameters                                                                    \
  {                                                                                                          \
    const bool refuses = (condition) && is_refused();                                                        \
    if ((is_done) || !refuses) PetscCall(__real_##name arguments);                                           \
    if (refuses) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s is refused", #name);                            \
    return 0;                                                                                                \
  }
#define REFUSED(name, parameters, arguments) REFUSED_IF(true, false, name, parameters, arguments)

REFUSED(VecGetArray, (Vec v, PetscScalar **a), (v, a))
REFUSED(VecGetArrayRead, (Vec v, const PetscScalar **a), (v, a))
REFUSED(VecRestoreArray, (Vec v, PetscScalar **a), (v, a))
REFUSED(VecRestoreArrayRead, (Vec v, const PetscScalar **a), (v, a))
REFUSED(MatDenseGetArrayRead, (Mat m, const PetscScalar **a), (m, a))
REFUSED(MatDenseGetArrayWrite, (Mat m, PetscScalar **a), (m, a))
REFUSED(MatDenseRestoreArrayRead, (Mat m, const PetscScalar **a), (m, a))
REFUSED(MatDenseRestoreArrayWrite, (Mat m, PetscScalar **a), (m, a))
REFUSED(MatDenseGetArray, (Mat m, PetscScalar **a), (m, a))
REFUSED(MatDenseRestoreArray, (Mat m, PetscScalar **a), (m, a))
REFUSED(ISGetIndices, (IS is, const PetscInt **i), (is, i))
REFUSED(PetscObjectCompose, (PetscObject o, const char name[], PetscObject p), (o, name, p))
REFUSED(PetscObjectQuery, (PetscObject o, const char name[], PetscObject *p), (o, name, p))
REFUSED(DMDAGetGhostCorners,
        (DM d, PetscInt *x, PetscInt *y, PetscInt *z, PetscInt *m, PetscInt *n, PetscInt *p),
        (d, x, y, z, m, n, p))
REFUSED(MatGetLocalSize, (Mat t, PetscInt *m, PetscInt *n), (t, m, n))
REFUSED(MatDenseGetLDA, (Mat m, PetscInt *lead), (m, lead))
REFUSED_IF(true, true, MatCreateTranspose, (Mat m, Mat *made), (m, made))
REFUSED_IF(true, true, VecScatterCreateToAll, (Vec v, VecScatter *s, Vec *made), (v, s, made))
REFUSED_IF(test_nprocs() == 1, true, MatGetOwnershipIS, (Mat m, IS *rows, IS *columns), (m, rows, columns))
REFUSED_IF(refuse_ends, true, VecDestroy, (Vec * v), (v))
/* NOLINTEND(bugprone-reserved-identifier, bugprone-macro-parentheses) */

/* ---- one after the other -------------------------------------------------------------------------- */

bool refuse_was_met(const fault *f, int64_t number, dap_status s, const dap_error *err)
{
  const bool was_met = fault_was_met(number, fault_stop(f)), is_call = f == &refused_calls;
  const dap_status want = is_call ? DAP_ERR_LIBRARY : DAP_ERR_NOMEM;
  if (test_any(s != DAP_OK))
    EXPECT(expect_same_error(MPI_COMM_WORLD, s, err, want, is_call ? "is refused" : "memory") && was_met);
  return was_met;
}

int64_t refuse_all(const char *why, const fault *f,
                   bool (*once)(const void *trial, const fault *f, int64_t number), const void *trial)
{
  const int last = test_nprocs() - 1;
  int64_t count = 0;
  for (int victim = 0; victim <= last; victim += last > 0 ? last : 1) {
    PetscLogDouble before = 0, after = 0;
    TEST_CASE("%s", why);
    for (int warm = 0; warm < 2; warm++) (void)once(trial, f, 0);
    EXPECT(!PetscMallocGetCurrentUsage(&before));
    bool more = true;
    /* By day one in three is refused. Each process begins with another one. */
    const int64_t step = test_scale() > 1 ? 3 : 1;
    for (int64_t number = 1 + (test_nprocs() + victim) % step; more; number += step) {
      TEST_CASE("%s: %s %" PRId64 " of rank %d is refused", why, f->what, number, victim);
      more = once(trial, f, test_rank() == victim ? number : 0);
      EXPECT(!PetscMallocGetCurrentUsage(&after));
      EXPECT_MSG(before == after, "PETSc holds %g bytes, not %g", after, before);
      SETTLE();
      count += more ? step : 0;
    }
  }
  return count;
}

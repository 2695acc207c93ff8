/* Calls of PETSc's functions that fail: the linker puts these in the place of PETSc's where the library and
 * the tests call them (-Wl,--wrap). */
#include "petsc_calls.h"

#include "mpi_test.h"

#include <petscdmda.h>

static int64_t count, refused;
static bool destroys;

void petsc_calls_start(int64_t number, bool with_vec_destroy)
{
  count = 0;
  refused = number;
  destroys = with_vec_destroy;
}

int64_t petsc_calls_count(void)
{
  return count;
}

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
REFUSED_LATER(VecScatterCreateToAll, (Vec v, VecScatter *s, Vec *made), (v, s, made), true)
REFUSED_LATER(MatGetOwnershipIS, (Mat m, IS *rows, IS *columns), (m, rows, columns), test_nprocs() == 1)
REFUSED_LATER(VecDestroy, (Vec * v), (v), destroys)
/* NOLINTEND(bugprone-reserved-identifier, bugprone-macro-parentheses) */

/* Updates ghosts by PETSc: a vector with ghosts, in memory from malloc(). */
#include "bench_petsc.h"
#include "ghosts.h"

#include <petscvec.h>
#include <stdlib.h>

static bool applies(void)
{
#if defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_COMPLEX)
  return true;
#else
  return false;
#endif
}

/* Returns the ghosts' numbers in PETSc, which numbers nodes by owner. */
static PetscInt *number_ghosts(const ghosts_mesh *mesh)
{
  PetscInt *numbers = bench_alloc((mesh->count - mesh->owned) * (int64_t)sizeof *numbers);
  for (int64_t i = mesh->owned; i < mesh->count; i++) {
    int64_t first = 0;
    for (int p = 0; p < mesh->owner[mesh->list[i]]; p++) first += mesh->owned_by[p];
    numbers[i - mesh->owned] = (PetscInt)(first + mesh->position[mesh->list[i]]);
  }
  return numbers;
}

static void create(ghosts_job *job)
{
  const ghosts_mesh *mesh = job->mesh;
  const PetscInt components = mesh->components;
  PetscInt *numbers = number_ghosts(mesh);
  Vec vec;
  job->data = bench_alloc(mesh->count * components * (int64_t)sizeof(PetscScalar));
  require(VecCreateGhostBlockWithArray(mesh->comm, components, (PetscInt)mesh->owned * components,
                                       PETSC_DECIDE, (PetscInt)(mesh->count - mesh->owned), numbers,
                                       (void *)job->data, &vec));
  free(numbers);
  job->state = vec;
}

static void run(ghosts_job *job)
{
  Vec vec = job->state;
  const InsertMode mode = job->mesh->reverse ? ADD_VALUES : INSERT_VALUES;
  const ScatterMode direction = job->mesh->reverse ? SCATTER_REVERSE : SCATTER_FORWARD;
  require(VecGhostUpdateBegin(vec, mode, direction));
  require(VecGhostUpdateEnd(vec, mode, direction));
}

static void destroy(ghosts_job *job)
{
  Vec vec = job->state;
  require(VecDestroy(&vec));
  free(job->data);
}

const ghosts_method ghosts_vec = {
    "vecghost", "VecGhostUpdateBegin() and End(), either way", true, applies, create, run, destroy};

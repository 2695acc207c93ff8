#include "reverse_oracle.h"

/* ---- where points are in the buffer ------------------------------------------------------------------- */

static int grid_ndim(const trial *t)
{
  return live_ndim(&t->a) - t->row->options.dof_axes;
}

/* The axis that a direction of the DMDA runs along. */
static int axis_of(const trial *t, int direction)
{
  return t->fortran ? direction : grid_ndim(t) - 1 - direction;
}

static box find_box(const trial *t)
{
  box b = {.extent = {1, 1, 1}, .length = {1, 1, 1}};
  int coords[4] = {0};
  DM dm = t->a.field.dm;
  EXPECT(!DMDAGetCorners(dm, &b.points[0], &b.points[1], &b.points[2], &b.length[0], &b.length[1],
                         &b.length[2]));
  EXPECT(!DMDAGetGhostCorners(dm, &b.ghosts[0], &b.ghosts[1], &b.ghosts[2], &b.extent[0], &b.extent[1],
                              &b.extent[2]));
  EXPECT(!DMDAGetInfo(dm, NULL, &b.size[0], &b.size[1], &b.size[2], NULL, NULL, NULL, &b.dof, NULL, NULL,
                      NULL, NULL, NULL));
  dap_layout_coords(t->a.layout, test_rank(), coords);
  for (int d = 0; d < grid_ndim(t); d++) {
    const int k = axis_of(t, d);
    int64_t width[2];
    dap_layout_halo(t->a.layout, k, coords[k], width);
    b.low[d] = width[0] + (coords[k] == 0 ? live_outside(&t->a, k, 0) : 0);
    EXPECT_INT(t->a.array.shape[k], b.extent[d]);
    EXPECT_INT(b.points[d] - b.ghosts[d], b.low[d]);
  }
  return b;
}

static PetscInt count_of(const box *b)
{
  return b->extent[0] * b->extent[1] * b->extent[2] * b->dof;
}

/* Points; ghost points of others, and those of a star stencil that PETSc leaves out; and outside the grid,
 * where the array has elements of its own. */
typedef enum place { POINT, GHOST, CORNER, OUTSIDE } place;

/* Entry i of a local vector: where it is in the buffer, and what it is. */
static char *place_of(const trial *t, const box *b, PetscInt i, place *what)
{
  const PetscInt c = i % b->dof, n = i / b->dof;
  const PetscInt p[3] = {n % b->extent[0], n / b->extent[0] % b->extent[1], n / b->extent[0] / b->extent[1]};
  char *at = t->a.array.data;
  const place beside = t->row->options.star ? CORNER : GHOST;
  *what = POINT;
  for (int d = 0; d < grid_ndim(t); d++) {
    const PetscInt inside = b->ghosts[d] + p[d] - b->points[d];
    const PetscInt point = b->ghosts[d] + p[d];
    if (inside < 0 || inside >= b->length[d])
      *what = *what == POINT ? GHOST : *what == GHOST ? beside : *what;
    if (!t->row->periodic[axis_of(t, d)] && (point < 0 || point >= b->size[d])) *what = OUTSIDE;
    at += p[d] * t->a.array.strides[axis_of(t, d)];
  }
  return at + (t->row->options.dof_axes ? c * t->a.array.strides[t->row->ndim - 1] : 0);
}

/* Turns round the numbers that a scalar is made of, where the array has them so. */
static PetscScalar turned(const trial *t, PetscScalar value)
{
  unsigned char bytes[sizeof value];
  memcpy(bytes, &value, sizeof value);
  for (size_t i = 0; i < sizeof value && t->a.array.swapped; i += sizeof(PetscReal))
    for (size_t j = 0; j < sizeof(PetscReal) / 2; j++) {
      const unsigned char kept = bytes[i + j];
      bytes[i + j] = bytes[i + sizeof(PetscReal) - 1 - j];
      bytes[i + sizeof(PetscReal) - 1 - j] = kept;
    }
  memcpy(&value, bytes, sizeof value);
  return value;
}

static PetscScalar number_of(PetscInt i, int salt)
{
  test_random random = {.state = (uint64_t)test_rank() * 7919 + (uint64_t)i * 104729 + (uint64_t)salt};
  const PetscScalar x = (PetscReal)test_random_int(&random, -50, 50);
#if defined(PETSC_USE_COMPLEX)
  return x + (PetscReal)test_random_int(&random, -50, 50) * PETSC_i;
#else
  return x;
#endif
}

/* ---- PETSc's way -------------------------------------------------------------------------------------- */

oracle oracle_make(const trial *t)
{
  oracle o = {.box = find_box(t)};
  EXPECT(!DMCreateLocalVector(t->a.field.dm, &o.local) && !DMCreateGlobalVector(t->a.field.dm, &o.global));
  return o;
}

void oracle_free(oracle *o)
{
  EXPECT(!VecDestroy(&o->local) && !VecDestroy(&o->global));
}

void oracle_fill(const trial *t, const oracle *o, int salt)
{
  const box *b = &o->box;
  PetscScalar *entries = NULL;
  EXPECT(!VecGetArray(o->local, &entries));
  for (PetscInt i = 0; i < count_of(b); i++) {
    place what;
    char *at = place_of(t, b, i, &what);
    entries[i] = what == CORNER ? 0 : number_of(i, salt);
    const PetscScalar value = turned(t, entries[i]);
    memcpy(at, &value, sizeof value);
  }
  EXPECT(!VecRestoreArray(o->local, &entries));
}

/* A DMDA that fills what this one's star stencil leaves out; of any other the same. */
static DM filler_of(const trial *t)
{
  DM dm = t->a.field.dm, filler = dm;
  PetscInt size[2], procs[2], dof, width;
  const PetscInt *x = NULL, *y = NULL;
  DMBoundaryType bx, by;
  if (!t->row->options.star) {
    EXPECT(!PetscObjectReference((PetscObject)dm));
    return dm;
  }
  EXPECT(!DMDAGetInfo(dm, NULL, &size[0], &size[1], NULL, &procs[0], &procs[1], NULL, &dof, &width, &bx, &by,
                      NULL, NULL));
  EXPECT(!DMDAGetOwnershipRanges(dm, &x, &y, NULL));
  EXPECT(!DMDACreate2d(PetscObjectComm((PetscObject)dm), bx, by, DMDA_STENCIL_BOX, size[0], size[1], procs[0],
                       procs[1], dof, width, x, y, &filler));
  EXPECT(!DMSetUp(filler));
  return filler;
}

void oracle_sum(const trial *t, const oracle *o, dap_padding padding)
{
  DM dm = t->a.field.dm, filler = filler_of(t);
  Vec zero;
  EXPECT(!VecZeroEntries(o->global));
  EXPECT(!DMLocalToGlobalBegin(dm, o->local, ADD_VALUES, o->global));
  EXPECT(!DMLocalToGlobalEnd(dm, o->local, ADD_VALUES, o->global));
  EXPECT(!VecDuplicate(o->global, &zero) && !VecZeroEntries(zero));
  Vec from = padding == DAP_PADDING_CLEAR ? zero : o->global;
  if (padding != DAP_PADDING_KEEP) EXPECT(!DMGlobalToLocal(filler, from, INSERT_VALUES, o->local));
  EXPECT(!VecDestroy(&zero) && !DMDestroy(&filler));
}

static bool is_stripped(const trial *t)
{
  bool stripped = false;
  for (int k = 0; k < t->row->ndim; k++)
    stripped = stripped || (t->row->periodic[k] && live_outside(&t->a, k, 0) > 0);
  return stripped;
}

void oracle_check(const trial *t, const oracle *o, dap_padding padding)
{
  const box *b = &o->box;
  const PetscScalar *ghosts = NULL, *points = NULL;
  const bool any_ghosts = padding == DAP_PADDING_KEEP && is_stripped(t);
  PetscInt point = 0; /* in the order of the global vector's own part, which is that of the points */
  EXPECT(!VecGetArrayRead(o->local, &ghosts) && !VecGetArrayRead(o->global, &points));
  for (PetscInt i = 0; i < count_of(b); i++) {
    place what;
    PetscScalar found;
    memcpy(&found, place_of(t, b, i, &what), sizeof found);
    const PetscScalar want = what == POINT ? points[point++] : ghosts[i];
    if (what == OUTSIDE || (what != POINT && any_ghosts)) continue;
    EXPECT_MSG(turned(t, found) == want, "%s %d: %g, not %g", what == POINT ? "point" : "ghost point", (int)i,
               (double)PetscRealPart(turned(t, found)), (double)PetscRealPart(want));
  }
  EXPECT(!VecRestoreArrayRead(o->local, &ghosts) && !VecRestoreArrayRead(o->global, &points));
  EXPECT(check_gaps(&t->a.buffer));
}

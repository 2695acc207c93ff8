/* Goes through the vectors of a live field point by point, by the numbers that PETSc gives for its DMDA. */
#include "live.h"

/* Extents of a DMDA and of this process's part of a vector, direction by direction. */
typedef struct box {
  PetscInt ndim, size[3], dof, begin[3], length[3], own_begin[3], own_length[3];
  DMBoundaryType outer[3];
  bool fortran; /* x is the first axis */
} box;

static box box_of(const live *a, bool local)
{
  box b = {.ndim = 0};
  DM dm = a->field.dm;
  char text[2048];
  EXPECT(!DMDAGetInfo(dm, &b.ndim, &b.size[0], &b.size[1], &b.size[2], NULL, NULL, NULL, &b.dof, NULL,
                      &b.outer[0], &b.outer[1], &b.outer[2], NULL));
  EXPECT(!DMDAGetCorners(dm, &b.own_begin[0], &b.own_begin[1], &b.own_begin[2], &b.own_length[0],
                         &b.own_length[1], &b.own_length[2]));
  memcpy(b.begin, b.own_begin, sizeof b.begin);
  memcpy(b.length, b.own_length, sizeof b.length);
  if (local)
    EXPECT(!DMDAGetGhostCorners(dm, &b.begin[0], &b.begin[1], &b.begin[2], &b.length[0], &b.length[1],
                                &b.length[2]));
  dap_petsc_field_describe(&a->field, text, sizeof text);
  b.fortran = strstr(text, "x is axis 0") != NULL;
  EXPECT_INT(b.ndim, live_ndim(a) - a->options.dof_axes);
  return b;
}

/* Index along the field's axis of point p in direction d; false where there is no element. */
static bool index_at(const live *a, const box *b, int d, int64_t p, int64_t index[])
{
  const int j = b->fortran ? d : (int)b->ndim - 1 - d;
  const int64_t size = b->size[d];
  EXPECT_INT(size, live_size(a, j) - live_outside(a, j, 0) - live_outside(a, j, 1));
  if (b->outer[d] == DM_BOUNDARY_PERIODIC) p = (p % size + size) % size;
  index[j] = p + live_outside(a, j, 0);
  return index[j] >= 0 && index[j] < live_size(a, j);
}

/* The element's number among all of the array's; false where there is none. */
static bool element_at(const live *a, const box *b, const PetscInt p[3], int64_t component, int64_t *element)
{
  int64_t index[DAP_MAX_NDIM] = {0};
  for (int d = 0; d < b->ndim; d++)
    if (!index_at(a, b, d, p[d], index)) return false;
  for (int j = live_ndim(a) - 1; j >= b->ndim; j--) {
    index[j] = component % live_size(a, j);
    component /= live_size(a, j);
  }
  *element = live_at(a, index);
  return component == 0;
}

/* Entry i of a vector: its point. */
static void point_at(const box *b, PetscInt i, PetscInt p[3])
{
  const PetscInt at = i / b->dof, *n = b->length;
  p[0] = b->begin[0] + at % n[0];
  p[1] = b->begin[1] + at / n[0] % n[1];
  p[2] = b->begin[2] + at / n[0] / n[1];
}

typedef enum work { FILL, FILL_EDGES, COMPARE } work;

static void visit(const live *a, Vec vector, bool local, bool ghosts, work what, int64_t shift)
{
  const box b = box_of(a, local);
  const PetscInt *n = b.length, count = n[0] * n[1] * n[2];
  PetscScalar *memory = NULL;
  PetscInt held = 0;
  EXPECT(!VecGetLocalSize(vector, &held));
  EXPECT_INT(held, count * b.dof);
  if (what == COMPARE) EXPECT(!VecGetArrayRead(vector, (const PetscScalar **)&memory));
  if (what != COMPARE) EXPECT(!VecGetArray(vector, &memory));
  for (PetscInt i = 0; i < count * b.dof && held == count * b.dof; i++) {
    PetscInt p[3] = {0};
    point_at(&b, i, p);
    bool own = true, edge = false;
    int64_t element = 0;
    for (int d = 0; d < 3; d++) {
      own = own && p[d] >= b.own_begin[d] && p[d] < b.own_begin[d] + b.own_length[d];
      edge = edge || p[d] < 0 || p[d] >= b.size[d];
    }
    if ((!own && !ghosts) || (what == FILL_EDGES && !edge)) continue;
    if (!element_at(a, &b, p, i % b.dof, &element)) continue;
    const PetscScalar value = live_entry(a, element, shift);
    if (what != COMPARE)
      memory[i] = value;
    else
      EXPECT_MSG(memory[i] == value, "%s point (%d %d %d) component %d: %g, not %g",
                 local ? "local" : "global", (int)p[0], (int)p[1], (int)p[2], (int)(i % b.dof),
                 (double)PetscRealPart(memory[i]), (double)PetscRealPart(value));
  }
  if (what == COMPARE) EXPECT(!VecRestoreArrayRead(vector, (const PetscScalar **)&memory));
  if (what != COMPARE) EXPECT(!VecRestoreArray(vector, &memory));
}

void live_fill_vector(const live *a, Vec vector, bool ghosts, int64_t shift)
{
  if (vector) visit(a, vector, vector == a->field.local, ghosts, FILL, shift);
}

void live_check_vector(const live *a, Vec vector, bool ghosts, int64_t shift)
{
  if (vector) visit(a, vector, vector == a->field.local, ghosts, COMPARE, shift);
}

void live_fill_edges(const live *a, int64_t shift)
{
  if (a->field.local) visit(a, a->field.local, true, true, FILL_EDGES, shift);
}

void live_check_vectors(const live *a, int64_t shift)
{
  live_check_vector(a, a->field.global, false, shift);
  live_check_vector(a, a->field.local, !a->field.shared_local, shift);
}

void live_solve(const live *a, int64_t shift)
{
  if (!a->field.dm) return;
  live_fill_vector(a, a->field.local, true, GARBAGE);
  live_fill_edges(a, shift);
  live_fill_vector(a, a->field.global ? a->field.global : a->field.local, false, shift);
}

/* ---- verdicts ------------------------------------------------------------------------------------------ */

static void check_memory(const live *a, Vec vector, bool shared, const char *reason)
{
  if (!vector) return;
  const PetscScalar *memory = NULL;
  PetscInt n = 0;
  EXPECT(!VecGetLocalSize(vector, &n) && !VecGetArrayRead(vector, &memory));
  const char *at = (const char *)memory;
  const unsigned char *low = a->buffer.memory;
  const bool in = at >= (const char *)low && at < (const char *)low + a->buffer.bytes;
  if (n > 0) EXPECT_MSG(in == shared, "%s the buffer, but %s", in ? "in" : "not in", reason);
  EXPECT(!VecRestoreArrayRead(vector, &memory));
}

void live_check_memory(const live *a)
{
  check_memory(a, a->field.global, a->field.shared_global, a->field.reason_global);
  check_memory(a, a->field.local, a->field.shared_local, a->field.reason_local);
}

/* Positions that the vector has entries for: of the section, and for the global one its own points. */
static bool counts(const live_place *p, bool local)
{
  return p->inside && (local || (p->owned && !p->edge && !p->stripped));
}

bool live_lies_there(const live *a, bool local)
{
  if (!a->field.dm) return true;
  const box b = box_of(a, local);
  const int64_t entries = (int64_t)b.length[0] * b.length[1] * b.length[2] * b.dof;
  const char *first = NULL;
  int64_t count = 0;
  LIVE_EACH(a, p)
  {
    if (!counts(&p, local)) continue;
    if (count++ == 0 || p.at < first) first = p.at;
  }
  if (count != entries || live_has_lists(a)) return false;
  if (count > 0 && (a->array.swapped || a->array.dtype != scalar_dtype())) return false;
  LIVE_EACH(a, p)
  {
    PetscInt point[3] = {0};
    int64_t element = 0;
    const int64_t offset = p.at - first, entry = offset / (int64_t)sizeof(PetscScalar);
    if (!counts(&p, local)) continue;
    if (offset % (int64_t)sizeof(PetscScalar) || entry >= entries) return false;
    point_at(&b, (PetscInt)entry, point);
    if (!element_at(a, &b, point, entry % b.dof, &element) || element != live_element(a, &p)) return false;
  }
  return true;
}

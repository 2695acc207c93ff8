/* Goes through the entries of vectors. PETSc numbers the entries of a field's vectors by its DMDA. The
 * entries of a vector without a grid are numbered in its order. */
#include "live.h"

/* ---- entries ----------------------------------------------------------------------------------------- */

/* Returns the element that is entry i of this process; -1: there is none, or the entry is left out. */
typedef int64_t find(const live *a, const void *vector, PetscInt i);

static void visit_by(const live *a, Vec vec, find *find_in, const void *vector, vector_deed deed,
                     int64_t shift)
{
  PetscInt n = 0;
  PetscScalar *memory = NULL;
  EXPECT(!VecGetLocalSize(vec, &n));
  EXPECT(!(deed == WRITE ? VecGetArray(vec, &memory) : VecGetArrayRead(vec, (const PetscScalar **)&memory)));
  for (PetscInt i = 0; i < n; i++) {
    const int64_t element = find_in(a, vector, i);
    if (element < 0) continue;
    const PetscScalar want = live_entry(a, element, shift);
    if (deed == WRITE) memory[i] = want;
    EXPECT_MSG(memory[i] == want, "entry %d here, element %d: %g, not %g", (int)i, (int)element,
               (double)PetscRealPart(memory[i]), (double)PetscRealPart(want));
  }
  EXPECT(!(deed == WRITE ? VecRestoreArray(vec, &memory)
                         : VecRestoreArrayRead(vec, (const PetscScalar **)&memory)));
}

void live_check_norm(Vec vec)
{
  PetscReal norm = -1, sum = 0;
  const PetscScalar *memory = NULL;
  PetscInt n = 0;
  if (!vec) return;
  EXPECT(!VecNorm(vec, NORM_1, &norm) && !VecGetLocalSize(vec, &n) && !VecGetArrayRead(vec, &memory));
  for (PetscInt i = 0; i < n; i++) sum += PetscAbsScalar(memory[i]);
  EXPECT(!VecRestoreArrayRead(vec, &memory));
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)vec));
  EXPECT_MSG(PetscAbsReal(norm - sum) <= (PetscReal)1e-5 * sum, "norm %g, not %g", (double)norm, (double)sum);
}

/* ---- the vectors of a field --------------------------------------------------------------------------- */

/* The points that are visited: own points, all points that are elements, or points outside the grid. */
typedef enum points { OWN, GHOSTS, EDGES } points;

/* The extents of a DMDA and of this process's part of a vector, by direction. */
typedef struct box {
  PetscInt ndim, size[3], dof, begin[3], length[3], own_begin[3], own_length[3];
  DMBoundaryType outer[3];
  bool fortran;  /* x is the first axis */
  points visits; /* the points to visit */
} box;

static box box_of(const live *a, bool local)
{
  PetscErrorCode (*const corners)(DM, PetscInt *, PetscInt *, PetscInt *, PetscInt *, PetscInt *,
                                  PetscInt *) = local ? DMDAGetGhostCorners : DMDAGetCorners;
  box b = {.ndim = 0};
  DM dm = a->field.dm;
  char text[2048];
  EXPECT(!DMDAGetInfo(dm, &b.ndim, &b.size[0], &b.size[1], &b.size[2], NULL, NULL, NULL, &b.dof, NULL,
                      &b.outer[0], &b.outer[1], &b.outer[2], NULL));
  EXPECT(!DMDAGetCorners(dm, &b.own_begin[0], &b.own_begin[1], &b.own_begin[2], &b.own_length[0],
                         &b.own_length[1], &b.own_length[2]));
  EXPECT(!corners(dm, &b.begin[0], &b.begin[1], &b.begin[2], &b.length[0], &b.length[1], &b.length[2]));
  dap_petsc_field_describe(&a->field, text, sizeof text);
  b.fortran = strstr(text, "x is axis 0") != NULL;
  EXPECT_INT(b.ndim, live_ndim(a) - a->options.dof_axes);
  return b;
}

/* Finds the index of point p in direction d along the field's axis. False: there is no element. */
static bool index_at(const live *a, const box *b, int d, int64_t p, int64_t index[])
{
  const int j = b->fortran ? d : (int)b->ndim - 1 - d;
  const int64_t size = b->size[d];
  EXPECT_INT(size, live_size(a, j) - live_outside(a, j, 0) - live_outside(a, j, 1));
  if (b->outer[d] == DM_BOUNDARY_PERIODIC) p = (p % size + size) % size;
  index[j] = p + live_outside(a, j, 0);
  return index[j] >= 0 && index[j] < live_size(a, j);
}

/* Returns the number of a point's element in the array; -1: there is none. */
static int64_t element_at(const live *a, const box *b, const PetscInt p[3], int64_t component)
{
  int64_t index[DAP_MAX_NDIM] = {0};
  for (int d = 0; d < b->ndim; d++)
    if (!index_at(a, b, d, p[d], index)) return -1;
  for (int j = live_ndim(a) - 1; j >= b->ndim; j--) {
    index[j] = component % live_size(a, j);
    component /= live_size(a, j);
  }
  return component == 0 ? live_at(a, index) : -1;
}

/* Finds the point of entry i of a vector. */
static void point_at(const box *b, PetscInt i, PetscInt p[3])
{
  const PetscInt at = i / b->dof, *n = b->length;
  p[0] = b->begin[0] + at % n[0];
  p[1] = b->begin[1] + at / n[0] % n[1];
  p[2] = b->begin[2] + at / n[0] / n[1];
}

static int64_t find_point(const live *a, const void *vector, PetscInt i)
{
  const box *b = vector;
  PetscInt p[3];
  bool own = true, edge = false;
  point_at(b, i, p);
  for (int d = 0; d < 3; d++) {
    own = own && p[d] >= b->own_begin[d] && p[d] < b->own_begin[d] + b->own_length[d];
    edge = edge || p[d] < 0 || p[d] >= b->size[d];
  }
  const bool is_visited = b->visits == OWN ? own : b->visits == GHOSTS || edge;
  return is_visited ? element_at(a, b, p, i % b->dof) : -1;
}

static void visit(const live *a, Vec vector, vector_deed deed, points visits, int64_t shift)
{
  PetscInt held = 0;
  if (!vector) return;
  box b = box_of(a, vector == a->field.local);
  b.visits = visits;
  EXPECT(!VecGetLocalSize(vector, &held));
  if (EXPECT_INT(held, b.length[0] * b.length[1] * b.length[2] * b.dof))
    visit_by(a, vector, find_point, &b, deed, shift);
}

void live_check_vector(const live *a, Vec vector, bool ghosts, int64_t shift)
{
  visit(a, vector, CHECK, ghosts ? GHOSTS : OWN, shift);
}

void live_check_vectors(const live *a, int64_t shift)
{
  live_check_vector(a, a->field.global, false, shift);
  live_check_vector(a, a->field.local, !a->field.shared_local, shift);
}

void live_solve(const live *a, int64_t shift)
{
  if (!a->field.dm) return;
  visit(a, a->field.local, WRITE, GHOSTS, GARBAGE);
  visit(a, a->field.local, WRITE, EDGES, shift);
  visit(a, a->field.global ? a->field.global : a->field.local, WRITE, OWN, shift);
}

static void check_memory(const live *a, Vec vector, bool shared, const char *reason)
{
  PetscInt n = 0;
  if (!vector) return;
  EXPECT(!VecGetLocalSize(vector, &n));
  const unsigned char *low = a->buffer.memory, *at = (const unsigned char *)address_of(vector);
  const bool in = at >= low && at < low + a->buffer.bytes;
  if (n > 0) EXPECT_MSG(in == shared, "%s the buffer, but %s", in ? "in" : "not in", reason);
}

void live_check_memory(const live *a)
{
  check_memory(a, a->field.global, a->field.shared_global, a->field.reason_global);
  check_memory(a, a->field.local, a->field.shared_local, a->field.reason_local);
}

/* Returns whether the vector has an entry for a position. The local vector has all of the section, the global
 * one has own points. */
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
    const int64_t offset = p.at - first, entry = offset / (int64_t)sizeof(PetscScalar);
    if (!counts(&p, local)) continue;
    if (offset % (int64_t)sizeof(PetscScalar) || entry >= entries) return false;
    point_at(&b, (PetscInt)entry, point);
    if (element_at(a, &b, point, entry % b.dof) != live_element(a, &p)) return false;
  }
  return true;
}

/* ---- a vector without a grid ------------------------------------------------------------------------- */

/* Returns the element that is entry `number` in the requested order. */
static int64_t element_of(const live *a, int64_t number)
{
  int64_t index[DAP_MAX_NDIM] = {0};
  for (int i = 0; i < live_ndim(a); i++) {
    const int j = a->order == DAP_ORDER_F ? i : live_ndim(a) - 1 - i;
    index[j] = number % live_size(a, j);
    number /= live_size(a, j);
  }
  return live_at(a, index);
}

/* Returns the number of a position's element in the requested order. */
static int64_t number_of(const live *a, const live_place *p)
{
  int64_t number = 0;
  if (a->order != DAP_ORDER_F) return p->walk.flat;
  for (int k = a->array.ndim - 1; k >= 0; k--) number = number * live_size(a, k) + p->walk.global[k];
  return number;
}

static int64_t find_number(const live *a, const void *vector, PetscInt i)
{
  const dap_petsc_vector *v = vector;
  PetscInt begin = 0, number = 0;
  EXPECT(!VecGetOwnershipRange(v->vec, &begin, NULL));
  number = begin + i;
  if (v->ao) EXPECT(!AOPetscToApplication(v->ao, 1, &number));
  return element_of(a, number);
}

void live_visit(const live *a, const dap_petsc_vector *v, vector_deed deed, int64_t shift)
{
  if (v->vec) visit_by(a, v->vec, find_number, v, deed, shift);
}

/* Returns the vector's memory. *count is its length, or with ghosts the length of its local form. */
static const PetscScalar *memory_of(Vec vec, bool *has_form, PetscInt *count)
{
  Vec local = NULL;
  EXPECT(!VecGhostGetLocalForm(vec, &local));
  *has_form = local && local != vec;
  EXPECT(!VecGetLocalSize(*has_form ? local : vec, count) && !VecGhostRestoreLocalForm(vec, &local));
  return address_of(vec);
}

static bool gives_owners(const live *a)
{
  bool gives = false;
  for (int k = 0; k < a->array.ndim; k++)
    gives = gives || a->model->dists[k].owned || a->model->dists[k].is_owned;
  return gives;
}

void live_check_places(const live *a, const dap_petsc_vector *v)
{
  bool has_form = false;
  PetscInt begin = 0, end = 0, local = 0, owned = 0, held = 0;
  ISLocalToGlobalMapping mapping = NULL;
  const PetscScalar *memory = memory_of(v->vec, &has_form, &local);
  EXPECT(!VecGetOwnershipRange(v->vec, &begin, &end) && !VecGetLocalToGlobalMapping(v->vec, &mapping));
  EXPECT(mapping || !v->ao);
  LIVE_EACH(a, p)
  {
    const PetscInt number = (PetscInt)number_of(a, &p);
    PetscInt entry = number, position, mapped = -1;
    if (p.walk.part == BRUTE_PADDING) continue;
    if (v->ao) EXPECT(!AOApplicationToPetsc(v->ao, 1, &entry));
    if (p.owned)
      EXPECT_MSG(entry >= begin && entry < end && (const char *)(memory + (entry - begin)) == p.at,
                 "element %d is entry %d of %d .. %d, elsewhere", (int)number, (int)entry, (int)begin,
                 (int)end);
    owned += p.owned;
    held++;
    if (!mapping) continue;
    position = (PetscInt)((const PetscScalar *)(const void *)p.at - memory);
    EXPECT(!ISLocalToGlobalMappingApply(mapping, 1, &position, &mapped));
    EXPECT_MSG(mapped == entry, "position %d is entry %d, not %d", (int)position, (int)mapped, (int)entry);
  }
  EXPECT_INT(end - begin, owned);
  EXPECT_INT(local, has_form ? held : owned);
  const bool has_ghosts = test_any(held != owned);
  if (test_nprocs() > 1 && has_ghosts) EXPECT(has_form && mapping);
  if (!gives_owners(a) && a->model->model.count > 0 && !has_ghosts) EXPECT(!has_form);
}

bool live_is_range(const live *a)
{
  int64_t low = INT64_MAX, high = -1, count = 0, origin = 0; /* origin: where entry 0 would be */
  bool there = !a->array.swapped && a->array.dtype == scalar_dtype();
  LIVE_EACH(a, p)
  {
    const int64_t number = number_of(a, &p);
    const int64_t zero = p.at - (char *)a->array.data - number * (int64_t)sizeof(PetscScalar);
    if (!p.owned) continue;
    there = there && (count == 0 || zero == origin);
    origin = zero;
    low = number < low ? number : low;
    high = number > high ? number : high;
    count++;
  }
  return count == 0 || (there && high - low + 1 == count);
}

/* The full cross product of fields: dimensions, ends of axes, stencil widths, degrees of freedom, orders,
 * ranges, stencils, shared and moved. Of each every element of the local vector after PETSc's own update, and
 * every element of the array after restore, padding too, is compared with a map that the test computes. A
 * failure names the number of its combination; DAP_TEST_COMBINATION=<number> runs it alone. */
#include "cross.h"

#include "field_test.h"
#include "sanitizer.h"

/* Values before and after the solve. */
enum { BEFORE = 0, AFTER = 1000000 };

/* Every so manieth combination is tried: with sanitizers, and for other builds of PETSc than the default one,
 * not all of them. No stride has a factor in common with the number of choices of anything, so every choice
 * still meets every other one. On each number of ranks it begins with another one. In the default tier of the
 * tests (test_scale()) the default build is thinned too. */
#if UNDER_SANITIZER
enum { STRIDE = 35 };
#elif defined(PETSC_USE_COMPLEX) || defined(PETSC_USE_64BIT_INDICES)
enum { STRIDE = 7 };
#else
enum { STRIDE = 1 };
#endif

static int stride(void)
{
  return STRIDE > 1 ? STRIDE : test_scale();
}

/* What was seen, on this process. */
static struct {
  int64_t combinations, local_shared, global_shared, both_shared, elements, untouched;
} seen;

/* One combination under test. */
typedef struct trial {
  cross_model m;
  dap_layout *layout;
  dap_array array;
  dap_petsc_field field;
} trial;

static PetscScalar scalar(int64_t index, int64_t shift)
{
  PetscScalar value;
  value_of(scalar_dtype(), index + shift, &value);
  return value;
}

static PetscScalar poison(void)
{
  PetscScalar value;
  memset(&value, TEST_POISON, sizeof value);
  return value;
}

static void check(const char *what, const int64_t e[4], PetscScalar found, PetscScalar want)
{
  seen.elements++;
  const void *a = &found, *b = &want; /* by bytes: poison is no number */
  if (memcmp(a, b, sizeof found) == 0) return;
  EXPECT_MSG(false, "%s: element (%d %d %d %d) is %g, not %g", what, (int)e[0], (int)e[1], (int)e[2],
             (int)e[3], (double)PetscRealPart(found), (double)PetscRealPart(want));
}

/* ---- the array ---------------------------------------------------------------------------------------- */

static void make_array(trial *t)
{
  const cross_model *m = &t->m;
  t->array = (dap_array){.abi = DAP_ARRAY_ABI,
                         .version = "0.10.0",
                         .dim_count = m->ndim,
                         .ndim = m->ndim,
                         .dtype = scalar_dtype()};
  int64_t stride = (int64_t)sizeof(PetscScalar);
  for (int i = 0; i < m->ndim; i++) {
    const int k = m->c.fortran ? i : m->ndim - 1 - i;
    t->array.shape[k] = m->axis[k].halo[0] + m->axis[k].owned + m->axis[k].halo[1];
    t->array.strides[k] = stride;
    stride *= t->array.shape[k];
  }
  t->array.data = malloc((size_t)stride);
}

/* Position i of the buffer in C order: its element, and where it lies. */
static PetscScalar *position(const trial *t, int64_t i, int64_t e[4])
{
  char *at = t->array.data;
  for (int k = t->m.ndim - 1; k >= 0; k--) {
    const int64_t local = i % t->array.shape[k];
    i /= t->array.shape[k];
    e[k] = t->m.axis[k].start - t->m.axis[k].halo[0] + local;
    at += local * t->array.strides[k];
  }
  return (PetscScalar *)(void *)at;
}

static int64_t count_of(const trial *t)
{
  int64_t count = 1;
  for (int k = 0; k < t->m.ndim; k++) count *= t->array.shape[k];
  return count;
}

static void fill_array(const trial *t)
{
  int64_t e[4] = {0};
  for (int64_t i = 0; i < count_of(t); i++) {
    PetscScalar *at = position(t, i, e);
    const cross_place place = cross_at(&t->m, e);
    *at = place.mine ? scalar(place.index, BEFORE) : poison();
  }
}

/* All padding has its owner's value, and boundary padding outside the grid what it had. */
static void check_array(const trial *t)
{
  int64_t e[4] = {0};
  for (int64_t i = 0; i < count_of(t); i++) {
    const PetscScalar *at = position(t, i, e);
    const cross_place place = cross_at(&t->m, e);
    check("the array after restore", e, *at, scalar(place.index, place.outside ? BEFORE : AFTER));
  }
}

/* ---- the vectors -------------------------------------------------------------------------------------- */

/* The axis along a direction x, y, z; -1 for those that there are not. */
static int axis_along(const cross_model *m, int direction)
{
  if (direction >= m->c.grid_ndim) return -1;
  return m->x_first ? direction : m->c.grid_ndim - 1 - direction;
}

/* First point and number of points along a direction of a vector on this process, by the model. */
static void range_of(const cross_model *m, int d, bool local, int64_t *first, int64_t *count)
{
  const int k = axis_along(m, d);
  *first = 0;
  *count = 1;
  if (k < 0) return;
  const cross_axis *a = &m->axis[k];
  *first = a->coord == 0 ? 0 : a->start - a->margin[0];
  *count = a->owned - (a->coord == 0 ? a->margin[0] : 0) - (a->coord == a->procs - 1 ? a->margin[1] : 0);
  if (!local) return;
  *first -= cross_ghosts(m, k, 0);
  *count += cross_ghosts(m, k, 0) + cross_ghosts(m, k, 1);
}

/* The DMDA's own numbers are those of the model. */
static bool check_dm(const trial *t)
{
  const cross_model *m = &t->m;
  PetscInt o[3], n[3], g[3], gn[3], size[3], procs[3], dof, width;
  DMBoundaryType outer[3];
  DMDAStencilType stencil;
  EXPECT(!DMDAGetCorners(t->field.dm, &o[0], &o[1], &o[2], &n[0], &n[1], &n[2]));
  EXPECT(!DMDAGetGhostCorners(t->field.dm, &g[0], &g[1], &g[2], &gn[0], &gn[1], &gn[2]));
  EXPECT(!DMDAGetInfo(t->field.dm, NULL, &size[0], &size[1], &size[2], &procs[0], &procs[1], &procs[2], &dof,
                      &width, &outer[0], &outer[1], &outer[2], &stencil));
  bool same = dof == m->c.dof && width == m->stencil && (stencil == DMDA_STENCIL_STAR) == m->c.star;
  for (int d = 0; d < m->c.grid_ndim; d++) {
    const cross_axis *a = &m->axis[axis_along(m, d)];
    int64_t first[2], count[2];
    range_of(m, d, false, &first[0], &count[0]);
    range_of(m, d, true, &first[1], &count[1]);
    const DMBoundaryType want = cross_is_periodic(a) ? DM_BOUNDARY_PERIODIC
                                : a->margin[0] > 0   ? DM_BOUNDARY_GHOSTED
                                                     : DM_BOUNDARY_NONE;
    same =
        same && size[d] == a->size - a->margin[0] - a->margin[1] && procs[d] == a->procs && outer[d] == want;
    same = same && o[d] == first[0] && n[d] == count[0] && g[d] == first[1] && gn[d] == count[1];
  }
  return EXPECT_MSG(same, "the DMDA has another size, grid, range, width, stencil or boundary");
}

/* Calls visit for each entry of a vector, in its order: component by component, x first. */
typedef void visitor(const trial *t, const int64_t e[4], const cross_place *place, PetscScalar *at);

static void visit(const trial *t, Vec vector, bool local, visitor *work)
{
  const cross_model *m = &t->m;
  int64_t first[3], count[3], entries = m->c.dof, e[4] = {0};
  PetscInt has = 0;
  PetscScalar *memory;
  for (int d = 0; d < 3; d++) {
    range_of(m, d, local, &first[d], &count[d]);
    entries *= count[d];
  }
  EXPECT(!VecGetLocalSize(vector, &has));
  if (!EXPECT_INT(has, entries)) return;
  EXPECT(!VecGetArray(vector, &memory));
  for (int64_t i = 0; i < entries; i++) {
    int64_t rest = i / m->c.dof;
    if (m->c.dof > 1) e[m->c.grid_ndim] = i % m->c.dof;
    for (int d = 0; d < m->c.grid_ndim; d++) {
      const int k = axis_along(m, d);
      e[k] = first[d] + rest % count[d] + m->axis[k].margin[0];
      rest /= count[d];
    }
    const cross_place place = cross_at(m, e);
    work(t, e, &place, &memory[i]);
  }
  EXPECT(!VecRestoreArray(vector, &memory));
}

/* As get left it: a copy has all elements, a shared buffer what was in it. */
static PetscScalar as_got(const trial *t, const cross_place *place)
{
  return t->field.shared_local && !place->mine ? poison() : scalar(place->index, BEFORE);
}

static void is_got(const trial *t, const int64_t e[4], const cross_place *place, PetscScalar *at)
{
  check("the local vector after get", e, *at, as_got(t, place));
}

static void is_point(const trial *t, const int64_t e[4], const cross_place *place, PetscScalar *at)
{
  (void)t;
  check("the global vector after get", e, *at, scalar(place->index, BEFORE));
}

/* PETSc fills all but what lies outside the grid and, of a STAR stencil, the corners. */
static void is_updated(const trial *t, const int64_t e[4], const cross_place *place, PetscScalar *at)
{
  const bool filled = !place->outside && !(t->m.c.star && place->beyond > 1);
  if (!filled) seen.untouched++;
  check("the local vector after DMGlobalToLocal()", e, *at,
        filled ? scalar(place->index, BEFORE) : as_got(t, place));
}

static void set_point(const trial *t, const int64_t e[4], const cross_place *place, PetscScalar *at)
{
  (void)t, (void)e;
  *at = scalar(place->index, AFTER);
}

/* ---- shared or not ------------------------------------------------------------------------------------ */

/* All buffers have just the ghost points of the stencil, but where a period has none at its ends. The degrees
 * of freedom of a point lie apart in F order. */
static bool local_can_be_shared(const cross_model *m)
{
  if (m->c.fortran && m->c.dof > 1) return false;
  return m->c.edge != EDGE_BARE || m->stencil == 0;
}

/* No padding but along the slowest axis. */
static bool global_can_be_shared(const cross_model *m)
{
  if (m->c.fortran && m->c.dof > 1) return false;
  for (int d = 0; d < m->c.grid_ndim - 1; d++) {
    const cross_axis *a = &m->axis[axis_along(m, d)];
    const bool padded_ends = a->edge == EDGE_WRAPS || a->margin[0] > 0;
    if (m->c.width > 0 && (a->procs > 1 || padded_ends)) return false;
  }
  return true;
}

static void check_verdicts(const trial *t)
{
  const dap_petsc_field *f = &t->field;
  const bool local = !t->m.c.copy && local_can_be_shared(&t->m);
  const bool global = !t->m.c.copy && global_can_be_shared(&t->m);
  EXPECT_MSG(f->shared_local == local, "local: %s: %s", f->shared_local ? "shared" : "moved",
             f->reason_local);
  EXPECT_MSG(f->shared_global == global, "global: %s: %s", f->shared_global ? "shared" : "moved",
             f->reason_global);
  seen.local_shared += local;
  seen.global_shared += global;
  seen.both_shared += local && global;
}

/* ---- all together ------------------------------------------------------------------------------------- */

static void solve(trial *t)
{
  const dap_petsc_field *f = &t->field;
  check_verdicts(t);
  if (!check_dm(t)) return;
  visit(t, f->local, true, is_got);
  visit(t, f->global, false, is_point);
  EXPECT(!DMGlobalToLocal(f->dm, f->global, INSERT_VALUES, f->local));
  visit(t, f->local, true, is_updated);
  visit(t, f->global, false, set_point);
}

static void try_combination(int number)
{
  const combination c = combination_of(number);
  char words[200];
  dap_error err;
  combination_words(&c, words, sizeof words);
  TEST_CASE("DAP_TEST_COMBINATION=%d: %s", number, words);
  trial t = {.m = cross_lay(&c)};
  t.layout = cross_layout(&t.m);
  make_array(&t);
  if (!t.layout || !EXPECT(t.array.data != NULL)) return;
  fill_array(&t);
  const dap_petsc_field_options options = cross_options(&t.m);
  const dap_status s = dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){t.layout, &t.array}, DAP_READ_WRITE,
                                           &options, &t.field, &err);
  if (EXPECT_OK(s, &err)) {
    solve(&t);
    EXPECT_OK(dap_petsc_field_restore(&t.field, &err), &err);
    check_array(&t);
  }
  free(t.array.data);
  dap_layout_destroy(&t.layout);
  seen.combinations++;
}

/* The one combination that is asked for, or -1. */
static int alone(void)
{
  const char *text = getenv("DAP_TEST_COMBINATION");
  return text ? (int)strtol(text, NULL, 10) : -1;
}

/* Each more rank has to wait for its share of the cores: on more than two a combination is either shared or
 * copied, half of those of each choice so, half the other way. */
enum { FEW_RANKS = 2 };

static bool is_left_out(int number)
{
  const combination c = combination_of(number);
  const int sum = c.grid_ndim + (int)c.edge + (int)c.width + c.dof + c.fortran + c.irregular + c.star;
  return test_nprocs() > FEW_RANKS && sum % 2 != c.copy;
}

/* The loops were not empty, nor were the fields. */
static void check_seen(void)
{
  enum { ALL = 3456 };
  const int64_t parts = stride() * (test_nprocs() > FEW_RANKS ? 2 : 1);
  EXPECT_INT(combination_count(), ALL);
  EXPECT_MSG(seen.combinations > ALL / parts - 40, "%d combinations", (int)seen.combinations);
  EXPECT_MSG(seen.local_shared > 800 / parts, "%d local vectors shared", (int)seen.local_shared);
  EXPECT_MSG(seen.global_shared > 450 / parts, "%d global vectors shared", (int)seen.global_shared);
  EXPECT_MSG(seen.both_shared > 400 / parts, "%d both shared", (int)seen.both_shared);
  EXPECT_MSG(seen.elements > 2000000 / parts, "%d elements", (int)seen.elements);
  EXPECT_MSG(seen.untouched > 40000 / parts, "%d ghosts not filled", (int)seen.untouched);
  print_message("%d combinations: %d local, %d global vectors shared, %d both; rank 0 checked %d elements\n",
                (int)seen.combinations, (int)seen.local_shared, (int)seen.global_shared,
                (int)seen.both_shared, (int)seen.elements);
}

static void all_combinations(void **state)
{
  (void)state;
  const int only = alone();
  if (only >= 0) try_combination(only);
  for (int number = test_nprocs() % stride(); number < combination_count() && only < 0; number += stride()) {
    if (is_left_out(number)) continue;
    try_combination(number);
    SETTLE();
  }
  if (only < 0) check_seen();
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),
    cmocka_unit_test(all_combinations),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)

/* Tests reverse halo updates of fields in the caller's buffer. Every point and every ghost point is
 * compared with the result of PETSc's DMLocalToGlobal(ADD_VALUES) for a local vector with the same values.
 * A field that is not shared is compared with a shared twin. */
#include "live.h"

#define STRIPPED .strip_periodic = true
#define GHOSTED .boundary = DM_BOUNDARY_GHOSTED

/* Arrays whose padding is exactly the ghost points of the DMDA. */
/* clang-format off */
static const live_row rows[] = {
  {.layout = {"1-D", 1, {17}, .halo = {1}}},
  {.layout = {"1-D, round the period", 1, {35}, .halo = {2}, .wraps = {true}}},
  {{"1-D, stripped", 1, {35}, .halo = {2}, .boundary = {{2, 2}}, .periodic = {true}}, .options = {STRIPPED}},
  {{"1-D, ghost points outside", 1, {35}, .halo = {1}, .boundary = {{1, 1}}}, .options = {GHOSTED}},
  {.layout = {"2-D, blocks: corners", 2, {11, 13}, .halo = {1, 1}}},
  {{"2-D, ghost points outside", 2, {13, 15}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}}},
   .options = {GHOSTED}},
  {.layout = {"2-D, round both periods", 2, {11, 13}, .halo = {1, 1}, .wraps = {true, true}}},
  {{"2-D, stripped both ways", 2, {15, 17}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}},
   .periodic = {true, true}}, .options = {STRIPPED}},
  {{"2-D, stripped, F order", 2, {15, 17}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}},
   .periodic = {true, true}}, .form = FORM_F, .options = {STRIPPED}},
  {{"2-D, stripped one way, ghost points outside the other", 2, {15, 17}, .halo = {1, 1},
   .boundary = {{1, 1}, {1, 1}}, .periodic = {false, true}}, .options = {STRIPPED, GHOSTED}},
  {{"2-D, 2 components, round both periods", 3, {11, 13, 2}, FIRST_AXIS | SECOND_AXIS, .halo = {1, 1},
   .wraps = {true, true}}, .options = {.dof_axes = 1}},
  {{"2-D, 3 components, stripped", 3, {15, 17, 3}, FIRST_AXIS | SECOND_AXIS, .halo = {1, 1},
   .boundary = {{1, 1}, {1, 1}}, .periodic = {true, true}}, .options = {.dof_axes = 1, STRIPPED}},
  {{"2-D, star stencil, round both periods", 2, {13, 15}, .halo = {2, 2}, .wraps = {true, true}},
   .options = {.star = true}},
  {.layout = {"2-D, ranks in another order", 2, {11, 13}, .halo = {1, 1}, .shuffled = true}},
  {.layout = {"3-D, round all periods", 3, {7, 6, 5}, .halo = {1, 1, 1}, .wraps = {true, true, true}}},
  {{"3-D, stripped all ways", 3, {9, 7, 6}, .halo = {1, 1, 1}, .boundary = {{1, 1}, {1, 1}, {1, 1}},
   .periodic = {true, true, true}}, .options = {STRIPPED}},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0] };

static void end(live *a)
{
  EXPECT_OK(dap_petsc_field_discard(&a->field, NULL), NULL);
  live_free(a);
}

/* ---- sums by PETSc ------------------------------------------------------------------------------------- */

typedef struct oracle {
  DM filler; /* the padding also has corners that a star stencil leaves out */
  Vec local, global;
} oracle;

/* Returns the field's DMDA, or one like it with a box stencil. */
static DM filler_of(DM dm)
{
  PetscInt size[2], procs[2], dof, width;
  const PetscInt *x = NULL, *y = NULL;
  DMBoundaryType bx, by;
  DMDAStencilType stencil;
  DM box = dm;
  EXPECT(!DMDAGetInfo(dm, NULL, &size[0], &size[1], NULL, &procs[0], &procs[1], NULL, &dof, &width, &bx, &by,
                      NULL, &stencil));
  if (stencil == DMDA_STENCIL_BOX) {
    EXPECT(!PetscObjectReference((PetscObject)dm));
    return dm;
  }
  EXPECT(!DMDAGetOwnershipRanges(dm, &x, &y, NULL));
  EXPECT(!DMDACreate2d(PetscObjectComm((PetscObject)dm), bx, by, DMDA_STENCIL_BOX, size[0], size[1], procs[0],
                       procs[1], dof, width, x, y, &box));
  EXPECT(!DMSetUp(box));
  return box;
}

static oracle oracle_make(DM dm)
{
  oracle o = {.filler = filler_of(dm)};
  EXPECT(!DMCreateLocalVector(dm, &o.local) && !DMCreateGlobalVector(dm, &o.global));
  return o;
}

static void oracle_free(oracle *o)
{
  EXPECT(!VecDestroy(&o->local) && !VecDestroy(&o->global) && !DMDestroy(&o->filler));
}

static void sum(const live *a, const oracle *o, dap_padding padding)
{
  Vec zero;
  EXPECT(!VecZeroEntries(o->global) && !VecDuplicate(o->global, &zero) && !VecZeroEntries(zero));
  EXPECT(!DMLocalToGlobalBegin(a->field.dm, o->local, ADD_VALUES, o->global));
  EXPECT(!DMLocalToGlobalEnd(a->field.dm, o->local, ADD_VALUES, o->global));
  Vec from = padding == DAP_PADDING_CLEAR ? zero : o->global;
  if (padding != DAP_PADDING_KEEP) EXPECT(!DMGlobalToLocal(o->filler, from, INSERT_VALUES, o->local));
  EXPECT(!VecDestroy(&zero));
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* Returns whether a position is in a corner. With a star stencil PETSc does not add corners. */
static bool is_corner(const live *a, const live_place *p)
{
  int pads = 0;
  for (int k = 0; k < a->array.ndim; k++)
    pads += brute_pads(&a->model->model.axes[k], p->walk.coords[k], p->walk.local[k]);
  return a->options.star && pads > 1;
}

/* Writes a small integer to every position, and 0 to corners. Sums of these integers are exact. */
static void fill(const live *a, int salt)
{
  test_random random = {.state = (uint64_t)(test_rank() * 7919 + salt)};
  LIVE_EACH(a, p)
  {
    PetscScalar value = (PetscReal)test_random_int(&random, -50, 50);
#if defined(PETSC_USE_COMPLEX)
    value += PETSC_i * (PetscReal)test_random_int(&random, -50, 50);
#endif
    if (is_corner(a, &p)) value = 0;
    if (a->array.swapped) turn_bytes(scalar_dtype(), &value);
    memcpy(p.at, &value, sizeof value);
  }
}

/* The kinds of positions: a point, a ghost point, or one that does not matter. The last is outside the grid,
 * or is stripped padding that is kept. */
typedef enum place { POINT, GHOST, NO_MATTER } place;

static place place_of(const live *a, const live_place *p, dap_padding padding)
{
  if (p->edge) return NO_MATTER;
  if (p->walk.part == BRUTE_OWNED && !p->stripped) return POINT;
  return padding == DAP_PADDING_KEEP && a->options.strip_periodic ? NO_MATTER : GHOST;
}

/* Compares the buffer, which is the local vector. Points are in the order of the global vector. */
static void check(const live *a, const oracle *o, dap_padding padding)
{
  const PetscScalar *ghosts = NULL, *points = NULL, *memory = a->array.data;
  const int64_t count = dap_array_count(&a->array);
  place *places = malloc((size_t)count * sizeof *places + 1);
  LIVE_EACH(a, p) places[(const PetscScalar *)(const void *)p.at - memory] = place_of(a, &p, padding);
  EXPECT(!VecGetArrayRead(o->local, &ghosts) && !VecGetArrayRead(o->global, &points));
  for (int64_t i = 0, point = 0; i < count; i++) {
    const PetscScalar want = places[i] == POINT ? points[point++] : ghosts[i];
    if (places[i] == NO_MATTER) continue;
    EXPECT_MSG(memory[i] == want, "%s %d: %g, not %g", places[i] == POINT ? "point" : "ghost point", (int)i,
               (double)PetscRealPart(memory[i]), (double)PetscRealPart(want));
  }
  EXPECT(!VecRestoreArrayRead(o->local, &ghosts) && !VecRestoreArrayRead(o->global, &points));
  free(places);
}

/* ---- sums ---------------------------------------------------------------------------------------------- */

/* The second round uses the plans of the first. */
static void try_reverse(live *a, dap_padding padding)
{
  dap_error err;
  oracle o = oracle_make(a->field.dm);
  const int64_t moved = a->field.moved_bytes;
  for (int round = 0; round < 2; round++) {
    const dap_combine combine = round ? DAP_COMBINE_SUM : DAP_COMBINE_NONE;
    live_check_norm(a->field.global); /* so PETSc knows the norm */
    fill(a, round);
    EXPECT(!VecCopy(a->field.local, o.local));
    sum(a, &o, padding);
    if (!EXPECT_OK(dap_petsc_field_halo_reverse(&a->field, combine, padding, &err), &err)) break;
    check(a, &o, padding);
    if (a->field.shared_global) live_check_norm(a->field.global);
    EXPECT_INT(a->field.moved_bytes, moved);
  }
  oracle_free(&o);
}

static void sums(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    live a;
    TEST_CASE("%s", rows[i].layout.why);
    if (live_open(&a, &rows[i], DAP_READ_WRITE) && EXPECT(a.field.shared_local))
      for (int padding = DAP_PADDING_KEEP; padding <= DAP_PADDING_REFRESH; padding++) {
        TEST_CASE("%s; padding %d", rows[i].layout.why, padding);
        try_reverse(&a, (dap_padding)padding);
      }
    end(&a);
    SETTLE();
  }
}

/* ---- copies, and the other byte order ------------------------------------------------------------------ */

/* A shared field and its moved twin must have the same buffers afterwards. Copies in PETSc's memory must not
 * change. */
static void try_twins(live *a, live *b, dap_padding padding)
{
  dap_error err;
  Vec before;
  PetscBool same = PETSC_FALSE;
  EXPECT(!VecDuplicate(b->field.global, &before) && !VecCopy(b->field.global, before));
  fill(a, 3);
  fill(b, 3);
  EXPECT_OK(dap_petsc_field_halo_reverse(&a->field, DAP_COMBINE_SUM, padding, &err), &err);
  EXPECT_OK(dap_petsc_field_halo_reverse(&b->field, DAP_COMBINE_SUM, padding, &err), &err);
  live_place q = live_first(b);
  LIVE_EACH(a, p)
  {
    PetscScalar found, want;
    memcpy(&found, q.at, sizeof found);
    memcpy(&want, p.at, sizeof want);
    if (b->array.swapped) turn_bytes(scalar_dtype(), &found);
    EXPECT_MSG(p.edge || found == want, "element %d differs", (int)p.walk.flat);
    live_next(b, &q);
  }
  EXPECT(!VecEqual(before, b->field.global, &same) && same && !VecDestroy(&before));
}

static void moved_as_shared(void **state)
{
  (void)state;
  static const case_layout ring = {
      "", 2, {15, 17}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}}, .periodic = {true, true}};
  static const live_bytes bytes[] = {NATIVE, SWAPPED, SWAPPED_ON_ODD};
  for (int i = 0; i < 9; i++) {
    const live_row shared = {.layout = ring, .options = {STRIPPED}};
    live_row moved = shared;
    live a, b;
    moved.bytes = bytes[i % 3];
    moved.options.sharing = DAP_SHARE_NEVER;
    TEST_CASE("bytes %d, padding %d", i % 3, i / 3);
    const bool is_shared = live_open(&a, &shared, DAP_READ_WRITE),
               is_moved = live_open(&b, &moved, DAP_READ_WRITE);
    if (is_shared && is_moved) try_twins(&a, &b, (dap_padding)(i / 3));
    end(&a);
    end(&b);
    SETTLE();
  }
}

/* Copies beside a stripped axis are updated, but are not added to each other. */
static void stripped_beside_copies(void **state)
{
  (void)state;
  static const live_row row = {{"copies of a ring",
                                2,
                                {2, 24},
                                .cut = {CUT_COPIES},
                                .halo = {0, 1},
                                .boundary = {{0, 0}, {1, 1}},
                                .periodic = {false, true}},
                               .options = {STRIPPED}};
  live a;
  dap_error err;
  TEST_CASE("%s", row.layout.why);
  if (live_open(&a, &row, DAP_READ_WRITE)) {
    EXPECT_OK(dap_petsc_field_halo(&a.field, &err), &err);
    live_check(&a, BEFORE, BEFORE, BEFORE, PADDING_FILLED);
    const dap_status s = dap_petsc_field_halo_reverse(&a.field, DAP_COMBINE_SUM, DAP_PADDING_REFRESH, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, test_nprocs() > 1 ? DAP_ERR_UNSUPPORTED : DAP_OK,
                      "axis 0|replicated");
    if (s) live_check(&a, BEFORE, BEFORE, BEFORE, PADDING_FILLED);
  }
  end(&a);
  SETTLE();
}

/* ---- plans are kept ------------------------------------------------------------------------------------ */

static int plans_made(live *a, dap_combine combine, dap_padding padding)
{
  int plans = 0;
  dap_error err;
  live_count_lines(&plans, "plan: sends");
  EXPECT_OK(dap_petsc_field_halo_reverse(&a->field, combine, padding, &err), &err);
  live_count_lines(NULL, NULL);
  return plans;
}

/* Plans are kept for the view, and for later views on its DMDA. */
static void keeps_plans(void **state)
{
  (void)state;
  static const live_row kept[] = {
      {.layout = {"padding", 2, {11, 13}, .halo = {1, 1}}},
      {{"stripped", 2, {15, 17}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}}, .periodic = {true, true}},
       .options = {STRIPPED}}};
  for (int i = 0; i < 2; i++) {
    live a, again;
    TEST_CASE("%s", kept[i].layout.why);
    if (live_open(&a, &kept[i], DAP_READ_WRITE)) {
      EXPECT_INT(plans_made(&a, DAP_COMBINE_SUM, DAP_PADDING_CLEAR), i ? 5 : 1);
      EXPECT_INT(plans_made(&a, DAP_COMBINE_NONE, DAP_PADDING_CLEAR), 0);
      /* A new plan is needed for the second pass, or for keeping padding. */
      EXPECT_INT(plans_made(&a, DAP_COMBINE_SUM, DAP_PADDING_REFRESH), i || test_nprocs() == 1 ? 1 : 2);
      EXPECT_INT(plans_made(&a, DAP_COMBINE_SUM, DAP_PADDING_KEEP), i ? 0 : 1);
      live_row row = kept[i];
      row.options.dm = a.field.dm;
      if (live_open(&again, &row, DAP_READ_WRITE)) {
        EXPECT_INT(plans_made(&again, DAP_COMBINE_SUM, DAP_PADDING_CLEAR), 0);
        EXPECT_INT(plans_made(&again, DAP_COMBINE_SUM, DAP_PADDING_REFRESH), 0);
      }
      end(&again);
    }
    end(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),    cmocka_unit_test(sums),
    cmocka_unit_test(moved_as_shared), cmocka_unit_test(stripped_beside_copies),
    cmocka_unit_test(keeps_plans),     cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)

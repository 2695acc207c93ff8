/* Tests load, store and halo of live views. After each call, every element of both sides is compared with
 * the expected value. */
#include "live.h"

#define GHOSTED .boundary = DM_BOUNDARY_GHOSTED
#define STRIPPED .strip_periodic = true
#define NEVER .sharing = DAP_SHARE_NEVER

/* clang-format off */
static const live_row rows[] = {
  {.layout = {"shared, both in one memory", 1, {17}, .halo = {1}}},
  {.layout = {"shared, planes", 2, {11, 13}, .halo = {1, 1}}},
  {{"moved, as asked for", 2, {11, 13}, .halo = {1, 1}}, .options = {NEVER}},
  {{"the global one shared alone: no padding", 2, .size = {19, 5}, FIRST_AXIS}, .options = {.width = 1}},
  {.layout = {"the local one shared alone", 2, {5, 19}, SECOND_AXIS, .halo = {0, 1}}},
  {.layout = {"moved, padding of one axis only", 2, {13, 19}, .halo = {2}}},
  {{"moved, axes in a random order", 3, {7, 6, 8}, .halo = {1, 1, 1}}, .form = FORM_PERMUTED},
  {{"swapped, a window, components", 3, {11, 13, 2}, FIRST_AXIS | SECOND_AXIS, .halo = {1, 1}},
   .form = FORM_WINDOW, .bytes = SWAPPED, .options = {.dof_axes = 1}},
  {{"narrow and swapped, F order", 2, {11, 13}, .halo = {1, 1}}, .form = FORM_F, .bytes = NARROW | SWAPPED},
  {{"boundary ghost points, moved", 2, {13, 15}, .halo = {1, 1}, .boundary = {{1, 0}, {0, 1}}},
   .options = {GHOSTED, .width = 2}},
  {{"boundary ghost points, swapped", 2, {13, 15}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}}},
   .bytes = SWAPPED, .options = {GHOSTED}},
  {{"stripped both ways, other widths each side", 2, {17, 19}, .halo = {1, 2}, .boundary = {{1, 2}, {2, 1}},
   .periodic = {true, true}}, .options = {STRIPPED}},
  {{"stripped, swapped", 2, {15, 17}, .halo = {1, 1}, .boundary = {{1, 1}}, .periodic = {true}},
   .bytes = SWAPPED, .options = {STRIPPED}},
  {{"stripped one way, ghost points the other", 2, {15, 17}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}},
   .periodic = {true}}, .options = {GHOSTED, STRIPPED}},
  {.layout = {"padding that wraps, shared", 2, {13, 15}, .halo = {1, 1}, .wraps = {true, true}}},
  {{"three axes, stripped, moved", 3, {9, 8, 10}, .halo = {1, 1, 1}, .boundary = {{1, 1}, {1, 1}, {1, 1}},
   .periodic = {true, true, true}}, .options = {STRIPPED, NEVER}},
  {.layout = {"a section that some have", 3, {6, 13, 5}, FIRST_AXIS | SECOND_AXIS, .halo = {0, 1}}, DEPENDS,
   DEPENDS, NULL, 2, {1, 2}, {3}},
  {{"a section that some have, swapped", 3, {6, 13, 5}, FIRST_AXIS | SECOND_AXIS, .halo = {0, 1},
   .boundary = {{0, 0}, {1, 1}}, .periodic = {false, true}}, DEPENDS, DEPENDS, NULL, 2, {1, 2}, {3},
   .bytes = SWAPPED, .options = {STRIPPED}},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0] };

static bool begin(live *a, const char *what, const live_row *row, dap_access access, unsigned vectors)
{
  dap_error err;
  TEST_CASE("%s; %s, vectors %u", row->layout.why, what, vectors);
  live_make_row(a, row);
  a->options.vectors = vectors;
  return EXPECT_OK(live_get(a, access, &err), &err);
}

static void end(live *a)
{
  live_restore(a);
  live_free(a);
  SETTLE();
}

/* ---- load -------------------------------------------------------------------------------------------- */

static void check_loaded(const live *a, int64_t shift)
{
  if (!a->field.dm) return;
  live_check_vectors(a, shift);
  live_check_norm(a->field.global);
}

static void load(const live_row *row, dap_access access, unsigned vectors)
{
  live a;
  dap_error err;
  if (!begin(&a, "load", row, access, vectors)) return;
  check_loaded(&a, BEFORE);
  const int64_t first = a.field.moved_bytes;
  for (int round = 1; round <= 2; round++) {
    const int64_t shift = round * AFTER;
    live_fill(&a, shift);
    EXPECT_OK(dap_petsc_field_load(&a.field, &err), &err);
    check_loaded(&a, shift);
    EXPECT_INT(a.field.moved_bytes, (1 + round) * first); /* as many bytes as get() moved */
    if (access == DAP_READ) live_check(&a, shift, BEFORE, shift, PADDING_POISON);
  }
  live_restore(&a);
  EXPECT(access != DAP_READ || a.field.moved_bytes == 3 * first);
  live_free(&a);
  SETTLE();
}

static void loads(void **state)
{
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    load(&rows[i], DAP_READ, BOTH);
    load(&rows[i], DAP_READ_WRITE, BOTH);
    load(&rows[i], DAP_READ, DAP_PETSC_GLOBAL);
    load(&rows[i], DAP_READ_WRITE, DAP_PETSC_LOCAL);
  }
}

/* ---- store ------------------------------------------------------------------------------------------- */

static void store(const live_row *row, dap_access access, unsigned vectors)
{
  live a;
  dap_error err;
  if (!begin(&a, "store", row, access, vectors)) return;
  for (int round = 1; round <= 2; round++) {
    const int64_t shift = round * AFTER, edges = vectors & DAP_PETSC_LOCAL ? shift : BEFORE;
    live_solve(&a, shift);
    EXPECT_OK(dap_petsc_field_store(&a.field, &err), &err);
    live_check(&a, shift, BEFORE, edges, PADDING_FILLED);
    live_check_norm(a.field.global);
    if (a.field.local && !a.field.shared_local && a.field.global) /* a copy keeps what it had */
      live_check_vector(&a, a.field.local, false, GARBAGE);
    if (a.field.local && a.field.shared_local) /* ghost points are the buffer's padding */
      live_check_vector(&a, a.field.local, true, shift);
  }
  end(&a);
}

static void stores(void **state)
{
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    store(&rows[i], DAP_READ_WRITE, BOTH);
    store(&rows[i], DAP_WRITE, BOTH);
    store(&rows[i], DAP_WRITE, DAP_PETSC_GLOBAL);
    store(&rows[i], DAP_READ_WRITE, DAP_PETSC_LOCAL);
  }
}

/* ---- halo -------------------------------------------------------------------------------------------- */

static void halo(const live_row *row, dap_access access, unsigned vectors)
{
  live a;
  dap_error err;
  if (!begin(&a, "halo", row, access, vectors)) return;
  const int64_t first = a.field.moved_bytes;
  for (int round = 1; round <= 2; round++) {
    const int64_t shift = round * AFTER;
    live_fill(&a, shift);
    EXPECT_OK(dap_petsc_field_halo(&a.field, &err), &err);
    EXPECT_INT(a.field.moved_bytes, first);
    live_check(&a, shift, BEFORE, shift, PADDING_FILLED);
    if (!a.field.dm) continue;
    /* Copies stay as get left them. A vector that shares the buffer has the buffer's values, also in ghost
     * points. */
    if (access & DAP_READ || a.field.shared_global)
      live_check_vector(&a, a.field.global, false, a.field.shared_global ? shift : BEFORE);
    if (access & DAP_READ || a.field.shared_local)
      live_check_vector(&a, a.field.local, true, a.field.shared_local ? shift : BEFORE);
    if (a.field.shared_global) live_check_norm(a.field.global);
  }
  /* In the end the vectors' values replace those of the buffer. */
  live_solve(&a, LATER + AFTER);
  live_restore(&a);
  live_check(&a, LATER + AFTER, BEFORE, vectors & DAP_PETSC_LOCAL ? LATER + AFTER : LATER, PADDING_FILLED);
  live_free(&a);
  SETTLE();
}

static void halos(void **state)
{
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    halo(&rows[i], DAP_READ_WRITE, BOTH);
    halo(&rows[i], DAP_WRITE, DAP_PETSC_LOCAL);
    halo(&rows[i], DAP_READ_WRITE, DAP_PETSC_GLOBAL);
  }
}

/* ---- discard ----------------------------------------------------------------------------------------- */

/* Discarding a view loses what was written to copies, and fills no padding. */
static void discards(void **state)
{
  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    live a;
    dap_error err;
    live_row row = rows[i];
    row.options.sharing = DAP_SHARE_NEVER;
    if (!begin(&a, "discard", &row, DAP_READ_WRITE, BOTH)) continue;
    const int64_t moved = a.field.moved_bytes;
    live_solve(&a, AFTER);
    EXPECT_OK(dap_petsc_field_discard(&a.field, &err), &err);
    EXPECT(!a.field.dm && !a.field.global && !a.field.local && !a.field.handle.view);
    EXPECT(a.field.moved_bytes == moved && a.field.reason_local[0]);
    live_check(&a, BEFORE, BEFORE, BEFORE, PADDING_POISON);
    EXPECT_OK(dap_petsc_field_discard(&a.field, &err), &err);
    live_free(&a);
    SETTLE();
  }
}

/* ---- padding that only dictionaries can say ---------------------------------------------------------- */

enum { COLUMNS = 5, OWN = 4 /* rows of each process */ };

/* Makes an array whose rows are spread over all processes. Below rank r the halo is 1 + r % 3 wide on both
 * sides of the interface. */
static dap_array uneven(void)
{
  const int rank = test_rank(), procs = test_nprocs();
  const int64_t low = rank == 0 ? 0 : 1 + (rank % 3), high = rank == procs - 1 ? 0 : 1 + ((rank + 1) % 3);
  dap_array array = {.abi = DAP_ARRAY_ABI,
                     .version = "0.10.0",
                     .dim_count = 2,
                     .ndim = 2,
                     .dtype = scalar_dtype(),
                     .shape = {OWN + low + high, COLUMNS},
                     .strides = {COLUMNS * (int64_t)sizeof(PetscScalar), (int64_t)sizeof(PetscScalar)}};
  array.dims[0] = (dap_dim){.dist_type = 'b',
                            .size = OWN * procs,
                            .proc_grid_size = procs,
                            .proc_grid_rank = rank,
                            .start = OWN * rank - low,
                            .stop = OWN * rank + OWN + high,
                            .padding = {low, high}};
  array.dims[1] = (dap_dim){.dist_type = 'b', .size = COLUMNS, .proc_grid_size = 1, .stop = COLUMNS};
  return array;
}

/* Writes owned elements, or checks all elements and the padding. */
static void visit_uneven(const dap_array *array, bool writes, int64_t shift)
{
  PetscScalar *at = array->data;
  for (int64_t i = 0; i < array->shape[0] * COLUMNS; i++) {
    const int64_t row = array->dims[0].start + i / COLUMNS;
    PetscScalar value;
    value_of(scalar_dtype(), row * COLUMNS + i % COLUMNS + shift, &value);
    if (!writes) EXPECT_MSG(at[i] == value, "row %d is not of shift %d", (int)row, (int)shift);
    if (writes && row / OWN == test_rank()) at[i] = value;
  }
}

static void interfaces_of_any_width(void **state)
{
  (void)state;
  PetscScalar memory[(OWN + 6) * COLUMNS] = {0};
  dap_array array = uneven();
  dap_layout *layout = NULL;
  dap_petsc_field field;
  dap_error err;
  array.data = memory;
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &array, &layout, &err), &err);
  const dap_darray whole = {layout, &array};
  if (EXPECT_OK(dap_petsc_field_get(MPI_COMM_WORLD, whole, DAP_READ_WRITE, NULL, &field, &err), &err)) {
    EXPECT(field.shared_global && (field.shared_local == (test_nprocs() <= 2)));
    visit_uneven(&array, true, AFTER);
    EXPECT_OK(dap_petsc_field_halo(&field, &err), &err);
    visit_uneven(&array, false, AFTER);
    EXPECT_OK(dap_petsc_field_load(&field, &err), &err);
    visit_uneven(&array, true, LATER);
    live_check_norm(field.local);
    EXPECT_OK(dap_petsc_field_store(&field, &err), &err);
    visit_uneven(&array, false, LATER);
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
    visit_uneven(&array, false, LATER);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- what is the caller's ---------------------------------------------------------------------------- */

/* Boundary ghost points stay as the caller wrote them if the requested vectors do not have them. This must
 * also hold where the library works on a copy. */
static void leaves_edges_alone(void **state)
{
  (void)state;
  static const live_bytes bytes[] = {NATIVE, SWAPPED, NARROW};
  for (int i = 0; i < 3; i++) {
    const live_row row = {{"edges", 2, {13, 15}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}}},
                          .bytes = bytes[i],
                          .options = {GHOSTED}};
    live a;
    dap_error err;
    if (!begin(&a, "bytes", &row, DAP_WRITE, DAP_PETSC_GLOBAL)) continue;
    live_fill(&a, LATER);
    live_solve(&a, AFTER);
    EXPECT_OK(dap_petsc_field_store(&a.field, &err), &err);
    live_check(&a, AFTER, BEFORE, LATER, PADDING_FILLED);
    live_fill(&a, BEFORE);
    live_solve(&a, AFTER);
    live_restore(&a);
    live_check(&a, AFTER, BEFORE, BEFORE, PADDING_FILLED);
    live_free(&a);
    SETTLE();
  }
}

/* ---- refusals ---------------------------------------------------------------------------------------- */

typedef dap_status (*call)(dap_petsc_field *field, dap_error *err);

static void refuses_what_is_not_live(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    call call;
    dap_access access; /* does not suffice for the call */
    const char *parts;
  } calls[] = {{"load", dap_petsc_field_load, DAP_WRITE, "DAP_READ"},
               {"store", dap_petsc_field_store, DAP_READ, "DAP_WRITE"},
               {"halo", dap_petsc_field_halo, DAP_READ, "DAP_WRITE"}};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
    for (size_t r = 0; r < ROWS; r += ROWS - 1) { /* a whole array, and a section */
      live a;
      dap_error err;
      dap_petsc_field none = {0};
      if (!begin(&a, calls[i].why, &rows[r], calls[i].access, BOTH)) continue;
      EXPECT_FAIL(calls[i].call(NULL, &err), DAP_ERR_ARG, &err, "NULL");
      EXPECT_STATUS(calls[i].call(NULL, NULL), DAP_ERR_ARG, NULL);
      EXPECT_FAIL(calls[i].call(&none, &err), DAP_ERR_ARG, &err, "not a live view");
      EXPECT_FAIL(calls[i].call(&a.field, &err), DAP_ERR_ARG, &err, calls[i].parts);
      live_restore(&a);
      EXPECT_FAIL(calls[i].call(&a.field, &err), DAP_ERR_ARG, &err, "not a live view");
      live_free(&a);
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(loads),
    cmocka_unit_test(stores),
    cmocka_unit_test(halos),
    cmocka_unit_test(discards),
    cmocka_unit_test(interfaces_of_any_width),
    cmocka_unit_test(leaves_edges_alone),
    cmocka_unit_test(refuses_what_is_not_live),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)

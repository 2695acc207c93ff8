/* Where programs that call PETSc themselves come to grief, and the adapter must not: ranges narrower than the
 * stencil, periods on one process, several builds of PETSc. */
#include <dapbridge/petsc_vector.h>

#include "traps.h"

/* ---- trap 4: one range is narrower than the stencil -------------------------------------------------- */

/* PETSc raises this on that process alone, and the others wait for it. */
static void trap_4_one_narrow_range_is_everybodys(void **state)
{
  (void)state;
  enum { WIDTH = 2, MOST = 32 };
  const int procs = test_nprocs();
  if (procs == 1 || procs > MOST) return;
  for (int narrow = 0; narrow < procs; narrow++) {
    dap_layout *layout;
    dap_array array;
    dap_petsc_field field;
    dap_error err;
    int64_t lengths[MOST], size = 0;
    char place[64];
    for (int c = 0; c < procs; c++) size += lengths[c] = c == narrow ? WIDTH - 1 : WIDTH + 2;
    TEST_CASE("process %d", narrow);
    (void)snprintf(place, sizeof place, "axis 0: proc_grid_rank %d has 1 of %d points", narrow, (int)size);
    traps_make(dap_dist_lengths(size, procs, lengths), dap_dist_even(5, 1), DAP_ORDER_C, &layout, &array);
    const dap_petsc_field_options options = {.width = WIDTH},
                                  share = {.width = WIDTH, .sharing = DAP_SHARE_OR_FAIL};
    expect_same_error(MPI_COMM_WORLD, traps_get(layout, &array, &share, &field, &err), &err, DAP_ERR_SHARE,
                      place);
    EXPECT_OK(traps_get(layout, &array, &options, &field, &err), &err);
    EXPECT(!field.shared_local && !field.shared_global);
    EXPECT_MSG(strstr(field.reason_local, place) && strstr(field.reason_local, "stencil width 2"), "%s",
               field.reason_local);
    EXPECT_MSG(strcmp(field.reason_local, field.reason_global) == 0, "%s", field.reason_global);
    PetscInt width = 0, n = 0;
    EXPECT(!DMDAGetStencilWidth(field.dm, &width) &&
           !DMDAGetCorners(field.dm, NULL, NULL, NULL, NULL, &n, NULL));
    EXPECT_INT(width, WIDTH);
    EXPECT(n >= WIDTH);
    EXPECT(!VecScale(field.global, 1));
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
    check_global(layout, test_rank(), &array, PADDING_FILLED);
    traps_drop(&layout, &array);
    SETTLE();
  }
}

/* ---- trap 5: a period on one process ----------------------------------------------------------------- */

/* PETSc does not move the points of a local vector to a global one there. */
static void expect_refusal(const dap_petsc_field *field)
{
  Vec global;
  EXPECT(!DMCreateGlobalVector(field->dm, &global));
  EXPECT(!PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  EXPECT_MSG(DMLocalToGlobalBegin(field->dm, field->local, INSERT_VALUES, global) != 0,
             "PETSc can do that now");
  EXPECT(!PetscPopErrorHandler() && !VecDestroy(&global));
}

static void expect_tripled(PetscScalar *at, const int64_t global[2], bool owned, void *context)
{
  const int64_t *sizes = context, i = global[0],
                j = (global[1] + sizes[1]) % sizes[1]; /* the halo wraps round */
  PetscScalar want;
  value_of(scalar_dtype(), i * sizes[1] + j, &want);
  EXPECT_MSG(*at == 3 * want, "element (%d %d), owned %d, is %g, not 3 times %g", (int)global[0],
             (int)global[1], owned, (double)PetscRealPart(*at), (double)PetscRealPart(want));
}

static void trap_5_periods_on_one_process_are_written_back(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    int64_t sizes[2] = {4 * test_nprocs(), 5};
    dap_dist columns = dap_dist_padded(sizes[1], 1, 1);
    dap_layout *layout;
    dap_array array;
    dap_petsc_field field;
    dap_error err;
    PetscInt g[2], gn[2], o[2], on[2];
    PetscScalar **u;
    const dap_petsc_field_options options = {
        .width = 1, .vectors = DAP_PETSC_LOCAL, .sharing = i ? DAP_SHARE_NEVER : DAP_SHARE_OR_FAIL};
    TEST_CASE(i ? "a copy" : "shared");
    columns.periodic = columns.wraps = true;
    traps_make(dap_dist_padded(sizes[0], test_nprocs(), 1), columns, DAP_ORDER_C, &layout, &array);
    if (!EXPECT_OK(traps_get(layout, &array, &options, &field, &err), &err)) return;
    expect_refusal(&field);
    EXPECT(!DMDAGetGhostCorners(field.dm, &g[0], &g[1], NULL, &gn[0], &gn[1], NULL));
    EXPECT(!DMDAGetCorners(field.dm, &o[0], &o[1], NULL, &on[0], &on[1], NULL));
    EXPECT(!DMDAVecGetArray(field.dm, field.local, &u));
    for (PetscInt y = g[1]; y < g[1] + gn[1]; y++)
      for (PetscInt x = g[0]; x < g[0] + gn[0]; x++) {
        const bool point = x >= o[0] && x < o[0] + on[0] && y >= o[1] && y < o[1] + on[1];
        u[y][x] = point ? 3 * u[y][x] : -7; /* ghost points count for nothing */
      }
    EXPECT(!DMDAVecRestoreArray(field.dm, field.local, &u));
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
    traps_visit(layout, &array, expect_tripled, sizes);
    traps_drop(&layout, &array);
    SETTLE();
  }
}

/* ---- trap 9: builds of PETSc beside each other ------------------------------------------------------- */

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

/* The headers, the library that is loaded, and the adapter are of one build. */
static void trap_9_one_build_of_petsc(void **state)
{
  (void)state;
  static const char name[] = TEXT(dap_petsc_field_get);
  size_t scalar = 0, integer = 0;
  EXPECT(!PetscDataTypeGetSize(PETSC_SCALAR, &scalar) && !PetscDataTypeGetSize(PETSC_INT, &integer));
  EXPECT_INT(scalar, sizeof(PetscScalar));
  EXPECT_INT(integer, sizeof(PetscInt));
  EXPECT_MSG((strstr(name, "petsc64") != NULL) == (integer == 8), "%s, %zu bytes", name, integer);
  EXPECT_MSG((strstr(name, "complex") != NULL) == (scalar == 2 * sizeof(PetscReal)), "%s, %zu bytes", name,
             scalar);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),
    cmocka_unit_test(trap_4_one_narrow_range_is_everybodys),
    cmocka_unit_test(trap_5_periods_on_one_process_are_written_back),
    cmocka_unit_test(trap_9_one_build_of_petsc),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)

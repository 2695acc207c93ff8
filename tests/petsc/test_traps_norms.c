/* Where programs that call PETSc themselves come to grief, and the adapter must not: PETSc remembers norms,
 * also of memory that others write to. */
#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>

#include "traps.h"

/* ---- trap 3: norms are remembered -------------------------------------------------------------------- */

enum { NORMS = 3 };
static const NormType norms[NORMS] = {NORM_1, NORM_2, NORM_INFINITY};

/* All norms of a vector, twice: the second time PETSc has them. */
static void take_norms(Vec vec, PetscReal taken[NORMS])
{
  for (int i = 0; i < 2 * NORMS; i++) EXPECT(!VecNorm(vec, norms[i % NORMS], &taken[i % NORMS]));
}

/* Those of all elements, by hand. */
static void known_norms(int64_t count, PetscReal known[NORMS])
{
  PetscReal squares = 0;
  known[0] = known[2] = 0;
  for (int64_t i = 0; i < count; i++) {
    PetscScalar value;
    value_of(scalar_dtype(), i, &value);
    const PetscReal size = PetscAbsScalar(value);
    known[0] += size;
    squares += size * size;
    known[2] = size > known[2] ? size : known[2];
  }
  known[1] = PetscSqrtReal(squares);
}

static void expect_norms(Vec vec, const PetscReal before[NORMS], PetscReal factor, const char *when)
{
  PetscReal now[NORMS] = {0};
  take_norms(vec, now); /* norms of several kinds, of a vector that is perhaps quite new */
  for (int i = 0; i < NORMS; i++)
    EXPECT_MSG(PetscAbsReal(now[i] - factor * before[i]) <= 1e-12 * now[i] && now[i] > 0,
               "%s: norm %d is %g, not %g times %g", when, i, (double)now[i], (double)factor,
               (double)before[i]);
}

static void scale(PetscScalar *at, const int64_t global[2], bool owned, void *context)
{
  (void)global, (void)owned;
  *at *= *(const PetscReal *)context;
}

/* The caller tells PETSc of a change. */
static void touch(Vec vec)
{
  PetscScalar *memory;
  EXPECT(!VecGetArray(vec, &memory) && !VecRestoreArray(vec, &memory));
}

/* Changes in the buffer, in PETSc's vectors, and between one view and the next. Global and local vector are
 * one memory where they are shared. */
static void trap_3_norms_of_fields(void **state)
{
  (void)state;
  for (int copy = 0; copy < 2; copy++) {
    dap_layout *layout;
    dap_array array;
    dap_petsc_field field;
    dap_error err;
    PetscReal global[NORMS], local[NORMS], half = 0.5, three = 3;
    const dap_petsc_field_options options = {.sharing = copy ? DAP_SHARE_NEVER : DAP_SHARE_OR_FAIL};
    TEST_CASE(copy ? "a copy" : "shared");
    traps_make(dap_dist_padded(4 * test_nprocs(), test_nprocs(), 1), dap_dist_even(5, 1), DAP_ORDER_C,
               &layout, &array);
    EXPECT_OK(traps_get(layout, &array, &options, &field, &err), &err);
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err); /* the padding is filled now */
    EXPECT_OK(traps_get(layout, &array, &options, &field, &err), &err);
    known_norms(dap_layout_count(layout), global);
    expect_norms(field.global, global, 1, "at first");
    take_norms(field.local, local);
    if (!copy) {
      traps_visit(layout, &array, scale, &three);
      touch(field.global);
      touch(field.local);
      expect_norms(field.global, global, 3, "written behind PETSc's back");
      expect_norms(field.local, local, 3, "written behind PETSc's back");
      traps_visit(layout, &array, scale, &half);
      EXPECT(!VecScale(field.global, 2) &&
             !DMGlobalToLocal(field.dm, field.global, INSERT_VALUES, field.local));
      touch(field.local);
      expect_norms(field.local, local, 3, "written through the other vector");
    } else {
      EXPECT(!VecScale(field.global, 3));
    }
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
    traps_visit(layout, &array, scale, &three);
    EXPECT_OK(traps_get(layout, &array, &options, &field, &err), &err);
    expect_norms(field.global, global, 9, "written between two views");
    expect_norms(field.local, local, 9, "written between two views");
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
    traps_drop(&layout, &array);
    SETTLE();
  }
}

static void trap_3_norms_of_vectors(void **state)
{
  (void)state;
  for (int copy = 0; copy < 2; copy++) {
    dap_layout *layout;
    dap_array array;
    dap_petsc_vector view;
    dap_error err;
    PetscReal before[NORMS], three = 3;
    const dap_petsc_vector_options options = {.sharing = copy ? DAP_SHARE_NEVER : DAP_SHARE_OR_FAIL};
    TEST_CASE(copy ? "a copy" : "shared");
    traps_make(dap_dist_padded(4 * test_nprocs(), test_nprocs(), 1), dap_dist_even(5, 1), DAP_ORDER_C,
               &layout, &array);
    known_norms(dap_layout_count(layout), before);
    for (int round = 0, times = 1; round < 3; round++, times *= 9) {
      const PetscReal factor = times;
      EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ_WRITE, &options,
                                     &view, &err),
                &err);
      expect_norms(view.vec, before, factor, "at first, and written between two views");
      EXPECT(!VecScale(view.vec, 3));
      expect_norms(view.vec, before, 3 * factor, "written by PETSc");
      EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
      traps_visit(layout, &array, scale, &three);
    }
    traps_drop(&layout, &array);
    SETTLE();
  }
}

static void trap_3_norms_of_matrices(void **state)
{
  (void)state;
  static const dap_petsc_form forms[] = {DAP_PETSC_ANY, DAP_PETSC_DENSE, DAP_PETSC_SCALAPACK};
  for (int i = 0; i < 3; i++) {
    dap_layout *layout;
    dap_array array;
    dap_petsc_matrix view;
    dap_error err;
    PetscReal before[NORMS], now = 0, three = 3;
    const dap_petsc_matrix_options options = {.form = forms[i],
                                              .sharing = i == 1 ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE};
    TEST_CASE("form %d", (int)forms[i]);
    traps_make(dap_dist_padded(12 * test_nprocs(), test_nprocs(), 1), dap_dist_even(12 * test_nprocs(), 1),
               DAP_ORDER_F, &layout, &array);
    known_norms(dap_layout_count(layout), before);
    for (int round = 0, times = 1; round < 3; round++, times *= 9) {
      const PetscReal factor = times;
      EXPECT_OK(dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ_WRITE, &options,
                                     &view, &err),
                &err);
      EXPECT(view.shared == (i == 0));
      EXPECT(!MatNorm(view.mat, NORM_FROBENIUS, &now));
      EXPECT_MSG(PetscAbsReal(now - factor * before[1]) <= 1e-12 * now && now > 0, "norm %g", (double)now);
      EXPECT(!MatScale(view.mat, 3) && !MatNorm(view.mat, NORM_FROBENIUS, &now));
      EXPECT_MSG(PetscAbsReal(now - 3 * factor * before[1]) <= 1e-12 * now, "norm %g", (double)now);
      EXPECT_OK(dap_petsc_matrix_restore(&view, &err), &err);
      traps_visit(layout, &array, scale, &three);
    }
    traps_drop(&layout, &array);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),    cmocka_unit_test(trap_3_norms_of_fields),
    cmocka_unit_test(trap_3_norms_of_vectors), cmocka_unit_test(trap_3_norms_of_matrices),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)

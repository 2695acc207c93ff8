/* Where programs that call PETSc themselves come to grief, and the adapter must not: PETSc remembers norms,
 * also of memory that others write to. */
#include "live.h"

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

/* Every position of the buffer. */
static void scale(const live *a, PetscReal factor)
{
  LIVE_EACH(a, p) * (PetscScalar *)(void *)p.at *= factor;
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
    live a;
    dap_error err;
    PetscReal global[NORMS], local[NORMS];
    const dap_dist dists[] = {dap_dist_padded(4 * test_nprocs(), test_nprocs(), 1), dap_dist_even(5, 1)};
    TEST_CASE(copy ? "a copy" : "shared");
    live_make_cut(&a, 2, dists, FORM_C);
    a.options.sharing = copy ? DAP_SHARE_NEVER : DAP_SHARE_OR_FAIL;
    EXPECT_OK(live_get(&a, DAP_READ_WRITE, &err), &err);
    EXPECT_OK(dap_petsc_field_restore(&a.field, &err), &err); /* the padding is filled now */
    EXPECT_OK(live_get(&a, DAP_READ_WRITE, &err), &err);
    known_norms(dap_layout_count(a.layout), global);
    expect_norms(a.field.global, global, 1, "at first");
    take_norms(a.field.local, local);
    if (!copy) {
      scale(&a, 3);
      touch(a.field.global);
      touch(a.field.local);
      expect_norms(a.field.global, global, 3, "written behind PETSc's back");
      expect_norms(a.field.local, local, 3, "written behind PETSc's back");
      scale(&a, 0.5);
      EXPECT(!VecScale(a.field.global, 2) &&
             !DMGlobalToLocal(a.field.dm, a.field.global, INSERT_VALUES, a.field.local));
      touch(a.field.local);
      expect_norms(a.field.local, local, 3, "written through the other vector");
    } else {
      EXPECT(!VecScale(a.field.global, 3));
    }
    EXPECT_OK(dap_petsc_field_restore(&a.field, &err), &err);
    scale(&a, 3);
    EXPECT_OK(live_get(&a, DAP_READ_WRITE, &err), &err);
    expect_norms(a.field.global, global, 9, "written between two views");
    expect_norms(a.field.local, local, 9, "written between two views");
    EXPECT_OK(dap_petsc_field_restore(&a.field, &err), &err);
    live_free(&a);
    SETTLE();
  }
}

static PetscReal known_of(const any_view *v, const PetscReal known[NORMS])
{
  return v->kind == MATRIX ? known[1] : known[0];
}

static PetscReal norm_of(const any_view *v)
{
  PetscReal norm = 0;
  EXPECT(v->kind == MATRIX ? !MatNorm(v->matrix.mat, NORM_FROBENIUS, &norm)
                           : !VecNorm(v->vector.vec, NORM_1, &norm));
  return norm;
}

/* At first, written by PETSc, and written between two views. */
static void trap_3_norms_of_vectors_and_matrices(void **state)
{
  (void)state;
  static const struct {
    any_kind kind;
    dap_sharing sharing;
    dap_petsc_form form;
    bool shared;
  } rows[] = {{VECTOR, DAP_SHARE_OR_FAIL, 0, true},
              {VECTOR, DAP_SHARE_NEVER, 0, false},
              {MATRIX, DAP_SHARE_OR_FAIL, DAP_PETSC_ANY, true},
              {MATRIX, DAP_SHARE_NEVER, DAP_PETSC_DENSE, false},
              {MATRIX, DAP_SHARE_IF_POSSIBLE, DAP_PETSC_SCALAPACK, false}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    live a;
    dap_error err;
    PetscReal known[NORMS], factor = 1;
    any_view v = {.kind = rows[i].kind, .of_matrix = {.form = rows[i].form}};
    any_share(&v, rows[i].sharing);
    TEST_CASE("%s, sharing %d, form %d", any_names[v.kind], rows[i].sharing, rows[i].form);
    const int64_t n = 12 * test_nprocs();
    const dap_dist dists[] = {dap_dist_padded(n, test_nprocs(), 1), dap_dist_even(n, 1)};
    live_make_cut(&a, 2, dists, v.kind == MATRIX ? FORM_F : FORM_C);
    known_norms(dap_layout_count(a.layout), known);
    for (int round = 0; round < 6; round++, factor *= 3) {
      if (round % 2 == 0)
        EXPECT_OK(any_get(MPI_COMM_WORLD, &v, (dap_darray){a.layout, &a.array}, DAP_READ_WRITE, &err), &err);
      EXPECT(any_is_shared(&v) == rows[i].shared);
      const PetscReal now = norm_of(&v), want = factor * known_of(&v, known);
      EXPECT_MSG(PetscAbsReal(now - want) <= 1e-12 * now && now > 0, "round %d: norm %g, not %g", round,
                 (double)now, (double)want);
      if (round % 2 == 0) {
        EXPECT(v.kind == MATRIX ? !MatScale(v.matrix.mat, 3) : !VecScale(v.vector.vec, 3));
      } else {
        EXPECT_OK(any_do(&v, RESTORE, &err), &err);
        scale(&a, 3);
      }
    }
    live_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),
    cmocka_unit_test(trap_3_norms_of_fields),
    cmocka_unit_test(trap_3_norms_of_vectors_and_matrices),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)

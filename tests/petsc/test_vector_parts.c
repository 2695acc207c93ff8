/* Parts of arrays as vectors that live on: loaded, stored, discarded, their padding filled, described. */
#include "part_check.h"

#include <dapbridge/petsc_vector.h>

/* clang-format off */
static const part_row rows[] = {
  {"all of one axis, padded", 1, {37}, {PADDED}, .shared = 1},
  {"all of one cyclic axis", 1, {37}, {DEALT}, .shared = 0},
  {"rows", 2, {24, 5}, {PADDED, WHOLE}, .shared = 1},
  {"a range of rows", 2, {24, 5}, {PADDED, WHOLE}, .start = {3, 0}, .shape = {17, 5}, .shared = 1},
  {"a range of columns", 2, {24, 5}, {BLOCKS, WHOLE}, .start = {0, 1}, .shape = {24, 3}, .shared = 0},
  {"a column in F order", 2, {24, 5}, {PADDED, WHOLE}, FORM_F, 1, {0}, {0, 2}, .shared = 1},
  {"a column in C order", 2, {24, 5}, {PADDED, WHOLE}, FORM_C, 1, {0}, {0, 2}, .shared = 0},
  {"a row, which one process has", 2, {24, 5}, {PADDED, WHOLE}, FORM_C, 1, {1}, {23, 0}, .shared = 1},
  {"a column of a grid of processes", 2, {18, 14}, {PADDED, PADDED}, FORM_F, 1, {0}, {0, 9}, .shared = 1},
  {"a column of a grid of processes in C order", 2, {18, 14}, {PADDED, PADDED}, FORM_C, 1, {0}, {0, 9},
   .shared = 0},
  {"axes swapped, F order of entries", 2, {24, 5}, {BLOCKS, WHOLE}, FORM_C, 2, {1, 0}, {0}, .fortran = true,
   .shared = 1},
  {"axes swapped, C order of entries", 2, {24, 5}, {BLOCKS, WHOLE}, FORM_C, 2, {1, 0}, {0}, .shared = 0},
  {"a new axis", 2, {24, 5}, {PADDED, WHOLE}, FORM_C, 3, {0, -1, 1}, {0}, .shared = 1},
  {"two of three axes", 3, {12, 4, 3}, {PADDED, WHOLE, WHOLE}, FORM_C, 2, {0, 2}, {0, 1, 0}, .shared = 0},
  {"a plane of three axes", 3, {3, 14, 4}, {WHOLE, PADDED, WHOLE}, FORM_C, 2, {1, 2}, {2, 0, 0}, .shared = 1},
  {"lists along a column", 2, {24, 5}, {LISTED, WHOLE}, FORM_F, 1, {0}, {0, 3}, .shared = 1},
  {"a range of lists", 1, {24}, {LISTED}, .start = {3}, .shape = {17}, .shared = 0},
  {"a range of blocks dealt", 1, {40}, {DEALT}, .start = {3}, .shape = {20}, .shared = 0},
  {"a range of two axes of a grid", 2, {18, 14}, {PADDED, PADDED}, .start = {2, 3}, .shape = {11, 9},
   .shared = -1},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

typedef enum deed { CHECK, WRITE } deed;

/* Every entry here, by the element that it is. */
static void visit(const parted *p, const dap_petsc_vector *v, deed work, int64_t shift)
{
  PetscInt begin = 0, end = 0;
  PetscScalar *memory = NULL;
  if (!v->vec) return;
  EXPECT(!VecGetOwnershipRange(v->vec, &begin, &end));
  EXPECT(!(work == WRITE ? VecGetArray(v->vec, &memory)
                         : VecGetArrayRead(v->vec, (const PetscScalar **)&memory)));
  for (PetscInt entry = begin; entry < end; entry++) {
    PetscInt element = entry;
    int64_t index[PART_NDIM] = {0};
    if (v->ao) EXPECT(!AOPetscToApplication(v->ao, 1, &element));
    for (int i = 0, rest = (int)element; i < p->ndim; i++) {
      const int j = p->row->fortran ? i : p->ndim - 1 - i;
      index[j] = rest % (int)p->shape[j];
      rest /= (int)p->shape[j];
    }
    const PetscScalar want = parted_value(p, index, shift);
    if (work == WRITE) memory[entry - begin] = want;
    EXPECT_MSG(memory[entry - begin] == want, "entry %d, element %d: %g, not %g", (int)entry, (int)element,
               (double)PetscRealPart(memory[entry - begin]), (double)PetscRealPart(want));
  }
  EXPECT(!(work == WRITE ? VecRestoreArray(v->vec, &memory)
                         : VecRestoreArrayRead(v->vec, (const PetscScalar **)&memory)));
}

static void check_norm(const dap_petsc_vector *v)
{
  PetscReal norm = -1, sum = 0;
  const PetscScalar *memory = NULL;
  PetscInt n = 0;
  if (!v->vec) return;
  EXPECT(!VecNorm(v->vec, NORM_1, &norm) && !VecGetLocalSize(v->vec, &n) &&
         !VecGetArrayRead(v->vec, &memory));
  for (PetscInt i = 0; i < n; i++) sum += PetscAbsScalar(memory[i]);
  EXPECT(!VecRestoreArrayRead(v->vec, &memory));
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)v->vec));
  EXPECT_MSG(PetscAbsReal(norm - sum) <= 1e-6 * sum, "norm %g, not %g", (double)norm, (double)sum);
}

static void check_words(const parted *p, const dap_petsc_vector *v)
{
  char text[1024], head[64];
  int64_t count = 1;
  for (int j = 0; j < p->ndim; j++) count *= p->shape[j];
  (void)snprintf(head, sizeof head, "vector of %d entries; %s", (int)count, v->shared ? "shared" : "moved");
  EXPECT(dap_petsc_vector_describe(v, text, sizeof text) == strlen(text));
  EXPECT_MSG(strncmp(text, head, strlen(head)) == 0 && strstr(text, v->reason), "%s", text);
}

static void live(const part_row *row, dap_sharing sharing)
{
  enum { FIRST = 1000, SECOND = 2000, THIRD = 3000, LAST = 4000 };
  parted p;
  dap_petsc_vector v;
  dap_error err = {.rank = -1};
  parted_make(&p, row);
  const dap_petsc_vector_options o = {
      .sharing = sharing, .part = p.part, .order = row->fortran ? DAP_ORDER_F : DAP_ORDER_C};
  const dap_darray array = {p.layout, &p.array};
  if (EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, &o, &v, &err), &err)) {
    if (sharing == DAP_SHARE_NEVER) EXPECT(!v.shared);
    if (sharing != DAP_SHARE_NEVER && row->shared >= 0 && test_nprocs() > 2)
      EXPECT_MSG(v.shared == row->shared, "shared %d: %s", v.shared, v.reason);
    EXPECT(!v.shared || v.moved_bytes == 0);
    visit(&p, &v, CHECK, 0);
    check_norm(&v);
    check_words(&p, &v);

    parted_fill(&p, FIRST);
    EXPECT_OK(dap_petsc_vector_load(&v, &err), &err);
    visit(&p, &v, CHECK, FIRST);
    check_norm(&v);
    EXPECT_OK(dap_petsc_vector_halo(&v, &err), &err);
    parted_check(&p, FIRST, PADDING_FILLED);

    visit(&p, &v, WRITE, SECOND);
    EXPECT_OK(dap_petsc_vector_store(&v, &err), &err);
    parted_check(&p, SECOND, PADDING_FILLED);
    EXPECT(v.shared == (v.moved_bytes == 0) || !v.vec || row->shared < 1);

    dap_petsc_vector copy = v;
    EXPECT_FAIL(dap_petsc_vector_store(&copy, &err), DAP_ERR_ARG, &err, "a copy of a live view");

    visit(&p, &v, WRITE, THIRD);
    const bool is_shared = v.shared;
    EXPECT_OK(dap_petsc_vector_discard(&v, &err), &err);
    EXPECT(!v.vec && !v.ao && v.shared == is_shared);
    parted_check(&p, is_shared ? THIRD : SECOND, PADDING_ANY);
    EXPECT_FAIL(dap_petsc_vector_load(&v, &err), DAP_ERR_ARG, &err, "not a live view");

    EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, array, DAP_WRITE, &o, &v, &err), &err);
    visit(&p, &v, WRITE, LAST);
    EXPECT_OK(dap_petsc_vector_restore(&v, &err), &err);
    parted_check(&p, LAST, PADDING_FILLED);
  }
  parted_free(&p);
}

static void check_rows(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++)
    for (int never = 0; never < 2; never++) {
      TEST_CASE("%s%s", rows[i].why, never ? ", moved" : "");
      live(&rows[i], never ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE);
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(check_rows),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)

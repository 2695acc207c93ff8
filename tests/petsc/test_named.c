/* Named layouts (layouts.c) as vectors and fields: each goes in, is doubled there and comes back. Every
 * element is checked against the brute-force model. */
#include "case.h"
#include "mpi_test.h"
#include "petsc_ends.h"

#include <dapbridge/petsc.h>
#include <dapbridge/petsc_vector.h>

static random_array model;

typedef struct named {
  const case_layout *layout;
  dap_layout *made;
  test_buffer buffer;
  dap_array array;
} named;

static dap_dtype scalar_type(void)
{
  if (sizeof(PetscReal) == sizeof(PetscScalar)) return sizeof(PetscReal) == 8 ? DAP_F8 : DAP_F4;
  return sizeof(PetscReal) == 8 ? DAP_C16 : DAP_C8;
}

static named make(const case_layout *c, test_form form)
{
  named n = {.layout = c};
  test_random random = test_random_init(17), same = random;
  (void)case_deal(c, test_nprocs(), &same, &model);
  n.made = case_create(MPI_COMM_WORLD, c, &random);
  n.buffer = test_buffer_make(n.made, test_rank(), sizeof(PetscScalar), form, &random);
  n.array = test_buffer_array(&n.buffer, scalar_type());
  fill_global(n.made, test_rank(), &n.array);
  return n;
}

static void drop(named *n)
{
  check_gaps(&n->buffer);
  test_buffer_free(&n->buffer);
  dap_layout_destroy(&n->made);
  SETTLE();
}

static PetscScalar scalar_of(int64_t index)
{
  PetscScalar value;
  value_of(scalar_type(), index, &value);
  return value;
}

/* Elements that this process owns have `factor` times their values. */
static void check_elements(const named *n, double factor)
{
  for (brute_walk w = brute_walk_start(&model.model, test_rank()); !w.done; brute_walk_next(&w)) {
    const char *at = n->buffer.data;
    PetscScalar found;
    if (w.part != BRUTE_OWNED) continue;
    for (int k = 0; k < n->buffer.ndim; k++) at += w.local[k] * n->buffer.strides[k];
    memcpy(&found, at, sizeof found);
    EXPECT_MSG(found == (PetscReal)factor * scalar_of(w.flat), "element %d is %g", (int)w.flat,
               (double)PetscRealPart(found));
  }
}

/* The sum of the absolute values of all entries is that of all elements. */
static void check_norm(Vec vector)
{
  PetscReal norm = -1, want = 0;
  PetscInt size = -1;
  EXPECT(!VecGetSize(vector, &size));
  EXPECT_INT(size, model.model.count);
  for (int64_t i = 0; i < model.model.count; i++) want += PetscAbsScalar(scalar_of(i));
  EXPECT(!VecNorm(vector, NORM_1, &norm));
  EXPECT_MSG(PetscAbsReal(norm - want) <= (PetscReal)1e-5 * want, "norm %g, not %g", (double)norm,
             (double)want);
}

static void as_vector(const case_layout *c, test_form form)
{
  named n = make(c, form);
  dap_petsc_vector view;
  dap_error err = {0};
  TEST_CASE("%s, form %d: vector", c->why, (int)form);
  if (EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){n.made, &n.array}, DAP_READ_WRITE, NULL,
                                     &view, &err),
                &err)) {
    PetscInt low = 0, high = 0;
    check_norm(view.vec);
    EXPECT(!VecGetOwnershipRange(view.vec, &low, &high));
    for (PetscInt entry = low; entry < high && !view.ao; entry++) {
      PetscScalar found;
      EXPECT(!VecGetValues(view.vec, 1, &entry, &found) && found == scalar_of(entry));
    }
    EXPECT(!VecScale(view.vec, 2));
    EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
    check_elements(&n, 2);
  }
  drop(&n);
}

/* Whether some grid of `nprocs` gives each process a point, as a DMDA needs: of axes from k on. */
static bool fits_grid(const case_layout *c, int k, int nprocs)
{
  if (k == c->ndim || k == 3) return nprocs == 1;
  for (int procs = 1; procs <= nprocs && procs <= c->size[k]; procs++)
    if (nprocs % procs == 0 && fits_grid(c, k + 1, nprocs / procs)) return true;
  return false;
}

/* A fourth axis is degrees of freedom. A line may leave processes without points. */
static void as_field(const case_layout *c, test_form form)
{
  named n = make(c, form);
  const dap_petsc_field_options options = {.vectors = DAP_PETSC_GLOBAL, .dof_axes = c->ndim == 4};
  dap_petsc_field field;
  dap_error err = {0};
  TEST_CASE("%s, form %d: field", c->why, (int)form);
  const dap_status status = dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){n.made, &n.array},
                                                DAP_READ_WRITE, &options, &field, &err);
  if (c->ndim > 1 && !fits_grid(c, 0, test_nprocs()))
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_UNSUPPORTED, "grid|points");
  else if (EXPECT_OK(status, &err)) {
    check_norm(field.global);
    EXPECT(!VecScale(field.global, 2));
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
    check_elements(&n, 2);
  }
  drop(&n);
}

static void named_layouts_become_vectors(void **state)
{
  (void)state;
  for (int i = 0; i < named_layout_count; i++)
    for (int turn = 0; turn < 2; turn++) as_vector(&named_layouts[i], (test_form)((i + turn) % FORM_COUNT));
}

static void named_layouts_become_fields(void **state)
{
  (void)state;
  for (int i = 0; i < named_layout_count; i++)
    for (int turn = 0; turn < 2; turn++) as_field(&named_layouts[i], (test_form)((i + turn) % FORM_COUNT));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),
    cmocka_unit_test(named_layouts_become_vectors),
    cmocka_unit_test(named_layouts_become_fields),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)

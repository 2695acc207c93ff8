/* An array of 2 axes as a field, a vector or a matrix: the same questions to each. */
#include "casts_test.h"

int64_t edge_of(const field_row *shape, int axis, int side)
{
  const bool ghosts = shape->options.boundary == DM_BOUNDARY_GHOSTED && !shape->periodic[axis];
  return ghosts ? shape->boundary[axis][side] : 0;
}

dap_status view_get(cast_view *v, const dap_layout *layout, const dap_array *array, dap_error *err)
{
  any_view *got = &v->got;
  *got = (any_view){.kind = v->kind == SCALAPACK ? MATRIX : (any_kind)v->kind, .of_field = v->shape->options};
  got->of_field.vectors = v->vectors;
  got->of_matrix.form = v->kind == SCALAPACK ? DAP_PETSC_SCALAPACK : v->form;
  got->of_matrix.block_size[0] = 2;
  got->of_matrix.block_size[1] = 3;
  got->of_field.lossy = got->of_vector.lossy = got->of_matrix.lossy = v->lossy;
  any_share(got, v->sharing);
  return any_get(MPI_COMM_WORLD, got, (dap_darray){layout, array}, v->access, err);
}

bool view_says(const cast_view *v, const char *parts)
{
  if (v->kind == VECTOR) return test_contains(v->got.vector.reason, parts);
  if (v->kind != FIELD) return test_contains(v->got.matrix.reason, parts);
  const bool local = !(v->vectors & DAP_PETSC_LOCAL) || test_contains(v->got.field.reason_local, parts);
  return local && (!(v->vectors & DAP_PETSC_GLOBAL) || test_contains(v->got.field.reason_global, parts));
}

/* ---- one entry ------------------------------------------------------------------------------------ */

/* What is done with the entries. */
typedef struct work {
  bool fills;
  entry_of *of;
  const void *model;
} work;

static void look(const work *w, int64_t index, PetscScalar got, const char *what)
{
  const PetscScalar want = w->of(w->model, index);
  EXPECT_MSG(got == want, "%s: element %d is (%.20g, %.20g), not (%.20g, %.20g)", what, (int)index,
             (double)PetscRealPart(got), (double)PetscImaginaryPart(got), (double)PetscRealPart(want),
             (double)PetscImaginaryPart(want));
}

static void visit(const work *w, int64_t index, PetscScalar *entry, const char *what)
{
  if (w->fills)
    *entry = w->of(w->model, index);
  else
    look(w, index, *entry, what);
}

/* ---- a field -------------------------------------------------------------------------------------- */

/* The element of a point of the DMDA: past an end the other end, or padding outside the grid. */
static int64_t element_at(const cast_view *v, const PetscInt point[2])
{
  int64_t global[2];
  for (int k = 0; k < 2; k++) {
    const int64_t size = v->shape->size[k];
    global[k] = (point[k] + edge_of(v->shape, k, 0) + size) % size;
  }
  return global[0] * v->shape->size[1] + global[1];
}

static void borrow(Vec vec, bool fills, PetscScalar **memory)
{
  EXPECT(fills ? !VecGetArray(vec, memory) : !VecGetArrayRead(vec, (const PetscScalar **)memory));
}

static void give_back(Vec vec, bool fills, PetscScalar **memory)
{
  EXPECT(fills ? !VecRestoreArray(vec, memory) : !VecRestoreArrayRead(vec, (const PetscScalar **)memory));
}

static void visit_points(const cast_view *v, Vec vec, bool local, const work *w)
{
  char text[1024];
  PetscInt at[3] = {0}, n[3] = {0};
  PetscScalar *memory = NULL;
  dap_petsc_field_describe(&v->got.field, text, sizeof text);
  const int x = strstr(text, "x is axis 0") ? 0 : 1; /* the axis that it runs along */
  if (local)
    EXPECT(!DMDAGetGhostCorners(v->got.field.dm, &at[0], &at[1], &at[2], &n[0], &n[1], &n[2]));
  else
    EXPECT(!DMDAGetCorners(v->got.field.dm, &at[0], &at[1], &at[2], &n[0], &n[1], &n[2]));
  borrow(vec, w->fills, &memory);
  for (PetscInt i = 0; i < n[0] * n[1]; i++) {
    PetscInt point[2];
    point[x] = at[0] + i % n[0];
    point[1 - x] = at[1] + i / n[0];
    visit(w, element_at(v, point), &memory[i], local ? "local vector" : "global vector");
  }
  give_back(vec, w->fills, &memory);
}

/* ---- a vector and a matrix ------------------------------------------------------------------------ */

static void visit_entries(const cast_view *v, const work *w)
{
  PetscScalar *memory = NULL;
  PetscInt lo = 0, hi = 0;
  EXPECT(!VecGetOwnershipRange(v->got.vector.vec, &lo, &hi));
  borrow(v->got.vector.vec, w->fills, &memory);
  for (PetscInt g = lo; g < hi; g++) visit(w, g, &memory[g - lo], "vector");
  give_back(v->got.vector.vec, w->fills, &memory);
}

static void check_matrix(const cast_view *v, const work *w)
{
  Mat dense = v->got.matrix.mat; /* a MATSCALAPACK tells no single elements */
  PetscInt lo = 0, hi = 0;
  if (v->kind == SCALAPACK) EXPECT(!MatConvert(v->got.matrix.mat, MATDENSE, MAT_INITIAL_MATRIX, &dense));
  EXPECT(!MatGetOwnershipRange(dense, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++)
    for (PetscInt j = 0; j < (PetscInt)v->shape->size[1]; j++) {
      PetscScalar got = -1;
      EXPECT(!MatGetValues(dense, 1, &i, 1, &j, &got));
      look(w, i * v->shape->size[1] + j, got, "matrix");
    }
  if (v->kind == SCALAPACK) EXPECT(!MatDestroy(&dense));
}

/* Each process sets every so many rows, wherever they live. */
static void fill_matrix(const cast_view *v, const work *w)
{
  Mat mat = v->got.matrix.mat;
  for (PetscInt i = test_rank(); i < (PetscInt)v->shape->size[0]; i += test_nprocs())
    for (PetscInt j = 0; j < (PetscInt)v->shape->size[1]; j++)
      EXPECT(!MatSetValue(mat, i, j, w->of(w->model, i * v->shape->size[1] + j), INSERT_VALUES));
  EXPECT(!MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
}

/* ---- any of them ---------------------------------------------------------------------------------- */

static void visit_all(cast_view *v, const work *w)
{
  if (v->kind == FIELD && v->got.field.global) visit_points(v, v->got.field.global, false, w);
  if (v->kind == FIELD && v->got.field.local) visit_points(v, v->got.field.local, true, w);
  if (v->kind == VECTOR) visit_entries(v, w);
  if (v->kind >= MATRIX && w->fills) fill_matrix(v, w);
  if (v->kind >= MATRIX && !w->fills) check_matrix(v, w);
}

void view_check(cast_view *v, entry_of *want, const void *model)
{
  visit_all(v, &(work){.of = want, .model = model});
}

void view_fill(cast_view *v, entry_of *put, const void *model)
{
  visit_all(v, &(work){.fills = true, .of = put, .model = model});
}

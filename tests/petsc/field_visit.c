/* Going through every element of an array and of a vector. */
#include "field_trial.h"
#include "variants.h"

int axis_of(const trial *t, int direction)
{
  return t->fortran ? direction : grid_ndim(t->row) - 1 - direction;
}

static int64_t modulo(int64_t a, int64_t b)
{
  return (a % b + b) % b;
}

/* The element at point (x, y, z), component c, of the DMDA; false for ghost points that are none. */
static bool element_at(const trial *t, const PetscInt point[3], PetscInt c, int64_t *element)
{
  int64_t global[4] = {0};
  for (int d = 0; d < grid_ndim(t->row); d++) {
    const int k = axis_of(t, d);
    const int64_t low = outside(t->row, k, 0), size = t->row->size[k];
    const int64_t period = size - low - outside(t->row, k, 1);
    global[k] = low + (t->row->periodic[k] ? modulo(point[d], period) : point[d]);
    if (global[k] < 0 || global[k] >= size) return false;
  }
  if (t->row->options.dof_axes) global[t->row->ndim - 1] = c;
  *element = element_of(t->row, global);
  return true;
}

/* ---- the array's side ---------------------------------------------------------------------------- */

static PetscScalar scalar(int64_t element, int64_t shift)
{
  PetscScalar value;
  value_of(scalar_dtype(), element + shift, &value);
  return value;
}

static void visit_native(const trial *t, deed work, int64_t shift)
{
  const field_row *row = t->row;
  int64_t local[4] = {0}, global[4] = {0}, count = dap_array_count(&t->array);
  PetscScalar poison;
  memset(&poison, TEST_POISON, sizeof poison);
  for (int64_t i = 0; i < count; i++) {
    int64_t rest = i;
    char *at = t->array.data;
    bool owned = false;
    for (int k = row->ndim - 1; k >= 0; k--) {
      local[k] = rest % t->array.shape[k];
      rest /= t->array.shape[k];
      at += local[k] * t->array.strides[k];
    }
    EXPECT_OK(dap_layout_globalize(t->layout, test_rank(), local, global, NULL, NULL), NULL);
    owned = has_value(t->layout, test_rank(), local);
    const PetscScalar value = scalar(element_of(row, global), shift);
    PetscScalar found;
    memcpy(&found, at, sizeof found);
    if (work == FILL || work == POISON)
      memcpy(at, work == FILL && owned ? &value : &poison, sizeof value);
    else if (!owned && work == CHECK)
      EXPECT_MSG(memcmp(&found, &poison, sizeof found) == 0, "padding was written to");
    else
      EXPECT_MSG(found == value, "array element (%d %d %d %d), owned %d: %g, not %g", (int)global[0],
                 (int)global[1], (int)global[2], (int)global[3], owned, (double)PetscRealPart(found),
                 (double)PetscRealPart(value));
  }
}

void visit_array(const trial *t, deed work, int64_t shift)
{
  dap_array array = t->array;
  if (t->array.swapped) variant_swap(&array);
  visit_native(t, work, shift);
  if (t->array.swapped) variant_swap(&array);
}

/* ---- PETSc's side -------------------------------------------------------------------------------- */

/* The components of a point, by the kind of pointer that DMDAVecGetArrayDOF() gives. */
static PetscScalar *components(const trial *t, void *array, const PetscInt p[3])
{
  switch (grid_ndim(t->row)) {
  case 1:
    return ((PetscScalar **)array)[p[0]];
  case 2:
    return ((PetscScalar ***)array)[p[1]][p[0]];
  default:
    return ((PetscScalar ****)array)[p[2]][p[1]][p[0]];
  }
}

void visit_vector(const trial *t, Vec vector, bool local, part region, deed work, int64_t shift)
{
  PetscInt g[3] = {0}, gn[3], o[3] = {0}, on[3], dof, size[3];
  void *array = NULL;
  EXPECT(!DMDAGetCorners(t->field.dm, &o[0], &o[1], &o[2], &on[0], &on[1], &on[2]));
  EXPECT(!DMDAGetGhostCorners(t->field.dm, &g[0], &g[1], &g[2], &gn[0], &gn[1], &gn[2]));
  EXPECT(!DMDAGetInfo(t->field.dm, NULL, &size[0], &size[1], &size[2], NULL, NULL, NULL, &dof, NULL, NULL,
                      NULL, NULL, NULL));
  const PetscInt *from = local ? g : o, *n = local ? gn : on;
  if (n[0] * n[1] * n[2] == 0) return;
  EXPECT(!DMDAVecGetArrayDOFRead(t->field.dm, vector, &array));
  for (PetscInt i = 0; i < n[0] * n[1] * n[2]; i++) {
    const PetscInt p[3] = {from[0] + i % n[0], from[1] + i / n[0] % n[1], from[2] + i / n[0] / n[1]};
    bool inside = true, outer = false;
    for (int d = 0; d < 3; d++) {
      inside = inside && p[d] >= o[d] && p[d] < o[d] + on[d];
      outer = outer || p[d] < 0 || p[d] >= size[d];
    }
    if ((region == POINTS && !inside) || (region == OUTER && !outer)) continue;
    for (PetscInt c = 0; c < dof; c++) {
      int64_t element = 0;
      const bool is_element = element_at(t, p, c, &element);
      PetscScalar *at = &components(t, array, p)[c];
      const PetscScalar value = scalar(element, shift);
      if (!is_element) continue;
      if (work == FILL)
        *at = value;
      else if (work == POISON) /* what is not yet written is zero */
        EXPECT(*at == (PetscScalar)0);
      else
        EXPECT_MSG(*at == value, "%s point (%d %d %d) component %d: %g, not %g", local ? "local" : "global",
                   (int)p[0], (int)p[1], (int)p[2], (int)c, (double)PetscRealPart(*at),
                   (double)PetscRealPart(value));
    }
  }
  EXPECT(!DMDAVecRestoreArrayDOFRead(t->field.dm, vector, &array));
}

/* The matrices of a DMDA, entry by entry. */
#include "stencil_grid.h"

enum { NEIGHBOURS = 125 };

/* By direction: x, y, z. */
typedef struct grid {
  PetscInt ndim, dof, size[3], begin[3], length[3], ghost_begin[3], ghost_length[3];
  DMBoundaryType outer[3];
  int64_t width;
  bool star;
} grid;

static grid grid_of(DM dm, int64_t width, bool star)
{
  grid g = {.width = width, .star = star};
  EXPECT(!DMDAGetInfo(dm, &g.ndim, &g.size[0], &g.size[1], &g.size[2], NULL, NULL, NULL, &g.dof, NULL,
                      &g.outer[0], &g.outer[1], &g.outer[2], NULL));
  EXPECT(
      !DMDAGetCorners(dm, &g.begin[0], &g.begin[1], &g.begin[2], &g.length[0], &g.length[1], &g.length[2]));
  EXPECT(!DMDAGetGhostCorners(dm, &g.ghost_begin[0], &g.ghost_begin[1], &g.ghost_begin[2], &g.ghost_length[0],
                              &g.ghost_length[1], &g.ghost_length[2]));
  return g;
}

/* ---- points ------------------------------------------------------------------------------------------- */

typedef struct point {
  PetscInt at[3]; /* beyond the grid where that is periodic */
} point;

/* Number of a point in natural order. */
static PetscInt natural(const grid *g, const point *p)
{
  PetscInt index = 0;
  for (int d = 2; d >= 0; d--) index = index * g->size[d] + (p->at[d] + g->size[d]) % g->size[d];
  return index;
}

static PetscInt local(const grid *g, const point *p)
{
  PetscInt index = 0;
  for (int d = 2; d >= 0; d--) index = index * g->ghost_length[d] + p->at[d] - g->ghost_begin[d];
  return index;
}

/* The points of the stencil around p that the grid has. */
static int neighbours(const grid *g, const point *p, point found[NEIGHBOURS])
{
  const PetscInt w = (PetscInt)g->width, side = 2 * w + 1;
  const PetscInt all = side * (g->ndim > 1 ? side : 1) * (g->ndim > 2 ? side : 1);
  int count = 0;
  for (PetscInt n = 0; n < all; n++) {
    PetscInt rest = n, moved = 0;
    bool inside = true;
    point q = *p;
    for (PetscInt d = 0; d < g->ndim; d++) {
      const PetscInt step = rest % side - w;
      rest /= side;
      q.at[d] += step;
      moved += step != 0;
      inside = inside && (g->outer[d] == DM_BOUNDARY_PERIODIC || (q.at[d] >= 0 && q.at[d] < g->size[d]));
    }
    if (inside && (!g->star || moved <= 1)) found[count++] = q;
  }
  return count;
}

/* ---- entries ------------------------------------------------------------------------------------------ */

static double entry(PetscInt row, PetscInt column)
{
  return (double)(1 + (31 * row + 17 * column) % 7);
}

static double element(PetscInt column)
{
  return (double)(1 + column % 5);
}

typedef PetscErrorCode put(Mat matrix, const grid *g, const point *row, PetscInt c, const point *column,
                           PetscInt e, PetscScalar value);

static PetscErrorCode put_by_stencil(Mat matrix, const grid *g, const point *row, PetscInt c,
                                     const point *column, PetscInt e, PetscScalar value)
{
  const MatStencil r = {.i = row->at[0], .j = row->at[1], .k = row->at[2], .c = c};
  const MatStencil q = {.i = column->at[0], .j = column->at[1], .k = column->at[2], .c = e};
  (void)g;
  return MatSetValuesStencil(matrix, 1, &r, 1, &q, &value, INSERT_VALUES);
}

static PetscErrorCode put_by_local_index(Mat matrix, const grid *g, const point *row, PetscInt c,
                                         const point *column, PetscInt e, PetscScalar value)
{
  const PetscInt r = local(g, row) * g->dof + c, q = local(g, column) * g->dof + e;
  return MatSetValuesLocal(matrix, 1, &r, 1, &q, &value, INSERT_VALUES);
}

/* Does f for each point of this process. */
#define EACH_POINT(g, p)                                                                                     \
  for (point p = {{0}}, *once_ = &p; once_; once_ = NULL)                                                    \
    for (p.at[2] = (g)->begin[2]; p.at[2] < (g)->begin[2] + (g)->length[2]; p.at[2]++)                       \
      for (p.at[1] = (g)->begin[1]; p.at[1] < (g)->begin[1] + (g)->length[1]; p.at[1]++)                     \
        for (p.at[0] = (g)->begin[0]; p.at[0] < (g)->begin[0] + (g)->length[0]; p.at[0]++)

static void fill(Mat matrix, const grid *g, put *how, const char *why)
{
  point q[NEIGHBOURS];
  PetscErrorCode code = MatZeroEntries(matrix);
  EACH_POINT(g, p)
  {
    const int count = neighbours(g, &p, q);
    for (int n = 0; n < count; n++)
      for (PetscInt c = 0; c < g->dof; c++)
        for (PetscInt e = 0; e < g->dof && !code; e++)
          code = how(matrix, g, &p, c, &q[n], e,
                     entry(natural(g, &p) * g->dof + c, natural(g, &q[n]) * g->dof + e));
  }
  EXPECT_MSG(!code, "%s: an entry cannot be set", why);
  EXPECT(!MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
}

/* ---- checks ------------------------------------------------------------------------------------------- */

/* Row by row: as many entries as the stencil has points, each at one of them. */
static void check_rows(Mat matrix, DM dm, const grid *g, const char *why)
{
  ISLocalToGlobalMapping map;
  AO order;
  point q[NEIGHBOURS];
  EXPECT(!DMGetLocalToGlobalMapping(dm, &map) && !DMDAGetAO(dm, &order));
  EACH_POINT(g, p)
  {
    const int count = neighbours(g, &p, q);
    PetscInt row = local(g, &p) * g->dof, found = 0;
    const PetscInt *columns = NULL;
    EXPECT(!ISLocalToGlobalMappingApply(map, 1, &row, &row));
    if (!EXPECT(!MatGetRow(matrix, row, &found, &columns, NULL))) return;
    EXPECT_MSG(found == count * g->dof, "%s: a row of %d entries, not %d", why, (int)found,
               (int)(count * g->dof));
    for (PetscInt i = 0; i < found; i++) {
      PetscInt column = columns[i];
      bool is_one = false;
      EXPECT(!AOPetscToApplication(order, 1, &column));
      for (int n = 0; n < count; n++) is_one = is_one || column / g->dof == natural(g, &q[n]);
      EXPECT_MSG(is_one, "%s: an entry beyond the stencil", why);
    }
    EXPECT(!MatRestoreRow(matrix, row, &found, &columns, NULL));
  }
}

/* Entries that are set: all of the matrix times a vector. */
static void check_product(Mat matrix, DM dm, const grid *g, const char *why)
{
  ISLocalToGlobalMapping map;
  Vec x = NULL, y = NULL;
  point q[NEIGHBOURS];
  PetscScalar *values;
  PetscInt first = 0;
  EXPECT(!DMGetLocalToGlobalMapping(dm, &map));
  EXPECT(!DMCreateGlobalVector(dm, &x) && !VecDuplicate(x, &y) && !VecGetOwnershipRange(x, &first, NULL));
  EXPECT(!VecGetArray(x, &values));
  PetscInt i = 0;
  EACH_POINT(g, p)
  for (PetscInt c = 0; c < g->dof; c++) values[i++] = element(natural(g, &p) * g->dof + c);
  EXPECT(!VecRestoreArray(x, &values));
  EXPECT(!MatMult(matrix, x, y) && !VecGetArray(y, &values));
  i = 0;
  EACH_POINT(g, p)
  {
    const int count = neighbours(g, &p, q);
    for (PetscInt c = 0; c < g->dof; c++, i++) {
      double sum = 0;
      for (int n = 0; n < count; n++)
        for (PetscInt e = 0; e < g->dof; e++) {
          const PetscInt column = natural(g, &q[n]) * g->dof + e;
          sum += entry(natural(g, &p) * g->dof + c, column) * element(column);
        }
      EXPECT_MSG(PetscAbsScalar(values[i] - sum) < 1e-4 * sum, "%s: %g, not %g", why,
                 (double)PetscRealPart(values[i]), sum);
    }
  }
  EXPECT(!VecRestoreArray(y, &values) && !VecDestroy(&x) && !VecDestroy(&y));
}

void stencil_check(DM dm, int64_t width, bool star, const char *why)
{
  static put *const ways[] = {put_by_stencil, put_by_local_index};
  const grid g = grid_of(dm, width, star);
  Mat matrix = NULL;
  DM its = NULL;
  if (!EXPECT_MSG(!DMCreateMatrix(dm, &matrix), "%s: no matrix", why)) return;
  EXPECT(!MatGetDM(matrix, &its) && its == dm);
  check_rows(matrix, dm, &g, why);
  EXPECT(!MatSetOption(matrix, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  for (int i = 0; i < 2; i++) {
    fill(matrix, &g, ways[i], why);
    check_product(matrix, dm, &g, why);
  }
  check_rows(matrix, dm, &g, why);
  EXPECT(!MatDestroy(&matrix));
}

/* ---- without PETSc ------------------------------------------------------------------------------------ */

static double around(const double *u, int rows, int columns, int i, int j)
{
  static const double weight[] = {0, -4. / 3, 1. / 12};
  double sum = 0;
  for (int d = -2; d <= 2; d++) {
    const double w = weight[d < 0 ? -d : d];
    if (i + d >= 0 && i + d < rows) sum += w * u[(i + d) * columns + j];
    if (j + d >= 0 && j + d < columns) sum += w * u[i * columns + j + d];
  }
  return sum;
}

void stencil_solve_alone(int rows, int columns, double sums[2])
{
  double *u = calloc((size_t)rows * (size_t)columns, sizeof *u);
  double change = 1;
  if (!EXPECT(u != NULL)) return;
  while (change > 1e-13) { /* Gauss-Seidel's: each point has 6 times itself */
    change = 0;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++) {
        const double next = (1 + (3 * i + 5 * j) % 7 - around(u, rows, columns, i, j)) / 6;
        change = fmax(change, fabs(next - u[i * columns + j]));
        u[i * columns + j] = next;
      }
  }
  sums[0] = sums[1] = 0;
  for (int n = 0; n < rows * columns; n++) {
    sums[0] += u[n] * u[n];
    sums[1] = fmax(sums[1], fabs(u[n]));
  }
  sums[0] = sqrt(sums[0]);
  free(u);
}

/* Runs bridge/docs/coming/dmda.md: a field, and a DMDA made by hand, solve 2 x = b, where b is each
 * point's index. Both use the same padded buffer, and every element of it is compared. */
#include "mpi_test.h"

#include <dapbridge/petsc.h>
#include <petscksp.h>

enum { MOST = 6 };

#include "dmda_grid.inc"

/* Returns the first point of process c along an axis, padding included. */
static PetscInt first(const PetscInt lengths[], int c, int64_t halo)
{
  PetscInt start = 0;
  for (int k = 0; k < c; k++) start += lengths[k];
  return c == 0 ? 0 : start - (PetscInt)halo;
}

static PetscInt extent(const PetscInt lengths[], int c, int procs, int64_t halo)
{
  return lengths[c] + (PetscInt)halo * ((c > 0) + (c < procs - 1));
}

static double *point(const grid *g, double *u, PetscInt j, PetscInt i)
{
  return &u[(j - first(g->ly, g->y, g->halo)) * extent(g->lx, g->x, g->px, g->halo) + i -
            first(g->lx, g->x, g->halo)];
}

static PetscErrorCode solve(DM dm, Vec x)
{
  Mat matrix;
  KSP ksp;
  PC pc;
  PetscCall(DMCreateMatrix(dm, &matrix));
  PetscCall(MatShift(matrix, 2));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)dm), &ksp));
  PetscCall(KSPSetOperators(ksp, matrix, matrix));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSolve(ksp, x, x));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&matrix));
  return 0;
}

PetscErrorCode before(MPI_Comm comm, const grid *g, double *u);
dap_status after(MPI_Comm comm, dap_darray u, dap_error *err);
dap_status describe(int rank, const grid *g, double *buffer, dap_layout **layout, dap_array *array,
                    dap_error *err);

#include "dmda_before.inc"

#include "dmda_after.inc"

#include "dmda_describe.inc"

/* Cuts an axis into uneven lengths, none of which is below the halo. */
static PetscInt cut(int procs, PetscInt lengths[], int64_t same[])
{
  PetscInt size = 0;
  for (int c = 0; c < procs; c++) size += lengths[c] = (PetscInt)(same[c] = 3 + 5 * c % 4);
  return size;
}

/* Sets or checks (factor > 0) every point of the buffer. */
static void all_points(const grid *g, double *u, double factor, const char *way)
{
  const PetscInt x = first(g->lx, g->x, g->halo), y = first(g->ly, g->y, g->halo);
  for (PetscInt j = y; j < y + extent(g->ly, g->y, g->py, g->halo); j++)
    for (PetscInt i = x; i < x + extent(g->lx, g->x, g->px, g->halo); i++) {
      double *p = point(g, u, j, i);
      const double index = (double)(j * g->nx + i);
      if (way) EXPECT_MSG(*p == factor * index, "%s: point (%d, %d) is %g", way, (int)j, (int)i, *p);
      *p = index;
    }
}

static void test_both_ways(void **state)
{
  (void)state;
  const int rank = test_rank(), size = test_nprocs();
  EXPECT(PetscInitializeNoArguments() == 0);
  for (int64_t halo = 0; halo < 3; halo++) {
    grid g = {.py = size % 2 == 0 ? 2 : 1, .halo = halo};
    g.px = size / g.py;
    g.y = rank / g.px;
    g.x = rank % g.px;
    g.nx = cut(g.px, g.lx, g.columns);
    g.ny = cut(g.py, g.ly, g.rows);
    double *u = calloc((size_t)(extent(g.lx, g.x, g.px, halo) * extent(g.ly, g.y, g.py, halo)), sizeof *u);
    assert_non_null(u);
    all_points(&g, u, 0, NULL);
    EXPECT(before(MPI_COMM_WORLD, &g, u) == 0);
    all_points(&g, u, 0.5, "before");
    dap_layout *layout = NULL;
    dap_array array = {0};
    dap_error err;
    if (EXPECT_OK(describe(rank, &g, u, &layout, &array, &err), &err))
      EXPECT_OK(after(MPI_COMM_WORLD, (dap_darray){layout, &array}, &err), &err);
    all_points(&g, u, 0.5, "after");
    dap_array_release(&array);
    dap_layout_destroy(&layout);
    SETTLE();
    free(u);
  }
  EXPECT(PetscFinalize() == 0);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways)};

MPI_TEST_MAIN(tests)

/* Times an implicit step of the heat equation, by KSP's defaults, on a field whose padding is wider than the
 * formula needs. Matrices are made for the box of the padding, the default of fields, and for the points of
 * the formula, by each of the ways that dapbridge/petsc.h offers.
 *
 * One process has no padding, so by default no box of this width; there the width is given explicitly. A step
 * lasts from dap_petsc_field_get() to _restore(): a new matrix, its values, its factors, the solution. Rank 0
 * prints for each way the least time of all repetitions, of the slowest process, entries a row, KSP's
 * iterations and the largest error, padding included. */
#include "bench_petsc.h"
#include "numbers.h"
#include "program.h"

#include <dapbridge/petsc.h>
#include <math.h>
#include <petscksp.h>
#include <stdio.h>
#include <stdlib.h>

enum { NDIM = 3 };

static const double k = 50; /* time step over h^2 */

static struct {
  int n, width, reps;
} o;

static const bench_option options[] = {
    {"n", "N", "49", "points along each axis", bench_read_count, &o.n, 1 << 12, NULL},
    {"width", "W", "2", "of the padding", bench_read_count, &o.width, 1 << 6, NULL},
    {"reps", "R", "3", "timed steps of each way", bench_read_count, &o.reps, 1 << 20, NULL},
    {.name = NULL}};

static struct {
  const char *name;
  dap_petsc_field_options options;
} ways[] = {{"a box as wide as the padding, as by default", {.width = 0}},
            {".matrix_width = 1, .matrix_star = true", {.matrix_width = 1, .matrix_star = true}},
            {".width = 1, .star = true, .vectors = DAP_PETSC_GLOBAL",
             {.width = 1, .star = true, .vectors = DAP_PETSC_GLOBAL}}};

typedef struct step {
  dap_layout *layout;
  dap_array array;
  int rank;
} step;

typedef struct result {
  double seconds, error;
  PetscReal entries; /* entries of the matrix */
  PetscInt iterations;
} result;

static dap_error err;

/* Returns the larger error. NaN counts as infinite, which fmax() would ignore. */
static double worse(double error, double other)
{
  return isnan(other) ? INFINITY : fmax(error, other);
}

/* Fills the buffer with `share` of sin(x) sin(y) sin(z), which is 0 one point outside the grid. Otherwise
 * returns the largest difference from that. */
static double visit(const step *s, double share, bool fill)
{
  const double h = PETSC_PI / (o.n + 1);
  const dap_dim *d = s->array.dims;
  PetscScalar *at = s->array.data;
  double error = 0;
  for (int64_t x = d[0].start; x < d[0].stop; x++)
    for (int64_t y = d[1].start; y < d[1].stop; y++)
      for (int64_t z = d[2].start; z < d[2].stop; z++, at++) {
        const double u =
            share * sin(h * (double)(x + 1)) * sin(h * (double)(y + 1)) * sin(h * (double)(z + 1));
        if (fill) *at = u;
        error = worse(error, (double)PetscAbsScalar(*at - u));
      }
  return error;
}

/* Assembles 1 + k times the seven-point formula. Points outside the grid are 0, and their indices are
 * ignored. */
static PetscErrorCode assemble(KSP ksp, Mat unused, Mat matrix, void *context)
{
  static const PetscScalar v[7] = {1 + 6 * k, -k, -k, -k, -k, -k, -k};
  DMDALocalInfo g;
  (void)unused, (void)context;
  PetscCall(KSPGetDM(ksp, &g.da));
  PetscCall(DMDAGetLocalInfo(g.da, &g));
  for (PetscInt p = 0; p < g.xm * g.ym * g.zm; p++) {
    const PetscInt i = g.xs + p % g.xm, j = g.ys + p / g.xm % g.ym, l = g.zs + p / g.xm / g.ym;
    const PetscInt last = g.mx - 1;
    MatStencil at[7] = {{l, j, i, 0},     {l, j, i - 1, 0}, {l, j, i + 1, 0}, {l, j - 1, i, 0},
                        {l, j + 1, i, 0}, {l - 1, j, i, 0}, {l + 1, j, i, 0}};
    for (int m = 1; m < 7; m++) /* PETSc ignores negative indices, but not those beyond the end */
      if (at[m].i > last || at[m].j > last || at[m].k > last) at[m].i = -1;
    PetscCall(MatSetValuesStencil(matrix, 1, at, 7, at, v, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
}

static void solve(const dap_petsc_field *field, result *r)
{
  KSP ksp;
  Mat matrix;
  MatInfo info;
  KSPConvergedReason reason;
  require(KSPCreate(PetscObjectComm((PetscObject)field->dm), &ksp));
  require(KSPSetDM(ksp, field->dm));
  require(KSPSetComputeOperators(ksp, assemble, NULL));
  require(KSPSolve(ksp, field->global, field->global));
  require(KSPGetConvergedReason(ksp, &reason));
  if (reason <= 0) bench_fail("KSP's reason to end is %d", (int)reason);
  require(KSPGetIterationNumber(ksp, &r->iterations));
  require(KSPGetOperators(ksp, &matrix, NULL));
  require(MatGetInfo(matrix, MAT_GLOBAL_SUM, &info));
  r->entries = info.nz_used;
  require(KSPDestroy(&ksp));
}

static void run(const step *s, const dap_petsc_field_options *way, result *r)
{
  const double h = PETSC_PI / (o.n + 1), share = 1 / (1 + k * (6 - 6 * cos(h)));
  *r = (result){.seconds = INFINITY};
  for (int i = 0; i < o.reps; i++) {
    dap_petsc_field field;
    visit(s, 1, true);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = bench_now();
    bench_require(dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){s->layout, &s->array}, DAP_READ_WRITE, way,
                                      &field, &err),
                  &err);
    solve(&field, r);
    bench_require(dap_petsc_field_restore(&field, &err), &err);
    r->seconds = fmin(r->seconds, bench_span(MPI_COMM_WORLD, begun, bench_now()));
    r->error = worse(r->error, bench_most(MPI_COMM_WORLD, visit(s, share, false)) / share);
  }
}

static void make(int nprocs, step *s)
{
  int procs[NDIM] = {0};
  dap_dist dists[NDIM];
  MPI_Dims_create(nprocs, NDIM, procs);
  ways[0].options.width = o.width;
  for (int a = 0; a < NDIM; a++) dists[a] = dap_dist_padded(o.n, procs[a], o.width);
  const dap_dtype type = sizeof(PetscScalar) == sizeof(double) ? DAP_F8 : DAP_C16;
  bench_require(dap_layout_create(NDIM, dists, &s->layout, &err), &err);
  bench_require(dap_array_init(&s->array, s->layout, s->rank, type, DAP_ORDER_C, NULL, &err), &err);
  if (s->rank == 0)
    printf("%d^3 points, padding %d, %d x %d x %d processes\n%8s %6s %10s %10s %9s\n", o.n, o.width, procs[0],
           procs[1], procs[2], "seconds", "x", "a row", "iterations", "error");
}

/* Runs all ways. Returns the largest error. */
static double run_ways(const step *s)
{
  double error = 0, first = 0;
  for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
    result r;
    run(s, &ways[w].options, &r);
    if (w == 0) first = r.seconds;
    error = worse(error, r.error);
    if (s->rank == 0)
      printf("%8.3f %6.2f %10.1f %10d %9.1e   %s\n", r.seconds, first / r.seconds,
             (double)r.entries / pow(o.n, 3), (int)r.iterations, r.error, ways[w].name);
  }
  return error;
}

static int64_t run_all(const bench_launch *l)
{
  static const double most = 1e-3; /* relative to the solution; KSP's default tolerance is 1e-5 */
  step s = {.rank = l->rank};
  make(l->nprocs, &s);
  const double error = run_ways(&s);
  dap_array_release(&s.array);
  dap_layout_destroy(&s.layout);
  return !(error < most);
}

const bench_program bench_step = {
    .about =
        "KSP has its defaults. Prints the least time of all steps, entries of a row of the matrix, KSP's\n"
        "iterations, and the largest error, padding included.",
    .options = options,
    .uses_petsc = true,
    .run = run_all,
    .legend = ""};

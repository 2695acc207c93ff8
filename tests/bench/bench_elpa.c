/* Times eigenvalues and all eigenvectors, by ELPA in one and two stages, ScaLAPACK's pdsyevd and pdsyevr, and
 * dap_linalg_eigh(). All share the same array. ELPA also uses a moved array, by rows in C order. */
#include "fail.h"
#include "numbers.h"
#include "program.h"

#include <dapbridge/elpa.h>
#include <dapbridge/linalg.h>
#include <dapbridge/scalapack_calls.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct problem {
  int64_t n;
  dap_layout *layout, *whole;
  dap_array a, z, w;
  int rank;
} problem;

static dap_error err;

static double element(int64_t i, int64_t j)
{
  const int64_t low = i < j ? i : j, high = i < j ? j : i;
  return sin((double)(low * 131 + high * 71 + low * high % 1009)) + (i == j ? 2 : 0);
}

static void fill(const problem *p)
{
  for (int64_t i = 0; i < p->a.shape[0]; i++)
    for (int64_t j = 0; j < p->a.shape[1]; j++) {
      const int64_t local[2] = {i, j};
      int64_t g[2];
      bench_require(dap_layout_globalize(p->layout, p->rank, local, g, NULL, &err), &err);
      *(double *)(void *)((char *)p->a.data + i * p->a.strides[0] + j * p->a.strides[1]) =
          element(g[0], g[1]);
    }
}

static problem make(int64_t n, const dap_dist dists[2], dap_order order)
{
  int nprocs;
  problem p = {.n = n};
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  const dap_dist all = dap_dist_replicated(n, nprocs);
  bench_require(dap_layout_create(2, dists, &p.layout, &err), &err);
  bench_require(dap_layout_create(1, &all, &p.whole, &err), &err);
  bench_require(dap_array_init(&p.a, p.layout, p.rank, DAP_F8, order, NULL, &err), &err);
  bench_require(dap_array_init(&p.z, p.layout, p.rank, DAP_F8, order, NULL, &err), &err);
  bench_require(dap_array_init(&p.w, p.whole, p.rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  return p;
}

static void end(problem *p)
{
  dap_array_release(&p->w);
  dap_array_release(&p->z);
  dap_array_release(&p->a);
  dap_layout_destroy(&p->whole);
  dap_layout_destroy(&p->layout);
}

/* ---- methods ----------------------------------------------------------------------------------------- */

static void by_elpa(const problem *p, int stages)
{
  const dap_elpa_solve_options options = {.stages = stages};
  bench_require(dap_elpa_eigh(MPI_COMM_WORLD, 'L', (dap_darray){p->layout, &p->a},
                              (dap_darray){p->whole, &p->w}, (dap_darray){p->layout, &p->z}, &options, &err),
                &err);
}

static void by_elpa_1(const problem *p)
{
  by_elpa(p, 1);
}

static void by_elpa_2(const problem *p)
{
  by_elpa(p, 2);
}

static void by_linalg(const problem *p)
{
  bench_require(dap_linalg_eigh(MPI_COMM_WORLD, 'L', (dap_darray){p->layout, &p->a},
                                (dap_darray){p->whole, &p->w}, (dap_darray){p->layout, &p->z}, NULL, &err),
                &err);
}

typedef void driver(const dap_scalapack_matrix *a, const dap_scalapack_matrix *z, void *w, void *work,
                    const dap_scalapack_int *lwork, dap_scalapack_int *iwork, const dap_scalapack_int *liwork,
                    dap_scalapack_int *info);

static void call_syevd(const dap_scalapack_matrix *a, const dap_scalapack_matrix *z, void *w, void *work,
                       const dap_scalapack_int *lwork, dap_scalapack_int *iwork,
                       const dap_scalapack_int *liwork, dap_scalapack_int *info)
{
  pdsyevd_("V", "L", &a->n, a->data, &a->ia, &a->ja, a->desc, w, z->data, &z->ia, &z->ja, z->desc, work,
           lwork, iwork, liwork, info);
}

static void call_syevr(const dap_scalapack_matrix *a, const dap_scalapack_matrix *z, void *w, void *work,
                       const dap_scalapack_int *lwork, dap_scalapack_int *iwork,
                       const dap_scalapack_int *liwork, dap_scalapack_int *info)
{
  const double none = 0;
  const dap_scalapack_int one = 1;
  dap_scalapack_int values, vectors;
  pdsyevr_("V", "A", "L", &a->n, a->data, &a->ia, &a->ja, a->desc, &none, &none, &one, &a->n, &values,
           &vectors, w, z->data, &z->ia, &z->ja, z->desc, work, lwork, iwork, liwork, info);
}

/* Calls a routine on views of the arrays. The work space is as large as it asks for, and n * n more,
 * because pdsyevd asks for too little. */
static void by_scalapack(const problem *p, const char *routine, driver *call)
{
  dap_scalapack_matrix a, z;
  dap_scalapack_options options = {.routine = routine, .op = 'N'};
  bench_require(
      dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){p->layout, &p->a}, DAP_READ, &options, &a, &err), &err);
  options.aligned_with = &a;
  bench_require(
      dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){p->layout, &p->z}, DAP_WRITE, &options, &z, &err), &err);
  double asked = 0;
  dap_scalapack_int wanted = 0, lwork = -1, liwork = -1, info = 0;
  call(&a, &z, p->w.data, &asked, &lwork, &wanted, &liwork, &info);
  lwork = (dap_scalapack_int)asked + 8 * a.n;
  liwork = wanted + 8 * a.n;
  void *work = bench_alloc(lwork * (int64_t)sizeof(double)),
       *iwork = bench_alloc(liwork * (int64_t)sizeof liwork);
  call(&a, &z, p->w.data, work, &lwork, iwork, &liwork, &info);
  if (info) bench_fail("%s: INFO = %d", routine, (int)info);
  free(iwork);
  free(work);
  bench_require(dap_scalapack_restore(&z, &err), &err);
  bench_require(dap_scalapack_restore(&a, &err), &err);
}

static void by_syevd(const problem *p)
{
  by_scalapack(p, "pdsyevd", call_syevd);
}

static void by_syevr(const problem *p)
{
  by_scalapack(p, "pdsyevr", call_syevr);
}

/* ---- results ------------------------------------------------------------------------------------------ */

/* Returns the residual of a few columns. A z comes from element(), which computes n * n sines for each. */
static double residual(const problem *p)
{
  enum { COLUMNS = 5 };
  const double *w = p->w.data;
  double worst = 0, scale = 0;
  double *z = calloc((size_t)p->n, sizeof *z);
  if (!z) bench_fail("no memory");
  for (int64_t k = 0; k < p->n; k++) scale = fmax(scale, fabs(w[k]));
  for (int64_t c = 0; c < COLUMNS; c++) {
    const int64_t column = c * (p->n - 1) / (COLUMNS - 1);
    memset(z, 0, (size_t)p->n * sizeof *z);
    for (int64_t i = 0; i < p->n; i++) {
      const int64_t at[2] = {i, column};
      int64_t local[2];
      int rank;
      bench_require(dap_layout_locate(p->layout, at, &rank, local, &err), &err);
      if (rank == p->rank)
        z[i] = *(const double *)(const void *)((const char *)p->z.data + local[0] * p->z.strides[0] +
                                               local[1] * p->z.strides[1]);
    }
    MPI_Allreduce(MPI_IN_PLACE, z, (int)p->n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int64_t i = 0; i < p->n; i += 7) {
      double sum = -w[column] * z[i];
      for (int64_t j = 0; j < p->n; j++) sum += element(i, j) * z[j];
      worst = fmax(worst, fabs(sum));
    }
  }
  free(z);
  return worst / (scale * (double)p->n * DBL_EPSILON);
}

/* ---- measured ----------------------------------------------------------------------------------------- */

static struct {
  bench_sizes sizes;
  int block, reps;
} o;

static const bench_option options[] = {
    {"n", "N[,N...]", "1000", "orders", bench_read_sizes, &o.sizes, 1 << 15, NULL},
    {"block", "NB", "32", "rows of a block", bench_read_count, &o.block, 1 << 12, NULL},
    {"reps", "R", "1", "timed runs of each", bench_read_count, &o.reps, 1 << 20, NULL},
    {.name = NULL}};

/* Measures a method. Returns whether its results are wrong. */
static bool measure(const char *name, const problem *p, void (*method)(const problem *p))
{
  double least = INFINITY;
  for (int r = 0; r < o.reps; r++) {
    fill(p);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = bench_now();
    method(p);
    least = fmin(least, bench_most(MPI_COMM_WORLD, bench_now() - begun));
  }
  const double error = residual(p);
  const bool wrong = !(error < 10);
  if (p->rank == 0) printf("%-28s %8.3f s  residual %.2g%s\n", name, least, error, wrong ? "   WRONG" : "");
  (void)fflush(stdout);
  return wrong;
}

static int64_t run_order(int64_t n, int nprocs)
{
  static const struct {
    const char *name;
    void (*method)(const problem *p);
    bool is_moved;
  } methods[] = {{"ELPA, 1 stage", by_elpa_1, false},
                 {"ELPA, 2 stages", by_elpa_2, false},
                 {"ELPA, 1 stage, moved", by_elpa_1, true},
                 {"ELPA, 2 stages, moved", by_elpa_2, true},
                 {"pdsyevd", by_syevd, false},
                 {"pdsyevr", by_syevr, false},
                 {"dap_linalg_eigh", by_linalg, false}};
  int dims[2] = {0, 0};
  int64_t wrong = 0;
  MPI_Dims_create(nprocs, 2, dims);
  const dap_dist cyclic[2] = {dap_dist_cyclic(n, dims[1], o.block), dap_dist_cyclic(n, dims[0], o.block)};
  const dap_dist rows[2] = {dap_dist_even(n, nprocs), dap_dist_local(n)};
  problem shared = make(n, cyclic, DAP_ORDER_F), moved = make(n, rows, DAP_ORDER_C);
  if (shared.rank == 0) printf("n = %d, %d ranks, blocks of %d\n", (int)n, nprocs, o.block);
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
    wrong += measure(methods[m].name, methods[m].is_moved ? &moved : &shared, methods[m].method);
  end(&moved);
  end(&shared);
  return wrong;
}

static int64_t run_all(const bench_launch *l)
{
  int64_t wrong = 0;
  for (int i = 0; i < o.sizes.count; i++) wrong += run_order(o.sizes.list[i], l->nprocs);
  return wrong;
}

const bench_program bench_elpa = {
    .about =
        "Prints the least time of all runs, of the slowest process, and the largest |A z - w z| over some\n"
        "columns z, divided by |A| n eps. All methods share the same array. ELPA also uses a moved one.",
    .options = options,
    .run = run_all,
    .legend = ""};

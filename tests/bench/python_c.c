/* Makes the same calls from C that bench_python.py makes from Python, in the same processes, as a library
 * for ctypes. Each function returns the seconds of one call; on errors it prints the reason and returns
 * -1. */
#include <dapbridge.h>
#include <dapbridge/linalg.h>
#include <dapbridge/scalapack.h>
#include <stdio.h>

#define CALLED_FROM_PYTHON __attribute__((visibility("default")))

static double fail(const dap_error *err)
{
  (void)fprintf(stderr, "bench_python: %s\n", err->text);
  return -1;
}

/* ---- plans ------------------------------------------------------------------------------------------- */

typedef struct plan_case {
  dap_layout *rows, *columns;
  dap_array a, b;
  dap_plan *plan;
} plan_case;

static dap_status make_plan(plan_case *c, MPI_Comm comm, int64_t n, dap_error *err)
{
  int rank, procs;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &procs);
  const dap_dist rows[] = {dap_dist_even(n, procs), dap_dist_local(n)};
  const dap_dist columns[] = {dap_dist_local(n), dap_dist_cyclic(n, procs, 1)};
  dap_status s = dap_layout_create(2, rows, &c->rows, err);
  if (!s) s = dap_layout_create(2, columns, &c->columns, err);
  if (!s) s = dap_array_init(&c->a, c->rows, rank, DAP_F8, DAP_ORDER_C, NULL, err);
  if (!s) s = dap_array_init(&c->b, c->columns, rank, DAP_F8, DAP_ORDER_C, NULL, err);
  if (s) return s;
  const dap_side from = dap_side_of((dap_darray){c->rows, &c->a}),
                 to = dap_side_of((dap_darray){c->columns, &c->b});
  return dap_plan_create(comm, &from, &to, 0, NULL, &c->plan, err);
}

static double time_plan(MPI_Comm comm, const plan_case *c, int count, dap_error *err)
{
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  for (int i = 0; i < count; i++)
    if (dap_plan_run(c->plan, c->a.data, c->b.data, err)) return fail(err);
  return (MPI_Wtime() - start) / count;
}

/* Times `count` runs of a plan of n x n elements from row slabs to single columns in turns. */
CALLED_FROM_PYTHON double bench_plan(MPI_Fint handle, int64_t n, int count);
double bench_plan(MPI_Fint handle, int64_t n, int count)
{
  MPI_Comm comm = MPI_Comm_f2c(handle);
  dap_error err;
  plan_case c = {0};
  const dap_status s = make_plan(&c, comm, n, &err);
  const double seconds = s ? fail(&err) : time_plan(comm, &c, count, &err);
  dap_plan_destroy(&c.plan);
  dap_array_release(&c.a);
  dap_array_release(&c.b);
  dap_layout_destroy(&c.rows);
  dap_layout_destroy(&c.columns);
  return seconds;
}

/* ---- views ------------------------------------------------------------------------------------------- */

static double time_views(MPI_Comm comm, dap_darray a, int count, dap_error *err)
{
  dap_scalapack_matrix matrix;
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  for (int i = 0; i < count; i++) {
    if (dap_scalapack_get(comm, a, DAP_READ_WRITE, NULL, &matrix, err)) return fail(err);
    if (dap_scalapack_restore(&matrix, err)) return fail(err);
  }
  return (MPI_Wtime() - start) / count;
}

/* Times `count` pairs of get and restore of a shared view of an n x n matrix in row slabs. */
CALLED_FROM_PYTHON double bench_view(MPI_Fint handle, int64_t n, int count);
double bench_view(MPI_Fint handle, int64_t n, int count)
{
  MPI_Comm comm = MPI_Comm_f2c(handle);
  int rank, procs;
  dap_error err;
  dap_layout *layout = NULL;
  dap_array local = {0};
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &procs);
  const dap_dist dists[] = {dap_dist_even(n, procs), dap_dist_local(n)};
  double seconds = -1;
  if (dap_layout_create(2, dists, &layout, &err) ||
      dap_array_init(&local, layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err))
    (void)fail(&err);
  else
    seconds = time_views(comm, (dap_darray){layout, &local}, count, &err);
  dap_array_release(&local);
  dap_layout_destroy(&layout);
  return seconds;
}

/* ---- eigenvalues ------------------------------------------------------------------------------------- */

typedef struct eigen_case {
  dap_layout *layout, *values;
  dap_array a, w, z;
} eigen_case;

static dap_status make_case(eigen_case *c, int rank, int procs, int64_t n, double *a, dap_error *err)
{
  const dap_dist dists[] = {dap_dist_even(n, procs), dap_dist_local(n)};
  const dap_dist copies = dap_dist_replicated(n, procs);
  dap_status s = dap_layout_create(2, dists, &c->layout, err);
  if (!s) s = dap_layout_create(1, &copies, &c->values, err);
  if (!s) s = dap_array_init(&c->a, c->layout, rank, DAP_F8, DAP_ORDER_C, a, err);
  if (!s) s = dap_array_init(&c->z, c->layout, rank, DAP_F8, DAP_ORDER_C, NULL, err);
  if (!s) s = dap_array_init(&c->w, c->values, rank, DAP_F8, DAP_ORDER_C, NULL, err);
  return s;
}

/* Times eigenvalues and eigenvectors of an n x n matrix in row slabs; a is this process's part, in C
 * order. a does not change, and memory for the results is allocated, as in Python. */
CALLED_FROM_PYTHON double bench_eigh(MPI_Fint handle, int64_t n, double *a);
double bench_eigh(MPI_Fint handle, int64_t n, double *a)
{
  MPI_Comm comm = MPI_Comm_f2c(handle);
  int rank, procs;
  dap_error err;
  eigen_case c = {0};
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &procs);
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  dap_status s = make_case(&c, rank, procs, n, a, &err);
  if (!s)
    s = dap_linalg_eigh(comm, 'L', (dap_darray){c.layout, &c.a}, (dap_darray){c.values, &c.w},
                        (dap_darray){c.layout, &c.z}, &(dap_linalg_options){.keep = true}, &err);
  const double seconds = s ? fail(&err) : MPI_Wtime() - start;
  dap_array_release(&c.a);
  dap_array_release(&c.w);
  dap_array_release(&c.z);
  dap_layout_destroy(&c.layout);
  dap_layout_destroy(&c.values);
  return seconds;
}

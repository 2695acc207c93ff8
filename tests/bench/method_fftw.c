/* Moves by FFTW's MPI transpose of slabs, planned with FFTW_PATIENT, which measures its algorithms and
 * keeps the fastest. */
#include "fail.h"
#include "redistribute.h"

#include <fftw3-mpi.h>
#include <stdlib.h>

/* Returns true for slabs of rows in C order that become slabs of columns in Fortran order, if elements
 * consist of doubles. */
static bool applies(const bench_case *c)
{
  const bench_side *from = &c->from, *to = &c->to;
  return c->ndim == 2 && c->itemsize % (int64_t)sizeof(double) == 0 && from->order == DAP_ORDER_C &&
         to->order == DAP_ORDER_F && from->axes[0].kind == BENCH_BLOCK && to->axes[1].kind == BENCH_BLOCK &&
         from->axes[1].procs == 1 && to->axes[0].procs == 1;
}

static ptrdiff_t howmany(const bench_case *c)
{
  return (ptrdiff_t)(c->itemsize / (int64_t)sizeof(double));
}

/* Allocates FFTW's own arrays, which have its alignment, and the length that uneven slabs need. */
static void prepare(bench_job *job)
{
  const ptrdiff_t n[2] = {(ptrdiff_t)job->c->n, (ptrdiff_t)job->c->n};
  ptrdiff_t rows, first_row, columns, first_column;
  fftw_mpi_init();
  const ptrdiff_t count = fftw_mpi_local_size_many_transposed(2, n, howmany(job->c), FFTW_MPI_DEFAULT_BLOCK,
                                                              FFTW_MPI_DEFAULT_BLOCK, job->comm, &rows,
                                                              &first_row, &columns, &first_column);
  if (rows != job->c->from.shape[0] || columns != job->c->to.shape[1])
    bench_fail("FFTW cuts the matrix otherwise");
  job->from.data = (char *)fftw_alloc_real((size_t)count + 1);
  job->to.data = (char *)fftw_alloc_real((size_t)count + 1);
  if (!job->from.data || !job->to.data) bench_fail("no memory for FFTW's arrays");
}

static void create(bench_job *job)
{
  const ptrdiff_t n = (ptrdiff_t)job->c->n;
  job->state =
      fftw_mpi_plan_many_transpose(n, n, howmany(job->c), FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                   (double *)job->from.data, (double *)job->to.data, job->comm, FFTW_PATIENT);
  if (!job->state) bench_fail("FFTW has no plan");
}

static void run(bench_job *job)
{
  fftw_execute(job->state);
}

static void destroy(bench_job *job)
{
  fftw_destroy_plan(job->state);
  fftw_free(job->from.data);
  fftw_free(job->to.data);
  fftw_mpi_cleanup();
}

const bench_method bench_fftw = {"fftw",        BENCH_PEER,     applies,           create, run, destroy,
                                 .plans = true, .spoils = true, .prepare = prepare};

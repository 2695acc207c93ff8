/* What is moved: two distributions of one array, and this process's buffers of them. */
#ifndef DAP_BENCH_CASES_H
#define DAP_BENCH_CASES_H

#include "axis.h"

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

enum { BENCH_NDIM = 3 };

/* One end of a case. Ranks run through the grid in row-major order. */
typedef struct bench_side {
  bench_axis axes[BENCH_NDIM];
  dap_order order; /* of the buffer; contiguous */
  dap_layout *layout;
  int coords[BENCH_NDIM];      /* this process's */
  int64_t shape[BENCH_NDIM];   /* elements of this process's buffer */
  int64_t strides[BENCH_NDIM]; /* bytes */
  int64_t bytes;               /* of this process's buffer */
} bench_side;

typedef struct bench_case {
  const char *name;
  const char *about; /* in few words */
  int ndim;
  int rank, nprocs;
  int64_t n; /* as asked for */
  dap_dtype dtype;
  int64_t itemsize;
  bool halo; /* a halo update of `from`; `to` is the same side */
  bench_side from, to;
} bench_case;

/* One case by its place in the table, and the sizes that are measured unless others are asked for, up to a 0.
 * False: there is no such case. */
bool bench_case_row(int row, const char **name, const int64_t **sizes);

/* Makes it for arrays of about n * n elements. False, with a reason on rank 0's standard error: it does not
 * exist for this size and these ranks. Collective. */
bool bench_case_make(int row, MPI_Comm comm, int64_t n, dap_dtype dtype, bench_case *c);

void bench_case_free(bench_case *c);

/* ---- sides.c -------------------------------------------------------------------------------------- */

/* Makes the rest of a side of which the axes and the order are set. Collective. */
dap_status bench_side_make(const bench_case *c, MPI_Comm comm, bench_side *side, dap_error *err);

/* The coordinates of `rank` on a side's grid. */
void bench_side_coords(const bench_case *c, const bench_side *side, int rank, int coords[]);

/* The bytes that a process has in the end from anywhere: all it owns, or the halo that it gets. */
int64_t bench_payload(const bench_case *c);

#endif

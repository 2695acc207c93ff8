/* Describes a case: two distributions of one array, and this process's buffers. */
#ifndef DAP_BENCH_CASES_H
#define DAP_BENCH_CASES_H

#include "axis.h"

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

enum { BENCH_NDIM = 3 };

/* One end of a case. Ranks are in row-major order on the grid. */
typedef struct bench_side {
  bench_axis axes[BENCH_NDIM];
  dap_order order; /* order of the contiguous buffer */
  dap_layout *layout;
  int coords[BENCH_NDIM];      /* of this process */
  int64_t shape[BENCH_NDIM];   /* extents of this process's buffer */
  int64_t strides[BENCH_NDIM]; /* bytes */
  int64_t bytes;               /* size of this process's buffer */
} bench_side;

typedef struct bench_case {
  const char *name;
  const char *about; /* short description */
  int ndim;
  int rank, nprocs;
  int64_t n; /* the requested n */
  dap_dtype dtype;
  int64_t itemsize;
  bool halo; /* whether it is a halo update of `from`; `to` is the same side */
  bench_side from, to;
} bench_case;

/* Sets *name and *sizes to the name and the default sizes of the case at this place in the table. The sizes
 * end with 0. Returns false if there is no such case. */
bool bench_case_row(int row, const char **name, const int64_t **sizes);

/* Makes a case for arrays of about n * n elements. Returns false, with a reason on rank 0's standard
 * error, if the case does not exist for this size and number of ranks. Collective. */
bool bench_case_make(int row, MPI_Comm comm, int64_t n, dap_dtype dtype, bench_case *c);

void bench_case_free(bench_case *c);

/* ---- sides.c -------------------------------------------------------------------------------------- */

/* Makes the rest of a side whose axes and order are set. Collective. */
dap_status bench_side_make(const bench_case *c, MPI_Comm comm, bench_side *side, dap_error *err);

/* Computes the coordinates of `rank` on a side's grid. */
void bench_side_coords(const bench_case *c, const bench_side *side, int rank, int coords[]);

/* Returns how many bytes a process receives, also from itself: all elements that it owns, or its halo. */
int64_t bench_payload(const bench_case *c);

#endif

/* Describes the moves whose simulated time is measured. */
#ifndef DAP_TEST_TIMES_H
#define DAP_TEST_TIMES_H

#include <dapbridge/layout.h>
#include <mpi.h>

/* ---- times_case.c: redistributions of a matrix in C order --------------------------------------------- */

enum { TIMES_NDIM = 2 };

/* One axis: blocks of `width` elements that are dealt out to `procs` processes. procs divides size. */
typedef struct times_axis {
  int procs;
  int64_t size, width;
} times_axis;

/* The elements along one axis that one process has for another: `count` ranges of `length` elements. */
typedef struct times_range {
  int64_t count, length;
  int64_t from, from_step, to, to_step; /* positions in the two buffers */
} times_range;

typedef struct times_case {
  MPI_Comm comm;
  int rank, nprocs;
  times_axis from[TIMES_NDIM], to[TIMES_NDIM];
  int64_t from_shape[TIMES_NDIM], to_shape[TIMES_NDIM]; /* extents of this process's buffers */
  double *source, *destination;
  bool is_checked; /* otherwise the buffers share a few pages, and their values are meaningless */
} times_case;

/* Makes case `name` with n elements along each axis, or n elements in all. Returns false if there is no
 * such case. */
bool times_case_make(const char *name, MPI_Comm comm, int64_t n, times_case *c);
void times_case_free(times_case *c);
/* Computes the elements that process `source` has for process `destination`. Returns false if there are
 * none. */
bool times_case_share(const times_case *c, int source, int destination, times_range share[TIMES_NDIM]);
/* Returns how many elements of the destination are wrong. */
int64_t times_case_count_wrong(const times_case *c);

/* Allocates memory of a simulated process. Large buffers of all processes share a few pages. */
double *times_alloc(int64_t elements, bool is_shared);
void times_free(double *buffer, bool is_shared);

/* ---- times_moves.c, times_gemr2d.c: methods ------------------------------------------------------------ */

/* A method prepares its state, waits for `start()`, moves the elements once, and calls `stop()`. */
typedef struct times_clock {
  void (*start)(void), (*stop)(void);
} times_clock;

void times_plan(const times_case *c, unsigned forced, const times_clock *clock); /* bits of dap_forced */
void times_pack(const times_case *c, const times_clock *clock);
void times_alltoallw(const times_case *c, const times_clock *clock);
void times_gemr2d(const times_case *c, const times_clock *clock);

/* ---- times_copies.c ------------------------------------------------------------------------------------ */

/* Moves n elements of process 0, or one addend on each process, to all processes. `method` is "plan",
 * "mpi", or the width of a tree. Returns false if there is no such case. */
bool times_copies(const char *name, const char *method, MPI_Comm comm, int64_t n, const times_clock *clock);

#endif

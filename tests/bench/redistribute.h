/* Describes the cases of `bench redistribute`, which move an array from one distribution to another, the
 * methods that move their elements, and the measurement. */
#ifndef DAP_BENCH_REDISTRIBUTE_H
#define DAP_BENCH_REDISTRIBUTE_H

#include "axis.h"
#include "command_line.h"
#include "turns.h"

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>
#include <stdio.h>

/* ---- cases.c --------------------------------------------------------------------------------------- */

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

/* ---- sides.c --------------------------------------------------------------------------------------- */

/* Makes the rest of a side whose axes and order are set. Collective. */
dap_status bench_side_make(const bench_case *c, MPI_Comm comm, bench_side *side, dap_error *err);

/* Computes the coordinates of `rank` on a side's grid. */
void bench_side_coords(const bench_case *c, const bench_side *side, int rank, int coords[]);

/* Returns how many bytes a process receives, also from itself: all elements that it owns, or its halo. */
int64_t bench_payload(const bench_case *c);

/* ---- elements.c: each element is its global index -------------------------------------------------- */

/* A buffer of a side with its own strides [ndim], in bytes. */
typedef struct bench_buffer {
  char *data;
  int64_t strides[BENCH_NDIM];
} bench_buffer;

/* Writes all owned elements, and into the halos a value that no element has. */
void bench_fill(const bench_case *c, const bench_side *side, const bench_buffer *buffer);

/* Writes a value that no element has to the whole buffer. */
void bench_spoil(const bench_case *c, const bench_side *side, const bench_buffer *buffer);

/* Returns how many elements differ from the values of bench_fill(). With `halos`, the halos must have the
 * owners' values. */
int64_t bench_count_wrong(const bench_case *c, const bench_side *side, const bench_buffer *buffer,
                          bool halos);

/* ---- bench_redistribute.c: the command line -------------------------------------------------------- */

typedef enum bench_which { BENCH_BEST, BENCH_FROM, BENCH_TO } bench_which;

typedef struct bench_options {
  bench_sizes sizes;
  const char *cases, *methods; /* names, separated by commas; NULL: all */
  dap_dtype dtype;
  int reps;
  bool alone;            /* whether a turn is one run */
  bool json;             /* prints objects on standard output instead of tables */
  const char *json_path; /* file for objects, besides tables; or NULL */
  unsigned transports;   /* transports of dapbridge; 0: all */
  int64_t memory;        /* dapbridge's limit in bytes; 0: its default */
  int side;              /* bench_which: the array that dap_alloc has in library memory */
} bench_options;

/* ---- methods.c ------------------------------------------------------------------------------------- */

typedef enum bench_role { BENCH_OURS, BENCH_PEER, BENCH_LIMIT } bench_role;

/* State of a method for a case. */
typedef struct bench_job {
  const bench_case *c;
  const bench_options *options;
  MPI_Comm comm;
  bench_buffer from, to; /* from malloc(), shared by all methods, or made by prepare() */
  dap_array array;       /* made by prepare() */
  void *state;           /* made by create() */
  const char *side;      /* the array in library memory, "from" or "to", or "" for none */
  int64_t stats_bytes;   /* extra memory by the method's own count; -1: none */
} bench_job;

/* Functions of a method, which are collective and end the program on errors. NULL: nothing to do. */
typedef struct bench_method {
  const char *name;
  bench_role role;
  bool (*applies)(const bench_case *c); /* NULL: always */
  void (*create)(bench_job *job);       /* makes a plan */
  void (*run)(bench_job *job);
  void (*destroy)(bench_job *job);  /* frees the results of prepare() and create() */
  void (*prepare)(bench_job *job);  /* allocates one of the two arrays, or both, in other memory */
  int64_t (*wrong)(bench_job *job); /* wrong elements of this process; NULL: bench_count_wrong() */
  bool plans;                       /* whether the time of create() is of interest */
  bool spoils;                      /* whether create() writes to the two arrays */
} bench_method;

extern const bench_method *const bench_methods[];
extern const int bench_methods_count;

/* method_*.c */
extern const bench_method bench_alltoallw, bench_dap_alloc, bench_dap_malloc, bench_dmda, bench_fftw,
    bench_gemr2d, bench_gemr2d_dropin, bench_neighbor, bench_nt_copy, bench_pack_isend, bench_vecscatter;

/* ---- shares.c: elements that go from one process to another, for methods by hand ------------------- */

/* `count` equal stretches of one axis at equal steps, in elements of the two buffers. */
typedef struct bench_strided_run {
  int64_t from, to, length;
  int64_t count, from_step, to_step;
} bench_strided_run;

/* The combs of one axis, in the order of the destination. */
typedef struct bench_combs {
  bench_strided_run *list;
  int64_t count;
  int64_t elements;
} bench_combs;

/* Elements that process `source` has for process `destination`: the product of its axes' combs. A shuffled
 * array has places in the two buffers instead, in the order of the destination. */
typedef struct bench_share {
  int64_t elements;
  bench_combs axes[BENCH_NDIM];
  int32_t
      *places[2]; /* [elements] in the source's and the destination's buffer; NULL: not shuffled, or not this
                         process's buffer */
} bench_share;

/* Makes a share. For a halo update it has the elements of the destination's halo. Ends the program without
 * memory. */
void bench_share_make(const bench_case *c, int source, int destination, bench_share *share);
void bench_share_free(bench_share *share);

/* ---- copy.c: rows by memcpy, transposes in tiles, the rest in plain loops -------------------------- */

typedef enum bench_place {
  BENCH_IN_SOURCE,
  BENCH_IN_DESTINATION,
  BENCH_IN_MESSAGE /* packed in the destination's order */
} bench_place;

/* One end of a copy. The `strides` of a message are ignored. */
typedef struct bench_end_of_copy {
  bench_place place;
  char *data;
  const int64_t *strides;
} bench_end_of_copy;

void bench_copy(const bench_case *c, const bench_share *share, bench_end_of_copy from, bench_end_of_copy to);

/* ---- types.c: MPI's derived datatypes -------------------------------------------------------------- */

/* Returns the committed type of the elements from process `from` to process `to`, in the source's or in
 * the destination's buffer of this process. *count is 1, or 0 if there are none; then no type is made. */
MPI_Datatype bench_type_between(const bench_job *job, int from, int to, bool source, int *count);

/* ---- measure.c, report.c --------------------------------------------------------------------------- */

/* Result of a method, the same on every process. */
typedef struct bench_result {
  bench_time time;
  double plan_ms;      /* time of create() on the slowest process; -1: nothing to plan */
  int64_t extra_bytes; /* peak of create() and a run, the largest of all processes; -1: unknown */
  int64_t stats_bytes; /* the method's own count, the largest of all processes; -1: none */
  const char *side;
} bench_result;

/* Measures into results[bench_methods_count]. Collective. */
void bench_measure(MPI_Comm comm, const bench_case *c, const bench_options *options, bench_result results[]);

void bench_report_table(FILE *file, const bench_case *c, const bench_result results[]);
void bench_report_json(FILE *file, const bench_case *c, bool alone, const bench_result results[]);

#endif

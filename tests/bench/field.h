/* Describes a 3-D field on a grid of processes, this process's part of it, and the methods that
 * `bench field` compares. */
#ifndef DAP_BENCH_FIELD_H
#define DAP_BENCH_FIELD_H

#include "bench_petsc.h"
#include "command_line.h"
#include "turns.h"

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>
#include <petscdmda.h>
#include <stdio.h>

enum { FIELD_NDIM = 3 };

/* ---- field_case.c: computes n x n x n points and their places without the library --------------------- */

typedef struct field_case {
  MPI_Comm comm;
  int rank, nprocs;
  const char *grid; /* name of the grid */
  int64_t n, width;
  bool periodic;
  int procs[FIELD_NDIM], coords[FIELD_NDIM];
  int64_t start[FIELD_NDIM], owned[FIELD_NDIM]; /* points of this process */
  int64_t low[FIELD_NDIM], shape[FIELD_NDIM];   /* padding before them; padded buffer, in C order */
  int64_t count, points;                        /* number of elements in the buffer, and of points */
  PetscInt *ranges[FIELD_NDIM];                 /* [procs] points of all processes */
  dap_layout *layout;
} field_case;

/* Makes the case on slabs, blocks or columns: 0, 1, 2. Returns false if, with this number of processes, the
 * grid equals an earlier one, or if the parts are narrower than the stencil. */
bool field_case_make(MPI_Comm comm, int grid, int64_t n, int64_t width, bool periodic, field_case *c);
void field_case_free(field_case *c);

/* Fill and check a padded buffer with these strides, in elements, or the points only, in C order. Every
 * point is its global index. `ghosts`: padding has its indices; otherwise it has values of no point. */
void field_fill(const field_case *c, PetscScalar *data, const int64_t strides[], bool ghosts);
void field_fill_points(const field_case *c, PetscScalar *data);
int64_t field_count_wrong(const field_case *c, const PetscScalar *data, const int64_t strides[]);
int64_t field_count_wrong_points(const field_case *c, const PetscScalar *data);
/* Returns how many elements, padding included, differ from their index times the number of processes that
 * have them. Use it after padding that held indices was added. */
int64_t field_count_wrong_sums(const field_case *c, const PetscScalar *data, const int64_t strides[]);
int64_t field_count_wrong_sums_points(const field_case *c, const PetscScalar *data);
void field_spoil(PetscScalar *data, int64_t count);

/* Computes strides of C order without gaps, in elements. */
void field_strides(const int64_t shape[], int64_t strides[]);

/* Returns the dtype of PetscScalar. */
dap_dtype field_dtype(void);

/* ---- field_methods.c and method_field_*.c ------------------------------------------------------------- */

/* Group of a method, which selects the methods that its ratio refers to. */
typedef enum field_group { FIELD_HALO, FIELD_VIEW, FIELD_SUM, FIELD_PEER } field_group;

/* State of a method. */
typedef struct field_job {
  const field_case *c;
  const struct field_method *method;
  DM dm;                       /* DMDA of PETSc's own methods, with the same ranges */
  Vec global, local;           /* their vectors, which PETSc allocated */
  dap_array array;             /* padded array, the same for all methods except halo_shared */
  int64_t strides[FIELD_NDIM]; /* strides of the array, in elements */
  void *state;
} field_job;

/* Functions as in bench_turns. They end the program on errors. */
typedef struct field_method {
  const char *name;
  field_group group;
  const char *about;
  void (*create)(field_job *job);   /* makes the state that is kept between runs */
  void (*fill)(field_job *job);     /* called before a checked run */
  void (*run)(field_job *job);      /* timed */
  int64_t (*wrong)(field_job *job); /* returns the wrong elements of this process after a run */
  void (*destroy)(field_job *job);  /* frees the state of create() */
  int number;                       /* distinguishes methods with the same functions */
} field_method;

extern const field_method field_methods[];
extern const int field_methods_count;

void field_halo_create(field_job *job);
void field_halo_shared_create(field_job *job);
void field_halo_fill(field_job *job);
void field_halo_run(field_job *job);
int64_t field_halo_wrong(field_job *job);
void field_halo_destroy(field_job *job);
void field_halo_shared_destroy(field_job *job);

void field_sum_create(field_job *job);
void field_sum_shared_create(field_job *job);
void field_sum_fill(field_job *job);
int64_t field_sum_wrong(field_job *job);

/* Kinds of views: places in the table of method_field_view.c. */
enum {
  FIELD_VIEW_READ,
  FIELD_VIEW_WRITE,
  FIELD_VIEW_BOTH,
  FIELD_VIEW_KEPT_READ,
  FIELD_VIEW_KEPT_WRITE,
  FIELD_VIEW_KEPT_BOTH
};
void field_view_create(field_job *job);
void field_view_fill(field_job *job);
void field_view_run(field_job *job);
int64_t field_view_wrong(field_job *job);
void field_view_destroy(field_job *job);

void field_live_create(field_job *job);
void field_live_run(field_job *job);
void field_live_sum_run(field_job *job);
void field_live_destroy(field_job *job);

void field_global_fill(field_job *job);
void field_global_run(field_job *job);
void field_local_fill(field_job *job);
void field_local_run(field_job *job);
int64_t field_local_wrong(field_job *job);

void field_alltoallw_create(field_job *job);
void field_alltoallw_run(field_job *job);
void field_alltoallw_destroy(field_job *job);
void field_neighbor_create(field_job *job); /* field_alltoallw_destroy() destroys it */
void field_neighbor_run(field_job *job);

void field_to_global_fill(field_job *job);
void field_to_global_run(field_job *job);
int64_t field_to_global_wrong(field_job *job);

void field_copy_in_fill(field_job *job);
void field_copy_in_run(field_job *job);
int64_t field_copy_in_wrong(field_job *job);
void field_copy_out_fill(field_job *job);
void field_copy_out_run(field_job *job);
int64_t field_copy_out_wrong(field_job *job);

/* ---- field_measure.c, field_report.c ------------------------------------------------------------------- */

/* Measures the listed methods into times[field_methods_count]. Collective. */
void field_measure(const field_case *c, const char *methods, int reps, bench_time times[]);
void field_report(FILE *file, const field_case *c, const bench_time times[], bool json);

#endif

/* A 3-D field on a grid of processes, this process's part of it, and the ways to get at it that bench_field
 * compares. */
#ifndef DAP_BENCH_FIELD_H
#define DAP_BENCH_FIELD_H

#include "command_line.h"
#include "turns.h"

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>
#include <petscdmda.h>
#include <stdio.h>

enum { FIELD_NDIM = 3 };

/* ---- field_case.c: n x n x n points, and where they are, by arithmetic of its own --------------------- */

typedef struct field_case {
  MPI_Comm comm;
  int rank, nprocs;
  const char *grid; /* its name */
  int64_t n, width;
  bool periodic;
  int procs[FIELD_NDIM], coords[FIELD_NDIM];
  int64_t start[FIELD_NDIM], owned[FIELD_NDIM]; /* this process's points */
  int64_t low[FIELD_NDIM], shape[FIELD_NDIM];   /* padding before them; the padded buffer, in C order */
  int64_t count, points;                        /* elements of the buffer; of the points */
  PetscInt *ranges[FIELD_NDIM];                 /* [procs] points of all */
  dap_layout *layout;
} field_case;

/* On slabs, blocks or columns: 0, 1, 2. False: with so many processes the grid is the same as one before it,
 * or the parts are narrower than the stencil. */
bool field_case_make(MPI_Comm comm, int grid, int64_t n, int64_t width, bool periodic, field_case *c);
void field_case_free(field_case *c);

/* What is in a buffer of the padded form with these strides, in elements; or of the points alone, in C
 * order. Every point is its global index; `ghosts`: so are those of the padding, else they are none's. */
void field_fill(const field_case *c, PetscScalar *data, const int64_t strides[], bool ghosts);
void field_fill_points(const field_case *c, PetscScalar *data);
int64_t field_count_wrong(const field_case *c, const PetscScalar *data, const int64_t strides[]);
int64_t field_count_wrong_points(const field_case *c, const PetscScalar *data);
/* Points that are not their index times how often they are there, padding included: where padding that held
 * indices has been added. */
int64_t field_count_wrong_sums(const field_case *c, const PetscScalar *data, const int64_t strides[]);
int64_t field_count_wrong_sums_points(const field_case *c, const PetscScalar *data);
void field_spoil(PetscScalar *data, int64_t count);

/* C order without gaps, in elements. */
void field_strides(const int64_t shape[], int64_t strides[]);

/* The dtype of PetscScalar. */
dap_dtype field_dtype(void);

/* ---- field_methods.c and method_field_*.c ------------------------------------------------------------- */

/* What a ratio is to. */
typedef enum field_group { FIELD_HALO, FIELD_VIEW, FIELD_SUM, FIELD_PEER } field_group;

/* A method at work. */
typedef struct field_job {
  const field_case *c;
  const struct field_method *method;
  DM dm;                       /* of PETSc's own methods: the same ranges */
  Vec global, local;           /* theirs, which PETSc allocated */
  dap_array array;             /* the padded array; the same for all methods but halo_shared */
  int64_t strides[FIELD_NDIM]; /* its, in elements */
  void *state;
} field_job;

/* Functions as of bench_turns; they end the program when they fail. */
typedef struct field_method {
  const char *name;
  field_group group;
  const char *about;
  int number;                       /* tells methods with the same functions apart */
  void (*create)(field_job *job);   /* what is kept from run to run */
  void (*fill)(field_job *job);     /* before a run that is checked */
  void (*run)(field_job *job);      /* what is timed */
  int64_t (*wrong)(field_job *job); /* elements of this process after it */
  void (*destroy)(field_job *job);  /* what create() made */
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
void field_neighbor_create(field_job *job); /* the rest is field_alltoallw_destroy() */
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

void field_petsc_require(PetscErrorCode code);

/* ---- field_measure.c, field_report.c ------------------------------------------------------------------- */

/* times[field_methods_count], of those methods that are listed. Collective. */
void field_measure(const field_case *c, const char *methods, int reps, bench_time times[]);
void field_report(FILE *file, const field_case *c, const bench_time times[], bool json);

#endif

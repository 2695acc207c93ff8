/* The ways to move a case's elements that are compared. */
#ifndef DAP_BENCH_METHODS_H
#define DAP_BENCH_METHODS_H

#include "elements.h"
#include "options.h"

#include <dapbridge/array.h>

typedef enum bench_role { BENCH_OURS, BENCH_PEER, BENCH_LIMIT } bench_role;

/* A method at work on a case. */
typedef struct bench_job {
  const bench_case *c;
  const bench_options *options;
  MPI_Comm comm;
  bench_buffer from, to; /* from malloc(), shared by all methods, or what prepare() put there */
  dap_array array;       /* of prepare() */
  void *state;           /* of create() */
  const char *side;      /* the array in library memory, "from" or "to"; "" for none */
  int64_t stats_bytes;   /* extra memory by the method's own count; -1: it has none */
} bench_job;

/* Everything is collective, and ends the program when it fails. NULL functions have nothing to do. */
typedef struct bench_method {
  const char *name;
  bench_role role;
  bool plans;                           /* create() is worth timing */
  bool spoils;                          /* create() writes to the two arrays */
  bool (*applies)(const bench_case *c); /* NULL: always */
  void (*prepare)(bench_job *job);      /* has one of the two arrays, or both, somewhere else */
  void (*create)(bench_job *job);       /* plans */
  void (*run)(bench_job *job);
  void (*destroy)(bench_job *job);  /* what prepare() and create() made */
  int64_t (*wrong)(bench_job *job); /* elements of this process; NULL: bench_count_wrong() */
} bench_method;

extern const bench_method bench_methods[];
extern const int bench_methods_count;

/* ---- what each file has for the table in methods.c ------------------------------------------------- */

void bench_dap_prepare(bench_job *job);
void bench_dap_create(bench_job *job);
void bench_dap_run(bench_job *job);
void bench_dap_destroy(bench_job *job);

void bench_pack_create(bench_job *job);
void bench_pack_run(bench_job *job);
void bench_pack_destroy(bench_job *job);

void bench_alltoallw_create(bench_job *job);
void bench_alltoallw_run(bench_job *job);
void bench_alltoallw_destroy(bench_job *job);

bool bench_neighbor_applies(const bench_case *c);
void bench_neighbor_create(bench_job *job);
void bench_neighbor_run(bench_job *job);
void bench_neighbor_destroy(bench_job *job);

bool bench_gemr2d_applies(const bench_case *c);
void bench_gemr2d_create(bench_job *job);
void bench_gemr2d_use(bench_job *job, void (*routine)(void)); /* after create(): another p?gemr2d */
void bench_gemr2d_run(bench_job *job);
void bench_gemr2d_destroy(bench_job *job);
void bench_dropin_create(bench_job *job); /* the rest is gemr2d's */

bool bench_vecscatter_applies(const bench_case *c);
void bench_vecscatter_create(bench_job *job);
void bench_vecscatter_run(bench_job *job);
void bench_vecscatter_destroy(bench_job *job);
void bench_petsc_start(void);
void bench_petsc_stop(void);

bool bench_dmda_applies(const bench_case *c);
void bench_dmda_create(bench_job *job);
void bench_dmda_run(bench_job *job);
void bench_dmda_destroy(bench_job *job);

bool bench_fftw_applies(const bench_case *c);
void bench_fftw_prepare(bench_job *job);
void bench_fftw_create(bench_job *job);
void bench_fftw_run(bench_job *job);
void bench_fftw_destroy(bench_job *job);

void bench_nt_prepare(bench_job *job);
void bench_nt_run(bench_job *job);
void bench_nt_destroy(bench_job *job);
int64_t bench_nt_wrong(bench_job *job);

#endif

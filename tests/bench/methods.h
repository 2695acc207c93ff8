/* Declares the methods that move a case's elements. */
#ifndef DAP_BENCH_METHODS_H
#define DAP_BENCH_METHODS_H

#include "elements.h"
#include "options.h"

#include <dapbridge/array.h>

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
  bool plans;                           /* whether the time of create() is of interest */
  bool spoils;                          /* whether create() writes to the two arrays */
  bool (*applies)(const bench_case *c); /* NULL: always */
  void (*prepare)(bench_job *job);      /* allocates one of the two arrays, or both, in other memory */
  void (*create)(bench_job *job);       /* makes a plan */
  void (*run)(bench_job *job);
  void (*destroy)(bench_job *job);  /* frees the results of prepare() and create() */
  int64_t (*wrong)(bench_job *job); /* wrong elements of this process; NULL: bench_count_wrong() */
} bench_method;

extern const bench_method bench_methods[];
extern const int bench_methods_count;

/* ---- functions of each file, for the table in methods.c -------------------------------------------- */

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
void bench_gemr2d_use(bench_job *job, void (*routine)(void)); /* after create(): uses another p?gemr2d */
void bench_gemr2d_run(bench_job *job);
void bench_gemr2d_destroy(bench_job *job);
void bench_dropin_create(bench_job *job); /* its other functions are those of gemr2d */

bool bench_vecscatter_applies(const bench_case *c);
void bench_vecscatter_create(bench_job *job);
void bench_vecscatter_run(bench_job *job);
void bench_vecscatter_destroy(bench_job *job);

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

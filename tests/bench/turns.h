/* Runs methods in turns, so that changes of the machine affect all of them: each is made ready, checked,
 * timed, and checked again. */
#ifndef DAP_BENCH_TURNS_H
#define DAP_BENCH_TURNS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { BENCH_METHODS = 24 /* most methods */ };

/* Functions receive the context and the method's number, and are collective. NULL functions have nothing
 * to do. */
typedef struct bench_turns {
  MPI_Comm comm;
  void *context;
  int methods, reps;
  int most;                                    /* most runs of a turn; */
  double turn_us;                              /* a turn lasts about `turn_us`; 0: always `most` runs */
  bool (*applies)(void *context, int method);  /* NULL: all apply */
  void (*create)(void *context, int method);   /* makes the state that is kept between runs */
  void (*before)(void *context, int method);   /* before each timed run; NULL: runs are adjacent */
  void (*run)(void *context, int method);      /* timed */
  void (*fill)(void *context, int method);     /* called before a checked run */
  int64_t (*wrong)(void *context, int method); /* wrong elements of this process; NULL: unchecked */
  void (*destroy)(void *context, int method);  /* frees the state of create() */
} bench_turns;

/* Microseconds of a run, the same on every process. */
typedef struct bench_time {
  bool measured;
  double low_us, median_us, high_us; /* of the turns' means: a tenth, half, nine tenths are below */
  double least_us;                   /* the shortest run */
  double first_us;                   /* of the first run, with create() */
  int64_t wrong;                     /* wrong elements, on all processes */
} bench_time;

/* Fills times [methods]. */
void bench_take_turns(const bench_turns *t, bench_time times[]);

/* Returns the sum of their wrong elements. */
int64_t bench_wrong_of(const bench_time times[], int methods);

#endif

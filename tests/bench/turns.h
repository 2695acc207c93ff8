/* Methods that take turns, so that all of them meet the same machine: each is made ready, checked, timed, and
 * checked again. */
#ifndef DAP_BENCH_TURNS_H
#define DAP_BENCH_TURNS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { BENCH_METHODS = 24 /* at most */ };

/* Functions get the context and the method's number, and are collective. Those that are NULL have nothing to
 * do. */
typedef struct bench_turns {
  MPI_Comm comm;
  void *context;
  int methods, reps;
  int most;       /* a method runs so often in a turn that it lasts about `turn_us`, */
  double turn_us; /* but `most` times at most; 0: `most` times */
  bool (*applies)(void *context, int method);  /* NULL: all do */
  void (*create)(void *context, int method);   /* what is kept from run to run */
  void (*before)(void *context, int method);   /* before each run that is timed; NULL: they follow another */
  void (*run)(void *context, int method);      /* what is timed */
  void (*fill)(void *context, int method);     /* before a run that is checked */
  int64_t (*wrong)(void *context, int method); /* elements of this process after it; NULL: unchecked */
  void (*destroy)(void *context, int method);  /* what create() made */
} bench_turns;

/* Microseconds of a run; the same on every process. */
typedef struct bench_time {
  bool measured;
  double low_us, median_us, high_us; /* of the turns' means: a tenth, half, nine tenths are below */
  double least_us;                   /* the shortest that was seen */
  double first_us;                   /* of the first run, with create() */
  int64_t wrong;                     /* elements, on all processes */
} bench_time;

/* times [methods]. */
void bench_take_turns(const bench_turns *t, bench_time times[]);

/* The sum of their wrong elements. */
int64_t bench_wrong_of(const bench_time times[], int methods);

#endif

/* One row of the table, measured in turns. */
#ifndef DAP_BENCH_LINALG_MEASURE_H
#define DAP_BENCH_LINALG_MEASURE_H

#include "linalg.h"

enum { LINALG_TURNS = 255 }; /* at most */

typedef struct linalg_turns {
  int least;      /* so many at least, */
  double seconds; /* and more until they have taken so long; */
  double most;    /* fewer where they have taken so long */
} linalg_turns;

/* Quartiles: { a quarter, half, three quarters of the turns are below }. */
typedef struct linalg_measured {
  const linalg_row *row;
  int64_t order;
  linalg_shape shape;            /* of the best operands */
  int turns;                     /* that were timed; 0: the row is left out, as it is wrong in that shape */
  double longest;                /* of all methods, s */
  double hand[3], moves[3];      /* s */
  double shared[3], moved[3];    /* over the time by hand of the same turn */
  double beyond[3];              /* moved, less the moves of that turn, over the time by hand */
  double part[3];                /* the moves' of what the moved one takes */
  int64_t bytes[LINALG_METHODS]; /* the most that a process took beyond the operands, in the first turn */
  bool is_shared, equal;         /* equal: results agree */
} linalg_measured;

/* On best operands of that shape. Collective. */
linalg_measured linalg_measure(const linalg_row *row, int64_t n, const linalg_shape *shape,
                               const linalg_turns *turns);

/* linalg_report.c: the table in Markdown, the command that made it above it, and below it a list of what
 * misses the target. On one process. */
void linalg_print_head(int argc, char *const argv[], int nprocs, double rate);
void linalg_print_row(const linalg_measured *m, double rate);
void linalg_print_missed(const linalg_measured measured[], int count);

#endif

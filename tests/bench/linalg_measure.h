/* Measures one row of the table, in turns. */
#ifndef DAP_BENCH_LINALG_MEASURE_H
#define DAP_BENCH_LINALG_MEASURE_H

#include "linalg.h"

enum { LINALG_TURNS = 255 }; /* most turns */

typedef struct linalg_turns {
  int least;      /* least number of turns, */
  double seconds; /* seconds after which no further turn begins, */
  double most;    /* seconds after which turns end even before `least` */
} linalg_turns;

/* Quartiles: { a quarter, half, three quarters of the turns are below }. */
typedef struct linalg_measured {
  const linalg_row *row;
  int64_t order;
  linalg_shape shape;            /* shape of the best operands */
  int turns;                     /* timed turns; 0: the row is omitted because it is wrong in this shape */
  double longest;                /* longest of all methods, s */
  double hand[3], moves[3];      /* s */
  double shared[3], moved[3];    /* over the time by hand in the same turn */
  double beyond[3];              /* moved minus the moves of that turn, over the time by hand */
  double part[3];                /* share of the moves in the moved time */
  int64_t bytes[LINALG_METHODS]; /* most bytes of a process beyond the operands, in the first turn */
  bool is_shared, equal;         /* equal: results agree */
} linalg_measured;

/* Measures a row on best operands with this shape. Collective. */
linalg_measured linalg_measure(const linalg_row *row, int64_t n, const linalg_shape *shape,
                               const linalg_turns *turns);

/* linalg_report.c: prints the table in Markdown, below the command that made it, and then a list of the
 * rows that miss the target. Called on one process. */
void linalg_print_head(int argc, char *const argv[], int nprocs, double rate);
void linalg_print_row(const linalg_measured *m, double rate);
void linalg_print_missed(const linalg_measured measured[], int count);

#endif

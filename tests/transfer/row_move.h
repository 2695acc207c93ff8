/* Moves a row of numbers from equal parts to blocks that are dealt round robin. There are several ways to
 * make this move. */
#ifndef DAP_TEST_ROW_MOVE_H
#define DAP_TEST_ROW_MOVE_H

#include <dapbridge/plan.h>

enum { ROW_SIZE = 1500 };

typedef struct row_move {
  dap_layout *layouts[2];
  dap_plan *plan;
  int64_t extent[2]; /* numbers of this process in `from` and in `to` */
  int64_t salt;      /* other numbers than those of another move */
  double from[ROW_SIZE], to[ROW_SIZE];
} row_move;

/* Without a plan, which row_move_plan() makes; dap_plan_destroy() may end it before row_move_free() does. */
void row_move_make(row_move *m, int64_t block, int64_t salt);
dap_status row_move_plan(MPI_Comm comm, row_move *m, unsigned transports, dap_error *err);
void row_move_free(row_move *m);

/* Writes the numbers of a turn, and none where they are to go; then, how many are wrong there. */
void row_move_fill(row_move *m, int64_t turn);
int row_move_wrong(const row_move *m, int64_t turn);

/* Fills, runs and checks. */
void row_move_run(row_move *m, int64_t turn);

/* Transports, and on how many hosts they are to work. */
typedef struct row_way {
  const char *why;
  unsigned transports;
  int hosts;
} row_way;

enum { ROW_WAYS = 3 };
extern const row_way row_ways[ROW_WAYS]; /* the last: several hosts */

/* A communicator of all processes, as if they were there. */
MPI_Comm row_way_comm(int way);

#endif

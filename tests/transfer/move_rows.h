/* Pairs of layouts by name, each of which says why it is there. */
#ifndef DAP_TEST_MOVE_ROWS_H
#define DAP_TEST_MOVE_ROWS_H

#include "case.h"

/* How a side is dealt: as in case_layout. Blocks are of three elements unless given; halos are two wide. */
typedef struct move_side {
  unsigned axes;
  case_cut cut[3];
  int64_t block[3];
  test_form form;
} move_side;

typedef struct move_row {
  const char *why;
  int ndim;
  int64_t size[3];
  move_side from, to;
  int64_t itemsize;
} move_row;

extern const move_row move_rows[];
extern const int move_row_count;

/* The layout of one side of a row. */
case_layout move_case(const move_row *r, const move_side *side);

#endif

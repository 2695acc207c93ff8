/* Pairs of layouts by name, each of which says why it is there. */
#ifndef DAP_TEST_PLAN_ROWS_H
#define DAP_TEST_PLAN_ROWS_H

#include "axis_procs.h"
#include "buffers.h"

/* An axis of a row: how it is cut, over a share of the processes. */
typedef struct plan_axis {
  dap_dist_kind kind;
  axis_procs procs;
  int64_t block_size;
  int first_owner; /* modulo the processes */
  int64_t halo;
} plan_axis;

typedef struct plan_row {
  const char *why;
  int ndim;
  int64_t size[3];
  plan_axis from[3], to[3];
  test_form from_form, to_form;
  int64_t itemsize;
} plan_row;

/* Ends with a row without `why`. */
extern const plan_row plan_rows[];

/* The layout on all processes of the axes of a row's side. */
dap_layout *plan_row_layout(const plan_row *r, const plan_axis axes[]);

#endif

/* A field of one array, for reverse halo updates. */
#ifndef DAP_REVERSE_TRIAL_H
#define DAP_REVERSE_TRIAL_H

#include "field_test.h"

typedef struct trial {
  const field_row *row;
  live a;
  bool fortran; /* x is the first axis */
} trial;

/* Whether there is a field of the row's array, whose points have their values. A failure is recorded.
 * Collective. Ended with reverse_end(), whatever it returned. */
bool reverse_begin(trial *t, const field_row *row, dap_access access);
void reverse_end(trial *t);

#endif

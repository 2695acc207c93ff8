/* Reverse halo updates by PETSc itself: DMLocalToGlobal(ADD_VALUES) of a local vector with the numbers that a
 * field's buffer holds. */
#ifndef DAP_REVERSE_ORACLE_H
#define DAP_REVERSE_ORACLE_H

#include "reverse_trial.h"

/* This process's points with their ghost points, in the order of a local vector. */
typedef struct box {
  PetscInt ghosts[3], extent[3]; /* first ghost point, and how many with the points */
  PetscInt points[3], length[3];
  PetscInt size[3], dof;
  int64_t low[3]; /* positions of the buffer below the first point */
} box;

/* What the buffer shall hold: points alone, or ghost points too. */
typedef struct oracle {
  box box;
  Vec local, global;
} oracle;

oracle oracle_make(const trial *t);
void oracle_free(oracle *o);

/* Numbers everywhere, in the buffer and in the local vector; but 0 there in what PETSc would not add. */
void oracle_fill(const trial *t, const oracle *o, int salt);

/* The sums, then in the local vector what becomes of ghost points that somebody owns. */
void oracle_sum(const trial *t, const oracle *o, dap_padding padding);

/* Whether all points and ghost points of the buffer are as here. Failures are recorded. */
void oracle_check(const trial *t, const oracle *o, dap_padding padding);

#endif

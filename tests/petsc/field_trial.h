/* Inside check_field_row(): one array as one field. */
#ifndef DAP_FIELD_TRIAL_H
#define DAP_FIELD_TRIAL_H

#include "field_test.h"

/* Elements have the values of their indices, shifted so that those before a write differ from those after. */
enum { BEFORE = 0, AFTER = 100000, GARBAGE = 700000 };

typedef struct trial {
  const field_row *row;
  dap_access access;
  unsigned vectors;
  dap_layout *layout;
  test_buffer buffer;
  dap_array array;
  dap_petsc_field field;
  bool fortran; /* x is the first axis */
} trial;

/* ---- field_rows.c: what a row says ---------------------------------------------------------------- */

int grid_ndim(const field_row *row);

/* Elements at an end of an axis that are not points of the DMDA. */
int64_t outside(const field_row *row, int axis, int side);

/* The element whose value belongs at `global`: itself, or that at the other end of a stripped axis. */
int64_t element_of(const field_row *row, const int64_t global[]);

/* ---- field_visit.c: every element of both sides ---------------------------------------------------- */

/* The axis that a direction of the DMDA runs along. */
int axis_of(const trial *t, int direction);

/* Fills with values, poisons, or checks. CHECK looks at padding too, which must still be poison;
 * CHECK_PADDED wants its owner's values there. A poisoned vector is one of zeros. */
typedef enum deed { FILL, POISON, CHECK, CHECK_PADDED } deed;

/* Points, all ghost points too, or only boundary padding that is ghost points. */
typedef enum part { POINTS, ALL, OUTER } part;

void visit_array(const trial *t, deed work, int64_t shift);
void visit_vector(const trial *t, Vec vector, bool local, part region, deed work, int64_t shift);

#endif

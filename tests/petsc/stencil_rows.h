/* Fields whose matrices have another stencil than their ghost points: the rows that the tests share. */
#ifndef DAP_STENCIL_ROWS_H
#define DAP_STENCIL_ROWS_H

#include "live.h"

typedef struct stencil_row {
  const char *why;
  int ndim;
  int64_t size[4]; /* with dof axes */
  int dof_axes;
  int64_t halo;
  bool star, periodic;
  int64_t matrix_width;
  bool matrix_star;
  int64_t width; /* of the matrix, and its shape */
  bool is_star;
  const char *words; /* in the field's description; NULL: as it would be without */
  MatType type;
} stencil_row;

typedef struct stencil_field {
  dap_layout *layout;
  dap_array array;
  dap_petsc_field field;
} stencil_field;

/* The layout of a row: the first axis over all processes, padded as the field has ghost points, so that a
 * local vector may be the buffer. */
dap_layout *stencil_lay(const stencil_row *r, dap_error *err);

/* What the row asks for: the local vector alone, in the buffer. */
dap_petsc_field_options stencil_options(const stencil_row *r);

/* A field of the row's array; true iff it was got. Ended by stencil_end(), in any case. Collective. */
bool stencil_make(const stencil_row *r, const dap_petsc_field_options *options, stencil_field *m);
void stencil_end(stencil_field *m);

#endif

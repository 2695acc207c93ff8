/* Views of all kinds: fields, vectors, matrices, that share the buffer or do not, made, used and ended while
 * something is refused to one process. */
#ifndef DAP_VIEWS_H
#define DAP_VIEWS_H

#include "field_test.h"

typedef struct view_row {
  const char *why;
  any_kind kind;
  field_row row;  /* its options are a field's */
  bool is_narrow; /* elements of half the bytes */
  bool is_given;  /* with the DMDA of an earlier field, which another access had */
  int naxes;
  dap_petsc_form form;
} view_row;

enum { VIEWS = 15 };
extern const view_row views[VIEWS];

/* A view, and all that it is made of. */
typedef struct trial {
  const view_row *row;
  dap_layout *layout;
  test_buffer buffer;
  dap_array array;
  any_view view; /* of_field.dm: given, or NULL */
} trial;

/* Its array, filled; and, if one is given, a DMDA that has the plans of a field that is only read.
 * Collective. */
void trial_make(trial *t, const view_row *row);
void trial_free(trial *t);

/* Gets it, for reading and writing. Collective. */
dap_status trial_get(trial *t, dap_error *err);

#endif

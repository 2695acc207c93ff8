/* Views of all kinds: fields, vectors, matrices, that share the buffer or do not, made, used and ended while
 * something is refused to one process. */
#ifndef DAP_VIEWS_H
#define DAP_VIEWS_H

#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>

#include "field_test.h"

typedef enum view_kind { FIELD, VECTOR, MATRIX } view_kind;

typedef struct view_row {
  const char *why;
  view_kind kind;
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
  DM dm; /* that is given, or NULL */
  dap_petsc_field field;
  dap_petsc_vector vector;
  dap_petsc_matrix matrix;
} trial;

/* Its array, filled; and, if one is given, a DMDA that has the plans of a field that is only read.
 * Collective. */
void trial_make(trial *t, const view_row *row);
void trial_free(trial *t);

/* What is done to a view. */
typedef enum phase { GET, RESTORE, LOAD, STORE, HALO, PHASES } phase;

/* GET is for reading and writing. Collective. */
dap_status do_phase(trial *t, phase p, dap_error *err);
bool is_live(const trial *t);

#endif

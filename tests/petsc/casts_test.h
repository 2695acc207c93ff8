/* Elements of another type than PetscScalar, in every kind of view. */
#ifndef DAP_CASTS_TEST_H
#define DAP_CASTS_TEST_H

#include "field_test.h"
#include "number.h"

/* ---- casts_views.c: an array of 2 axes in any view ----------------------------------------------------- */

/* An any_kind, or a matrix that is a MATSCALAPACK. */
enum { SCALAPACK = KINDS, CAST_KINDS };

/* Elements at an end of an axis that are ghost points outside a field's grid. */
int64_t edge_of(const field_row *shape, int axis, int side);

/* Options as of the view's kind. */
typedef struct cast_view {
  int kind;
  const field_row *shape;
  dap_access access;
  dap_sharing sharing;
  bool lossy;
  unsigned vectors;    /* of FIELD */
  dap_petsc_form form; /* of MATRIX */
  any_view got;
} cast_view;

dap_status view_get(cast_view *v, const dap_layout *layout, const dap_array *array, dap_error *err);
/* What every vector or matrix of the view says of it. */
bool view_says(const cast_view *v, const char *parts);

/* The entry that belongs to element `index` (in C order). */
typedef PetscScalar entry_of(const void *model, int64_t index);

/* Every entry of this process, ghost points too. */
void view_check(cast_view *v, entry_of *want, const void *model);
void view_fill(cast_view *v, entry_of *put, const void *model);

/* ---- casts_trial.c: one array as one view ------------------------------------------------------------ */

typedef struct trial {
  cast_view view;
  dap_dtype numbers; /* the type whose numbers there are */
  bool is_rough;     /* they lose something in a cast that can lose */
  dap_dtype dtype;   /* of this process */
  bool swapped;
  bool converts;       /* some process has elements to convert */
  bool in, out;        /* the casts hold */
  const char *refusal; /* parts of the text if it is refused, else NULL */
  bool is_mixed;       /* refused because types differ between processes */
  const char *reason;  /* parts of the reason */
  test_form form;
  dap_layout *layout;
  test_buffer buffer;
  dap_array array;
  unsigned char *before; /* a copy of the buffer's memory */
} trial;

/* Gets and restores the view, checks every element of both sides, and settles. */
void check_trial(trial *t);

#endif

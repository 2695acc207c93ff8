/* Declares the functions that the module dapbridge_petsc calls, for each build of PETSc. fortran_impl.h
 * explains their arguments. */
#ifndef DAP_FORTRAN_PETSC_IMPL_H
#define DAP_FORTRAN_PETSC_IMPL_H

#include "fortran_impl.h"

#include <dapbridge/petsc.h>
#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>
#include <string.h>

/* The values are those of petsc.f90, petsc_views.f90 and petsc_imports.f90, in this order. */
enum { DAP_F_FIELD, DAP_F_VECTOR, DAP_F_MATRIX };
enum { DAP_F_RESTORE, DAP_F_DISCARD, DAP_F_LOAD, DAP_F_STORE, DAP_F_HALO };
enum { DAP_F_OF_FIELD, DAP_F_OF_LOCAL, DAP_F_OF_VECTOR, DAP_F_OF_MATRIX };

/* A view that a variable holds. */
typedef struct dap_f_petsc {
  dap_f_object object; /* its kind is a dap_f_petsc_kind */
  bool is_live;
  void *array; /* kept, because the view may use its buffer */
  union {
    dap_petsc_field field;
    dap_petsc_vector vector;
    dap_petsc_matrix matrix;
  } of;
} dap_f_petsc;

/* Facts about the view, in the module's variable. */
typedef struct dap_f_petsc_info {
  int64_t objects[3]; /* DM, global and local Vec; Vec and AO; Mat: as Fortran has them, 0 for none */
  bool shared[2];
  int64_t moved_bytes;
  char reasons[2][DAP_ERROR_TEXT];
} dap_f_petsc_info;

typedef struct dap_f_petsc_kind {
  dap_f_kind kind; /* first */
  void (*tell)(const dap_f_petsc *view, dap_f_petsc_info *info);
  dap_status (*act)(dap_f_petsc *view, int action, dap_error *err);
} dap_f_petsc_kind;

/* Reads an object as Fortran has it. Null objects, and objects that were never set, are 0 or a small negative
 * number. */
static inline void *dap_f_petsc_object(int64_t number)
{
  const intptr_t address = (intptr_t)number;
  void *object = NULL;
  if (number <= -4 || number > 0) memcpy(&object, &address, sizeof object);
  return object;
}

/* Numbers from 1; -1: not given. */
typedef struct dap_f_petsc_part {
  int naxes, nstart;
  const int *axes;
  const int64_t *start;
} dap_f_petsc_part;

/* The options of all kinds, as the module passes them. */
typedef struct dap_f_petsc_options {
  int sharing;
  bool lossy;
  dap_f_petsc_part part;
  int vectors, dof_axes; /* of fields, to dm */
  int64_t width, matrix_width;
  bool star, matrix_star, ghosted, strip_periodic;
  int64_t dm;
  char order;            /* of fields and vectors */
  bool natural;          /* of vectors */
  int form;              /* of matrices */
  int64_t block_size[2]; /* of vectors and matrices */
} dap_f_petsc_options;

#endif

/* Starts and ends PETSc in the test programs, and asks its vectors and matrices. Makes views that are a
 * field, a vector or a matrix of PETSc, through one set of calls. */
#ifndef DAP_ANY_VIEW_H
#define DAP_ANY_VIEW_H

#include <dapbridge/petsc.h>
#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>

/* ---- petsc_ends.c ------------------------------------------------------------------------------------ */

/* The first and the last test of a program that calls PETSc itself. Between them PETSc returns errors without
 * printing them, and has no signal handler. */
void petsc_starts(void **state);
void petsc_ends(void **state);

/* The first test, if PETSc must count its memory from its start on. */
void petsc_starts_watched(void **state);

PetscReal norm_of(Vec vec); /* NORM_1 */
const PetscScalar *address_of(Vec vec);
PetscInt references_of(PetscObject object);

/* Checks that PETSc forgot the old norm when the memory was written to. */
void check_renewed(PetscReal now, PetscReal before, PetscReal factor);

/* Returns whether the matrix is of that type. MATDENSE stands for the types of one process and of several. */
bool has_type(Mat mat, MatType type);

/* ---- any_view.c -------------------------------------------------------------------------------------- */

typedef enum any_kind { FIELD, VECTOR, MATRIX, KINDS } any_kind;

/* A view of one kind, and the options that it is got with. */
typedef struct any_view {
  any_kind kind;
  dap_petsc_field_options of_field;
  dap_petsc_vector_options of_vector;
  dap_petsc_matrix_options of_matrix;
  dap_petsc_field field;
  dap_petsc_vector vector;
  dap_petsc_matrix matrix;
} any_view;

extern const char *const any_names[KINDS];

/* Returns the library's name for PetscScalar's type. */
dap_dtype scalar_dtype(void);

void any_share(any_view *v, dap_sharing sharing); /* in the options of all kinds */
dap_status any_get(MPI_Comm comm, any_view *v, dap_darray array, dap_access access, dap_error *err);

/* What is done to a view. */
typedef enum any_deed { RESTORE, LOAD, STORE, HALO, DISCARD, DEEDS } any_deed;

extern const char *const any_deed_names[DEEDS];

dap_status any_do(any_view *v, any_deed deed, dap_error *err);
dap_status any_halo_reverse(any_view *v, dap_combine combine, dap_padding padding, dap_error *err);

bool any_is_live(const any_view *v);   /* false: nothing is left of it */
bool any_is_shared(const any_view *v); /* true also if one vector of a field is shared */
int64_t any_moved(const any_view *v);

#endif

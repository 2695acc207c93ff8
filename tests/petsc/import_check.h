/* Checks objects of PETSc that have become arrays, for the tests of imports. */
#ifndef DAP_IMPORT_CHECK_H
#define DAP_IMPORT_CHECK_H

#include "any_view.h"
#include "buffers.h"
#include "mpi_test.h"
#include "petsc_ends.h"

PetscReal norm_of(Vec vec);
const PetscScalar *address_of(Vec vec);
PetscInt references_of(PetscObject object);

/* The array is right, and its dictionaries assemble to this layout. Collective. */
void check_dictionaries(const dap_layout *layout, const dap_array *array);

/* PETSc forgot the norm that it knew when the memory was written to. */
void check_renewed(PetscReal now, PetscReal before, PetscReal factor);

#endif

/* The entries of a vector without a grid, by the elements that they are. */
#ifndef DAP_VECTOR_CHECK_H
#define DAP_VECTOR_CHECK_H

#include "live.h"

typedef enum vector_deed { CHECK, WRITE } vector_deed;

/* Every entry of this process, of the part in a->options.order. */
void vector_visit(const live *a, const dap_petsc_vector *v, vector_deed deed, int64_t shift);

/* PETSc's NORM_1 is that of the entries. Collective on the vector's processes. */
void vector_check_norm(const dap_petsc_vector *v);

#endif

/* What the matrix tests share: matrices whose elements are known, checked against products by hand. */
#ifndef DAP_MATRIX_CHECK_H
#define DAP_MATRIX_CHECK_H

#include <dapbridge/petsc_matrix.h>

#include "field_test.h"

/* A dense matrix without a matrix: element (i, j) is factor times what value_of() gives element (i, j) of an
 * array, or times dominant_at(i, j). */
typedef struct known {
  PetscInt rows, columns;
  PetscScalar factor;
  bool dominant;
} known;

/* Dominated by its diagonal, neither symmetric nor a multiple of anything. */
PetscScalar dominant_at(int64_t i, int64_t j);

PetscScalar known_at(const known *k, PetscInt i, PetscInt j);

/* Checks all that can be asked of any matrix: sizes, products of all kinds with a vector, the diagonal of a
 * square one, and with `units` every element by the products with unit vectors from both sides. */
void check_products(Mat mat, const known *k, bool units);

/* Checks the rows that this process has of a MATDENSE by MatGetValues(). */
void check_values(Mat mat, const known *k);

/* Sets all elements on the last process, and assembles. With `transposed` of the transpose. */
void set_values(Mat mat, const known *k, bool transposed);

/* True iff the matrix is of that type; MATDENSE on one process and on several. */
bool has_type(Mat mat, MatType type);

/* Fills this process's part of an array, padding too. */
void fill_known(const dap_layout *layout, const dap_array *array, const known *k);

/* Multiplies all elements of a buffer, padding too. */
void scale_array(const dap_array *array, PetscScalar factor);

#endif

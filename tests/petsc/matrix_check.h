/* Makes matrices whose elements are known, and compares products with those of another matrix. */
#ifndef DAP_MATRIX_CHECK_H
#define DAP_MATRIX_CHECK_H

#include "live.h"

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

/* An empty MATDENSE whose vectors are spread as those of a matrix; ended by check_alike(). */
Mat same_sizes(Mat mat);

/* Products of all kinds with a vector, and the diagonal of a square matrix, are those of `like`. */
void check_alike(Mat mat, Mat like);
void check_products(Mat mat, const known *k);

/* Checks the rows that this process has of a MATDENSE by MatGetValues(). */
void check_values(Mat mat, const known *k);

/* Sets all elements on the last process, and assembles. */
void set_values(Mat mat, const known *k);

/* Fills this process's part of an array, padding too. */
void fill_known(const dap_layout *layout, const dap_array *array, const known *k);

/* Multiplies all elements of a buffer, padding too. */
void scale_array(const dap_array *array, PetscScalar factor);

#endif

/* The matrices of a DMDA, looked at entry by entry, and a problem solved without PETSc. */
#ifndef DAP_STENCIL_GRID_H
#define DAP_STENCIL_GRID_H

#include "live.h"

#include <math.h>

/* DMCreateMatrix() gives a matrix whose rows have exactly the points of the stencil, across the period too,
 * and entries set by stencil indices and by the indices of local vectors are where they belong: the product
 * with a vector is what a loop over the points computes. Collective. */
void stencil_check(DM dm, int64_t width, bool star, const char *why);

/* The largest number and the 2-norm of u for the problem of test_matrix_stencil.c on one process, by Gauss
 * and Seidel's iteration with the same formula: sums[0] the norm, sums[1] the largest. */
void stencil_solve_alone(int rows, int columns, double sums[2]);

#endif

/* Distributed arrays whose elements say who they are, as operands of ScaLAPACK, and the check of a matrix
 * view against its array. */
#ifndef DAP_TEST_OPERAND_H
#define DAP_TEST_OPERAND_H

#include <dapbridge/scalapack.h>

#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"

/* An array in a layout, which it takes over, or cut as `dists` [2], on the processes of `comm`. Each element
 * says its global index, padding is poison. Ended with held_array_free(). */
held_array operand_of(MPI_Comm comm, dap_layout *layout, dap_dtype dtype, test_form form);
held_array operand_make(MPI_Comm comm, const dap_dist dists[2], dap_dtype dtype, test_form form);

/* Gets a view of it, and restores the view. Both must succeed. */
void operand_get(const held_array *o, dap_access access, const dap_scalapack_options *options,
                 dap_scalapack_matrix *m);
void operand_restore(dap_scalapack_matrix *m);

/* An array and its view. */
typedef struct operand_use {
  held_array o;
  dap_scalapack_matrix m;
} operand_use;
/* An array of float64 on all processes, and a view to be read and written. */
void take(operand_use *u, const dap_dist dists[2], test_form form, dap_scalapack_options options);
/* The view, if it lives, has every element, and so has the array after it. */
void finish(operand_use *u);

/* Rows and columns of the matrix that this process has. */
void matrix_extents(const dap_scalapack_matrix *m, int64_t extents[2]);

/* True iff the local matrix lies in the operand's memory. An empty one need not lie there, but its address
 * must not be NULL. */
bool operand_holds(const held_array *o, const dap_scalapack_matrix *m);

/* ---- the local part of a view, element by element ------------------------------------------------ */

/* A walk over this process's elements of a matrix, by what the descriptor and BLACS say: global row i is on
 * process row (i / MB + RSRC) % nprow, as its (i / (MB * nprow)) * MB + i % MB th (TOOLS/indxg2p.f,
 * TOOLS/indxg2l.f). Outside the grid there are none.
 *     for (element_walk w = walk_elements(&m, itemsize); next_element(&w);) use(w.element); */
typedef struct element_walk {
  int64_t i, j, flat; /* row and column in the matrix; C-order index in the array */
  void *element;
  /* The walk's own. */
  const dap_scalapack_matrix *m;
  int64_t itemsize, at;
  int grid[4];
} element_walk;
element_walk walk_elements(const dap_scalapack_matrix *m, int64_t itemsize);
bool next_element(element_walk *walk);

/* Checks that the view has every element of the array at its place, and a sound descriptor, with the first
 * block on process (0, 0); or on (RSRC, CSRC), where it uses a context of others. */
void matrix_check(const dap_scalapack_matrix *m, const held_array *o);
void matrix_check_from(const dap_scalapack_matrix *m, const held_array *o, const int64_t source[2]);

/* Each element gets its own value, or must have that; returns how many there are here. */
void matrix_write(const dap_scalapack_matrix *m, dap_dtype dtype);
int64_t matrix_right(const dap_scalapack_matrix *m, dap_dtype dtype);

/* Bytes moved for the view so far, on all processes of its communicator. */
int64_t matrix_moved(const held_array *o, const dap_scalapack_matrix *m);

/* A grid on which the processes of an array of procs[0] x procs[1] sit in its own order: block 0 of the
 * matrix with this op can be anywhere on it. Collective. */
dap_scalapack_int grid_in_order(const int procs[2], char op);

/* The grid of a live view: {nprow, npcol, row, col}. */
void matrix_grid(const dap_scalapack_matrix *m, int grid[4]);

#endif

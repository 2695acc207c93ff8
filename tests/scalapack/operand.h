/* Makes distributed arrays as operands of ScaLAPACK, and checks matrix views against their arrays. The
 * value of each element tells its index. */
#ifndef DAP_TEST_OPERAND_H
#define DAP_TEST_OPERAND_H

#include <dapbridge/scalapack.h>

#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"

/* Makes an array on the processes of `comm`, in a layout, which it takes over, or cut as `dists` [2] say.
 * Each element's value tells its global index, and padding is poison. Free it with held_array_free(). */
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
/* Makes an array of float64 on all processes, and gets a view for reading and writing. */
void take(operand_use *u, const dap_dist dists[2], test_form form, dap_scalapack_options options);
/* Checks that the view, if it is live, has every element. Restores it, checks the array, and frees it. */
void finish(operand_use *u);

/* Whether the local matrix lies in the buffer. An empty one may lie elsewhere, but its address must not be
 * NULL in the grid. */
bool buffer_holds(const test_buffer *b, const dap_scalapack_matrix *m);

/* ---- the local part of a view, element by element ------------------------------------------------ */

/* A walk over this process's elements of the requested sub-matrix. i, j and flat count from its first one.
 * Row r of the whole matrix is local row (r / (MB * nprow)) * MB + r % MB of process row (r / MB + RSRC) %
 * nprow (TOOLS/indxg2p.f, TOOLS/indxg2l.f). Processes outside the grid have no elements. Use:
 * for (element_walk w = walk_elements(&m, itemsize); next_element(&w);) use(w.element); */
typedef struct element_walk {
  int64_t i, j, flat; /* row and column of the matrix; index in the array's part, in C order */
  void *element;
  /* The walk's own. */
  const dap_scalapack_matrix *m;
  int64_t itemsize, at;
  int grid[4];
} element_walk;
element_walk walk_elements(const dap_scalapack_matrix *m, int64_t itemsize);
bool next_element(element_walk *walk);

/* Checks that the view has every element of the array at its place, and that its descriptor is sound. The
 * first block must be on process (0, 0). If the view uses another context, it must be on process `source`. */
#define matrix_check(m, o) matrix_check_from((m), (o), (const int64_t[2]){0, 0})
void matrix_check_from(const dap_scalapack_matrix *m, const held_array *o, const int64_t source[2]);

/* Checks only that the descriptor of a view of size[0] x size[1] elements is sound. Returns the number of
 * elements on this process, which is 0 outside the grid. */
int64_t matrix_sound(const dap_scalapack_matrix *m, const int64_t size[2], const int64_t source[2]);

/* matrix_write() gives each element its own value. matrix_right() checks these values, and returns the
 * number of elements on this process. */
void matrix_write(const dap_scalapack_matrix *m, dap_dtype dtype);
int64_t matrix_right(const dap_scalapack_matrix *m, dap_dtype dtype);

/* Makes a grid with the processes of an array of procs[0] x procs[1] in the array's order. Block 0 of a
 * matrix with this op can be on any process of the grid. Collective. */
dap_scalapack_int grid_in_order(const int procs[2], char op);

/* Sets `grid` to {nprow, npcol, row, col} of a live view. */
void matrix_grid(const dap_scalapack_matrix *m, int grid[4]);

#endif

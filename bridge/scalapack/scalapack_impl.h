/* The ScaLAPACK adapter: an index of what its files share. Stands on the core's public headers only. */
#ifndef DAP_SCALAPACK_IMPL_H
#define DAP_SCALAPACK_IMPL_H

#include "check.h"
#include <dapbridge/comm.h>
#include <dapbridge/plan.h>
#include <dapbridge/scalapack.h>

/* Where the processes of a communicator sit on a BLACS grid: at (p, q) is the one at place
 *     (p + row_shift) % nprow * row_stride + (q + col_shift) % npcol * col_stride
 * of the array's grid in row-major order. Along an extent of 1 shift and stride are 0. */
typedef struct dap_blacs_map {
  int nprow, npcol;
  int row_shift, col_shift;
  int row_stride, col_stride;
  const dap_layout *order; /* whose rank is at each place; NULL: place i is rank i. Retained by grids only */
} dap_blacs_map;

/* A BLACS grid, shared by all live views of one communicator that need the same map. */
typedef struct dap_blacs_grid {
  struct dap_blacs_set *set; /* of its communicator */
  struct dap_blacs_grid *next;
  dap_blacs_map map;
  int context;
  int views; /* live ones, >= 1 */
} dap_blacs_grid;

/* The grids of one communicator, kept as an attribute of it while there is a live view. */
typedef struct dap_blacs_set {
  MPI_Comm comm;  /* the library's duplicate */
  MPI_Comm owner; /* the caller's, which has the attribute; MPI_COMM_NULL once the caller freed it */
  dap_blacs_grid *first;
} dap_blacs_set;

/* The caller's buffer, as plans find it. */
typedef struct dap_scalapack_source {
  dap_array origin;   /* borrowed */
  dap_array native;   /* its elements in this machine's byte order; zeroed where the origin is so itself */
  int64_t halo[2][2]; /* [axis] communication padding of both, which is never touched */
} dap_scalapack_source;

/* What stands behind a live view. */
typedef struct dap_scalapack_state {
  dap_blacs_grid *grid;
  char op;
  int block[2]; /* MB, NB */
  dap_scalapack_source source;
  dap_array copy;      /* the moved view's buffer; zeroed when shared */
  dap_plan *back;      /* copy -> source; NULL when there is nothing to write back */
  int64_t moved_bytes; /* so far */
} dap_scalapack_state;

/* A caller's wish, checked. */
typedef struct dap_scalapack_request {
  MPI_Comm comm;
  int rank;
  const dap_layout *layout;
  const dap_array *array;
  dap_access access;
  dap_scalapack_options options;
  const dap_scalapack_state *like; /* that of options.like, or NULL */
} dap_scalapack_request;

/* What the view will be; the same on every process. Per array axis, not per matrix dimension. */
typedef struct dap_scalapack_form {
  bool shared;
  char op;
  int block[2];
  dap_blacs_map map;
  char reason[DAP_ERROR_TEXT];
} dap_scalapack_form;

/* The array axis along which the matrix' rows (0) or columns (1) are counted, and the other way round:
 * op 'T' swaps the two. */
static inline int dap_scalapack_swap(char op, int k)
{
  return op == 'N' ? k : 1 - k;
}

/* request.c: checks on each process, then (collective) between them */
dap_status dap_scalapack_request_check(const dap_scalapack_request *request,
                                       const dap_scalapack_matrix *matrix, dap_error *err);
dap_status dap_scalapack_request_compare(const dap_scalapack_request *request, dap_error *err);

/* share.c: the predicate. buffer: where this process' part of the matrix is, if it can be shared; decide:
 * collective, fills the form of a shared or a moved view. */
dap_status dap_scalapack_share_buffer(const dap_scalapack_request *request, char op, void **data, int *lld,
                                      dap_error *why);
dap_status dap_scalapack_share_decide(const dap_scalapack_request *request, dap_scalapack_form *form,
                                      dap_error *err);

/* target.c: grid and block sizes of a moved view, for form->op */
void dap_scalapack_target(const dap_scalapack_request *request, dap_scalapack_form *form);

/* source.c: the caller's buffer; none is collective. fetch and store count what they copy in *moved. */
dap_status dap_scalapack_source_make(const dap_scalapack_request *request, dap_scalapack_source *source,
                                     dap_error *err);
void dap_scalapack_source_release(dap_scalapack_source *source);
const dap_array *dap_scalapack_source_array(const dap_scalapack_source *source); /* the one for plans */
dap_status dap_scalapack_source_fetch(const dap_scalapack_source *source, int64_t *moved, dap_error *err);
dap_status dap_scalapack_source_store(const dap_scalapack_source *source, int64_t *moved, dap_error *err);

/* copy.c: the moved view; both collective */
dap_status dap_scalapack_copy_make(const dap_scalapack_request *request, const dap_scalapack_form *form,
                                   dap_scalapack_state *state, dap_error *err);
dap_status dap_scalapack_copy_back(dap_scalapack_state *state, dap_error *err);

/* grid.c: maps, and counted BLACS grids; acquire and release are collective */
dap_blacs_map dap_blacs_map_make(const int procs[2], const int shift[2], char op, const dap_layout *order);
bool dap_blacs_map_equal(const dap_blacs_map *a, const dap_blacs_map *b);
int dap_blacs_map_rank(const dap_blacs_map *map, int row, int col);
dap_status dap_blacs_acquire(MPI_Comm comm, const dap_blacs_map *map, dap_blacs_grid **grid, dap_error *err);
dap_status dap_blacs_release(dap_blacs_grid **grid, dap_error *err);

#endif

/* The ScaLAPACK adapter: an index of what its files share. Stands on the core's public headers only. */
#ifndef DAP_SCALAPACK_IMPL_H
#define DAP_SCALAPACK_IMPL_H

#include "check.h"
#include <dapbridge/comm.h>
#include <dapbridge/plan.h>
#include <dapbridge/scalapack.h>
#include <dapbridge/slice.h>

/* Where the processes of a communicator sit on a BLACS grid: at (p, q) is rank ranks[q * nprow + p]. */
typedef struct dap_blacs_map {
  int nprow, npcol;
  int *ranks; /* [nprow * npcol] column-major, as Cblacs_gridmap() takes them */
} dap_blacs_map;

/* A BLACS grid, shared by all live views of one communicator that need the same map. */
typedef struct dap_blacs_grid {
  struct dap_blacs_set *set; /* of its communicator */
  struct dap_blacs_grid *next;
  dap_blacs_map map;
  dap_scalapack_int context; /* -1 outside the grid */
  int views;                 /* live ones */
  bool adopted;              /* the context is the caller's, and only this view's */
} dap_blacs_grid;

/* The grids of one communicator, an attribute of it. */
typedef struct dap_blacs_set {
  MPI_Comm comm;         /* the library's duplicate */
  MPI_Comm owner;        /* the caller's, which has the attribute; MPI_COMM_NULL once the caller freed it */
  int rank;              /* this process in both */
  dap_blacs_grid *first; /* own grids, the last used one first */
  int views;             /* live ones, on adopted grids too */
  struct dap_blacs_set *next; /* of this process */
} dap_blacs_set;

/* The caller's buffer, as plans find it. */
typedef struct dap_scalapack_source {
  dap_array origin;   /* borrowed */
  dap_array native;   /* its elements in this machine's byte order; zeroed where the origin is so itself */
  int64_t halo[2][2]; /* [axis] communication padding of both, which is never touched */
  bool part;          /* of a sub-matrix: the other elements are not the view's to write */
} dap_scalapack_source;

/* What stands behind a live view. */
typedef struct dap_scalapack_state {
  dap_blacs_grid *grid;
  char op;
  int64_t block[2];  /* MB, NB */
  int owner[2];      /* process row and column of the first row and column asked for */
  int64_t inside[2]; /* where in its block that first row and column is */
  int64_t size[2];   /* m, n */
  dap_scalapack_source source;
  dap_array copy;      /* the moved view's buffer; zeroed when shared */
  dap_plan *back;      /* copy -> source; NULL when there is nothing to write back */
  int64_t moved_bytes; /* so far */
} dap_scalapack_state;

/* A caller's wish, checked: the two axes of the array that are the matrix, as an array of their own. */
typedef struct dap_scalapack_request {
  MPI_Comm comm;
  int rank;           /* in comm */
  dap_dtype dtype;    /* of the caller's array, on processes outside the section too */
  dap_layout *layout; /* of the section: 2 axes, ranks row-major */
  int nprocs;
  int *ranks;      /* [nprocs] process i of the section is this rank of comm */
  int member;      /* this process in the section; -1: outside */
  dap_array array; /* its part of the section: a window of the caller's buffer */
  dap_access access;
  dap_scalapack_options options;
  dap_matrix_needs needs;          /* of options.needs and options.routine */
  int64_t start[2], shape[2];      /* per axis; filled, no zeros */
  const dap_scalapack_state *like; /* that of options.like, or NULL */
  dap_blacs_grid *given;           /* the grid of like or context, or NULL; borrowed */
} dap_scalapack_request;

/* What the view will be; the same on every process. [0]: the matrix' rows, [1]: its columns. */
typedef struct dap_scalapack_form {
  bool shared;
  char op;
  int64_t size[2]; /* M, N */
  int64_t block[2];
  int source[2];     /* RSRC, CSRC */
  int64_t start[2];  /* IA - 1, JA - 1 */
  dap_blacs_map map; /* the form's own */
  char reason[DAP_ERROR_TEXT];
} dap_scalapack_form;

/* The array axis along which the matrix' rows (0) or columns (1) are counted, and the other way round:
 * op 'T' swaps the two. */
static inline int dap_scalapack_swap(char op, int k)
{
  return op == 'N' ? k : 1 - k;
}

/* What ScaLAPACK's integers hold. */
extern const int64_t dap_scalapack_int_max;

/* section.c: the request's section of the caller's array; release also frees a half-made one */
dap_status dap_scalapack_section(dap_scalapack_request *request, const dap_layout *layout,
                                 const dap_array *array, dap_error *err);
void dap_scalapack_request_release(dap_scalapack_request *request);

/* request.c: whether ScaLAPACK has such elements */
dap_status dap_scalapack_check_dtype(dap_dtype dtype, dap_error *err);

/* request.c: checks on each process; compare.c: between them (collective) */
dap_status dap_scalapack_request_check(dap_scalapack_request *request, const dap_layout *layout,
                                       const dap_array *array, const dap_scalapack_matrix *matrix,
                                       dap_error *err);
dap_status dap_scalapack_request_compare(const dap_scalapack_request *request, const dap_layout *layout,
                                         const dap_array *array, dap_error *err);

/* share.c: shared or moved. place: where this process' part of the matrix is, if it can be shared; decide:
 * collective, fills the form of a shared or a moved view. */
dap_status dap_scalapack_place(const dap_scalapack_request *request, char op, void **data,
                               dap_scalapack_int *lld, dap_error *why);
dap_status dap_scalapack_decide(const dap_scalapack_request *request, dap_scalapack_form *form,
                                dap_error *err);

/* beside.c: a view that goes into a call with others. Whether a shared one lies beside them as it must (the same on
 * every process; its map becomes theirs); where a
 * moved one goes. like_blocks: MB, NB beside request->like. */
void dap_scalapack_like_blocks(const dap_scalapack_request *request, int64_t block[2]);
dap_status dap_scalapack_fit_beside(const dap_scalapack_request *request, dap_scalapack_form *form,
                                    dap_error *why);
dap_status dap_scalapack_move_beside(const dap_scalapack_request *request, dap_scalapack_form *form,
                                     dap_error *err);

/* target.c: grid and block sizes of a moved view, for form->op */
dap_status dap_scalapack_target(const dap_scalapack_request *request, dap_scalapack_form *form,
                                dap_error *err);

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

/* map.c: who sits where. of_layout: the processes of a 2-axis layout with row-major places, ranks[place], seen with
 * op, so that those at `first` [2] (process row and column) are at (0, 0). */
dap_status dap_blacs_map_make(dap_blacs_map *map, int nprow, int npcol, dap_error *err);
dap_status dap_blacs_map_of(dap_blacs_map *map, const int procs[2], const int ranks[], char op,
                            const int first[2], dap_error *err);
dap_status dap_blacs_map_copy(dap_blacs_map *map, const dap_blacs_map *from, dap_error *err);
bool dap_blacs_map_equal(const dap_blacs_map *a, const dap_blacs_map *b);
int dap_blacs_map_rank(const dap_blacs_map *map, int row, int col);
bool dap_blacs_map_find(const dap_blacs_map *map, int rank, int place[2]);
void dap_blacs_map_free(dap_blacs_map *map);

/* set.c: what hangs on a communicator. get is collective, use and drop count views. */
dap_status dap_blacs_set_get(MPI_Comm comm, dap_blacs_set **set, dap_error *err);
dap_status dap_blacs_set_drop(dap_blacs_set *set, dap_error *err);

/* grid.c: own grids; acquire, adopt and release are collective. adopt: a grid object around the caller's context. */
dap_status dap_blacs_acquire(MPI_Comm comm, const dap_blacs_map *map, dap_blacs_grid **grid, dap_error *err);
dap_status dap_blacs_adopt(MPI_Comm comm, dap_scalapack_int context, dap_blacs_grid **grid, dap_error *err);
dap_blacs_grid *dap_blacs_again(dap_blacs_grid *grid); /* counts one more view */
dap_status dap_blacs_release(dap_blacs_grid **grid, dap_error *err);
/* grid.c: DAP_ERR_LIBRARY on every process where the MPI call `what` returned another `code` than MPI_SUCCESS on one.
 * Collective. */
dap_status dap_blacs_mpi(MPI_Comm comm, int code, const char *what, dap_error *err);
void dap_blacs_grid_end(
    dap_blacs_grid *grid); /* exits an own context, frees the grid; not collective itself */

#endif

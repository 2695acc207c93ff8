/* The ScaLAPACK adapter: an index of what its files share. Stands on the core's public headers only. */
#ifndef DAP_SCALAPACK_IMPL_H
#define DAP_SCALAPACK_IMPL_H

#include "check.h"
#include "hash.h"
#include <dapbridge/adapter.h>
#include <dapbridge/comm.h>
#include <dapbridge/context.h>
#include <dapbridge/matrix_op.h>
#include <dapbridge/scalapack.h>

/* Where the processes of a communicator sit on a BLACS grid: at (p, q) is rank ranks[q * nprow + p]. */
typedef struct dap_blacs_map {
  int nprow, npcol;
  int *ranks; /* [nprow * npcol] column-major, as Cblacs_gridmap() takes them */
} dap_blacs_map;

/* A BLACS grid, shared by all forms of views on one communicator that need the same map. */
typedef struct dap_blacs_grid {
  struct dap_blacs_set *set; /* of its communicator */
  struct dap_blacs_grid *next;
  dap_blacs_map map;
  dap_scalapack_int context; /* -1 outside the grid */
  int users;                 /* forms */
  bool adopted;              /* the context is the caller's, and only this form's */
} dap_blacs_grid;

/* The grids of one communicator; its context keeps them. */
typedef struct dap_blacs_set {
  dap_context *context;  /* used as long as there are users */
  MPI_Comm owner;        /* the caller's communicator; MPI_COMM_NULL once that is freed, or MPI has ended */
  int rank;              /* this process in it */
  dap_blacs_grid *first; /* own grids, the last used one first */
  int users;             /* forms, on adopted grids too */
} dap_blacs_set;

/* Properties that all views of one kind share. [0]: the matrix's rows, [1]: its columns. */
typedef struct dap_scalapack_form {
  char op;
  int64_t size[2]; /* M, N */
  int64_t block[2];
  int source[2];        /* RSRC, CSRC */
  int64_t start[2];     /* IA - 1, JA - 1 */
  dap_blacs_map map;    /* the form's own */
  dap_blacs_grid *grid; /* with a use counted; from the beginning where the options name one */
} dap_scalapack_form;

/* A view's own. */
typedef struct dap_scalapack_state {
  dap_matrix_needs needs;    /* of options.needs and options.routine */
  bool is_for_pblas;         /* options.routine is one of PBLAS; the caller may free the name after get */
  const dap_view *neighbour; /* that of options.aligned_with, or NULL; not looked at after get */
} dap_scalapack_state;

static inline dap_scalapack_form *dap_scalapack_form_of(const dap_view *view)
{
  return view->form;
}
static inline dap_scalapack_state *dap_scalapack_state_of(const dap_view *view)
{
  return view->state;
}
static inline const dap_scalapack_options *dap_scalapack_options_of(const dap_view *view)
{
  return view->options;
}

/* One axis alone, which has no order. */
static inline bool dap_scalapack_is_vector(const dap_scalapack_options *options)
{
  return options->part.axes[0] < 0 || options->part.axes[1] < 0;
}

/* The array axis along which the matrix's rows (0) or columns (1) are counted, and the other way round:
 * op 'T' swaps the two. */
static inline int dap_scalapack_swap(char op, int k)
{
  return op == 'N' ? k : 1 - k;
}

/* The largest integer of ScaLAPACK. */
#define DAP_SCALAPACK_INT_MAX (sizeof(dap_scalapack_int) == sizeof(int32_t) ? (int64_t)INT32_MAX : INT64_MAX)

/* Rows (k = 0) and columns (1) that were asked for: the form's size but for a sub-matrix; the process row
 * or column of the first, and where in its block that is. */
static inline int64_t dap_scalapack_extent(const dap_view *view, int k)
{
  return view->shape[dap_scalapack_swap(dap_scalapack_form_of(view)->op, k)];
}
static inline int dap_scalapack_owner(const dap_scalapack_form *form, int k)
{
  const int procs = k == 0 ? form->map.nprow : form->map.npcol;
  return (int)((form->start[k] / form->block[k] + form->source[k]) % procs);
}
static inline int64_t dap_scalapack_inside(const dap_scalapack_form *form, int k)
{
  return form->start[k] % form->block[k];
}

/* Whether the matrix has more columns than the array. */
static inline bool dap_scalapack_is_wider(const dap_view *view)
{
  return dap_scalapack_options_of(view)->columns > dap_scalapack_extent(view, 1);
}

/* Whether the view, with `op`, is a matrix of 1 x 2 on several processes that the routine is wrong with.
 * `rows`: of the whole matrix, if it is a part of one. */
static inline bool dap_scalapack_is_row_pair(const dap_view *view, char op, int64_t rows)
{
  return dap_scalapack_state_of(view)->needs.no_row_pair && view->nprocs > 1 && rows == 1 &&
         view->shape[dap_scalapack_swap(op, 1)] == 2;
}

/* request.c: the options, on this process; and whether ScaLAPACK has such elements */
dap_status dap_scalapack_check(dap_view *view, dap_error *err);
int dap_scalapack_words(const dap_view *view, dap_view_word words[]);
dap_status dap_scalapack_check_dtype(dap_dtype dtype, dap_error *err);

/* place.c: where this process's part of the matrix is. place: in the array's buffer, if it can be there.
 * locate: of a view whose form is known. leading: its leading dimension. */
dap_status dap_scalapack_place(const dap_view *view, char op, void **data, dap_scalapack_int *lld,
                               dap_error *why);
void dap_scalapack_locate(const dap_view *view, void **data, dap_scalapack_int *lld);
dap_scalapack_int dap_scalapack_leading(const dap_view *view);

/* share.c: whether a view is shared */
uint64_t dap_scalapack_vote(const dap_view *view);
char dap_scalapack_choose_op(const dap_view *view);
dap_status dap_scalapack_share(dap_view *view, int target, char reason[], dap_error *why);

/* reach.c: whether ScaLAPACK's integers count the elements of a process with `columns` of `leading` elements.
 * Routines in Fortran compute the index of an element, II + (JJ - 1) * LLD, in these integers. If it wraps,
 * they read and write elsewhere. Fails with `status`. PBLAS computes in 64 bits; `routine` may be NULL. */
bool dap_scalapack_is_pblas(const char *routine);
dap_status dap_scalapack_check_reach(const dap_view *view, int64_t leading, int64_t columns,
                                     dap_status status, dap_error *err);

/* aligned.c: a view that goes into a call with others. Whether a shared one lies beside them as it must (the
 * same on every process; its map becomes theirs); where a moved one goes. aligned_blocks: MB, NB beside the
 * neighbour. */
void dap_scalapack_aligned_blocks(const dap_view *view, int64_t block[2]);
dap_status dap_scalapack_fit_aligned(dap_view *view, dap_error *why);
dap_status dap_scalapack_move_aligned(dap_view *view, dap_error *err);

/* target.c: grid, block sizes and layout of a moved view.
 * lay_out: the layout of a form's matrix, its processes by rows, and the rank of each. The caller frees both,
 * also on error. */
dap_status dap_scalapack_lay(dap_view *view, int target, dap_error *err);
dap_status dap_scalapack_lay_out(const dap_scalapack_form *form, dap_layout **layout, int **ranks,
                                 dap_error *err);

/* map.c: who sits where. of_layout: the processes of a 2-axis layout with row-major places, ranks[place],
 * seen with op, so that those at `first` [2] (process row and column) are at (0, 0). */
dap_status dap_blacs_map_make(dap_blacs_map *map, int nprow, int npcol, dap_error *err);
dap_status dap_blacs_map_of(dap_blacs_map *map, const int procs[2], const int ranks[], char op,
                            const int first[2], dap_error *err);
dap_status dap_blacs_map_copy(dap_blacs_map *map, const dap_blacs_map *from, dap_error *err);
bool dap_blacs_map_equal(const dap_blacs_map *a, const dap_blacs_map *b);
int dap_blacs_map_rank(const dap_blacs_map *map, int row, int col);
bool dap_blacs_map_find(const dap_blacs_map *map, int rank, int place[2]);
void dap_blacs_map_free(dap_blacs_map *map);

/* grid_set.c: what a communicator keeps. get is collective and counts one user more; drop one less, which is
 * collective if the communicator was freed and it is the last. */
dap_status dap_blacs_set_get(MPI_Comm comm, dap_blacs_set **set, dap_error *err);
void dap_blacs_set_drop(dap_blacs_set *set);

/* grid_make.c: makes a grid of the set without users, collectively; on error *grid is NULL. */
dap_status dap_blacs_grid_create(dap_blacs_set *set, const dap_blacs_map *map, dap_blacs_grid **grid,
                                 dap_error *err);
void dap_blacs_grid_exit(dap_blacs_grid *grid); /* an own context, if it is still there */
void dap_blacs_grid_end(
    dap_blacs_grid *grid); /* exits an own context, frees the grid; not collective itself */
/* Whether the context is still this grid's: Cblacs_exit() ends everybody's, and numbers are given again. */
bool dap_blacs_is_alive(const dap_blacs_grid *grid);
/* DAP_ERR_LIBRARY on every process where the MPI call `what` returned another `code` than MPI_SUCCESS on one.
 * Collective. */
dap_status dap_blacs_mpi(MPI_Comm comm, int code, const char *what, dap_error *err);

/* grid_use.c, grid_adopt.c: a use of a grid. acquire, adopt and release are collective. adopt: a grid object
 * around the caller's context. */
dap_status dap_blacs_acquire(MPI_Comm comm, const dap_blacs_map *map, dap_blacs_grid **grid, dap_error *err);
dap_status dap_blacs_adopt(MPI_Comm comm, dap_scalapack_int context, dap_blacs_grid **grid, dap_error *err);
dap_blacs_grid *dap_blacs_again(dap_blacs_grid *grid); /* counts one more user */
void dap_blacs_release(dap_blacs_grid **grid);

#endif

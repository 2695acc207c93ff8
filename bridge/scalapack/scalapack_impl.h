/* Declares what the files of the ScaLAPACK adapter share. It uses the core's public headers only. */
#ifndef DAP_SCALAPACK_IMPL_H
#define DAP_SCALAPACK_IMPL_H

#include "check.h"
#include "hash.h"
#include <dapbridge/adapter.h>
#include <dapbridge/comm.h>
#include <dapbridge/context.h>
#include <dapbridge/matrix_op.h>
#include <dapbridge/scalapack.h>

/* The places of a communicator's processes on a BLACS grid. */
typedef struct dap_blacs_map {
  int procs[2]; /* process rows and columns */
  int *ranks;   /* [procs[1]][procs[0]] rank at each place, column-major as Cblacs_gridmap() takes them */
} dap_blacs_map;

/* A BLACS grid. All forms of views on one communicator that need the same map share it. */
typedef struct dap_blacs_grid {
  struct dap_blacs_grid *next;
  dap_context *owner; /* of the communicator; the grid is a user of it while it has users itself */
  dap_blacs_map map;
  int place[2];              /* this process's; -1: it is outside the grid */
  dap_scalapack_int context; /* -1 outside the grid */
  int users;                 /* forms */
  bool is_listed;            /* the communicator's context keeps the grid without users */
  bool adopted;              /* the context is the caller's, and one form has the grid */
} dap_blacs_grid;

/* Properties that all views of one kind share. Index 0 is for the matrix's rows, 1 for its columns. */
typedef struct dap_scalapack_form {
  char op;
  int64_t size[2]; /* M, N */
  int64_t block[2];
  int source[2];        /* RSRC, CSRC */
  int64_t start[2];     /* IA - 1, JA - 1 */
  dap_blacs_map map;    /* the form's own copy */
  dap_blacs_grid *grid; /* the form is a user of it; set at the start if the options name a grid */
} dap_scalapack_form;

/* Properties of one view. */
typedef struct dap_scalapack_state {
  dap_matrix_needs needs;    /* of options.needs and options.routine */
  bool is_for_pblas;         /* options.routine is one of PBLAS; the caller may free the name after get */
  const dap_view *neighbour; /* that of options.aligned_with, or NULL; used only in get */
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

/* Returns whether the matrix has only one axis of the array, and so has no order. */
static inline bool dap_scalapack_is_vector(const dap_scalapack_options *options)
{
  return options->part.axes[0] < 0 || options->part.axes[1] < 0;
}

/* Returns the array's axis of the matrix's rows (k = 0) or columns (k = 1), or the reverse. op 'T' swaps
 * them. */
static inline int dap_scalapack_swap(char op, int k)
{
  return op == 'N' ? k : 1 - k;
}

/* The largest integer of ScaLAPACK. */
#define DAP_SCALAPACK_INT_MAX (sizeof(dap_scalapack_int) == sizeof(int32_t) ? (int64_t)INT32_MAX : INT64_MAX)

/* Returns the rows (k = 0) or columns (k = 1) that were asked for, which can be a part of the form's size. */
static inline int64_t dap_scalapack_extent(const dap_view *view, int k)
{
  return view->shape[dap_scalapack_swap(dap_scalapack_form_of(view)->op, k)];
}
/* Returns the process row or column that has the first of them. */
static inline int dap_scalapack_owner(const dap_scalapack_form *form, int k)
{
  return (int)((form->start[k] / form->block[k] + form->source[k]) % form->map.procs[k]);
}
/* Returns the position of the first of them in its block. */
static inline int64_t dap_scalapack_inside(const dap_scalapack_form *form, int k)
{
  return form->start[k] % form->block[k];
}

/* Returns whether the matrix has more columns than the array. */
static inline bool dap_scalapack_is_wider(const dap_view *view)
{
  return dap_scalapack_options_of(view)->columns > dap_scalapack_extent(view, 1);
}

/* Returns whether the view with `op` is a matrix of 1 x 2 on several processes, and the routine is wrong
 * with it. The whole matrix, which the view may be a part of, has `rows`. */
static inline bool dap_scalapack_is_row_pair(const dap_view *view, char op, int64_t rows)
{
  return dap_scalapack_state_of(view)->needs.no_row_pair && view->nprocs > 1 && rows == 1 &&
         view->shape[dap_scalapack_swap(op, 1)] == 2;
}

/* request.c: checks the options on this process, and lists what must be the same on all. */
dap_status dap_scalapack_check(dap_view *view, dap_error *err);
int dap_scalapack_words(const dap_view *view, dap_view_word words[]);
/* Checks that ScaLAPACK has matrices of a type. */
dap_status dap_scalapack_check_dtype(dap_dtype dtype, dap_error *err);

/* place.c: finds where this process's part of the matrix is. */
/* Finds its place in the array's buffer, or why it cannot be there. */
dap_status dap_scalapack_place(const dap_view *view, char op, void **data, dap_scalapack_int *lld,
                               dap_error *why);
/* Finds the place for a view whose form is known. */
void dap_scalapack_locate(const dap_view *view, void **data, dap_scalapack_int *lld);
dap_scalapack_int dap_scalapack_leading(const dap_view *view);
/* Returns whether a routine, or NULL, is one of PBLAS. */
bool dap_scalapack_is_pblas(const char *routine);
/* Fails with `status` if ScaLAPACK's integers cannot count `columns` of `leading` elements on a process.
 * Routines in Fortran compute the index of an element, II + (JJ - 1) * LLD, in these integers. If it wraps,
 * they read and write elsewhere. PBLAS computes in 64 bits. */
dap_status dap_scalapack_check_reach(const dap_view *view, int64_t leading, int64_t columns,
                                     dap_status status, dap_error *err);

/* share.c: decides whether a view is shared. */
uint64_t dap_scalapack_vote(const dap_view *view);
char dap_scalapack_choose_op(const dap_view *view);
dap_status dap_scalapack_share(dap_view *view, int target, char reason[], dap_error *why);

/* aligned.c: places a view on the grid of its neighbour, or of the caller's context. */
/* Finds MB and NB beside the neighbour. */
void dap_scalapack_aligned_blocks(const dap_view *view, int64_t block[2]);
/* Checks, with the same result on every process, that a shared view lies on the grid as it must. The form's
 * map becomes that of the grid. */
dap_status dap_scalapack_fit_aligned(dap_view *view, dap_error *why);
/* Places a moved view. */
dap_status dap_scalapack_move_aligned(dap_view *view, dap_error *err);

/* target.c */
/* Chooses grid, block sizes and layout of a moved view. */
dap_status dap_scalapack_lay(dap_view *view, int target, dap_error *err);
/* Makes the layout of a form's matrix, with its processes by rows, and the rank of each. The caller frees
 * both, also on error. */
dap_status dap_scalapack_lay_out(const dap_scalapack_form *form, dap_layout **layout, int **ranks,
                                 dap_error *err);

/* map.c */
dap_status dap_blacs_map_make(dap_blacs_map *map, int nprow, int npcol, dap_error *err);
/* Makes the map of a layout with two axes, seen with `op`. ranks[place] are in row-major order. The process
 * at the process row and column first[2] comes to (0, 0). */
dap_status dap_blacs_map_of(dap_blacs_map *map, const int procs[2], const int ranks[], char op,
                            const int first[2], dap_error *err);
dap_status dap_blacs_map_copy(dap_blacs_map *map, const dap_blacs_map *from, dap_error *err);
bool dap_blacs_map_equal(const dap_blacs_map *a, const dap_blacs_map *b);
int dap_blacs_map_rank(const dap_blacs_map *map, int row, int col);
bool dap_blacs_map_find(const dap_blacs_map *map, int rank, int place[2]);
void dap_blacs_map_free(dap_blacs_map *map);

/* grid_make.c */
/* Makes a grid without users. Collective. On error *grid is NULL. */
dap_status dap_blacs_grid_create(dap_context *owner, const dap_blacs_map *map, dap_blacs_grid **grid,
                                 dap_error *err);
void dap_blacs_grid_exit(dap_blacs_grid *grid); /* exits an own context, if it is still alive */
void dap_blacs_grid_end(dap_blacs_grid *grid);  /* exits an own context and frees the grid; not collective */
/* Returns whether the context is still this grid's. Cblacs_exit() ends all contexts, and BLACS gives their
 * numbers again. */
bool dap_blacs_is_alive(const dap_blacs_grid *grid);

/* grids.c, grid_adopt.c: uses of grids. All except dap_blacs_again() are collective. */
/* Gets a grid with the map, with one more user. */
dap_status dap_blacs_acquire(MPI_Comm comm, const dap_blacs_map *map, dap_blacs_grid **grid, dap_error *err);
/* Makes a grid around the caller's context, with one user. */
dap_status dap_blacs_adopt(MPI_Comm comm, dap_scalapack_int context, dap_blacs_grid **grid, dap_error *err);
dap_blacs_grid *dap_blacs_again(dap_blacs_grid *grid); /* adds a user */
void dap_blacs_release(dap_blacs_grid **grid);

#endif

/* The ELPA adapter: an index of what its files share. Stands on public headers only; ScaLAPACK's are for
 * generalized problems.
 *
 * A view of ELPA's is an n x n matrix on process rows and columns. Its form says where that is; the
 * communicator of the grid and the elpa_t are the view's own, as they end collectively. Functions of elpa.h
 * that solve problems take views of their operands and work on the matrices, not on the arrays (call.c). */
#ifndef DAP_ELPA_IMPL_H
#define DAP_ELPA_IMPL_H

#include "check.h"
#include "hash.h"
#include <dapbridge/adapter.h>
#include <dapbridge/comm.h>
#include <dapbridge/elpa.h>
#include <dapbridge/matrix_op.h>
#include <dapbridge/plan.h>
#include <dapbridge/scalapack.h>
#include <dapbridge/scalapack_calls.h>

#include <elpa/elpa.h>

/* ---- views ------------------------------------------------------------------------------------------- */

/* What all views of one kind have in common. [0]: the matrix's rows, [1]: its columns. */
typedef struct dap_elpa_form {
  char op;
  int64_t size;    /* n */
  int64_t columns; /* of the array; the matrix has n */
  int64_t block;   /* rows and columns of one */
  int procs[2];    /* process rows and columns */
  int *ranks;      /* [procs[0] * procs[1]] row-major: the rank of the view's communicator at (row, column) */
  dap_layout *layout; /* of the matrix, on the grid's processes in the order of ranks */
} dap_elpa_form;

/* What a view is asked for with: the caller's options first. */
typedef struct dap_elpa_request {
  dap_elpa_options options;
  bool fast; /* do not share blocks that are slow */
} dap_elpa_request;

/* A view's own. Of one that is like another: the other's grid and handle. */
typedef struct dap_elpa_state {
  const dap_view *like; /* NULL: none; not looked at after get */
  MPI_Comm grid;        /* the grid's processes, in the order of the form's ranks; MPI_COMM_NULL elsewhere */
  elpa_t handle;        /* NULL outside the grid, and of an empty matrix */
  bool owns;            /* grid and handle end with this view */
  bool is_set_up;       /* the handle, by elpa_setup() */
  int place[2];         /* on the grid; -1, -1: outside */
  int rows, cols;       /* local_nrows, which is the leading dimension, and local_ncols */
} dap_elpa_state;

extern const dap_adapter dap_elpa_adapter;

static inline dap_elpa_form *dap_elpa_form_of(const dap_view *view)
{
  return view->form;
}
static inline dap_elpa_state *dap_elpa_state_of(const dap_view *view)
{
  return view->state;
}
static inline const dap_elpa_options *dap_elpa_options_of(const dap_view *view)
{
  return view->options;
}

static inline const dap_elpa_request *dap_elpa_request_of(const dap_view *view)
{
  return view->options;
}

/* The array axis along which the matrix's rows (0) or columns (1) are counted. */
static inline int dap_elpa_axis(char op, int k)
{
  return op == 'N' ? k : 1 - k;
}

/* matrix.c: as dap_elpa_get(), which never asks for `fast`. */
dap_status dap_elpa_ask(MPI_Comm comm, dap_darray array, dap_access access, const dap_elpa_request *asked,
                        dap_elpa_matrix *matrix, dap_error *err);

/* request.c: the options and the array, on this process; what must be the same on all */
dap_status dap_elpa_check(dap_view *view, dap_error *err);
int dap_elpa_words(const dap_view *view, dap_view_word words[]);

/* share.c: whether a view is shared. place: the local part of a shared one, NULL outside. */
uint64_t dap_elpa_vote(const dap_view *view);
dap_status dap_elpa_prepare(dap_view *view, dap_error *err);
dap_status dap_elpa_share(dap_view *view, int target, char reason[], dap_error *why);
dap_status dap_elpa_place(const dap_view *view, void **data, int64_t *lld, dap_error *why);

/* target.c: grid and blocks of a moved view, and its moves. occupied: DAP_OK if no process row or column is
 * empty, else `status` with a text. */
dap_status dap_elpa_lay(dap_view *view, int target, dap_error *err);
dap_status dap_elpa_plan(dap_view *view, dap_error *err);
dap_status dap_elpa_occupied(int64_t size, int64_t block, const int procs[2], dap_status status,
                             dap_error *err);

/* open.c: the view's communicator and handle, collectively */
dap_status dap_elpa_open(dap_view *view, dap_error *err);
dap_status dap_elpa_close(dap_view *view, dap_error *err);

/* handle.c: an elpa_t. says: DAP_ERR_LIBRARY with ELPA's text, unless `code` is ELPA_OK. allocate: all but
 * elpa_setup(), which is collective on comm; on error *handle is NULL. can: whether this ELPA has the type,
 * and what it needs of MPI, found out by a problem of one element. None is collective. */
typedef struct dap_elpa_shape {
  int size, vectors, block, rows, cols, place[2];
} dap_elpa_shape;
dap_status dap_elpa_says(int code, const char *what, dap_error *err);
dap_status dap_elpa_allocate(MPI_Comm comm, const dap_elpa_shape *shape, elpa_t *handle, dap_error *err);
dap_status dap_elpa_can(dap_dtype dtype, dap_error *err);

/* ---- problems ---------------------------------------------------------------------------------------- */

/* routines.c: of one element type */
typedef struct dap_elpa_routines {
  dap_dtype dtype, real; /* the matrix's, and that of its eigenvalues */
  void (*eigenvectors)(elpa_t handle, void *a, void *w, void *q, int *error);
  void (*eigenvalues)(elpa_t handle, void *a, void *w, int *error);
  dap_ppotrf *potrf;
  dap_ptrsm *trsm;
  const void *one;
} dap_elpa_routines;
const dap_elpa_routines *dap_elpa_routines_of(dap_dtype dtype); /* NULL: ELPA has no such type */

enum { DAP_ELPA_A, DAP_ELPA_B, DAP_ELPA_W, DAP_ELPA_Z };

typedef struct dap_elpa_operand {
  const char *name;
  dap_darray array;
  bool given;        /* the same on every process once that was agreed on */
  bool kept;         /* workspace that must keep its values; likewise */
  dap_elpa_use *use; /* in the report; NULL: not an argument of the function */
} dap_elpa_operand;

/* One call of a function of elpa.h. */
typedef struct dap_elpa_call {
  MPI_Comm comm;
  int rank;
  char uplo;
  dap_elpa_solve_options options;
  dap_elpa_report *report; /* the caller's, or own */
  dap_elpa_report own;
  dap_elpa_operand operands[DAP_ELPA_USES];
  const dap_elpa_routines *lib;
  int64_t size, wanted;                 /* n, k */
  dap_elpa_matrix views[DAP_ELPA_USES]; /* live if view is not zeroed */
  int order[DAP_ELPA_USES], count;      /* live views in the order in which they were taken: [0] leads */
  int exponent;                         /* A has been multiplied by 2 to the power of -exponent */
  void *values, *scratch;               /* [n] eigenvalues, on the grid; [cols][rows] a matrix, or NULL */
  dap_error *err;                       /* never NULL */
} dap_elpa_call;

/* arguments.c: what is checked before anything is done: on this process, and that it is the same on all.
 * Collective. */
dap_status dap_elpa_check_call(dap_elpa_call *call, const char *function);

/* operands.c. All are collective. take: views of all matrices that were given, on one grid. end: agrees on
 * `status`; restores Z, or on error discards it; ends everything and fills the report. */
dap_status dap_elpa_take(dap_elpa_call *call);
dap_status dap_elpa_end(dap_elpa_call *call, dap_status status);

/* values.c: the k eigenvalues, from the grid's first process to W. Collective. */
dap_status dap_elpa_store_values(dap_elpa_call *call);

/* hermitian.c: views as matrices, on the grid. Collective: finite: DAP_ERR_NUMERIC if what is read of operand
 * `i` has NaN or infinity. mirror: copies the triangle that is read to the other one. scale: A by a power of
 * two, noted in the call, if its elements are far from 1. Not collective: conjugate. triangle: 'L' or 'U',
 * where `uplo` of the array is in the view's matrix; 'A' stays. */
dap_status dap_elpa_finite(dap_elpa_call *call, int i);
dap_status dap_elpa_mirror(dap_elpa_call *call, int i);
dap_status dap_elpa_scale(dap_elpa_call *call);
void dap_elpa_conjugate(const dap_elpa_call *call, int i);
char dap_elpa_triangle(const dap_elpa_call *call, int i);

/* solve.c: calls ELPA, by as many stages as the report says. two_stages.c: by two, whose vectors are looked
 * at, and by one if they are wrong. Collective. */
dap_status dap_elpa_solve(dap_elpa_call *call);
dap_status dap_elpa_solve_in_two(dap_elpa_call *call);

/* reduce.c: a generalized problem becomes a standard one, in A; then Z is that of the generalized one again.
 * Collective. */
dap_status dap_elpa_reduce(dap_elpa_call *call);
dap_status dap_elpa_back(dap_elpa_call *call);

#endif

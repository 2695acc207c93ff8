/* Declares one call for each public function that returns a status, and that is collective or takes a
 * layout, a plan, a view or a context. A call has valid arguments; tests make one of them wrong, or call
 * it without MPI. calls.complete compares the rows with the headers. Functions of the PETSc adapter are
 * called in tests/petsc, and dap_view_get() calls the functions that adapters call while they make a view. */
#ifndef CALLS_H
#define CALLS_H

#include "toy.h"
#include <dapbridge/context.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/scalapack.h>

/* Names of the arrays. The first four can have lists: three square matrices and a vector, of float64. The
 * others are for calls that go other ways through the library, views, tall matrices, and linear algebra. */
enum { A, B, C, W, LISTED };
enum { CROSSING = LISTED, PADDED, CUBE, OF_VIEWS };
enum { TALL = OF_VIEWS, TALL_RIGHT, TALL_Q, TALL_X, TALL_R, TALL_VALUES, TALL_ORDER, OF_TALL };
enum { WIDE = OF_TALL, NARROW, EQUAL, ORDER, SEVEN, VALUES, VECTORS, BAND, POSITIVE, RIGHT, ARRAYS };

typedef struct call_arguments {
  MPI_Comm comm;
  int rank;
  dap_array own[ARRAYS];
  dap_darray array[ARRAYS]; /* arrays with the buffers in `own` */
  const bool *is_owned;     /* whether this process owns each index of its lists; NULL: no lists */
  dap_plan *plan;           /* moves A to B; here and below, NULL: not live */
  dap_scalapack_matrix *matrix;
  toy_matrix *toy;
  struct dap_elpa_matrix *elpa; /* NULL also without ELPA */
  dap_context *context;
  dap_linalg_factors *factors; /* factors of a copy of A */
} call_arguments;

/* Names of the object that must be live for the call. */
typedef enum call_handle { NO_HANDLE, PLAN, MATRIX, TOY, ELPA, CONTEXT, FACTORS } call_handle;

typedef struct call {
  const char *name;
  dap_status (*run)(const call_arguments *g, dap_error *err);
  unsigned takes; /* bits 1 << A .. 1 << W of the layouts that the function looks at */
  bool needs_mpi;
  call_handle handle;
  struct call *next; /* NULL: it is the last */
} call;

/* The first row; `next` of each row is the row after it. */
extern call *calls_first;

/* Makes layouts of up to 8 processes, and the arrays of the process `rank`. Needs no MPI. calls_fill()
 * sets the elements to their first values again. */
void calls_begin(call_arguments *g, int procs, int rank, dap_order order);
/* Makes arrays with lists along the first axis, with ranks in another order. On several processes, each list
 * also has indices of the process before. assembled: no process knows the others' lists; collective on
 * MPI_COMM_WORLD. */
void calls_begin_lists(call_arguments *g, int procs, int rank, bool assembled);
void calls_fill(call_arguments *g);
void calls_end(call_arguments *g);

/* calls_open() makes all live objects that calls need: a plan, a context, factors, and views on A, B and
 * (with ELPA) C, all moved, in memory that lasts. It is collective. calls_close() ends them, also after
 * MPI's end. */
dap_status calls_open(call_arguments *g, dap_scalapack_matrix *matrix, toy_matrix *toy, dap_error *err);
dap_status calls_close(call_arguments *g, dap_error *err);

#endif

/* The ELPA adapter: an index of what its files share. Stands on public headers only, ScaLAPACK's among them.
 *
 * A view of ELPA's is ScaLAPACK's view of the array, whose grid leaves no process row or column empty, with a
 * communicator of the grid and an elpa_t. Functions of elpa.h that solve problems take views of their
 * operands and work on the matrices, not on the arrays (eigh.c). */
#ifndef DAP_ELPA_IMPL_H
#define DAP_ELPA_IMPL_H

#include "check.h"
#include <dapbridge/comm.h>
#include <dapbridge/context.h>
#include <dapbridge/elpa.h>
#include <dapbridge/plan.h>
#include <dapbridge/scalapack_calls.h>

#include <elpa/elpa.h>

/* ---- views ------------------------------------------------------------------------------------------- */

/* view.c: as dap_elpa_get(). fast: do not share blocks that are slow. */
dap_status dap_elpa_query(MPI_Comm comm, dap_darray array, dap_access access, const dap_elpa_options *options,
                          bool fast, dap_elpa_matrix *matrix, dap_error *err);

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
 * two, noted in the call, if its elements are far from 1.
 * Not collective: conjugate: conjugates operand `i` in place. triangle: which triangle of the
 * view's matrix holds the array's triangle `uplo`; 'A' stays 'A'. */
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
 * Both are collective. */
dap_status dap_elpa_reduce(dap_elpa_call *call);
void dap_elpa_back(const dap_elpa_call *call);

#endif

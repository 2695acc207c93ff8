/* The ELPA adapter: an index of what its files share. Stands on public headers only, ScaLAPACK's among them.
 *
 * A view of ELPA's is ScaLAPACK's view of the array, whose grid leaves no process row or column empty, with a
 * communicator of the grid and an elpa_t (view.c). Whole problems are those of linalg.h, with ELPA as the
 * backend (eigh.c, backend.c). */
#ifndef DAP_ELPA_IMPL_H
#define DAP_ELPA_IMPL_H

#include "check.h"
#include <dapbridge/comm.h>
#include <dapbridge/context.h>
#include <dapbridge/eigh_backend.h>
#include <dapbridge/elpa.h>
#include <dapbridge/scalapack_calls.h>

#include <elpa/elpa.h>

/* view.c: what a view has besides matrix and dtype, which are set. Ended by detach, also where attach fails.
 * Both are collective on comm. */
dap_status dap_elpa_attach(MPI_Comm comm, const dap_elpa_options *options, dap_elpa_matrix *m,
                           dap_error *err);
dap_status dap_elpa_detach(MPI_Comm comm, const char *function, dap_elpa_matrix *m, dap_error *err);

/* handle.c: an elpa_t. None is collective.
 * says: DAP_ERR_LIBRARY with ELPA's text, unless `code` is ELPA_OK.
 * allocate: all but elpa_setup(), which is collective on comm. On error *handle is NULL.
 * can: whether this ELPA has the type and what it needs of MPI, by a problem of one element. */
typedef struct dap_elpa_shape {
  int size, vectors, block, rows, cols, place[2];
} dap_elpa_shape;
dap_status dap_elpa_says(int code, const char *what, dap_error *err);
dap_status dap_elpa_allocate(MPI_Comm comm, const dap_elpa_shape *shape, elpa_t *handle, dap_error *err);
dap_status dap_elpa_can(dap_dtype dtype, dap_error *err);

/* routines.c: of one element type */
typedef struct dap_elpa_routines {
  dap_dtype dtype, real; /* the matrix's, and that of its eigenvalues */
  void (*eigenvectors)(elpa_t handle, void *a, void *w, void *q, int *error);
  void (*eigenvalues)(elpa_t handle, void *a, void *w, int *error);
} dap_elpa_routines;
const dap_elpa_routines *dap_elpa_routines_of(dap_dtype dtype); /* NULL: ELPA has no such type */

/* backend.c: the `data` of a backend. */
typedef struct dap_elpa_wish {
  int stages;              /* as in dap_elpa_solve_options */
  dap_elpa_report *report; /* receives stages, grid and block_size; or NULL */
} dap_elpa_wish;

/* The problem that a backend solves. Both are collective.
 * solve.c, solve: calls ELPA, by `stages` stages.
 * two_stages.c, solve_in_two: calls it by two, and by one if their vectors are wrong; then sets `stages`. */
typedef struct dap_elpa_problem {
  const dap_eigh_matrices *matrices;
  const dap_elpa_matrix *a;
  const dap_elpa_routines *lib;
  int stages;
} dap_elpa_problem;
dap_status dap_elpa_solve(const dap_elpa_problem *p, dap_error *err);
dap_status dap_elpa_solve_in_two(dap_elpa_problem *p, dap_error *err);

#endif

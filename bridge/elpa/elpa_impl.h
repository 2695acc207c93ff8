/* Declares the functions and types that the files of the ELPA adapter share. It uses public headers only,
 * including ScaLAPACK's. Whole problems are those of linalg.h, with ELPA as the backend (eigh.c,
 * backend.c). */
#ifndef DAP_ELPA_IMPL_H
#define DAP_ELPA_IMPL_H

#include "check.h"
#include <dapbridge/comm.h>
#include <dapbridge/context.h>
#include <dapbridge/eigh_backend.h>
#include <dapbridge/elpa.h>
#include <dapbridge/scalapack_calls.h>

#include <elpa/elpa.h>

/* view.c. An ELPA view is a ScaLAPACK view of the array, on a grid without an empty process row or column,
 * with a communicator of the grid and an elpa_t. */
/* Sets the members of a view besides `matrix` and `dtype`, which are set. dap_elpa_detach() ends them, also
 * if this fails. Both are collective on `comm`. */
dap_status dap_elpa_attach(MPI_Comm comm, const dap_elpa_options *options, dap_elpa_matrix *m,
                           dap_error *err);
dap_status dap_elpa_detach(MPI_Comm comm, const char *function, dap_elpa_matrix *m, dap_error *err);

/* handle.c: not collective. */
/* Returns DAP_ERR_LIBRARY with ELPA's text, unless `code` is ELPA_OK. */
dap_status dap_elpa_says(int code, const char *what, dap_error *err);
/* Allocates m->handle for its matrix and `vectors` eigenvectors. elpa_setup(), which is collective on
 * m->comm, must follow. On error m->handle is NULL. */
dap_status dap_elpa_allocate(dap_elpa_matrix *m, int vectors, dap_error *err);
/* Checks that this ELPA has the type and what it needs of MPI, by a problem of one element. */
dap_status dap_elpa_can(dap_dtype dtype, dap_error *err);

/* handle.c: ELPA's routines for one element type */
typedef struct dap_elpa_routines {
  dap_dtype dtype, real; /* of the matrix, and of its eigenvalues */
  void (*eigenvectors)(elpa_t handle, void *a, void *w, void *q, int *error);
  void (*eigenvalues)(elpa_t handle, void *a, void *w, int *error);
} dap_elpa_routines;
/* Returns the routines for a type; NULL: ELPA does not have it. */
const dap_elpa_routines *dap_elpa_routines_of(dap_dtype dtype);

/* backend.c: the `data` of a backend */
typedef struct dap_elpa_wish {
  int stages;              /* as in dap_elpa_solve_options */
  dap_elpa_report *report; /* receives stages, grid and block_size; or NULL */
} dap_elpa_wish;

/* The problem that a backend solves. */
typedef struct dap_elpa_problem {
  const dap_eigh_matrices *matrices;
  const dap_elpa_matrix *a;
  const dap_elpa_routines *lib;
  int stages;
} dap_elpa_problem;
/* solve.c: calls ELPA with p->stages stages, and if the vectors of two stages are wrong with one, which
 * p->stages receives. Collective. */
dap_status dap_elpa_solve(dap_elpa_problem *p, dap_error *err);

#endif

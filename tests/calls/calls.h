/* Every public function that returns a status and takes a layout, a plan, a view or a context, or is
 * collective: a row each, with arguments that are right, to be called with one of them wrong or without MPI.
 * (Those of PETSc's adapter are in tests/petsc, and what an adapter calls while a view is made is called by
 * dap_view_get().) calls.complete holds the rows to the headers. */
#ifndef CALLS_H
#define CALLS_H

#include "toy.h"
#include <dapbridge/context.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/scalapack.h>

/* Arrays: three square matrices and a vector, or vectors only. */
enum { A, B, C, W, ARRAYS };

typedef struct call_arguments {
  MPI_Comm comm;
  int rank;
  dap_array own[ARRAYS];
  dap_darray array[ARRAYS]; /* of f8; those are `own` */
  const bool *is_owned;     /* indices of lists that this process owns; NULL: the arrays have no lists */
  dap_plan *plan;           /* from A to B; NULL: none is live, as of those that follow */
  dap_scalapack_matrix *matrix;
  toy_matrix *toy;
  struct dap_elpa_matrix *elpa; /* NULL: there is no ELPA */
  dap_context *context;
  dap_linalg_factors *factors; /* of A, in a copy */
} call_arguments;

/* What must be live for the call. */
typedef enum call_handle { NO_HANDLE, PLAN, MATRIX, TOY, ELPA, CONTEXT, FACTORS } call_handle;

typedef struct call {
  const char *name;
  dap_status (*run)(const call_arguments *g, dap_error *err);
  unsigned takes; /* bits 1 << A .. 1 << W: whose layouts are looked at */
  bool needs_mpi;
  call_handle handle;
  const struct call *next;
} call;

/* The row after this one, or the first for NULL; NULL: there is no more. */
const call *calls_next(const call *row);

/* Layouts of up to 8 processes and arrays of the process `rank`. Needs no MPI. fill: the elements as they
 * were at the beginning. */
void calls_begin(call_arguments *g, int procs, int rank, dap_order order);
/* Along the first axis lists, on ranks in reverse. Of several processes each also has the first index of the
 * next one. assembled: no process knows the others' lists; collective on MPI_COMM_WORLD. */
void calls_begin_lists(call_arguments *g, int procs, int rank, bool assembled);
void calls_fill(call_arguments *g);
void calls_end(call_arguments *g);

/* An array in *array, and its layout, which the words of dap_layout_parse() describe, with P for `procs`. */
dap_darray calls_array(const char *words, int procs, int rank, dap_dtype dtype, dap_order order,
                       dap_array *array);

/* Makes all that calls need live: a plan, a context, factors, and views on A, B and (of ELPA's) C, all moved,
 * in memory that lasts. Collective. And ends what is live, which may be after MPI's end. */
dap_status calls_open(call_arguments *g, dap_scalapack_matrix *matrix, toy_matrix *toy, dap_error *err);
dap_status calls_close(call_arguments *g, dap_error *err);

#endif

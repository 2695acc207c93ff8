/* Wrong arguments of the calls that get a field, a vector or a matrix, on all processes or on one: the same
 * status and text everywhere. */
#ifndef DAP_PETSC_REQUESTS_H
#define DAP_PETSC_REQUESTS_H

#include <dapbridge/petsc.h>
#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>

#include "mpi_test.h"

/* The array, its rows spread over the processes. */
enum { ROWS = 24, COLUMNS = 6 };

/* What is handed over. */
typedef struct request {
  MPI_Comm comm;
  dap_layout *layout;
  dap_layout *other; /* of the same processes and extents */
  dap_array array;   /* in C order */
  dap_access access;
  dap_sharing sharing; /* of the options, whichever are asked for */
  dap_petsc_field_options field;
  dap_petsc_vector_options vector;
  dap_petsc_matrix_options matrix;
  bool nowhere; /* NULL in place of the view */
} request;

/* A right one; ended with request_free(). Collective on MPI_COMM_WORLD. */
request request_make(void);
void request_free(request *r);

typedef struct refusal {
  const char *why;
  void (*change)(request *r);
  bool last_only; /* the last process alone is wrong */
  int ranks;      /* at least so many */
  dap_status status;
  const char *parts;
} refusal;

/* Some that a table may name. */
void no_view(request *r);
void share(request *r); /* or fail */
void share_window(request *r);

/* The call, which must fail and leave an empty view. */
typedef dap_status request_get(const request *r, dap_error *err);

/* Those that every call refuses, and then the rows; with an error to write to and without. */
void check_refusals(request_get *get, const refusal rows[], size_t count);

#endif

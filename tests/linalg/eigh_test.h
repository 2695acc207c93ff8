/* Names the solver of eigenvalue problems that test_edges_eigh.c is compiled for. It is ScaLAPACK, or with
 * EIGH_BY_BACKEND another library, such as ELPA in tests/elpa/eigh_elpa.c. */
#ifndef DAP_TEST_EIGH_TEST_H
#define DAP_TEST_EIGH_TEST_H

#include "edges.h"

#include <dapbridge/eigh_backend.h>

/* Calls dap_linalg_eigh(), or dap_linalg_eigh_generalized() if B is not NULL. If Z is NULL, no vectors are
 * computed. */
dap_status eigh_by_linalg(edge *e, char uplo, const drawn *a, const drawn *b, const drawn *w, const drawn *z);

#ifdef EIGH_BY_BACKEND
/* Does the same with any function of the backend. */
dap_status eigh_call(edge *e, char uplo, const drawn *a, const drawn *b, const drawn *w, const drawn *z);

/* For options.eigh, with DAP_EIGH_AUTO; `number` chooses among several. NULL: there is none. */
const dap_eigh_backend *eigh_backend(int number);

/* Whether there is a backend, and it takes elements of this type. Collective. */
bool eigh_is_backends(const element_type *type);

/* Whether A is shared: 1, 0, or -1: it depends. Collective. */
int eigh_shares(const edge *e, const drawn *a);
#else
#define eigh_call eigh_by_linalg
#define eigh_backend(number) NULL
#define eigh_is_backends(type) false
#define eigh_shares edge_shares
#endif

#endif

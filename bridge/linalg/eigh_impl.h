/* Declares the types and functions that the algorithms for Hermitian eigenproblems share. eigh.c takes the
 * views, chooses the algorithm, turns A z = w B z into the problem of a single matrix, and hands out the
 * results. */
#ifndef DAP_EIGH_IMPL_H
#define DAP_EIGH_IMPL_H

#include "linalg_impl.h"

#include <dapbridge/eigh_backend.h>

/* Numbers of the operands. Only a generalized problem has B. */
enum { DAP_EIGH_A, DAP_EIGH_W, DAP_EIGH_Z, DAP_EIGH_B };

typedef struct dap_eigh_problem {
  const dap_scalapack_matrix *a; /* M (n, n); only the triangle `uplo` is read; overwritten */
  const dap_scalapack_matrix *b; /* of A z = w B z, aligned with M; NULL: there is none */
  const dap_scalapack_matrix *z; /* (n, room), in M's blocks; gets `count` columns; NULL: not wanted */
  char uplo;
  bool whole; /* M has both triangles */
  int64_t n, room;
  dap_eigh_options wanted;
  void *w;              /* [n] all eigenvalues, of the real type, ascending, on every process */
  int64_t first, count; /* the eigenvalues in w that are wanted */
} dap_eigh_problem;

/* Finds all eigenvalues or those wanted, and their vectors. Each algorithm is a file with one function of
 * this type, and a row of the table in eigh.c. Sets w, first, count and z. Collective. */
typedef dap_status dap_eigh_algorithm(dap_linalg_call *call, dap_eigh_problem *p);

dap_eigh_algorithm dap_linalg_eigh_ev, dap_linalg_eigh_evd, dap_linalg_eigh_evr, dap_linalg_eigh_backend;

/* eigh_tridiagonal.c: M = Q T Q^H with a real tridiagonal T. All are collective.
 * reduce: finds Q and T, whose diagonal is in p->w; Q's reflectors replace M.
 * values: replaces T with its eigenvalues, in p->w. share: gives all processes the values of process (0, 0).
 * back: makes vectors of M from those of T, which are in z. */
typedef struct dap_linalg_tridiagonal {
  void *d, *e;  /* [n] the diagonal, and the n - 1 elements beside it, of the real type, on every process */
  void *tau;    /* scalars of the reflectors in this process's columns */
  double sigma; /* a power of 2, by which M was multiplied */
} dap_linalg_tridiagonal;

dap_status dap_linalg_tridiagonal_reduce(dap_linalg_call *call, const dap_eigh_problem *p,
                                         dap_linalg_tridiagonal *t);
dap_status dap_linalg_tridiagonal_values(dap_linalg_call *call, const dap_eigh_problem *p,
                                         const dap_linalg_tridiagonal *t);
dap_status dap_linalg_tridiagonal_share(dap_linalg_call *call, const dap_eigh_problem *p);
dap_status dap_linalg_tridiagonal_back(dap_linalg_call *call, const dap_eigh_problem *p,
                                       const dap_linalg_tridiagonal *t);

/* eigh_evd.c: takes the steps of divide and conquer after the reduction to T. Collective. */
dap_status dap_linalg_eigh_divide(dap_linalg_call *call, dap_eigh_problem *p,
                                  const dap_linalg_tridiagonal *t);

/* eigh_parts.c: for algorithms that compute more than is wanted.
 * choose: sets first and count by w, which has all eigenvalues. DAP_ERR_ARG if z and W have no room for them.
 * vectors: sets the place of n columns of vectors: z if it has n columns, else workspace with M's leading
 * dimension. Collective.
 * columns: copies columns first .. first + count - 1 of `from` to the first ones of `to`, both of `dtype`.
 * Collective. */
dap_status dap_linalg_eigh_choose(dap_linalg_call *call, dap_eigh_problem *p);
dap_status dap_linalg_eigh_vectors(dap_linalg_call *call, const dap_eigh_problem *p,
                                   dap_scalapack_matrix *vectors);
void dap_linalg_eigh_columns(dap_dtype dtype, const dap_scalapack_matrix *from, int64_t first, int64_t count,
                             const dap_scalapack_matrix *to);

#endif

/* Hermitian eigenproblems: an index of what the algorithms share.
 *
 * eigh.c takes the views, chooses the algorithm and hands out the results. eigh_general.c turns A z = w B z
 * into the problem of a single matrix. Each algorithm is a file with one function, and a row of the table in
 * eigh.c. It finds all eigenvalues or those wanted, and their vectors. */
#ifndef DAP_EIGH_IMPL_H
#define DAP_EIGH_IMPL_H

#include "linalg_impl.h"

#include <dapbridge/eigh_backend.h>

/* Numbers of the operands. Only a generalized problem has B. */
enum { DAP_EIGH_A, DAP_EIGH_W, DAP_EIGH_Z, DAP_EIGH_B };

typedef struct dap_eigh_problem {
  const dap_scalapack_matrix *a; /* M (n, n), of which the triangle `uplo` is read; overwritten */
  const dap_scalapack_matrix *b; /* of A z = w B z, aligned with M; NULL: there is none */
  const dap_scalapack_matrix *z; /* (n, room), in M's blocks; gets `count` columns; NULL: not wanted */
  char uplo;
  bool whole; /* M has both triangles */
  int64_t n, room;
  dap_eigh_options wanted;
  void *w;              /* [n] all eigenvalues, of the real type, ascending, on every process */
  int64_t first, count; /* the eigenvalues in w that are wanted */
} dap_eigh_problem;

/* Sets w, first, count and z. Collective. */
typedef dap_status dap_eigh_algorithm(dap_linalg_call *call, dap_eigh_problem *p);

dap_eigh_algorithm dap_linalg_eigh_ev, dap_linalg_eigh_evd, dap_linalg_eigh_evr, dap_linalg_eigh_backend;

/* eigh_tridiagonal.c: M = Q T Q^H with a real tridiagonal T. All are collective.
 * reduce: finds Q and T, whose diagonal is in p->w; Q's reflectors replace M.
 * values: replaces T by its eigenvalues, in p->w. share: gives all processes the values of process (0, 0).
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

/* eigh_stemr.c: eigenvectors of T by LAPACK on process 0.
 * make_room: reserves what find needs for p->count vectors. Collective.
 * find: computes the vectors p->first .. p->first + p->count - 1 of T; `values` are the eigenvalues of T.
 * Returns 0, LAPACK's info, or DAP_LINALG_MRRR_WRONG if they are not accurate. Not collective. */
enum { DAP_LINALG_MRRR_WRONG = 10000 };
typedef struct dap_linalg_mrrr {
  void *vectors;    /* [n * count] of the real type, columns without gaps */
  void *numbers[3]; /* [n] T, which is overwritten, and eigenvalues */
  void *work, *iwork, *support, *doubles;
} dap_linalg_mrrr;

dap_status dap_linalg_mrrr_make_room(dap_linalg_call *call, const dap_eigh_problem *p, dap_linalg_mrrr *m);
dap_scalapack_int dap_linalg_mrrr_find(const dap_linalg_call *call, const dap_eigh_problem *p,
                                       const dap_linalg_tridiagonal *t, const void *values,
                                       const dap_linalg_mrrr *m);

/* eigh_parts.c: for algorithms that compute more than is wanted.
 * choose: sets first and count by w, which has all eigenvalues. DAP_ERR_ARG if z and W have no room for them.
 * vectors: sets the place of n columns of vectors: z if it has so many, else workspace. Collective.
 * columns: copies columns first .. first + count - 1 of `from` to the first ones of `to`, both of `dtype`.
 * Collective. */
dap_status dap_linalg_eigh_choose(dap_linalg_call *call, dap_eigh_problem *p);
dap_status dap_linalg_eigh_vectors(dap_linalg_call *call, const dap_eigh_problem *p,
                                   dap_scalapack_matrix *vectors);
void dap_linalg_eigh_columns(dap_dtype dtype, const dap_scalapack_matrix *from, int64_t first, int64_t count,
                             const dap_scalapack_matrix *to);

/* eigh_backend.c: the options' backend.
 * check: DAP_ERR_ARG if it cannot be used. Not collective.
 * can: whether it takes the matrix's type. *why is its error, if it does not. Collective. */
dap_status dap_linalg_backend_check(const dap_linalg_call *call, dap_error *err);
dap_status dap_linalg_backend_can(const dap_linalg_call *call, dap_error *why);

/* eigh_general.c: with B = L L^H or U^H U, reduce replaces M by inv(L) M inv(L)^H or inv(U)^H M inv(U), and
 * back turns its eigenvectors into those of the problem. Both are collective. */
dap_status dap_linalg_eigh_reduce(dap_linalg_call *call, const dap_eigh_problem *p);
void dap_linalg_eigh_back(const dap_linalg_call *call, const dap_eigh_problem *p);

#endif

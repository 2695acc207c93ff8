/**
 * @file
 * Other eigenvalue libraries for dap_linalg_eigh() and dap_linalg_eigh_generalized().
 *
 * The ScaLAPACK part of dapbridge does not depend on such libraries. A program that wants to use one of them
 * passes the library's backend, and is linked with the backend:
 *
 *     dap_linalg_options options = {.eigh = {.backend = dap_elpa_backend(1)}};
 *     dap_linalg_eigh(comm, 'L', a, w, z, &options, &err);
 *
 * dapbridge has one backend, ELPA's (elpa.h). To use another solver, a program fills a struct
 * dap_eigh_backend itself, as bridge/elpa/backend.c does. dap_linalg_eigh() checks the
 * arguments, and shares or moves the arrays as ScaLAPACK matrices. It reduces A z = w B z to A z = w z, and
 * returns the results. The backend solves A z = w z.
 */
#ifndef DAPBRIDGE_EIGH_BACKEND_H
#define DAPBRIDGE_EIGH_BACKEND_H

#include <dapbridge/linalg.h>
#include <dapbridge/scalapack.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DAP_EIGH_BACKEND_VERSION = 2 /**< version of struct dap_eigh_backend */ };

/**
 * An eigenvalue problem A z = w z with n >= 1 rows.
 *
 * `a` is a Hermitian matrix (n, n). Both triangles are set, and all elements are finite. The largest absolute
 * value of an element lies between 2^-16 and 2^16, unless all elements are 0 or near the smallest number of
 * the type. The matrix has square blocks and begins on the first process. Each row and each column of the
 * process grid has a block. On processes outside the grid, the matrix's context is -1.
 *
 * `z` is a matrix (n, n) with the grid, the blocks and the leading dimension of `a`. Its columns beyond
 * `count` are workspace.
 */
typedef struct dap_eigh_matrices {
  MPI_Comm comm;                 /**< the caller's communicator; processes outside the grid take part, too */
  dap_dtype dtype;               /**< type of A and Z: float32, float64, complex64 or complex128 */
  const dap_scalapack_matrix *a; /**< the matrix; workspace */
  const dap_scalapack_matrix *z; /**< receives the vectors in its first `count` columns; NULL: no vectors */
  int64_t count;                 /**< number of smallest eigenvalues that are wanted, 1 <= count <= n */
  void *values; /**< [n] real: receives the eigenvalues, ascending, at least on process (0, 0) */
  char *method; /**< [DAP_ERROR_TEXT] report.method: the backend's name, or a longer text */
} dap_eigh_matrices;

/**
 * A library that finds eigenvalues. The struct must stay unchanged as long as options point to it.
 *
 * `can` returns DAP_OK if the library can find eigenvalues of matrices with this element type. Otherwise it
 * returns an error with the reason. With DAP_EIGH_BACKEND, dap_linalg_eigh() returns this error. With
 * DAP_EIGH_AUTO, it uses another algorithm. The status may differ between processes. Not collective.
 *
 * `solve` finds the eigenvalues, and the eigenvectors if they are wanted. Collective on matrices->comm. The
 * status may differ between processes only if no process then waits for another.
 */
typedef struct dap_eigh_backend {
  int version;      /**< DAP_EIGH_BACKEND_VERSION */
  const char *name; /**< such as "ELPA"; the same on every process, because backends are compared by name */
  const void *data; /**< data of the backend */
  /** Returns DAP_OK if the library can find eigenvalues of matrices with elements of `dtype`. */
  dap_status (*can)(const struct dap_eigh_backend *backend, dap_dtype dtype, dap_error *err);
  /** Finds eigenvalues, and eigenvectors if they are wanted. */
  dap_status (*solve)(const struct dap_eigh_backend *backend, const dap_eigh_matrices *matrices,
                      dap_error *err);
} dap_eigh_backend;

#ifdef __cplusplus
}
#endif

#endif

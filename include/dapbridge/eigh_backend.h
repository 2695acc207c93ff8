/**
 * @file
 * Support for eigenvalue libraries other than ScaLAPACK in dap_linalg_eigh() and
 * dap_linalg_eigh_generalized().
 *
 * A *backend* is a struct through which these functions call an eigenvalue library. The ScaLAPACK part of
 * dapbridge does not depend on such libraries. A program that uses such a library passes the library's
 * backend in the options, and is linked with the backend:
 *
 *     dap_linalg_options options = {.eigh = {.backend = dap_elpa_backend(1)}};
 *     dap_linalg_eigh(comm, 'L', a, w, z, &options, &err);
 *
 * dapbridge contains one backend, for ELPA (elpa.h). To use a library other than ELPA, a program fills a
 * struct dap_eigh_backend itself, as bridge/elpa/backend.c does. dap_linalg_eigh() checks the arguments,
 * shares or moves the arrays as ScaLAPACK matrices, and returns the results. dap_linalg_eigh_generalized()
 * also reduces A z = w B z to a problem of the form A z = w z, which the backend solves.
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
 * An eigenvalue problem A z = w z, where A has n >= 1 rows.
 *
 * `a` is a Hermitian n x n matrix. Both triangles are set, and all elements are finite. The largest absolute
 * value of an element lies between 2^-17 and 2^16, unless all elements are 0 or close to the smallest
 * positive number of their type. The matrix has square blocks. Its first block is on the first process of the
 * grid, and each row and each column of the grid has at least one block. On processes outside the grid, the
 * matrix's context is -1.
 *
 * `z` is an n x n matrix with the same grid, blocks and leading dimension as `a`. The columns of `z` beyond
 * `count` are workspace.
 */
typedef struct dap_eigh_matrices {
  MPI_Comm comm;                 /**< the caller's communicator, including processes outside the grid */
  dap_dtype dtype;               /**< type of A and Z: float32, float64, complex64 or complex128 */
  const dap_scalapack_matrix *a; /**< the matrix, which may be overwritten */
  const dap_scalapack_matrix *z; /**< receives eigenvectors in its first `count` columns; NULL if unwanted */
  int64_t count; /**< number of eigenvalues to find, from the smallest upwards; 1 <= count <= n */
  void *values;  /**< [n] receives the real eigenvalues in ascending order, at least on process (0, 0) */
  char *method;  /**< [DAP_ERROR_TEXT] text of report.method: the backend's name, which `solve` may replace */
} dap_eigh_matrices;

/**
 * The functions and data through which dapbridge calls an eigenvalue library. The struct must stay unchanged
 * as long as options point to it.
 *
 * `can` returns DAP_OK if the library can find eigenvalues of matrices with elements of `dtype`. Otherwise it
 * returns an error with the reason. If the solver in the options is DAP_EIGH_BACKEND, dap_linalg_eigh()
 * returns this error. If the solver is DAP_EIGH_AUTO, dap_linalg_eigh() uses another algorithm instead. The
 * status of `can` may differ between processes. Not collective.
 *
 * `solve` finds the eigenvalues, and the eigenvectors if they are wanted. Collective on matrices->comm. The
 * status of `solve` may differ between processes, provided that no process then waits for another.
 */
typedef struct dap_eigh_backend {
  int version; /**< DAP_EIGH_BACKEND_VERSION */
  /** name of the library, such as "ELPA"; tells dapbridge whether all processes passed the same backend */
  const char *name;
  const void *data; /**< data that only the backend uses */
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

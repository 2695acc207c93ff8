/* dapbridge/eigh_backend.h: other libraries behind dap_linalg_eigh() and dap_linalg_eigh_generalized().
 *
 * ScaLAPACK's part of dapbridge knows no other library. A program that wants one hands its backend over, and
 * so is linked with it:
 *
 *     dap_linalg_options options = {.eigh = {.backend = dap_elpa_backend(1)}};
 *     dap_linalg_eigh(comm, 'L', a, w, z, &options, &err);
 *
 * ELPA's backend is the one there is (elpa.h). For another solver a program fills a struct of its own, as
 * bridge/elpa/backend.c does. dap_linalg_eigh() checks arguments, moves or shares the arrays as ScaLAPACK's
 * matrices, reduces A z = w B z to A z = w z, and hands out results. The backend solves A z = w z. */
#ifndef DAPBRIDGE_EIGH_BACKEND_H
#define DAPBRIDGE_EIGH_BACKEND_H

#include <dapbridge/linalg.h>
#include <dapbridge/scalapack.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DAP_EIGH_BACKEND_VERSION = 2 };

/* A problem A z = w z, of n >= 1 rows. */
typedef struct dap_eigh_matrices {
  MPI_Comm comm;   /* the caller's; processes outside the grid take part as well */
  dap_dtype dtype; /* f4, f8, c8 or c16 */
  /* The Hermitian matrix (n, n), with both triangles and finite elements: workspace. Its largest element is
   * within 2^-16 .. 2^16, unless all are 0 or near the smallest number of the type. It begins on the first
   * process, in square blocks, and each row and column of the process grid has one. Outside the grid its
   * context is -1. */
  const dap_scalapack_matrix *a;
  /* (n, n) in the same grid and blocks, with A's leading dimension: receives the vectors in the first `count`
   * columns. The others are workspace. NULL: no vectors are wanted. */
  const dap_scalapack_matrix *z;
  int64_t count; /* of the smallest eigenvalues that are wanted, 1 <= count <= n */
  void *values;  /* [n] of the real type: receives them in ascending order, at least on process (0, 0) */
  char *method;  /* [DAP_ERROR_TEXT] report.method, the backend's name; may be made more precise */
} dap_eigh_matrices;

/* It must stay as it is, as long as options point to it. */
typedef struct dap_eigh_backend {
  int version;      /* DAP_EIGH_BACKEND_VERSION */
  const char *name; /* such as "ELPA"; the same on every process, because backends are compared by it */
  const void *data; /* the backend's own */

  /* Whether it finds eigenvalues of matrices with such elements: f4, f8, c8 or c16. DAP_OK, or an error that
   * says why not. With DAP_EIGH_BACKEND dap_linalg_eigh() returns that error; with DAP_EIGH_AUTO it takes
   * another algorithm. May differ between processes. Not collective. */
  dap_status (*can)(const struct dap_eigh_backend *backend, dap_dtype dtype, dap_error *err);

  /* Finds the eigenvalues, and the vectors if they are wanted. Collective on matrices->comm; the status may
   * differ between processes only if none of them waits for another. */
  dap_status (*solve)(const struct dap_eigh_backend *backend, const dap_eigh_matrices *matrices,
                      dap_error *err);
} dap_eigh_backend;

#ifdef __cplusplus
}
#endif

#endif

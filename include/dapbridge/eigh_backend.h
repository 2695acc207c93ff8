/* dapbridge/eigh_backend.h: other libraries behind dap_linalg_eigh() and dap_linalg_eigh_generalized().
 *
 * ScaLAPACK's part of dapbridge knows no other library. A program that wants one hands its backend over:
 *
 *     dap_linalg_options options = {.eigh = {.backend = dap_elpa_backend(1)}};
 *     dap_linalg_eigh(comm, 'L', a, w, z, &options, &err);
 *
 * and so is linked with it. ELPA's is the one there is (elpa.h); who has another solver fills a struct of his
 * own, as bridge/elpa/backend.c does. What a backend must do is said here; checks of arguments, ranges of the
 * spectrum and the report are dap_linalg_eigh()'s. */
#ifndef DAPBRIDGE_EIGH_BACKEND_H
#define DAPBRIDGE_EIGH_BACKEND_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DAP_EIGH_BACKEND_VERSION = 1 };

/* It must stay as it is, as long as options point to it. */
typedef struct dap_eigh_backend {
  int version;      /* DAP_EIGH_BACKEND_VERSION */
  const char *name; /* as "ELPA"; the same on every process, which is how backends are compared */
  const void *data; /* the backend's own */

  /* Whether it finds eigenvalues of matrices with such elements: f4, f8, c8 or c16. DAP_OK, or an error that
   * says why not: that of dap_linalg_eigh() with DAP_EIGH_BACKEND; with DAP_EIGH_AUTO another algorithm is
   * taken. May differ between processes. Not collective. */
  dap_status (*can)(const struct dap_eigh_backend *backend, dap_dtype dtype, dap_error *err);

  /* The k smallest eigenvalues W (k,), ascending, and their vectors, the columns of Z (n, k), unless that is
   * zeroed, of A z = w z, or, unless B is zeroed, of A z = w B z: all as dap_linalg_eigh() and
   * dap_linalg_eigh_generalized() say. Extents, types and buffers have been checked, and 1 <= k <= n. W has
   * all its elements on every process. Of *options sharing, keep and block_size (0: the backend's choice)
   * count; its report, never NULL, gets an entry of `uses` for each operand that was given, info and
   * method. Collective on comm; the status must be the same on every process. */
  dap_status (*solve)(const struct dap_eigh_backend *backend, MPI_Comm comm, char uplo, dap_darray a,
                      dap_darray b, dap_darray w, dap_darray z, const dap_linalg_options *options,
                      dap_error *err);
} dap_eigh_backend;

#ifdef __cplusplus
}
#endif

#endif

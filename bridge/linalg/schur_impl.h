/* Eigenvalues of general matrices, which process 0 has as a whole. */
#ifndef DAP_SCHUR_IMPL_H
#define DAP_SCHUR_IMPL_H

#include "linalg_impl.h"

typedef struct dap_linalg_general {
  int64_t n;
  bool has_vectors; /* are wanted */
  /* Column-major without gaps, on process 0; NULL elsewhere. */
  void *a;       /* [n * n] overwritten, by T or by anything */
  void *vectors; /* [n * n] Schur vectors, of A's type, or eigenvectors, complex */
  void *w;       /* [n] complex, on every process */
} dap_linalg_general;

/* schur_lapack.c. finite: DAP_ERR_NUMERIC if an eigenvalue is not; not collective. make_room: work space of
 * the other two; collective. These compute on process 0, alone, and return LAPACK's info. */
typedef struct dap_linalg_general_room {
  void *work, *rwork, *real[2], *packed;
  dap_scalapack_int lwork;
} dap_linalg_general_room;

dap_status dap_linalg_general_finite(dap_linalg_call *call, const dap_linalg_general *g);
dap_status dap_linalg_general_make_room(dap_linalg_call *call, const dap_linalg_general *g,
                                        dap_linalg_general_room *room);
dap_scalapack_int dap_linalg_general_schur(const dap_linalg_call *call, const dap_linalg_general *g,
                                           const dap_linalg_general_room *room);
dap_scalapack_int dap_linalg_general_eig(const dap_linalg_call *call, const dap_linalg_general *g,
                                         const dap_linalg_general_room *room);

/* The complex type of the matrix's precision. */
static inline dap_dtype dap_linalg_complex(const dap_linalg_call *call)
{
  return call->lib->real == DAP_F4 ? DAP_C8 : DAP_C16;
}

#endif

/* Eigenvalues of general matrices: whole ones on process 0, or by all processes, or all but one. */
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

/* A is operand 0 of both functions. */
enum { DAP_SCHUR_A, DAP_SCHUR_T, DAP_SCHUR_Z, DAP_SCHUR_W };

/* schur_hseqr.c: by all processes, of real matrices; sets w and, of dap_linalg_schur(), T and Z if they are
 * given: `has_form`. Collective. */
dap_status dap_linalg_schur_hseqr(dap_linalg_call *call, dap_linalg_general *g, bool has_form);

/* The block size: what is wanted, else (0) the usual one, but what hseqr can have. Not collective. */
int64_t dap_linalg_schur_block(int64_t wanted, int64_t usual);

/* schur_fewer.c. procs: on how many processes hseqr can work. fewer: the same as dap_linalg_schur_hseqr(), by
 * those where they are fewer than all. Collective. */
int dap_linalg_schur_procs(const dap_linalg_call *call);
dap_status dap_linalg_schur_fewer(dap_linalg_call *call, dap_linalg_general *g, bool has_form);

/* schur_blocks.c: sets w, and with has_form brings the blocks of 2 x 2 on T's diagonal into standard form,
 * with rotations that Z (NULL: not wanted) gets, too. Collective. */
dap_status dap_linalg_schur_blocks(dap_linalg_call *call, const dap_linalg_general *g,
                                   const dap_scalapack_matrix *t, const dap_scalapack_matrix *z,
                                   bool has_form);

/* schur_lapack.c. put: number k of w. finite: DAP_ERR_NUMERIC if an eigenvalue is not; not collective.
 * make_room: work space of the other two; collective. These compute on process 0, alone, and return LAPACK's
 * info. */
typedef struct dap_linalg_general_room {
  void *work, *rwork, *real[2], *packed;
  dap_scalapack_int lwork;
} dap_linalg_general_room;

dap_status dap_linalg_general_finite(dap_linalg_call *call, const dap_linalg_general *g);
void dap_linalg_general_put(const dap_linalg_call *call, void *complexes, int64_t k, double re, double im);
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

/**
 * @file
 * Options and report of the functions in linalg.h and linalg_*.h.
 */
#ifndef DAPBRIDGE_LINALG_OPTIONS_H
#define DAPBRIDGE_LINALG_OPTIONS_H

#include <dapbridge/array.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Describes how a function used one of its operands. */
typedef struct dap_linalg_use {
  char name[8]; /**< name of the operand in the function's comment, such as "A" */
  bool shared;  /**< true if the function computed in the caller's buffer; the same on every process */
  /** number of bytes that this process copied or sent to move the operand to another buffer and back */
  int64_t moved_bytes;
  char reason[DAP_ERROR_TEXT]; /**< why the operand was shared or moved; the same on every process */
} dap_linalg_use;

enum { DAP_LINALG_USES = 4 /**< maximum number of operands of a function */ };

/**
 * Algorithms for eigenvalues and eigenvectors, named after LAPACK's drivers.
 *
 * DAP_EIGH_AUTO chooses options.eigh.backend if a backend is set and supports the element type. If no backend
 * is used, it chooses DAP_EIGH_EVR if eigenvectors are wanted and at most n / 8 of the n eigenvalues are
 * selected by index. In all other cases, it chooses DAP_EIGH_EVD. If DAP_EIGH_EVR fails, dapbridge uses
 * DAP_EIGH_EVD instead, and report.method gives the reason. With DAP_EIGH_EVR, process 0 computes the
 * eigenvectors of the reduced (tridiagonal) matrix, and eigenvectors of close eigenvalues may be less
 * orthogonal than with the other algorithms. bridge/docs/linalg.md, "Eigenvalues", names the routines.
 */
typedef enum dap_eigh_solver {
  DAP_EIGH_AUTO, /**< dapbridge chooses one of the algorithms below */
  /** QR iteration (syev, heev): several times slower than DAP_EIGH_EVD, but needs the least workspace */
  DAP_EIGH_EV,
  DAP_EIGH_EVD,    /**< divide and conquer, with the same steps as in syevd and heevd */
  DAP_EIGH_EVR,    /**< multiple relatively robust representations (MRRR), on process 0 */
  DAP_EIGH_BACKEND /**< uses options.eigh.backend; fails if the backend does not support the element type */
} dap_eigh_solver;

struct dap_eigh_backend; /* eigh_backend.h */

/** Selects the eigenvalues that are wanted. */
typedef enum dap_eigh_range {
  DAP_EIGH_ALL,      /**< all eigenvalues */
  DAP_EIGH_BY_INDEX, /**< eigenvalues k with start <= k < stop, where eigenvalue 0 is the smallest */
  DAP_EIGH_BY_VALUE  /**< eigenvalues w with above < w <= up_to; the limits may be infinite */
} dap_eigh_range;

/**
 * Options of dap_linalg_eigh() and dap_linalg_eigh_generalized(). A zeroed struct selects all eigenvalues and
 * DAP_EIGH_AUTO.
 *
 * A backend computes all eigenvalues from the smallest up to the largest wanted one. A backend also needs
 * workspace for n eigenvectors, even if fewer are wanted.
 */
typedef struct dap_eigh_options {
  dap_eigh_solver solver; /**< the algorithm */
  dap_eigh_range range;   /**< how the wanted eigenvalues are selected */
  /** DAP_EIGH_BY_INDEX: index of the first wanted eigenvalue; the smallest eigenvalue has index 0 */
  int64_t start;
  int64_t stop; /**< DAP_EIGH_BY_INDEX: index of the last wanted eigenvalue, plus 1 */
  double above; /**< DAP_EIGH_BY_VALUE: only eigenvalues greater than this limit are wanted */
  double up_to; /**< DAP_EIGH_BY_VALUE: only eigenvalues up to this limit are wanted */
  /** a solver from a library other than ScaLAPACK, such as dap_elpa_backend() (elpa.h); NULL means none */
  const struct dap_eigh_backend *backend;
} dap_eigh_options;

/** Algorithms for singular values and singular vectors, named after LAPACK's drivers. */
typedef enum dap_svd_solver {
  /** DAP_SVD_GESDD if process 0 has enough memory and LAPACK's integers are large enough, otherwise
   * DAP_SVD_GESVD */
  DAP_SVD_AUTO,
  /** QR iteration on every process (gesvd): several times slower than DAP_SVD_GESDD, but no process stores a
   * whole matrix, except for tall and wide matrices (bridge/docs/linalg.md) */
  DAP_SVD_GESVD,
  DAP_SVD_GESDD /**< divide and conquer: gebrd, then LAPACK's bdsdc on process 0, then ormbr or unmbr */
} dap_svd_solver;

/** Options of dap_linalg_svd(). A zeroed struct means DAP_SVD_AUTO. */
typedef struct dap_svd_options {
  dap_svd_solver solver; /**< the algorithm */
} dap_svd_options;

/**
 * Report of one function call. After an error, the report describes the steps that were completed.
 *
 * dap_linalg_eigh() and dap_linalg_eigh_generalized() set `solver`, `found` and `method`. dap_linalg_svd(),
 * dap_linalg_schur() and dap_linalg_eig() set `method`.
 */
typedef struct dap_linalg_report {
  int count;                            /**< number of operands */
  dap_linalg_use uses[DAP_LINALG_USES]; /**< [count] how each operand was used, in argument order */
  /** DAP_ERR_NUMERIC: index, from 1, of the column, minor or value that failed; 0 if none has an index */
  int64_t info;
  dap_eigh_solver solver;      /**< the algorithm that was used; never DAP_EIGH_AUTO */
  int64_t found;               /**< number of eigenvalues that options.eigh selects */
  char method[DAP_ERROR_TEXT]; /**< the algorithm, such as "ELPA, 1 stage", and why it was chosen */
} dap_linalg_report;

/**
 * Options of all functions in linalg.h and linalg_*.h. A NULL pointer or a zeroed struct means the defaults.
 * All members except `report` must be the same on every process.
 *
 * By default, a large matrix is moved if its blocks would make a factorisation slow, even if the matrix could
 * be shared. See bridge/docs/linalg.md, "Block sizes and grids". A block_size of 0 means 64 if both extents
 * of the matrix are at least 2048, and 32 otherwise. Small matrices get smaller blocks. `sharing` does not
 * apply to eigenvalues or singular values. Every process receives all these values, and stores the values
 * that belong to its part of the result.
 */
typedef struct dap_linalg_options {
  dap_sharing sharing; /**< whether dapbridge may copy matrices and right-hand sides */
  bool keep;           /**< true: operands that are described as workspace are copied and not overwritten */
  int64_t block_size;  /**< block size of moved matrices; 0 means the default */
  dap_linalg_report *report; /**< receives the report; may be NULL */
  dap_eigh_options eigh;     /**< options of dap_linalg_eigh() and dap_linalg_eigh_generalized() */
  dap_svd_options svd;       /**< options of dap_linalg_svd() */
} dap_linalg_options;

#ifdef __cplusplus
}
#endif

#endif

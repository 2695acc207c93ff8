/**
 * @file
 * Options and report of dense linear algebra, for all functions of linalg.h and linalg_*.h.
 */
#ifndef DAPBRIDGE_LINALG_OPTIONS_H
#define DAPBRIDGE_LINALG_OPTIONS_H

#include <dapbridge/array.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How an operand was used. */
typedef struct dap_linalg_use {
  char name[8];                /**< name of the operand in the function's comment, such as "A" */
  bool shared;                 /**< the function computed in the caller's buffer; the same on every process */
  int64_t moved_bytes;         /**< bytes that this process copied or sent to the matrix and back */
  char reason[DAP_ERROR_TEXT]; /**< why the operand is shared or not; the same on every process */
} dap_linalg_use;

enum { DAP_LINALG_USES = 4 /**< largest number of operands of a function */ };

/**
 * The algorithm that finds eigenvalues and eigenvectors, named after LAPACK's driver.
 *
 * DAP_EIGH_AUTO chooses options.eigh.backend, if it is set and supports the matrix's type. Otherwise it
 * chooses DAP_EIGH_EVR for eigenvectors of at most n / 8 eigenvalues by index, and DAP_EIGH_EVD in all other
 * cases. If DAP_EIGH_EVR fails, DAP_EIGH_EVD replaces it, and report.method says so. bridge/docs/linalg.md,
 * "Eigenvalues", names the routines.
 */
typedef enum dap_eigh_solver {
  DAP_EIGH_AUTO,   /**< chooses one of the other algorithms, see above */
  DAP_EIGH_EV,     /**< QR iteration (syev, heev): several times slower, needs the least workspace */
  DAP_EIGH_EVD,    /**< divide and conquer: the steps of syevd and heevd */
  DAP_EIGH_EVR,    /**< MRRR, partly on process 0; eigenvectors of close eigenvalues may be less orthogonal */
  DAP_EIGH_BACKEND /**< the backend; an error if it does not support the matrix's type */
} dap_eigh_solver;

struct dap_eigh_backend; /* eigh_backend.h */

/** Which eigenvalues are wanted. */
typedef enum dap_eigh_range {
  DAP_EIGH_ALL,      /**< all eigenvalues */
  DAP_EIGH_BY_INDEX, /**< numbers k with start <= k < stop, in ascending order, counted from 0 */
  DAP_EIGH_BY_VALUE  /**< values w with above < w <= up_to; infinity is allowed */
} dap_eigh_range;

/**
 * Options of dap_linalg_eigh() and dap_linalg_eigh_generalized(). A zeroed struct means all eigenvalues, with
 * DAP_EIGH_AUTO.
 *
 * A backend computes all eigenvalues up to the last one that is wanted. It needs workspace for n columns even
 * if only some eigenvectors are wanted.
 */
typedef struct dap_eigh_options {
  dap_eigh_solver solver; /**< the algorithm */
  dap_eigh_range range;   /**< eigenvalues that are wanted */
  /** DAP_EIGH_BY_INDEX: number of the first eigenvalue, counted from 0 */
  int64_t start;
  int64_t stop;                           /**< DAP_EIGH_BY_INDEX: number after the last eigenvalue */
  double above;                           /**< DAP_EIGH_BY_VALUE: eigenvalues are greater than this */
  double up_to;                           /**< DAP_EIGH_BY_VALUE: eigenvalues are at most this */
  const struct dap_eigh_backend *backend; /**< such as dap_elpa_backend() (elpa.h); NULL means none */
} dap_eigh_options;

/** The algorithm that finds singular values and singular vectors, named after LAPACK's driver. */
typedef enum dap_svd_solver {
  DAP_SVD_AUTO,  /**< DAP_SVD_GESDD, unless process 0 has too little memory or too short integers for it */
  DAP_SVD_GESVD, /**< QR iteration on every process (gesvd): many times slower, no matrix on process 0 */
  DAP_SVD_GESDD  /**< divide and conquer (gebrd; bdsdc of LAPACK on process 0; ormbr or unmbr) */
} dap_svd_solver;

/** Options of dap_linalg_svd(). A zeroed struct means DAP_SVD_AUTO. */
typedef struct dap_svd_options {
  dap_svd_solver solver; /**< the algorithm */
} dap_svd_options;

/**
 * A function's report. After an error it describes the steps that were done.
 *
 * dap_linalg_eigh() and dap_linalg_eigh_generalized() set solver, found and method. dap_linalg_svd(),
 * dap_linalg_schur() and dap_linalg_eig() set method.
 */
typedef struct dap_linalg_report {
  int count;                            /**< number of operands */
  dap_linalg_use uses[DAP_LINALG_USES]; /**< [count] how each operand was used, in argument order */
  /** with DAP_ERR_NUMERIC: the number in the error's text, counted from 1; else 0 */
  int64_t info;
  dap_eigh_solver solver;      /**< the algorithm that was used; never DAP_EIGH_AUTO */
  int64_t found;               /**< number of eigenvalues in the range */
  char method[DAP_ERROR_TEXT]; /**< the algorithm, such as "ELPA, 1 stage", and why it was chosen */
} dap_linalg_report;

/**
 * Options of all functions. NULL or a zeroed struct means the defaults. Options are the same on every
 * process, except `report`.
 *
 * By default, large matrices are moved if their blocks would make a factorisation slow, even if they could be
 * shared (bridge/docs/linalg.md, "Block sizes and grids"). `sharing` does not apply to eigenvalues and
 * singular values: every process computes all of them, and stores those of its part.
 */
typedef struct dap_linalg_options {
  dap_sharing sharing; /**< whether matrices and right-hand sides may be copies */
  bool keep;           /**< preserve workspace, by copying it */
  int64_t block_size;  /**< block size of moved matrices; 0 means 64 or 32, or less for small matrices */
  dap_linalg_report *report; /**< receives the report; may be NULL */
  dap_eigh_options eigh;     /**< options of dap_linalg_eigh() and dap_linalg_eigh_generalized() */
  dap_svd_options svd;       /**< options of dap_linalg_svd() */
} dap_linalg_options;

#ifdef __cplusplus
}
#endif

#endif

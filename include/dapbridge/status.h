/**
 * @file
 * How functions report errors.
 *
 * Reading order of the public headers:
 *
 * - without MPI: version, status, log, rules, dtype, dim, dialect, array, dist, layout, axis, locate, parse,
 *   part, draw, picture, json, join, matrix, build_info
 * - with MPI: mpi_family, comm, export, shared, side, plan_options, plan, halo, plan_stats, replicas, file
 * - adapters: scalapack, blacs_calls, pblas_calls, spectra_calls, scalapack_calls, petsc, petsc_vector,
 *   petsc_matrix, petsc_build, hdf5
 * - linear algebra: linalg, linalg_options, linalg_multiply, linalg_eigh, linalg_svd, linalg_factors,
 *   linalg_triangular, linalg_rank, linalg_banded, linalg_schur, elpa, eigh_backend
 * - for authors of adapters and file formats: adapter, view, view_plan, view_calls, context, matrix_op,
 *   file_format
 */
#ifndef DAPBRIDGE_STATUS_H
#define DAPBRIDGE_STATUS_H

#if defined(__GNUC__)
/** Marks a function that the shared library exports. */
#define DAP_API __attribute__((visibility("default")))
/** Marks a function that formats its arguments like printf(). `text` is the number of the format parameter,
 * and `first` is the number of the first argument to be formatted. */
#define DAP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DAP_API
#define DAP_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The kind of an error. The text of a dap_error gives the details. */
typedef enum dap_status {
  DAP_OK = 0,      /**< success */
  DAP_ERR_ARG,     /**< an argument has a value that the function's comment does not allow */
  DAP_ERR_NOMEM,   /**< memory could not be allocated */
  DAP_ERR_VERSION, /**< unknown version of the protocol */
  DAP_ERR_DIM,     /**< a dimension dictionary breaks a rule of the protocol */
  DAP_ERR_LAYOUT,  /**< the processes' dictionaries contradict each other */
  DAP_ERR_BUFFER,  /**< a local buffer has wrong extents, strides or type, or is read-only */
  DAP_ERR_RANGE,   /**< a size or count does not fit into 64 bits, or into the called library's integers */
  DAP_ERR_UNSUPPORTED, /**< the request is valid, but this release does not support it */
  DAP_ERR_SHARE,       /**< sharing was required, but is not possible */
  DAP_ERR_REMOTE,      /**< only other processes know the indices; plans and dap_layout_lookup() ask them */
  DAP_ERR_LIBRARY,     /**< MPI, BLACS, ScaLAPACK, ELPA or PETSc reported an error */
  /** a matrix is singular, not positive definite or not finite, an iteration does not converge, or a result
   * exceeds its type's range */
  DAP_ERR_NUMERIC,
  DAP_ERR_FILE /**< a file cannot be read or written, or its contents do not fit its format */
} dap_status;

enum {
  DAP_ERROR_TEXT = 512 /**< size of an error's text in bytes, including the terminating NUL */
};

/** The details of an error. A function that can fail takes a `dap_error *`, which points to the caller's
 * memory, as its last argument. Pass NULL if you need only the status. On success the struct is not changed.
 * If a collective function fails, the struct is the same on every process, unless documented otherwise. */
typedef struct dap_error {
  int rank; /**< lowest rank with the error, in the call's communicator; -1: the call is not collective */
  int rule; /**< number of the broken rule (rules.h); 0 means none */
  /** one line that describes the error; ends in "(rule N)" if rule > 0; after a collective call, it usually
   * begins with the rank, such as "rank 1: " */
  char text[DAP_ERROR_TEXT];
} dap_error;

/**
 * Returns the name of a status without its prefix, such as "DIM".
 *
 * Not collective.
 *
 * @param status  any value
 * @return static string; "unknown" for invalid values
 */
DAP_API const char *dap_status_name(dap_status status);

/**
 * Fills a dap_error and returns the status. dapbridge itself and adapters use this function.
 *
 *     if (rows < 0) return dap_fail(err, DAP_ERR_ARG, "rows %d is negative", rows);
 *
 * The text is one line of at most DAP_ERROR_TEXT - 1 bytes: line ends and tabs become spaces, and other
 * control characters become question marks. Not collective.
 *
 * @param err     receives the text, rank -1 and rule 0; may be NULL
 * @param status  the kind of the error
 * @param format  format of the text, as for printf(), followed by its arguments
 * @return `status`
 */
DAP_API dap_status dap_fail(dap_error *err, dap_status status, const char *format, ...) DAP_PRINTF(3, 4);

/**
 * Fills a dap_error for a broken rule of the protocol, and returns the status.
 *
 * The text is one line, as from dap_fail(), and ends in " (rule N)". Not collective.
 *
 * @param err     receives the text, rank -1 and the rule; may be NULL
 * @param rule    number of the rule, 1 to DAP_RULES
 * @param status  the kind of the error
 * @param format  format of the text, as for printf(), followed by its arguments
 * @return `status`
 * @see dap_rule_text()
 */
DAP_API dap_status dap_fail_rule(dap_error *err, int rule, dap_status status, const char *format, ...)
    DAP_PRINTF(4, 5);

#ifdef __cplusplus
}
#endif

#endif

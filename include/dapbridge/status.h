/**
 * @file
 * How each function of the library reports an error.
 *
 * Reading order of the public headers:
 *
 * - without MPI: version, status, log, rules, dtype, dim, dialect, array, layout, parse, part, draw, picture,
 *   json, join, matrix, build_info
 * - with MPI: mpi_family, comm, export, shared, plan, file
 * - adapters: scalapack, blacs_calls, pblas_calls, spectra_calls, scalapack_calls, petsc, petsc_vector,
 *   petsc_matrix, petsc_build, hdf5
 * - linear algebra: linalg, linalg_factors, linalg_triangular, linalg_rank, linalg_banded, linalg_schur,
 *   elpa, eigh_backend
 * - for authors of adapters: adapter, context, matrix_op, file_format
 */
#ifndef DAPBRIDGE_STATUS_H
#define DAPBRIDGE_STATUS_H

#if defined(__GNUC__)
/** Marks a function that the shared library exports. */
#define DAP_API __attribute__((visibility("default")))
/** Marks a function like printf(): parameter `text` is the format, `first` the first argument. */
#define DAP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DAP_API
#define DAP_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The kind of an error. The text of a dap_error has the details. */
typedef enum dap_status {
  DAP_OK = 0,          /**< success */
  DAP_ERR_ARG,         /**< an argument has a value that the function's comment does not allow */
  DAP_ERR_NOMEM,       /**< memory could not be allocated */
  DAP_ERR_VERSION,     /**< unknown version of the protocol */
  DAP_ERR_DIM,         /**< a dimension dictionary breaks a rule of the protocol */
  DAP_ERR_LAYOUT,      /**< the processes' dictionaries contradict each other */
  DAP_ERR_BUFFER,      /**< a local buffer has wrong extents, strides or type, or is read-only */
  DAP_ERR_RANGE,       /**< a size or count exceeds 64 bits, or the integers of the library that is called */
  DAP_ERR_UNSUPPORTED, /**< legal, but not supported by this release */
  DAP_ERR_SHARE,       /**< sharing was required and is not possible */
  DAP_ERR_REMOTE,      /**< only other processes know the indices; dap_layout_lookup() and plans ask them */
  DAP_ERR_LIBRARY,     /**< MPI, BLACS, ScaLAPACK or PETSc reported an error */
  DAP_ERR_NUMERIC,     /**< no solution: a matrix is singular or not definite, or nothing converges */
  DAP_ERR_FILE         /**< a file cannot be read or written, or its contents do not match its name */
} dap_status;

enum {
  DAP_ERROR_TEXT = 512 /**< size of an error's text in bytes, including the terminating NUL */
};

/** An error, in the caller's memory. A function that can fail takes a `dap_error *` as its last argument.
 * NULL means that only the status is wanted. On success the error is not changed. After a collective function
 * it is the same on every process. */
typedef struct dap_error {
  int rank; /**< lowest rank whose check failed, in the call's communicator; -1: the call is not collective */
  int rule; /**< number of the broken rule of the protocol, see rules.h; 0 means none */
  /** One line that names rank, axis, key and value where they apply. It ends in "(rule N)" if a rule is
   * broken. */
  char text[DAP_ERROR_TEXT];
} dap_error;

/**
 * Returns the name of a status without its prefix, such as "DIM".
 *
 * Not collective.
 *
 * @param status  any value
 * @return static text; "unknown" for a value that is not one of the enumerators
 */
DAP_API const char *dap_status_name(dap_status status);

/**
 * Writes an error and returns its status, for the library and for adapters.
 *
 *     if (rows < 0) return dap_fail(err, DAP_ERR_ARG, "rows %d is negative", rows);
 *
 * The text is one line of at most DAP_ERROR_TEXT - 1 bytes: line ends become spaces, and other control
 * characters become question marks. Not collective.
 *
 * @param err     receives the text, rank -1 and rule 0; may be NULL
 * @param status  the kind of the error
 * @param format  format of the text, as for printf(), followed by its arguments
 * @return `status`
 */
DAP_API dap_status dap_fail(dap_error *err, dap_status status, const char *format, ...) DAP_PRINTF(3, 4);

/**
 * Writes an error about a broken rule of the protocol, and returns its status.
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

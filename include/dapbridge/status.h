/* dapbridge/status.h: how every function of the library reports failure.
 *
 * Reading order of the public headers: version, status, log, rules, dtype, dim, dialect, array, layout,
 * parse, part, draw, picture, json, join, matrix, build_info (no MPI); mpi_family, comm, export, shared,
 * plan, file (MPI); scalapack, blacs_calls, pblas_calls, spectra_calls, scalapack_calls, petsc,
 * petsc_vector, petsc_matrix, petsc_build, hdf5 (the adapters); linalg, linalg_factors, linalg_triangular,
 * linalg_rank, linalg_banded, linalg_schur, elpa, eigh_backend; adapter, context, matrix_op and
 * file_format, for authors of adapters. */
#ifndef DAPBRIDGE_STATUS_H
#define DAPBRIDGE_STATUS_H

#if defined(__GNUC__)
#define DAP_API __attribute__((visibility("default")))
#define DAP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DAP_API
#define DAP_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of an error; the text of a dap_error gives the details. */
typedef enum dap_status {
  DAP_OK = 0,
  DAP_ERR_ARG,         /* an argument is outside what the function's comment allows */
  DAP_ERR_NOMEM,       /* memory could not be allocated */
  DAP_ERR_VERSION,     /* unknown version of the protocol */
  DAP_ERR_DIM,         /* a dimension dictionary breaks a rule of the protocol */
  DAP_ERR_LAYOUT,      /* the processes' dictionaries contradict each other */
  DAP_ERR_BUFFER,      /* the local buffer does not fit: extents, strides, type, read-only */
  DAP_ERR_RANGE,       /* a size or count exceeds what 64 bits, or the library below, can hold */
  DAP_ERR_UNSUPPORTED, /* legal, but not supported by this release */
  DAP_ERR_SHARE,       /* sharing was required and is not possible */
  DAP_ERR_REMOTE,      /* only other processes know: dap_layout_lookup() and plans ask them */
  DAP_ERR_LIBRARY,     /* MPI, BLACS, ScaLAPACK or PETSc reported an error */
  DAP_ERR_NUMERIC,     /* no such solution: singular, not positive definite, no convergence */
  DAP_ERR_FILE         /* a file cannot be read or written, or is not what its name says */
} dap_status;

enum { DAP_ERROR_TEXT = 512 /* bytes, with the closing NUL */ };

/* An error, in the caller's memory. Every function that can fail takes a `dap_error *` as its last argument;
 * NULL is allowed and means that only the status is wanted. On success it is not changed. After a collective
 * function it is the same on every process. */
typedef struct dap_error {
  int rank; /* lowest rank whose check failed, in the communicator of the call; -1: not collective */
  int rule; /* the broken rule of the protocol, see rules.h; 0: none */
  /* Names rank, dimension, key and value where they apply; ends in "(rule N)" if a rule is broken. */
  char text[DAP_ERROR_TEXT];
} dap_error;

/* The enumerator's name without its prefix ("DIM"), or "unknown". Never NULL; static text. Not collective. */
DAP_API const char *dap_status_name(dap_status status);

/* Formats an error: writes `format` into `err` (unless it is NULL), sets its rank to -1 and its rule to 0,
 * and returns `status`. The library and its adapters report every error through this function, and an
 * adapter of your own should, too. A text longer than DAP_ERROR_TEXT - 1 bytes is truncated; it is one line:
 * control characters become spaces or question marks. Not collective. */
DAP_API dap_status dap_fail(dap_error *err, dap_status status, const char *format, ...) DAP_PRINTF(3, 4);

/* The same for a broken rule of the protocol, 1 .. DAP_RULES: sets err->rule and appends " (rule N)" to the
 * text, which is truncated to make room for it if necessary. Not collective. */
DAP_API dap_status dap_fail_rule(dap_error *err, int rule, dap_status status, const char *format, ...)
    DAP_PRINTF(4, 5);

#ifdef __cplusplus
}
#endif

#endif

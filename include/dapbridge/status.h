/* dapbridge/status.h: how every function of the library reports failure.
 *
 * Reading order of the public headers: version, status, log, rules, dtype, dim, dialect, array, layout, part,
 * join, matrix (no MPI); comm, shared, plan (MPI); scalapack, scalapack_calls, petsc, petsc_vector,
 * petsc_matrix (the adapters); linalg; adapter, for those who write one of their own. */
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

/* What went wrong, coarsely; the text of a dap_error says exactly what. */
typedef enum dap_status {
  DAP_OK = 0,
  DAP_ERR_ARG,         /* an argument is outside what the function's comment allows */
  DAP_ERR_NOMEM,       /* memory could not be allocated */
  DAP_ERR_VERSION,     /* no known version of the protocol */
  DAP_ERR_DIM,         /* a dimension dictionary breaks a rule of the protocol */
  DAP_ERR_LAYOUT,      /* the processes' dictionaries contradict each other */
  DAP_ERR_BUFFER,      /* the local buffer does not fit: extents, strides, type, read-only */
  DAP_ERR_RANGE,       /* a size or count exceeds what 64 bits, or the library below, can hold */
  DAP_ERR_UNSUPPORTED, /* legal, but this release does not do it */
  DAP_ERR_SHARE,       /* sharing was demanded and is not possible */
  DAP_ERR_REMOTE,      /* only other processes know: ask together, with dap_layout_lookup() or a plan */
  DAP_ERR_LIBRARY,     /* MPI, BLACS, ScaLAPACK or PETSc reported an error */
  DAP_ERR_NUMERIC      /* the problem has no solution of the kind: singular, not definite, no convergence */
} dap_status;

enum { DAP_ERROR_TEXT = 512 /* bytes, with the closing NUL */ };

/* An error, in the caller's memory. Every function that can fail takes a `dap_error *` last; NULL is
 * allowed and means that only the status is wanted. On success it is left as it was. After a
 * collective function it is the same on every process. */
typedef struct dap_error {
  int rank; /* process whose check failed first, in the communicator of the call; -1: not collective */
  int rule; /* rule of the protocol that is broken, see rules.h; 0: none of them */
  char text[DAP_ERROR_TEXT]; /* names rank, dimension, key, value, and ends in "(rule N)" if one is broken */
} dap_error;

/* The enumerator's name without its prefix ("DIM"), or "unknown". Not collective. Never NULL; the text
 * is static. */
DAP_API const char *dap_status_name(dap_status status);

/* Writes `format` into `err` (when it is not NULL), sets its rank to -1 and its rule to 0, and returns
 * `status`: the one way in which the library, an adapter, or a caller's own adapter makes an error. A text
 * longer than DAP_ERROR_TEXT - 1 bytes is cut. Not collective. */
DAP_API dap_status dap_fail(dap_error *err, dap_status status, const char *format, ...) DAP_PRINTF(3, 4);

/* The same for a broken rule of the protocol, 1 .. DAP_RULES: sets err->rule and adds " (rule N)" to the
 * text, which is cut before that if need be. Not collective. */
DAP_API dap_status dap_fail_rule(dap_error *err, int rule, dap_status status, const char *format, ...)
    DAP_PRINTF(4, 5);

#ifdef __cplusplus
}
#endif

#endif

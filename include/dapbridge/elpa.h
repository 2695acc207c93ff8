/* dapbridge/elpa.h: eigenvalues and eigenvectors of distributed arrays by ELPA, and arrays as its matrices.
 *
 * dap_elpa_eigh() and dap_elpa_eigh_generalized() solve whole problems, for arrays of any layout, storage
 * order and process grid. Who calls ELPA himself takes a view: dap_elpa_get() hands over data, and an elpa_t
 * that knows the matrix. ELPA's matrices are ScaLAPACK's with square blocks that begin on the first process,
 * in column-major order; no process row and no process column may be empty. A C-order array is the transposed
 * matrix (op 'T') and is shared. bridge/docs/elpa.md has more, and what was measured.
 *
 * Types: f8 and c16; f4 and c8 too, if ELPA was built with single precision (Debian's was not).
 *
 * Threads: an ELPA that is built with OpenMP needs MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE to use more
 * than one thread; with less the functions refuse it. BLACS is not thread-safe, so neither are these
 * functions. */
#ifndef DAPBRIDGE_ELPA_H
#define DAPBRIDGE_ELPA_H

#include <dapbridge/adapter.h>
#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/linalg.h>
#include <dapbridge/mpi_family.h>
#include <dapbridge/part.h>
#include <dapbridge/scalapack.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- whole problems ------------------------------------------------------------------------------ */

typedef dap_linalg_use dap_elpa_use; /* how an operand was used */

enum { DAP_ELPA_USES = DAP_LINALG_USES };

/* What a function did; the same on every process but for moved_bytes. */
typedef struct dap_elpa_report {
  int count;                        /* of uses, in the order of the arguments */
  dap_elpa_use uses[DAP_ELPA_USES]; /* [count] */
  int stages;                       /* 1 or 2, as was computed */
  int grid[2];                      /* process rows and columns; of fewer processes if the matrix is small */
  int64_t block_size;
  int64_t info; /* with DAP_ERR_NUMERIC: the number that its text names, counted from 1; else 0 */
} dap_elpa_report;

/* NULL or zeroed: the defaults. The same on every process but for `report`. */
typedef struct dap_elpa_solve_options {
  /* Of matrices, not of W. DAP_SHARE_OR_FAIL makes moving one an error; by default one of n >= 512 that lies
   * in blocks below 16 or above 128 is moved although it could be shared, as that is faster. */
  dap_sharing sharing;
  bool keep; /* preserve workspace, by copying it */
  /* 1: to tridiagonal form at once; 2: by way of a band, if it is narrower than the matrix; 0: 1, which is
   * ELPA's default */
  int stages;
  int64_t block_size;      /* of moved matrices; 0: as of ScaLAPACK's views */
  dap_elpa_report *report; /* NULL, or filled; on error as far as the function got */
} dap_elpa_solve_options;

/* Eigenvalues and eigenvectors of a symmetric (Hermitian) matrix. uplo: the triangle of A that is read, 'L'
 * or 'U'; 'A': all of A, which must be symmetric (Hermitian). ELPA needs the whole matrix, so the triangle is
 * mirrored first, which 'A' saves.
 * A (n, n): workspace. W (k,), 1 <= k <= n: the k smallest eigenvalues, in ascending order, of A's real type.
 * Z (n, k): column i is an eigenvector for W[i], and all are orthonormal; zeroed: no vectors are wanted.
 * ELPA writes vectors as columns, so Z can be shared in F order only. With k < n they take workspace for n.
 * Collective on `comm`, which must be exactly the processes of every operand's layout, in rank order.
 * Workspace may be overwritten; a read-only A is copied, as with options.keep. Nothing is written to W on
 * error; Z, if it is shared, and A may have been overwritten.
 * Errors, the same on every process: those of dap_linalg_eigh() (linalg.h), which are DAP_ERR_ARG,
 * DAP_ERR_BUFFER, DAP_ERR_SHARE, DAP_ERR_RANGE, DAP_ERR_NOMEM, and DAP_ERR_UNSUPPORTED (single precision that
 * ELPA was built without), DAP_ERR_NUMERIC (NaN or infinity in what is read of A, named), DAP_ERR_LIBRARY
 * (MPI, or ELPA, whose text is given; too little of MPI_THREAD for its threads). */
DAP_API dap_status dap_elpa_eigh(MPI_Comm comm, char uplo, dap_darray a, dap_darray w, dap_darray z,
                                 const dap_elpa_solve_options *options, dap_error *err);

/* Solves A z = w B z in the same way, with B (n, n) positive definite: workspace, of which the same triangle
 * is read. The vectors are orthonormal in the sense of B: Z^H B Z = I. ScaLAPACK factorises B (potrf) and
 * reduces A (sygst or hegst), and ELPA solves the rest. Its own elpa_generalized_eigenvectors() would wait
 * for ever, or return nonsense as success, for a B that is not positive definite (bridge/docs/elpa.md).
 * Errors are those of dap_elpa_eigh(), and DAP_ERR_NUMERIC: the leading minor of B of order info is not
 * positive. */
DAP_API dap_status dap_elpa_eigh_generalized(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                                             dap_darray w, dap_darray z,
                                             const dap_elpa_solve_options *options, dap_error *err);

/* ELPA for dap_linalg_eigh() and dap_linalg_eigh_generalized() (linalg.h): options.eigh.backend. Their report
 * then says "ELPA, 1 stage" or 2. stages: as in dap_elpa_solve_options. Other numbers than 0, 1 and 2 are
 * DAP_ERR_ARG with DAP_EIGH_BACKEND; with DAP_EIGH_AUTO another algorithm takes over. Not collective; what it
 * returns stays. */
DAP_API const struct dap_eigh_backend *dap_elpa_backend(int stages);

/* ---- views --------------------------------------------------------------------------------------- */

struct elpa_struct; /* elpa/elpa.h: elpa_t is a pointer to one */

/* An array as a matrix of ELPA's: ScaLAPACK's view of it (scalapack.h), and an elpa_t. Filled by
 * dap_elpa_get() and ended by dap_elpa_restore() or dap_elpa_discard(); it must not be copied or moved in
 * between. */
typedef struct dap_elpa_matrix {
  /* The local part (data; NULL outside the grid), op, whether it is shared, and why. For load, store, halo
   * and describe call dap_scalapack_load(&m.matrix, &err) and so on. */
  dap_scalapack_matrix matrix;
  /* The elpa_t: set up for the matrix, to be given to ELPA's functions with matrix.data; its "solver" and
   * other options are the caller's to set. It ends with the view. Of a view that is `like` another: that
   * one's. NULL outside the grid, where no function of ELPA may be called. */
  struct elpa_struct *handle;
  int size, block_size;         /* n; rows and columns of a block */
  int grid[2], place[2];        /* process rows and columns; this process's, or -1, -1 */
  int local_nrows, local_ncols; /* the leading dimension, and the local columns; 0 outside the grid */
  /* ---- internal ---- */
  const void *self;            /* this struct, while the view lives */
  struct dap_context *context; /* of the caller's communicator */
  MPI_Comm comm;               /* the grid's processes row by row; MPI_COMM_NULL elsewhere */
  dap_dtype dtype;
  bool owns; /* comm and handle end with this view */
} dap_elpa_matrix;

/* NULL or zeroed: the defaults. The same on every process. */
typedef struct dap_elpa_options {
  dap_sharing sharing;
  dap_part part; /* of 2 axes; zeroed: the whole array */
  char op;       /* 'N' or 'T' to require that; 0: the one that allows sharing, or that of `like` */
  int vectors;   /* ELPA's nev: how many eigenvectors it shall compute, of the smallest eigenvalues; 0: n */
  /* A live view on the same processes: the view goes with it into the same calls of ELPA's and has its
   * grid, blocks, leading dimension and handle, so it ends before that one. It may have fewer columns than
   * rows, and then is an n x n matrix, as ELPA needs for eigenvectors, of which the array has the first
   * columns. NULL: none; then the array must be square. */
  const struct dap_elpa_matrix *like;
  /* ---- a moved view without `like`: as in dap_scalapack_options ---- */
  int64_t block_size; /* 0: the usual one, or less so that each process row and column has a block */
  /* Processes along the array's two axes, at most all that hold the array. 0, 0: the usual grid, or one of
   * fewer processes if the matrix has fewer rows. One 0: as the other number implies. */
  int grid[2];
} dap_elpa_options;

/* Gets `array` as a matrix of ELPA's, and an elpa_t that is set up for it. Collective on `comm`, which must
 * be exactly the layout's processes in rank order. If the array lies as ELPA needs it, the view is shared: it
 * is the buffer itself, of which ELPA overwrites what it does. Otherwise it has a buffer of its own, which
 * gets the elements with DAP_READ and zeros without. Grids that leave a process row or column empty, which
 * ELPA answers with errors or waits for ever, are not shared; for moved views another is chosen, or, if
 * options ask for it, refused. The array's structs may be freed afterwards; its buffer must stay until the
 * view has ended.
 * Errors, the same on every process: those of dap_scalapack_get(), and DAP_ERR_ARG (options; not
 * square), DAP_ERR_UNSUPPORTED (a type that this ELPA does not have; a grid or block size that leaves
 * a process without rows or columns), DAP_ERR_BUFFER (element type), DAP_ERR_RANGE (more than 2^31 - 1 rows),
 * DAP_ERR_LIBRARY (ELPA's, with its text). On error *matrix is zeroed. */
DAP_API dap_status dap_elpa_get(MPI_Comm comm, dap_darray array, dap_access access,
                                const dap_elpa_options *options, dap_elpa_matrix *matrix, dap_error *err);

/* End a view, with and without writing it back, as dap_scalapack_restore() and dap_scalapack_discard() do.
 * The handle ends with it. Views that are `like` this one end first. */
DAP_API dap_status dap_elpa_restore(dap_elpa_matrix *matrix, dap_error *err);
DAP_API dap_status dap_elpa_discard(dap_elpa_matrix *matrix, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif

/**
 * @file
 * Prototypes of the C interface of BLACS, for which ScaLAPACK has no C header.
 *
 * The functions belong to BLACS, a part of ScaLAPACK, and not to dapbridge. The comments in ScaLAPACK 2.2's
 * BLACS/SRC document the functions and their arguments. A *system handle* is the number by which BLACS refers
 * to a communicator. A *context* is the number by which BLACS refers to a process grid.
 */
#ifndef DAPBRIDGE_BLACS_CALLS_H
#define DAPBRIDGE_BLACS_CALLS_H

#include <dapbridge/mpi_family.h>
#include <dapbridge/scalapack.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Returns a system handle for `comm`. Pass it to Cblacs_gridmap() or Cblacs_gridinit(). */
dap_scalapack_int Csys2blacs_handle(MPI_Comm comm);

/** Returns the communicator to which a system handle refers. */
MPI_Comm Cblacs2sys_handle(dap_scalapack_int handle);

/** Frees a system handle. The call can renumber the other handles, so do not store handles. */
void Cfree_blacs_system_handle(dap_scalapack_int handle);

/**
 * Makes a grid of processes. On entry, *context is a system handle. On return, *context is the context of the
 * new grid, or -1 on processes outside the grid. `map` is a column-major array of ldmap * npcol ranks.
 * Collective on the handle's communicator.
 */
void Cblacs_gridmap(dap_scalapack_int *context, dap_scalapack_int *map, dap_scalapack_int ldmap,
                    dap_scalapack_int nprow, dap_scalapack_int npcol);

/** Gets this process's number in BLACS and the total number of BLACS processes. */
void Cblacs_pinfo(dap_scalapack_int *number, dap_scalapack_int *nprocs);

/**
 * Makes a grid of the first nprow x npcol processes, in row-major order (`order` is "R") or column-major
 * order ("C"). On entry, *context is a system handle: the result of Csys2blacs_handle() for a communicator,
 * or of Cblacs_get(0, 0, ...) for all processes. On return, *context is the context of the new grid.
 * Collective.
 */
void Cblacs_gridinit(dap_scalapack_int *context, const char *order, dap_scalapack_int nprow,
                     dap_scalapack_int npcol);

/** Returns the number of the process at the given row and column of the grid. */
dap_scalapack_int Cblacs_pnum(dap_scalapack_int context, dap_scalapack_int row, dap_scalapack_int col);

/** Gets the grid row and column of the process with the given number. */
void Cblacs_pcoord(dap_scalapack_int context, dap_scalapack_int number, dap_scalapack_int *row,
                   dap_scalapack_int *col);

/** Waits for all processes of the grid (scope "A"), or of this process's row ("R") or column ("C"). */
void Cblacs_barrier(dap_scalapack_int context, const char *scope);

/** Ends the program. */
void Cblacs_abort(dap_scalapack_int context, dap_scalapack_int error);

/**
 * Gets the extents of the grid, and this process's row and column. On processes outside the grid, all four
 * values are -1.
 */
void Cblacs_gridinfo(dap_scalapack_int context, dap_scalapack_int *nprow, dap_scalapack_int *npcol,
                     dap_scalapack_int *row, dap_scalapack_int *col);

/**
 * Gets a property of a context. If `what` is 10, the property is the system handle of the communicator on
 * which the grid was created.
 */
void Cblacs_get(dap_scalapack_int context, dap_scalapack_int what, dap_scalapack_int *value);

/** Frees the grid. Collective on the grid. A second call for the same grid crashes the program. */
void Cblacs_gridexit(dap_scalapack_int context);

/** Frees all contexts of the process, and finalises MPI unless `not_done` is nonzero. */
void Cblacs_exit(dap_scalapack_int not_done);

/**
 * Frees the message buffers of all contexts. If `wait` is 1, the function first waits until the messages in
 * these buffers have been sent. Not collective.
 */
void Cblacs_freebuff(dap_scalapack_int context, dap_scalapack_int wait);

/** Type of C?gesd2d. These functions send a column-major m x n matrix to the process at (row, col). */
typedef void dap_Cgesd2d(dap_scalapack_int context, dap_scalapack_int m, dap_scalapack_int n, const void *a,
                         dap_scalapack_int lda, dap_scalapack_int row, dap_scalapack_int col);
/** Type of C?gerv2d. These functions receive a column-major m x n matrix from the process at (row, col). */
typedef void dap_Cgerv2d(dap_scalapack_int context, dap_scalapack_int m, dap_scalapack_int n, void *a,
                         dap_scalapack_int lda, dap_scalapack_int row, dap_scalapack_int col);
dap_Cgesd2d Cigesd2d, Csgesd2d, Cdgesd2d, Ccgesd2d, Czgesd2d;
dap_Cgerv2d Cigerv2d, Csgerv2d, Cdgerv2d, Ccgerv2d, Czgerv2d;

/**
 * Type of C?gebs2d. These functions broadcast a column-major m x n matrix to the other processes of the scope
 * (see Cblacs_barrier()). Collective on the scope. If the topology is " ", BLACS chooses one.
 */
typedef void dap_Cgebs2d(dap_scalapack_int context, const char *scope, const char *topology,
                         dap_scalapack_int m, dap_scalapack_int n, const void *a, dap_scalapack_int lda);
/**
 * Type of C?gebr2d. These functions receive a column-major m x n matrix that the process at (row, col)
 * broadcasts. Collective on the scope. If the topology is " ", BLACS chooses one.
 */
typedef void dap_Cgebr2d(dap_scalapack_int context, const char *scope, const char *topology,
                         dap_scalapack_int m, dap_scalapack_int n, void *a, dap_scalapack_int lda,
                         dap_scalapack_int row, dap_scalapack_int col);
dap_Cgebs2d Cigebs2d, Csgebs2d, Cdgebs2d, Ccgebs2d, Czgebs2d;
dap_Cgebr2d Cigebr2d, Csgebr2d, Cdgebr2d, Ccgebr2d, Czgebr2d;

/**
 * Type of C?gsum2d. These functions sum a matrix over the processes of the scope, in place. If `row` is -1,
 * all processes of the scope receive the sum. Otherwise only the process at (row, col) receives it.
 * Collective on the scope.
 */
typedef void dap_Cgsum2d(dap_scalapack_int context, const char *scope, const char *topology,
                         dap_scalapack_int m, dap_scalapack_int n, void *a, dap_scalapack_int lda,
                         dap_scalapack_int row, dap_scalapack_int col);
dap_Cgsum2d Cigsum2d, Csgsum2d, Cdgsum2d, Ccgsum2d, Czgsum2d;

#ifdef __cplusplus
}
#endif

#endif

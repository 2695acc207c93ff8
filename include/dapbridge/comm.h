/**
 * @file
 * Functions with which processes agree on a status, create a layout, and limit how long they wait.
 *
 * All collective functions of the library can return the following errors, the same on every process:
 *
 * - DAP_ERR_ARG: the communicator is MPI_COMM_NULL or an intercommunicator. Only dap_plan_create() and
 *   dap_wait_limit() accept intercommunicators.
 * - DAP_ERR_ARG: processes have called different functions. Functions that run a plan or move the elements of
 *   a live view do not detect this mistake, because they move elements without first making the processes
 *   agree.
 * - DAP_ERR_LIBRARY: MPI has not been initialised or has been finalised.
 * - DAP_ERR_LIBRARY: MPI failed, and the communicator's error handler returned. MPI's default handler ends
 *   the program.
 *
 * If MPI fails on one process and the other processes can continue, all processes return the error. There is
 * one exception: if MPI fails while the processes agree on a status, or before they first do so in a
 * function, the other processes are not informed. The process on which MPI failed returns DAP_ERR_LIBRARY,
 * and the others may keep waiting for this process.
 *
 * Processes agree without MPI if the communicator has a context (context.h) and at most 64 processes, all on
 * one node with shared memory.
 *
 * **Assembled layouts.** dap_layout_assemble() checks each part as dap_array_check() does. Then the function
 * checks that the parts fit together:
 *
 * - Version, element type and number of axes are the same in all parts.
 * - For each axis, dist_type, size, grid and block size are the same in all parts.
 * - For each axis, dictionaries with the same proc_grid_rank are equal, except that padding at the outer
 *   edges may differ.
 * - The ranges that processes own cover [0, size) without gaps or overlaps. The padding on each process
 *   matches the padding on neighbouring processes.
 * - Each index of a 'u' axis is on at least one process, and on exactly one if one_to_one is set.
 *
 * **Time limits.** dap_wait_limit() sets the longest time that dapbridge's collective functions wait for
 * other processes. Set a limit in a program that should end rather than wait for ever, or that should
 * continue after a process has died. A process cannot answer others while the program computes or is stopped
 * between two calls of dapbridge. Nor can a process answer while it clears a large buffer or plans a large
 * move. The limit must be longer than any of these times. With a limit, processes that agree by MPI send
 * messages to rank 0, which replies to each of them. On many processes, this takes longer than the reduction
 * that is used without a limit.
 *
 * - DAPBRIDGE_WAIT_LIMIT=seconds in the environment of all processes sets the limit for each communicator for
 *   which the program does not call dap_wait_limit(). The first collective function on a communicator reads
 *   this variable and returns DAP_ERR_ARG if its value is not a number of seconds.
 * - A run of a plan fails if a process waits for another process until the limit is reached, and no element
 *   is moved meanwhile. dap_plan_end() then returns DAP_ERR_LIBRARY on all processes that still take part in
 *   the run. The error's text names the process that has not answered, or a process that is itself waiting
 *   for that process. The plan is then broken, but the communicator can still be used. A process that was
 *   only late returns the error in that run or the next one. With a limit, each process sends one additional
 *   message per run to each process on another node. A run still does not need a reduction.
 * - The limit does not apply to ScaLAPACK, PETSc or ELPA, or to MPI calls that their adapters or the
 *   functions of linalg.h make directly. Nor does the limit apply to plans that span several nodes and may
 *   use only DAP_TRANSPORT_DIRECT. The limit cannot end an MPI call that never returns, for example because a
 *   process dies while MPI creates a communicator.
 */
#ifndef DAPBRIDGE_COMM_H
#define DAPBRIDGE_COMM_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes all processes return the same status.
 *
 * On error, the text of `err` begins with "rank R:", where R is the lowest rank that failed. If `err` comes
 * from an earlier call on `comm` in which the processes agreed, its text already names a rank and remains
 * unchanged. A collective function must not return before it has called dap_agree():
 *
 *     dap_status s = check(arguments, &err);
 *     s = dap_agree(comm, s, &err);
 *     if (s) return s; // on all processes or on none
 *
 * Collective on `comm`. The call costs one reduction of 128 bytes.
 *
 * @param comm    the communicator
 * @param status  status of this process
 * @param err     in: this process's error, from dap_fail(); out: the common error; may be NULL
 * @return the same on every process:
 *  - DAP_OK: all processes passed DAP_OK
 *  - otherwise the status of the lowest rank that passed an error
 *  - DAP_ERR_ARG: `comm` is MPI_COMM_NULL or an intercommunicator
 *  - DAP_ERR_LIBRARY
 * @see dap_agree_call()
 */
DAP_API dap_status dap_agree(MPI_Comm comm, dap_status status, dap_error *err);

/**
 * Makes all processes return the same status, and checks that they have called the same function.
 *
 * The call costs one reduction. A collective function calls dap_agree_call() the first time that its
 * processes agree, and dap_agree() afterwards. Collective on `comm`.
 *
 * @param comm      the communicator
 * @param function  name of the calling function
 * @param status    status of this process
 * @param err       in: this process's error; out: the common error; may be NULL
 * @return the same on every process:
 *  - DAP_OK: all processes passed DAP_OK
 *  - otherwise the status of the lowest rank that passed an error
 *  - DAP_ERR_ARG: processes have called different functions
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_agree_call(MPI_Comm comm, const char *function, dap_status status, dap_error *err);

/**
 * Makes all processes return the same status, and finds the bits that all of them set.
 *
 * Like dap_agree_call(), dap_agree_bits() also checks that all processes have called the same function. If
 * the bits differ between processes, one more reduction is needed. Collective on `comm`.
 *
 * @param comm      the communicator
 * @param function  name of the calling function
 * @param status    status of this process
 * @param bits      in: this process's bits; out: the bits that all processes set; unchanged on error; must
 *                  not be NULL
 * @param err       in: this process's error; out: the common error; may be NULL
 * @return the same on every process:
 *  - DAP_OK: all processes passed DAP_OK
 *  - otherwise the status of the lowest rank that passed an error
 *  - DAP_ERR_ARG: processes have called different functions
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_agree_bits(MPI_Comm comm, const char *function, dap_status status, uint64_t *bits,
                                  dap_error *err);

/**
 * Checks that 64-bit words are the same on every process.
 *
 * Collective on `comm`. The call costs one reduction.
 *
 * @param comm   the communicator
 * @param words  [count] words of this process
 * @param names  [count] names of the words, for the error's text
 * @param count  0 to 64, the same on every process
 * @param err    receives the lowest rank whose words differ from those of rank 0, and the first word that
 *               differs; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: a word differs, or `count` is out of range
 *  - DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_agree_words(MPI_Comm comm, const uint64_t words[], const char *const names[],
                                   int count, dap_error *err);

/**
 * Limits how long dapbridge's collective functions on a communicator wait for other processes.
 *
 * By default, waits do not have a limit. The top of this header explains how to choose a limit, what the
 * limit costs, how it affects runs of plans, and where it does not apply.
 *
 * If a process waits longer than `seconds` in a collective function, the function fails with DAP_ERR_LIBRARY.
 * Within one more second, the function fails on all other processes that are waiting in it. The error's text
 * names the lowest rank that is missing. A process that was only late returns the function's result or
 * DAP_ERR_LIBRARY. From then on, every collective function on `comm` fails, but `comm` and all objects made
 * on it can be freed.
 *
 * Collective on `comm`. The first call for a communicator duplicates it; the duplication itself has no time
 * limit. The limit does not apply to duplicates of `comm` that the program makes.
 *
 * @param comm     the communicator. May be an intercommunicator: the processes of both groups must then
 *                 call the function, and the limit applies to both groups.
 * @param seconds  the limit, the same on every process; 0 means no limit. A later call changes the limit.
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `seconds` is negative, is not a number, or differs between processes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_is_broken(), dap_call_site_set()
 */
DAP_API dap_status dap_wait_limit(MPI_Comm comm, double seconds, dap_error *err);

/**
 * Creates the layout of an array from the parts of all processes.
 *
 * The top of this header lists the checks. Ranks may be in any order on the grid. The function does not read
 * elements, and the array may be freed afterwards.
 *
 *     dap_layout_assemble(comm, &a, &layout, &err);
 *
 * Collective on `comm`.
 *
 * @param comm    contains exactly the array's processes
 * @param local   this process's part
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err     receives the error, with the broken rule; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or local->abi is not DAP_ARRAY_ABI
 *  - DAP_ERR_VERSION: a version of the protocol is unknown
 *  - DAP_ERR_DIM: a dictionary breaks a rule
 *  - DAP_ERR_LAYOUT: the parts contradict each other, or the grid and `comm` differ in size
 *  - DAP_ERR_BUFFER: the shape contradicts the dictionaries, the element type is invalid, or data is NULL
 *  - DAP_ERR_RANGE: sizes exceed 2^63 - 1
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_layout_create(), dap_layout_join()
 */
DAP_API dap_status dap_layout_assemble(MPI_Comm comm, const dap_array *local, dap_layout **layout,
                                       dap_error *err);

/**
 * Creates the layout of an array by the rules of a protocol version that the caller chooses.
 *
 * In all other respects, the function is the same as dap_layout_assemble(). Use this function for arrays
 * whose version numbers dapbridge does not know. Collective on `comm`.
 *
 * @param comm    contains exactly the array's processes
 * @param rules   protocol version, such as "0.10.0", the same on every process; NULL means the version of the
 *                arrays
 * @param local   this process's part
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err     receives the error, with the broken rule; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, local->abi is not DAP_ARRAY_ABI, or `rules` differs between processes
 *  - DAP_ERR_VERSION: `rules`, or the version of an array if `rules` is NULL, is unknown
 *  - DAP_ERR_DIM: a dictionary breaks a rule
 *  - DAP_ERR_LAYOUT: the parts contradict each other, or the grid and `comm` differ in size
 *  - DAP_ERR_BUFFER: the shape contradicts the dictionaries, the element type is invalid, or data is NULL
 *  - DAP_ERR_RANGE: sizes exceed 2^63 - 1
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_layout_assemble_as(MPI_Comm comm, const char *rules, const dap_array *local,
                                          dap_layout **layout, dap_error *err);

/**
 * Creates the layout of an array with ghosts. Along 'u' axes, each process says which indices it owns.
 *
 * An index is a ghost on each process that lists it without owning it. In other respects, the function works
 * like dap_layout_assemble_as().
 *
 *     const bool *owners[] = {is_owned, NULL}; // axis 0 is 'u'; axis 1 is not
 *     dap_layout_assemble_ghosted(comm, NULL, &a, owners, &layout, &err);
 *
 * Collective on `comm`.
 *
 * @param comm      contains exactly the array's processes
 * @param rules     protocol version, such as "0.10.0"; NULL means the version of the arrays
 * @param local     this process's part
 * @param is_owned  [ndim] pointers; may be NULL. For a 'u' axis, each process passes [index_count] flags,
 *                  even if its list is empty, or each process passes NULL. For other axes, pass NULL. A flag
 *                  is true if the processes at this coordinate own the index.
 * @param layout    receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err       receives the error, with the broken rule; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, `rules` differs between processes, only some processes pass flags, or
 *    an axis with flags is not 'u'
 *  - DAP_ERR_VERSION: `rules`, or the version of an array if `rules` is NULL, is unknown
 *  - DAP_ERR_DIM: a dictionary breaks a rule
 *  - DAP_ERR_LAYOUT: the parts contradict each other, the grid and `comm` differ in size, an index does not
 *    have exactly one owner, or a one_to_one axis has ghosts
 *  - DAP_ERR_BUFFER: the shape contradicts the dictionaries, the element type is invalid, or data is NULL
 *  - DAP_ERR_RANGE: sizes exceed 2^63 - 1
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_halo(); bridge/docs/ghosts.md
 */
DAP_API dap_status dap_layout_assemble_ghosted(MPI_Comm comm, const char *rules, const dap_array *local,
                                               const bool *const is_owned[], dap_layout **layout,
                                               dap_error *err);

/**
 * Takes the process grid of an array from the Cartesian topology of a communicator.
 *
 * The function sets `procs` of each axis. Process r of the layout is then rank r of `comm`. Dimension k of
 * the topology belongs to axis k. If there are more axes than dimensions, the dimensions are assigned, in
 * order, to the axes whose `procs` is not 1. If there are fewer axes than dimensions, trailing dimensions
 * that have one process are ignored.
 *
 * A contiguous axis along a periodic dimension becomes periodic. If such an axis has a halo and no boundary
 * padding, its communication padding then wraps around.
 *
 *     dap_dist dists[2] = {dap_dist_padded(rows, 0, 1), dap_dist_even(columns, 0)};
 *     dap_grid_from_cart(cart, 2, dists, &err);
 *     dap_layout_create(2, dists, &layout, &err);
 *
 * Not collective.
 *
 * @param comm   a communicator from MPI_Cart_create()
 * @param ndim   number of axes, 0 to DAP_MAX_NDIM
 * @param dists  [ndim] in: `procs` is 0 or the required number of processes; out: `procs` is the number of
 *               processes in the topology. Unchanged on error.
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid, `comm` has no Cartesian topology, or the topology does not match
 *    the axes
 *  - DAP_ERR_UNSUPPORTED: the topology has more than DAP_MAX_NDIM dimensions
 *  - DAP_ERR_LIBRARY: MPI is not running
 * @see dap_layout_create()
 */
DAP_API dap_status dap_grid_from_cart(MPI_Comm comm, int ndim, dap_dist dists[], dap_error *err);

/**
 * Finds owners and positions of elements, even in assembled layouts with 'u' axes.
 *
 * Unlike dap_layout_locate_all(), the function asks other processes for owners that this process does not
 * know. Collective on `comm`.
 *
 * @param comm    communicator whose rank i is process i of the layout
 * @param layout  the layout; the same on every process
 * @param count   number of elements that this process looks up, >= 0; may differ between processes
 * @param global  [count][ndim] global indices
 * @param ranks   [count] receives the ranks of the owners
 * @param local   [count][ndim] receives the positions in the owners' buffers
 * @param err     receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid, or layouts differ between processes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_layout_lookup(MPI_Comm comm, const dap_layout *layout, int64_t count,
                                     const int64_t global[], int ranks[], int64_t local[], dap_error *err);

/**
 * Returns the MPI type of one element.
 *
 * Not collective.
 *
 * @param dtype  the element type
 * @return MPI type, which must not be freed; MPI_DATATYPE_NULL for DAP_NONE and DAP_F2, and for DAP_F16 and
 *         DAP_C32 if the size of long double is not 16 bytes
 */
DAP_API MPI_Datatype dap_dtype_mpi(dap_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif

/**
 * @file
 * Agreement between the processes of a communicator, and layouts made from their arrays.
 *
 * All collective functions of the library, here and elsewhere, can return these errors, the same on every
 * process:
 *
 * - DAP_ERR_ARG: the communicator is MPI_COMM_NULL, or an intercommunicator. Only dap_plan_create() and
 *   dap_wait_limit() take intercommunicators.
 * - DAP_ERR_ARG: processes have called different functions. Runs of plans and moves of live views do not
 *   detect this, because processes do not agree before they move elements.
 * - DAP_ERR_LIBRARY: MPI has not been initialised, or has been finalised.
 * - DAP_ERR_LIBRARY: MPI failed, if the communicator's error handler returns. MPI's default handler ends the
 *   program.
 *
 * If MPI fails on one process and the others can continue, all processes return the error, like any other.
 * There is one exception: MPI fails in an agreement, or before a function's first agreement. Then this
 * process returns DAP_ERR_LIBRARY without telling the others, which may wait for it.
 *
 * If all processes are on one node with shared memory, agreements on a communicator with a context
 * (context.h) do not use MPI.
 *
 * **Assembled layouts.** dap_layout_assemble() checks each part as dap_array_check() does, and then all parts
 * together:
 *
 * - Version, element type and number of axes are the same.
 * - dist_type, size, grid and block size of an axis are the same.
 * - Dictionaries at the same proc_grid_rank are the same. Padding at the outer edges may differ.
 * - Owned ranges tile [0, size), and padding matches the neighbour's.
 * - Each index of a 'u' axis is on at least one process, and on only one if one_to_one.
 *
 * **Limits of waits.** dap_wait_limit() limits how long the core's collective functions wait. The limit is
 * for programs that should end rather than wait for ever, and for programs that continue after a process has
 * died. A process does not answer while it clears a large buffer or plans a large move. With a limit,
 * collective steps send messages to rank 0 and back, which takes longer on many processes.
 *
 * - DAPBRIDGE_WAIT_LIMIT=seconds in the environment of all processes sets the limit of each communicator for
 *   which the program does not call dap_wait_limit(). The first collective function on a communicator reads
 *   it, and returns DAP_ERR_ARG if it is not a number of seconds.
 * - A run of a plan fails if it waits that long for another process and no element moves. dap_plan_end() then
 *   returns DAP_ERR_LIBRARY on all processes that still take part. The text names the process that has not
 *   answered, or one that itself waits for such a process. The plan is then broken, but the communicator can
 *   still be used. A process that was merely late returns the error in that run or in the next. With a limit,
 *   each process sends one more message to each process of other nodes in every run, instead of a reduction.
 * - The limit does not apply to ScaLAPACK, PETSc and ELPA, nor to MPI calls of their adapters and of
 *   `linalg`. The limit does not apply to plans over several nodes whose only transport is
 *   DAP_TRANSPORT_DIRECT. It cannot end a call of MPI that never returns, such as when a process dies while
 *   MPI creates a communicator.
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
 * If `status` is not DAP_OK on some process, all processes return the status and text of the lowest such
 * rank, with "rank R: " before the text. An error that comes from an earlier agreement on the same
 * communicator keeps its rank. A collective function must not return before it has called dap_agree():
 *
 *     dap_status s = check(arguments, &err);
 *     s = dap_agree(comm, s, &err);
 *     if (s) return s; // on all processes or on none
 *
 * Collective on `comm`. The call costs one reduction of 128 bytes if no process has failed.
 *
 * @param comm    the communicator
 * @param status  status of this process
 * @param err     in: the error of this process, made by dap_fail(); out: the common error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK: `status` is DAP_OK on all processes
 *  - otherwise the status of the lowest rank where it is not DAP_OK
 *  - DAP_ERR_ARG: `comm` is MPI_COMM_NULL or an intercommunicator
 *  - DAP_ERR_LIBRARY
 * @see dap_agree_call()
 */
DAP_API dap_status dap_agree(MPI_Comm comm, dap_status status, dap_error *err);

/**
 * Makes all processes return the same status, as the first agreement of a collective function.
 *
 * It also finds out whether all processes have called the same function, without a further message. If
 * `status` is not DAP_OK on some process, all processes return the status and text of the lowest such rank.
 * Collective on `comm`. The call costs one reduction of 128 bytes if no process has failed.
 *
 * @param comm      the communicator
 * @param function  name of the calling function
 * @param status    status of this process
 * @param err       in: the error of this process, made by dap_fail(); out: the common error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK: `status` is DAP_OK on all processes
 *  - otherwise the status of the lowest rank where it is not DAP_OK
 *  - DAP_ERR_ARG: processes have called different functions; the text names two of them and their ranks
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_agree()
 */
DAP_API dap_status dap_agree_call(MPI_Comm comm, const char *function, dap_status status, dap_error *err);

/**
 * Makes all processes return the same status, and finds the bits that all of them set.
 *
 * It is the first agreement of a collective function, like dap_agree_call(). Collective on `comm`. The call
 * costs one more reduction if the bits differ.
 *
 * @param comm      the communicator
 * @param function  name of the calling function
 * @param status    status of this process
 * @param bits      in: the bits that this process sets; out: the bits that all processes set. Unchanged
 *                  unless all statuses are DAP_OK. Not NULL.
 * @param err       in: the error of this process, made by dap_fail(); out: the common error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK: `status` is DAP_OK on all processes
 *  - otherwise the status of the lowest rank where it is not DAP_OK
 *  - DAP_ERR_ARG: processes have called different functions; the text names two of them and their ranks
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_agree_bits(MPI_Comm comm, const char *function, dap_status status, uint64_t *bits,
                                  dap_error *err);

/**
 * Checks that words are the same on every process.
 *
 * Collective on `comm`. The call costs one reduction if no process has failed.
 *
 * @param comm   the communicator
 * @param words  [count] words of this process
 * @param names  [count] names of the words, for the text of an error
 * @param count  0 to 64, the same on every process
 * @param err    receives rank and text of an error: the lowest rank that differs from rank 0, and its first
 *               word that differs; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: a word differs, or `count` is out of range
 *  - DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_agree_words(MPI_Comm comm, const uint64_t words[], const char *const names[],
                                   int count, dap_error *err);

/**
 * Limits how long the library's collective functions on a communicator wait for other processes.
 *
 * Without a limit the library waits as MPI does. Choose a limit that is longer than any process computes, or
 * is stopped, between two calls.
 *
 * A process that waits longer than `seconds` gives up, and so do all others that wait in the same call.
 * Within another second they return DAP_ERR_LIBRARY: "rank 2 has not answered for 10 s ...". The text names
 * the lowest rank that is missing. A process that was merely late returns its result or this error. From then
 * on, each collective function on `comm` fails with the error. Other communicators work. `comm`, and
 * everything made on it, can still be freed.
 *
 * Runs of plans made on `comm` have the limit, too. The top of this header has exceptions and costs.
 *
 * Collective on `comm`. The first call duplicates `comm`, and waits for this without a limit. Duplicates of
 * `comm` have no limit.
 *
 * @param comm     the communicator; may be an intercommunicator, whose groups then count as one
 * @param seconds  the limit, the same on every process; 0 means none. A later call changes it.
 * @param err      receives rank and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `seconds` is negative, not a number, or not the same everywhere
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_is_broken(), dap_call_site_set()
 */
DAP_API dap_status dap_wait_limit(MPI_Comm comm, double seconds, dap_error *err);

/**
 * Creates the layout of an array from the parts of all processes.
 *
 * The function checks each part, and then all parts together, as the top of this header says. The grid
 * coordinates of the processes may be in any order. Everything needed is copied, so the array, its indices
 * and its buffer may be freed afterwards. Elements are not read. Each of P processes stores the indices of a
 * 'u' axis that it holds, and owners and positions of 1 / P of all indices.
 *
 *     dap_layout_assemble(comm, &a, &layout, &err);
 *
 * Collective on `comm`.
 *
 * @param comm    exactly the array's processes
 * @param local   this process's part
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err     receives rank, rule and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, or local->abi is not DAP_ARRAY_ABI
 *  - DAP_ERR_VERSION: a version of the protocol is unknown
 *  - DAP_ERR_DIM: a dictionary breaks a rule
 *  - DAP_ERR_LAYOUT: the parts contradict each other, or the grid is not that of `comm`
 *  - DAP_ERR_BUFFER: shape, element type or data of a part do not match its dictionaries
 *  - DAP_ERR_RANGE: sizes exceed 2^63 - 1
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_layout_create(), dap_layout_join()
 */
DAP_API dap_status dap_layout_assemble(MPI_Comm comm, const dap_array *local, dap_layout **layout,
                                       dap_error *err);

/**
 * Creates the layout of an array, and reads its dictionaries by a protocol version that the caller chooses.
 *
 * The function does the same as dap_layout_assemble(), for producers that use other version numbers.
 * Collective on `comm`.
 *
 * @param comm    exactly the array's processes
 * @param rules   version by which the dictionaries are read, such as "0.10.0"; NULL means the versions that
 *                the arrays name. The same on every process.
 * @param local   this process's part
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err     receives rank, rule and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, local->abi is not DAP_ARRAY_ABI, or `rules` differs between processes
 *  - DAP_ERR_VERSION: `rules`, or the version of an array, is unknown
 *  - DAP_ERR_DIM: a dictionary breaks a rule
 *  - DAP_ERR_LAYOUT: the parts contradict each other, or the grid is not that of `comm`
 *  - DAP_ERR_BUFFER: shape, element type or data of a part do not match its dictionaries
 *  - DAP_ERR_RANGE: sizes exceed 2^63 - 1
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_layout_assemble_as(MPI_Comm comm, const char *rules, const dap_array *local,
                                          dap_layout **layout, dap_error *err);

/**
 * Creates the layout of an array whose producers name the owner of each index of a 'u' axis.
 *
 * Other processes that list an index hold it as a ghost. Otherwise, and on axes without flags, the function
 * does the same as dap_layout_assemble().
 *
 *     const bool *owners[] = {is_owned, NULL}; // axis 0 is 'u'; axis 1 is not
 *     dap_layout_assemble_ghosted(comm, NULL, &a, owners, &layout, &err);
 *
 * Collective on `comm`.
 *
 * @param comm      exactly the array's processes
 * @param rules     version by which the dictionaries are read; NULL means the versions that the arrays name.
 *                  The same on every process.
 * @param local     this process's part
 * @param is_owned  [ndim] NULL, or for a 'u' axis [index_count] flags that say whether this process's
 *                  coordinate owns indices[i]. All processes pass them, even for an empty list. NULL: no
 *                  owners are given.
 * @param layout    receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err       receives rank, rule and text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, `rules` differs between processes, or flags are given for an axis that
 *    is not 'u', or only by some processes
 *  - DAP_ERR_VERSION: `rules`, or the version of an array, is unknown
 *  - DAP_ERR_DIM: a dictionary breaks a rule
 *  - DAP_ERR_LAYOUT: the parts contradict each other, the grid is not that of `comm`, an index does not have
 *    exactly one owner, or a one_to_one axis has ghosts
 *  - DAP_ERR_BUFFER: shape, element type or data of a part do not match its dictionaries
 *  - DAP_ERR_RANGE: sizes exceed 2^63 - 1
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_halo()
 */
DAP_API dap_status dap_layout_assemble_ghosted(MPI_Comm comm, const char *rules, const dap_array *local,
                                               const bool *const is_owned[], dap_layout **layout,
                                               dap_error *err);

/**
 * Takes the process grid of an array from the Cartesian topology of a communicator.
 *
 * Sets `procs` of each axis in dists[ndim], for dap_layout_create(). MPI numbers the processes of a topology
 * in row-major order, as layouts do, so process r of the layout is rank r of `comm`. Dimension k of the
 * topology is along axis k. If the array has another number of axes, the dimensions are along the axes whose
 * `procs` is not 1, in their order. If the array has fewer axes than the topology, trailing dimensions of one
 * process are ignored.
 *
 * A contiguous axis along a periodic dimension becomes periodic. If it has a halo and no boundary padding,
 * its padding wraps around. The caller can change these members afterwards.
 *
 *     dap_dist dists[2] = {dap_dist_padded(rows, 0, 1), dap_dist_even(columns, 0)};
 *     dap_grid_from_cart(cart, 2, dists, &err);
 *     dap_layout_create(2, dists, &layout, &err);
 *
 * Not collective. A graph topology is refused.
 *
 * @param comm   a communicator with a Cartesian topology, made by MPI_Cart_create()
 * @param ndim   number of axes, 0 to DAP_MAX_NDIM
 * @param dists  [ndim] in: `procs` is 0, or the number that the topology must have; out: the grid. On error
 *               it is unchanged.
 * @param err    receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `comm` has no Cartesian topology, the numbers of dimensions do not match, or `procs` or
 *    `periodic` contradicts the topology
 *  - DAP_ERR_UNSUPPORTED: the topology has more than DAP_MAX_NDIM dimensions
 *  - DAP_ERR_LIBRARY: MPI is not running
 * @see dap_layout_create()
 */
DAP_API dap_status dap_grid_from_cart(MPI_Comm comm, int ndim, dap_dist dists[], dap_error *err);

/**
 * Finds owners and positions of elements, even in assembled layouts with 'u' axes.
 *
 * The function asks the processes that know the owners. dap_layout_locate_all() needs no communication, but
 * fails with DAP_ERR_REMOTE if this process does not know an owner. Collective on `comm`.
 *
 * @param comm    communicator whose rank i is process i of the layout
 * @param layout  the layout; the same on every process
 * @param count   number of elements of this process, >= 0; may differ between processes
 * @param global  [count][ndim] global indices
 * @param ranks   [count] receives the ranks of the owners
 * @param local   [count][ndim] receives the positions in the owners' buffers
 * @param err     receives rank and text of an error, with element and axis; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL or out of range, layouts differ between processes, or `comm` does not
 *    have the layout's processes
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
 * @return MPI type, not to be freed. MPI_DATATYPE_NULL for DAP_NONE and DAP_F2, which MPI does not have. Also
 * for DAP_F16 and DAP_C32 if long double is not 16 bytes long.
 */
DAP_API MPI_Datatype dap_dtype_mpi(dap_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif

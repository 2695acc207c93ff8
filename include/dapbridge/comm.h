/* dapbridge/comm.h: agreement between the processes of a communicator, and layouts made from their arrays.
 *
 * Errors of all collective functions of the library, here and elsewhere, the same on every process:
 *   DAP_ERR_ARG      MPI_COMM_NULL or an intercommunicator, which dap_plan_create() takes and no other
 *                    function; processes that called different functions (but for running plans, and moves
 *                    of live views: these do not agree before they move)
 *   DAP_ERR_LIBRARY  before MPI_Init and after MPI_Finalize; an MPI error, if the communicator's error
 *                    handler returns (MPI's default handler ends the program)
 *
 * An error of MPI on one process is told to all, as any other, if MPI itself lets the others go. The
 * exception is an error in an agreement, or in what comes before a function's first one: that process returns
 * DAP_ERR_LIBRARY and cannot say so, and others may wait for it. Where all processes are on one node with
 * shared memory, agreements on a communicator with a context (context.h) do not use MPI. */
#ifndef DAPBRIDGE_COMM_H
#define DAPBRIDGE_COMM_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes all processes return the same status: DAP_OK if `status` is DAP_OK on every process, otherwise
 * status and text of the lowest rank where it is not, with "rank R: " before the text. The text must have
 * been made by dap_fail(); one from an inner agreement on the same communicator keeps the rank that it
 * names. A collective function must not return between its entry and its agreement. Collective on `comm`;
 * costs one reduction of 128 bytes if all is well.
 * Errors: the statuses passed in. */
DAP_API dap_status dap_agree(MPI_Comm comm, dap_status status, dap_error *err);

/* The same, as the first agreement of the collective function named `function`. If processes have called
 * different functions it returns DAP_ERR_ARG, naming two of them and their ranks; this costs no further
 * message. */
DAP_API dap_status dap_agree_call(MPI_Comm comm, const char *function, dap_status status, dap_error *err);

/* The same, and *bits (not NULL) becomes those that all processes set, *bits of each being what it sets;
 * unchanged if a status is not DAP_OK. This costs one more reduction where they differ. */
DAP_API dap_status dap_agree_bits(MPI_Comm comm, const char *function, dap_status status, uint64_t *bits,
                                  dap_error *err);

/* Checks that words[count] are the same on every process; names[i] is the name of word i in the error text.
 * Collective on `comm`, with the same count, at most 64; costs one reduction if all is well.
 * Errors: DAP_ERR_ARG (naming the lowest rank that differs from rank 0, and the first word that differs; or a
 * count outside 0 .. 64). */
DAP_API dap_status dap_agree_words(MPI_Comm comm, const uint64_t words[], const char *const names[],
                                   int count, dap_error *err);

/* Limits how long this library waits for other processes in its collective functions on `comm`: for programs
 * that live on when MPI lets a process die, or that rather end than wait for ever. Without this call, and
 * with `seconds` 0, it waits as MPI does.
 *
 * With it, a process that in a collective function waits for others for so many seconds gives up, and with it
 * all that wait there. They need up to a second more to find out who is missing, and return DAP_ERR_LIBRARY:
 * "rank 2 has not answered for 10 s ..." (the lowest rank, if several are missing). Whoever was merely late
 * gets the result or such an error. From then on each collective function of this library on `comm` fails
 * with that error: at once where it was returned, elsewhere at the next wait. Other communicators work;
 * `comm` and what was made on it can be freed. Choose it longer than any process can be late: by its own work
 * before the call or within it (one that clears a large buffer or plans a large move does not answer), or by
 * being stopped. Collective steps then go by messages to rank 0 and back, which takes longer where there are
 * many processes.
 *
 * DAPBRIDGE_WAIT_LIMIT=seconds in the environment of all processes sets the limit of every communicator for
 * which the program has not called this function. It is read at the first collective function on a
 * communicator. If it is not a number of seconds, that function returns DAP_ERR_ARG.
 *
 * Plans that are made on `comm` while it has a limit take it for their runs. A run gives up where it waits
 * for another process for so many seconds and meanwhile nothing moves. Then dap_plan_end() returns
 * DAP_ERR_LIBRARY on all processes that still take part and names the process that has not answered, or one
 * that itself waits for such a process. The plan is broken, but `comm` can be used. A process that was merely
 * late learns of it in that run or in the next. Such plans take one message more in every run from each
 * process to each process of other nodes, where there would be a reduction instead.
 *
 * What is not bounded: ScaLAPACK, PETSc, ELPA, and what the libraries for them and `linalg` do in MPI
 * themselves, as these block anyhow; runs of plans over several nodes by DAP_TRANSPORT_DIRECT alone; what
 * MPI itself does not return from, as when a process dies in the middle of a call of MPI that makes a
 * communicator. Duplicates of `comm` have no limit.
 *
 * Collective on `comm`, with the same `seconds`; may be called again to change them. The first call waits as
 * MPI does, and makes a duplicate of `comm`, which is freed with it. An intercommunicator can have a limit,
 * too; its two groups then count as one.
 * Errors: DAP_ERR_ARG (seconds that are negative, no number, or not the same everywhere), DAP_ERR_NOMEM,
 * DAP_ERR_LIBRARY. */
DAP_API dap_status dap_wait_limit(MPI_Comm comm, double seconds, dap_error *err);

/* Creates the layout of the array whose parts are `local` on the processes of `comm`. Collective on `comm`,
 * which must be exactly the array's processes; their grid coordinates may be in any order. Everything
 * needed is copied, so that *local, its indices and its buffer may be freed afterwards; elements are not
 * read. The caller owns *layout. Each process stores its own indices of a 'u' axis, and owner and position
 * of 1 / P of all indices. Each array is checked as by dap_array_check(); then all together: same version,
 * element type and number of dimensions; equal dist_type, size, grid and block size along an axis; equal
 * dictionaries at equal proc_grid_rank (padding at the outer edge may differ); owned ranges that tile [0,
 * size); padding that matches the neighbour's; each index of a 'u' axis on at least one process, and on
 * only one if one_to_one.
 * Errors, the same on every process: DAP_ERR_ARG (NULL), those of dap_array_check(), DAP_ERR_LAYOUT,
 * DAP_ERR_NOMEM, DAP_ERR_LIBRARY. On error *layout is NULL. */
DAP_API dap_status dap_layout_assemble(MPI_Comm comm, const dap_array *local, dap_layout **layout,
                                       dap_error *err);

/* The same, but interprets the dictionaries by protocol version `rules` ("0.10.0"; NULL: the arrays' own;
 * the same on every process), whatever version the arrays name: for producers that use a version number of
 * their own. */
DAP_API dap_status dap_layout_assemble_as(MPI_Comm comm, const char *rules, const dap_array *local,
                                          dap_layout **layout, dap_error *err);

/* The same for arrays whose producers say who owns which index of a 'u' axis, as parts of a mesh do: the
 * others that list it hold ghosts. is_owned[ndim] is for each axis NULL, which leaves the protocol's rule
 * (the lowest proc_grid_rank that lists an index owns it), or for a 'u' axis [index_count] flags: true, if
 * this process's coordinate owns indices[i]; not NULL for an empty list either, if other processes give
 * flags. is_owned NULL: none. The flags are copied; rules as above or NULL.
 * Errors as above, and: DAP_ERR_ARG (flags of an axis that is not 'u'; flags given on some processes
 * only), DAP_ERR_LAYOUT (an index that no process owns, or several; flags that differ between processes at
 * the same proc_grid_rank; ghosts of a one_to_one axis). */
DAP_API dap_status dap_layout_assemble_ghosted(MPI_Comm comm, const char *rules, const dap_array *local,
                                               const bool *const is_owned[], dap_layout **layout,
                                               dap_error *err);

/**
 * Takes the process grid of an array from the Cartesian topology of a communicator.
 *
 * Sets `procs` of each axis in dists[ndim], for dap_layout_create(). MPI numbers the processes of a topology
 * in row-major order, as layouts do, so process r of the layout is rank r of `comm`. Dimension k of the
 * topology is along axis k. If the topology has another number of dimensions than the array has axes, its
 * dimensions are along the axes whose `procs` is not 1, in their order. Dimensions of one process at the end
 * are left out where the array has fewer axes.
 *
 * A contiguous axis along a periodic dimension becomes periodic. If it has a halo and no boundary padding,
 * its padding wraps around. A caller who wants something else changes these members afterwards.
 *
 *     dap_dist dists[2] = {dap_dist_padded(rows, 0, 1), dap_dist_even(columns, 0)};
 *     dap_grid_from_cart(cart, 2, dists, &err);
 *     dap_layout_create(2, dists, &layout, &err);
 *
 * Not collective. A graph topology is not a grid.
 *
 * @param comm   has a Cartesian topology: MPI_Cart_create() made it
 * @param ndim   number of axes, 0 .. DAP_MAX_NDIM
 * @param dists  [ndim] in: `procs` is 0, or the number that the topology has to have; out: the grid. On error
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

/* As dap_layout_locate_all(), but for assembled layouts with 'u' axes, too: asks the processes that know.
 * Collective on `comm`, whose rank i must be process i of the layout. Each process passes its own `count`,
 * which may be 0, and elements: global [count][ndim] -> ranks [count], local [count][ndim].
 * Errors, the same on every process: DAP_ERR_ARG (NULL; `comm` does not have the layout's processes;
 * different layouts; an index out of range, naming rank, element and axis), DAP_ERR_NOMEM,
 * DAP_ERR_LIBRARY. */
DAP_API dap_status dap_layout_lookup(MPI_Comm comm, const dap_layout *layout, int64_t count,
                                     const int64_t global[], int ranks[], int64_t local[], dap_error *err);

/* The MPI type of one element, not to be freed; MPI_DATATYPE_NULL for DAP_NONE and for DAP_F2, which MPI
 * does not have. Not collective. */
DAP_API MPI_Datatype dap_dtype_mpi(dap_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif

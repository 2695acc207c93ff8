/* dapbridge/comm.h: what the processes of a communicator agree on. */
#ifndef DAPBRIDGE_COMM_H
#define DAPBRIDGE_COMM_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective on `comm`. Every process brings its own status; all return the same one: DAP_OK when all
 * brought it, else the status and text of the lowest rank that did not, with "rank R: " put before
 * the text. The text must be dap_fail()'s; one that an inner agreement on the same communicator made keeps
 * the rank that it names. Nothing may return between a collective function's entry and its agreement. Costs
 * one reduction of 128 bytes when all is well.
 * Errors: those brought; DAP_ERR_ARG for MPI_COMM_NULL or an intercommunicator, and DAP_ERR_LIBRARY before MPI_Init and
 * after MPI_Finalize, here as in every collective function of the library; DAP_ERR_LIBRARY when MPI itself fails, if the communicator's error handler returns
 * (MPI's default handler ends the program). */
DAP_API dap_status dap_agree(MPI_Comm comm, dap_status status, dap_error *err);

/* The same, as the first step of a collective function whose name is `function`: where processes have called different
 * ones it tells them so, DAP_ERR_ARG naming both and their ranks. No other message is sent for it. */
DAP_API dap_status dap_agree_call(MPI_Comm comm, const char *function, dap_status status, dap_error *err);

/* Requires that every process brings the same `words` [count, at most 64]; names[i] says in the error what word i is.
 * Collective on `comm`, with the same count. Costs one reduction when all is well.
 * Errors, the same on every process: DAP_ERR_ARG naming the lowest rank whose words are not rank 0's, and
 * the first word that differs, or a count outside 0 .. 64; DAP_ERR_LIBRARY when MPI itself fails. */
DAP_API dap_status dap_agree_words(MPI_Comm comm, const uint64_t words[], const char *const names[],
                                   int count, dap_error *err);

/* Makes the layout of the array whose parts the processes of `comm` hold in `local`. Collective on `comm`,
 * which must be exactly the array's processes; grid coordinates may be in any order.
 * Checks each array as dap_array_check() does, then all against each other: same version, element type
 * and number of dimensions; dist_type, size, grid and block size equal along an axis; equal dictionaries
 * where proc_grid_rank is equal (only padding at the outer edge may differ); owned ranges that tile
 * [0, size); paddings that match their neighbour's; every index of a 'u' axis held by someone, and by one
 * only if one_to_one. The buffers' elements are not read.
 * Memory of a 'u' axis over P processes, on each: its own indices, and an owner and a position for size / P of
 * all.
 * Everything needed is copied: *local, its indices and its buffer may go afterwards. The caller owns *layout.
 * On error it is NULL on every process and status and text are the same:
 * DAP_ERR_ARG (a NULL), those of dap_array_check(), DAP_ERR_LAYOUT, DAP_ERR_NOMEM, DAP_ERR_LIBRARY. */
DAP_API dap_status dap_layout_assemble(MPI_Comm comm, const dap_array *local, dap_layout **layout,
                                       dap_error *err);

/* The same, reading the dictionaries by the rules of protocol `rules` ("0.10.0"; NULL: by the arrays' own;
 * the same on every process) whatever version the arrays name: for producers with a version of their own. */
DAP_API dap_status dap_layout_assemble_as(MPI_Comm comm, const char *rules, const dap_array *local,
                                          dap_layout **layout, dap_error *err);

/* dap_layout_locate_all() for layouts that were assembled with 'u' axes, by asking the processes that know.
 * Collective on `comm`, whose rank i is the layout's; each process asks for `count` elements of its own, which
 * may be 0: global [count][ndim] -> ranks [count], local [count][ndim].
 * Errors, the same on every process: DAP_ERR_ARG (NULL; `comm` has not the layout's processes, or not all
 * bring the same layout; an index outside, naming rank, element and axis), DAP_ERR_NOMEM, DAP_ERR_LIBRARY. */
DAP_API dap_status dap_layout_lookup(MPI_Comm comm, const dap_layout *layout, int64_t count,
                                     const int64_t global[], int ranks[], int64_t local[], dap_error *err);

/* The MPI type of one element; MPI_DATATYPE_NULL for no type and for DAP_F2, which MPI does not have. Not
 * collective; never to be freed. */
DAP_API MPI_Datatype dap_dtype_mpi(dap_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif

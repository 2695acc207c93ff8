/**
 * @file
 * Plans for halo updates. A halo update fills communication padding and ghosts with the owners' values. A
 * reverse halo update adds the values in communication padding and ghosts to the owners' elements, or
 * combines them in another way (dap_combine).
 *
 * plan.h declares the functions that run these plans, and states the rules for all plans. The guides are
 * bridge/docs/halos.md and bridge/docs/ghosts.md.
 */
#ifndef DAPBRIDGE_HALO_H
#define DAPBRIDGE_HALO_H

#include <dapbridge/mpi_family.h>
#include <dapbridge/plan_options.h>
#include <dapbridge/side.h>
#include <dapbridge/status.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Creates a plan that updates the halo of an array in place.
 *
 * A run of the plan copies the owners' values to communication padding (including corners), to ghosts on 'u'
 * axes, and to copies along replicated axes. The first copy along a replicated axis counts as the owner's
 * copy.
 *
 *     dap_side side = dap_side_of(a);
 *     dap_plan_create_halo(comm, &side, 0, NULL, &halo, &err);
 *     dap_plan_run(halo, a.local->data, a.local->data, &err);
 *
 * Collective on `comm`.
 *
 * @param comm      contains the layout's processes
 * @param side      the array
 * @param itemsize  size of an element in bytes; 0 means the size of side->dtype
 * @param options   NULL for the defaults. Only message_bytes, memory_bytes, transports, allow_empty and
 *                  arrays are used.
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, memory_bytes is too small, or the array
 *    is on several processes and has nothing to update (see options->allow_empty)
 *  - DAP_ERR_BUFFER: elements overlap, the array is read-only, or side->local does not match the layout
 *  - DAP_ERR_UNSUPPORTED: two processes that exchange elements have no allowed transport in common
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_halo_reverse()
 */
DAP_API dap_status dap_plan_create_halo(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                        const dap_plan_options *options, dap_plan **plan, dap_error *err);

/**
 * Creates a plan that performs a reverse halo update of an array in place.
 *
 * A run of the plan adds the values in ghosts and in communication padding, including corners, to the owners'
 * elements. options->combine can select the largest or smallest value instead of the sum. Sums are
 * reproducible to the last bit (bridge/docs/moving.md, "Adding up"). If only DAP_TRANSPORT_DIRECT is allowed,
 * all arrays must be in shared memory.
 *
 * Collective on `comm`.
 *
 * @param comm      contains the layout's processes
 * @param side      the array; its dtype must be set
 * @param itemsize  size of an element in bytes; 0 means the size of side->dtype
 * @param options   NULL for the defaults. Only message_bytes, memory_bytes, transports, allow_empty, arrays,
 *                  combine and padding are used.
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, memory_bytes is too small, or the array
 *    is on several processes and has nothing to add (see options->allow_empty)
 *  - DAP_ERR_BUFFER: elements overlap, the array is read-only, or side->local does not match the layout
 *  - DAP_ERR_UNSUPPORTED: two processes that exchange elements have no allowed transport in common
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_halo()
 */
DAP_API dap_status dap_plan_create_halo_reverse(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                                const dap_plan_options *options, dap_plan **plan,
                                                dap_error *err);

#ifdef __cplusplus
}
#endif

#endif

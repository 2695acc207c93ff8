/* The transfer layer: the one engine that moves elements. Its sub-folders are its way, each a layer of its
 * own over the one before: kernel, problem (what is to be moved), schedule (how), transport (by what).
 * Here:
 *
 *     plan         create thinks;
 *     run          begin and end move
 *     halo, gather usual moves as plans; halo_products: what a halo update fills
 *     check        whether a plan is one, and not broken
 *     describe     what a plan says of itself
 *     preview      the same without MPI
 *     replicas     whether all holders of an element hold the same
 *     relabel      the order of processes that moves least (relabel_impl.h) */
#ifndef DAP_TRANSFER_IMPL_H
#define DAP_TRANSFER_IMPL_H

#include "transport_impl.h"

/* ---- plan.c ----------------------------------------------------------------------------------------- */

/* One product of a plan: what is filled of the destination along each axis. */
typedef struct dap_product {
  dap_region region[DAP_MAX_NDIM];
} dap_product;

/* The products of a plan whose problem is known; returns how many. */
typedef int dap_find_products(const dap_problem *problem, const dap_plan_options *options,
                              dap_product products[DAP_MAX_NDIM]);
/* function: the caller's, see dap_agree_call(). */
dap_status dap_plan_build(MPI_Comm comm, const char *function, const dap_side *from, const dap_side *to,
                          int64_t itemsize, const dap_plan_options *options, dap_find_products *find,
                          dap_plan **plan, dap_error *err);

/* check.c: plans are marked as long as they live, and checked: not NULL, nor destroyed, nor foreign */
void dap_plan_mark(dap_plan *plan, bool lives);
dap_status dap_plan_check(const dap_plan *plan, dap_error *err);

/* describe.c: the line of a plan that took `seconds` to make */
void dap_plan_log(const dap_plan *plan, double seconds);

/* halo_products.c: the padding and the ghosts of the destination; and of these what the options fill. */
dap_find_products dap_halo_products, dap_copy_products;

/* For process `rank` of `nprocs` alone, without buffers: it cannot be run. Not collective; *plan is to be
 * destroyed in any case. */
dap_status dap_plan_create_alone(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                 int64_t itemsize, const dap_plan_options *options, dap_plan **plan,
                                 dap_error *err);

#endif

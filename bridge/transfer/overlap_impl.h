/* What two processes have for each other: the ends of a move, and what they share along each axis. The first part of
 * transfer_impl.h. */
#ifndef DAP_OVERLAP_IMPL_H
#define DAP_OVERLAP_IMPL_H

#include "comm_impl.h"
#include "model_impl.h"
#include <dapbridge/plan.h>
#include <limits.h>

/* ---- transform.c: elements that change on the way --------------------------------------------------- */

/* to = alpha * op(from) + beta * to. */
typedef struct dap_transform {
  dap_dtype from, to;
  bool conjugate;
  double alpha[2], beta[2]; /* real, imaginary */
} dap_transform;
bool dap_transform_is_copy(const dap_transform *transform); /* bytes go over as they are */
/* `count` elements at constant strides in bytes, unaligned. `to` is read only if beta is not 0. */
void dap_transform_row(const dap_transform *transform, const char *from, int64_t from_stride, char *to,
                       int64_t to_stride, int64_t count);

/* ---- ends.c, share.c: one move ------------------------------------------------------------------- */

/* This process' view of both sides. Everything [ndim] is by destination axis. */
typedef struct dap_ends {
  dap_layout *from, *to; /* retained */
  int ndim;
  int axes[DAP_MAX_NDIM];                                   /* the source's axis */
  int64_t from_start[DAP_MAX_NDIM], to_start[DAP_MAX_NDIM]; /* global index of the first element that moves */
  int64_t shape[DAP_MAX_NDIM];                              /* elements that move */
  int *from_ranks, *to_ranks;   /* [nprocs of the layout] own copies; NULL: identity */
  int from_process, to_process; /* this process' number in each layout; -1: none */
  int from_coords[DAP_MAX_NDIM], to_coords[DAP_MAX_NDIM];       /* of this process, where it has a number */
  int64_t from_strides[DAP_MAX_NDIM], to_strides[DAP_MAX_NDIM]; /* bytes */
  int64_t from_item, to_item;                                   /* bytes of an element */
  dap_transform transform;
  bool transforms;           /* elements change on the way */
  bool holds_from, holds_to; /* this process has elements there */
  int rank;                  /* in the plan's communicator */
} dap_ends;

/* Sets the layouts and ranks, telling those that were given none. Collective on `comm`; agreed. */
dap_status dap_ends_share(MPI_Comm comm, const dap_side *from, const dap_side *to, dap_ends *ends,
                          dap_error *err);
dap_status dap_ends_ranks(const dap_side *side, int **ranks,
                          dap_error *err); /* a copy of the side's, or NULL */
/* Sets all the rest, for process `rank` of `nprocs`. Not collective. */
dap_status dap_ends_check(int nprocs, int rank, const dap_side *from, const dap_side *to, int64_t itemsize,
                          const dap_plan_options *options, dap_ends *ends, dap_error *err);
/* All processes mean the same; `variant` is what else must agree. Collective on `comm`; agreed. */
dap_status dap_ends_compare(MPI_Comm comm, const dap_ends *ends, const dap_plan_options *options,
                            uint64_t variant, dap_error *err);
void dap_ends_release(dap_ends *ends);
const dap_map *dap_ends_from_map(const dap_ends *ends, int axis);
bool dap_ends_is_listed(const dap_ends *ends, int axis); /* 'u' on a side */
/* The rank of the process at these coordinates [ndim] of a side. */
int dap_ends_rank(const dap_ends *ends, bool of_from, const int coords[]);

/* ---- overlap.c ---------------------------------------------------------------------------------- */

/* Equal stretches at equal steps along one axis, in elements: for i < count,
 * [from + i * from_step, + length) goes to [to + i * to_step, + length). */
typedef struct dap_comb {
  int64_t from, to, length;
  int64_t count, from_step, to_step;
  int64_t before; /* elements in the combs before this one */
} dap_comb;

/* What one process has for another along one axis, as positions in both buffers, in the order of the
 * destination's, which ascend. */
typedef struct dap_overlap {
  dap_comb *combs;    /* [size] */
  int64_t size;       /* combs */
  int64_t capacity;   /* of combs, or points */
  int64_t elements;   /* sum of count * length */
  dap_words from, to; /* [elements] points, 4 or 8 bytes a position: instead of combs that hardly join any */
} dap_overlap;

/* What moves along one axis: elements [from_start, + length) of the source to [to_start, + length). */
typedef struct dap_window {
  int64_t from_start, to_start, length;
} dap_window;

dap_status dap_overlap_create(const dap_map *from, int p, const dap_map *to, int q, const dap_window *window,
                              dap_reach reach, dap_overlap *overlap, dap_error *err);
void dap_overlap_release(dap_overlap *overlap);
/* `length` elements more, joined to the last comb if they continue it; a comb as it is. */
dap_status dap_overlap_add(dap_overlap *overlap, int64_t from, int64_t to, int64_t length, dap_error *err);
dap_status dap_overlap_append(dap_overlap *overlap, const dap_comb *comb, dap_error *err);
dap_status dap_overlap_finish(dap_overlap *overlap, dap_error *err); /* nothing is added any more */
bool dap_overlap_is_points(const dap_overlap *overlap);
int64_t dap_overlap_rank(const dap_overlap *overlap, int64_t to);    /* elements at positions below `to` */
int64_t dap_overlap_to(const dap_overlap *overlap, int64_t element); /* its position in the destination */
int64_t dap_overlap_memory(const dap_overlap *overlap);              /* bytes, without the struct */

/* points.c */
bool dap_points_are_less(const dap_overlap *overlap);              /* memory than the combs that it has */
dap_status dap_points_start(dap_overlap *overlap, dap_error *err); /* instead of combs, from now on */
dap_status dap_points_add(dap_overlap *overlap, const dap_comb *comb, dap_error *err);
int64_t dap_points_rank(const dap_overlap *overlap, int64_t to);
/* Number i of the combs, or of the points as combs. */
int64_t dap_overlap_comb_count(const dap_overlap *overlap);
dap_comb dap_overlap_comb(const dap_overlap *overlap, int64_t i);

/* Goes through elements `at` to `end` of an overlap by combs, whose `before` counts from the first of all. */
typedef struct dap_pieces {
  const dap_overlap *overlap;
  int64_t at, end, comb;
} dap_pieces;
dap_pieces dap_pieces_of(const dap_overlap *overlap, int64_t at, int64_t end);
bool dap_pieces_next(dap_pieces *pieces, dap_comb *piece);

/* ---- meet.c ------------------------------------------------------------------------------------- */

/* What this process sends and receives along one axis. */
typedef struct dap_met {
  dap_overlap *send, *receive; /* [send_count], [receive_count]: processes of the other side along the axis */
  int send_count, receive_count;
} dap_met;

/* Collective on the plan's communicator; agreed. For axes with 'u' on a side. */
dap_status dap_meet(MPI_Comm comm, const dap_ends *ends, int axis, dap_reach reach, dap_met *met,
                    dap_error *err);
void dap_met_release(dap_met *met);

#endif

/* dapbridge/layout.h: where every element of a distributed array lives.
 *
 * A layout is a product of one-dimensional maps, one per axis, over a process grid in row-major rank
 * order (the last axis' coordinate varies fastest). It is immutable, knows nothing of element types or
 * buffers, and needs no MPI: every question about every process can be asked on any process. Its memory
 * grows with the sum of the grid's extents. Nothing in this header is collective. */
#ifndef DAPBRIDGE_LAYOUT_H
#define DAPBRIDGE_LAYOUT_H

#include <dapbridge/dim.h>
#include <dapbridge/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dap_layout dap_layout;

/* How one axis of a new layout is cut. */
typedef enum dap_cut {
  DAP_CUT_EVEN,    /* contiguous; the first size % procs processes get one more than the others */
  DAP_CUT_CEIL,    /* contiguous; ceil(size / procs) each, until nothing is left (HPF's BLOCK) */
  DAP_CUT_LENGTHS, /* contiguous; as many as `lengths` says */
  DAP_CUT_CYCLIC   /* blocks of block_size dealt round robin, the first to first_owner */
} dap_cut;

/* The distribution of one axis, for dap_layout_create(). Members that a cut does not name are ignored;
 * zeroed ones are the defaults. Use the dap_dist_*() functions for the usual ones. */
typedef struct dap_dist {
  dap_cut cut;
  int procs;              /* processes along the axis, >= 1 */
  int64_t size;           /* elements, boundary padding included, >= 0 */
  const int64_t *lengths; /* DAP_CUT_LENGTHS: [procs] owned elements, sum = size; copied */
  int64_t block_size;     /* DAP_CUT_CYCLIC: >= 1 */
  int first_owner;        /* DAP_CUT_CYCLIC: 0 <= first_owner < procs (ScaLAPACK's RSRC, CSRC) */
  int64_t halo;           /* contiguous cuts: communication padding on both sides of every interface */
  int64_t boundary[2];    /* contiguous cuts: widths at the two outer edges, inside size */
  bool periodic;          /* contiguous cuts: recorded and exported */
} dap_dist;

/* The usual ones: an even cut of `size` elements over `procs` processes; the same with `halo` elements of
 * communication padding on both sides of every interface; blocks of `block_size`, the first on process 0.
 * They only fill the struct: dap_layout_create() checks it. */
DAP_API dap_dist dap_dist_even(int64_t size, int procs);
DAP_API dap_dist dap_dist_padded(int64_t size, int procs, int64_t halo);
DAP_API dap_dist dap_dist_cyclic(int64_t size, int procs, int64_t block_size);

/* Makes the layout of `ndim` axes cut as `dists` [ndim] says, over a grid of dists[k].procs processes
 * along axis k. The caller owns *layout and ends it with dap_layout_destroy(). ndim = 0 is a scalar on
 * one process.
 * Errors: DAP_ERR_ARG (ndim outside 0..DAP_MAX_NDIM, NULL), DAP_ERR_DIM (a member outside its range,
 * lengths that do not add up, a halo wider than a neighbour's owned part or next to an empty one,
 * boundary widths that do not fit the edge processes), DAP_ERR_RANGE (the grid or the number of elements
 * overflows), DAP_ERR_NOMEM. On error *layout is NULL. */
DAP_API dap_status dap_layout_create(int ndim, const dap_dist dists[], dap_layout **layout, dap_error *err);

/* Another reference to the same layout; each is ended with dap_layout_destroy(). Thread-safe. */
DAP_API dap_layout *dap_layout_retain(const dap_layout *layout);

/* Ends a reference and sets it to NULL. Accepts NULL and a pointer to NULL. */
DAP_API void dap_layout_destroy(dap_layout **layout);

/* ---- the whole -------------------------------------------------------------------------------- */

DAP_API int dap_layout_ndim(const dap_layout *layout);
DAP_API int64_t dap_layout_size(const dap_layout *layout, int axis); /* elements along an axis */
DAP_API int dap_layout_procs(const dap_layout *layout, int axis);    /* processes along an axis */
DAP_API int64_t dap_layout_count(const dap_layout *layout);          /* elements in all */
DAP_API int dap_layout_nprocs(const dap_layout *layout);             /* processes in all */

/* True iff the two are the same distributions over the same grid: kind, size, block size, first owner,
 * ranges, padding, periodicity. (Different distributions may still put all elements at the same places.) */
DAP_API bool dap_layout_is_equal(const dap_layout *a, const dap_layout *b);

/* A fingerprint: equal layouts have equal ones, and different layouts hardly ever. What processes compare
 * to find out whether they speak of the same layout. */
DAP_API uint64_t dap_layout_hash(const dap_layout *layout);

/* Row-major rank <-> coords [ndim]. `rank` and coordinates must lie in the grid. */
DAP_API void dap_layout_coords(const dap_layout *layout, int rank, int coords[]);
DAP_API int dap_layout_rank(const dap_layout *layout, const int coords[]);

/* ---- one axis --------------------------------------------------------------------------------- */

/* What holds for an axis on every process. */
typedef struct dap_axis {
  char dist_type; /* 'b' or 'c' */
  bool periodic;
  int procs;
  int first_owner;    /* 'c': coordinate that owns block 0; 'b': 0 */
  int64_t size;       /* elements */
  int64_t block_size; /* 'c'; 'b': 0 */
  int64_t
      boundary[2]; /* 'b': boundary padding at the outer edges, inside size; 'c': 0. In an assembled layout
                          what the processes at coordinate 0 of all other axes said; the protocol lets
                          edge processes differ */
} dap_axis;

DAP_API dap_axis dap_layout_axis(const dap_layout *layout, int axis);

/* A stretch of consecutive elements of one axis on one process. */
typedef struct dap_run {
  int64_t global; /* global index of its first element */
  int64_t local;  /* position of that element in the local buffer */
  int64_t length; /* elements, >= 1 */
} dap_run;

/* The owned elements of the process at coordinate `coord` of `axis`, as runs in ascending order: one for
 * a non-empty 'b', one per block for 'c', none when it owns nothing. Each is computed in constant time.
 * `index` must be < dap_layout_run_count(). */
DAP_API int64_t dap_layout_run_count(const dap_layout *layout, int axis, int coord);
DAP_API dap_run dap_layout_run(const dap_layout *layout, int axis, int coord, int64_t index);

/* Elements owned at `coord` (for 'c' what ScaLAPACK's TOOLS/numroc.f counts), and the local buffer's
 * extent, which for 'b' adds the communication padding. */
DAP_API int64_t dap_layout_owned(const dap_layout *layout, int axis, int coord);
DAP_API int64_t dap_layout_extent(const dap_layout *layout, int axis, int coord);

/* Communication padding at the low and the high end of the buffer at `coord`, in elements. */
DAP_API void dap_layout_halo(const dap_layout *layout, int axis, int coord, int64_t width[2]);

/* The dictionary that the process at `coord` exports for `axis`, in protocol 0.10. */
DAP_API dap_dim dap_layout_dim(const dap_layout *layout, int axis, int coord);

/* ---- elements --------------------------------------------------------------------------------- */

/* Global index [ndim] -> the rank that owns the element and its position [ndim] in that process' buffer.
 * Errors: DAP_ERR_ARG naming the axis and index that lies outside. */
DAP_API dap_status dap_layout_locate(const dap_layout *layout, const int64_t global[], int *rank,
                                     int64_t local[], dap_error *err);

/* Position [ndim] in the buffer of process `rank`, communication padding included -> global index
 * [ndim]. *owned (may be NULL) says whether that process owns the element.
 * Errors: DAP_ERR_ARG (rank outside the grid, position outside the buffer). */
DAP_API dap_status dap_layout_globalize(const dap_layout *layout, int rank, const int64_t local[],
                                        int64_t global[], bool *owned, dap_error *err);

/* Writes the layout in words, one line an axis, to `text` of `capacity` bytes, cut to fit and always
 * closed with NUL. Returns the length the whole text has, as snprintf does; (NULL, 0) asks for it. */
DAP_API size_t dap_layout_describe(const dap_layout *layout, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif

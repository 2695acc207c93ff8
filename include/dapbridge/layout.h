/* dapbridge/layout.h: where every element of a distributed array lives.
 *
 * A layout is a product of one-dimensional maps, one per axis, over a process grid. Ranks are in row-major
 * order on the grid (the last axis's coordinate varies fastest) unless dap_layout_reorder() or the
 * assembled array says otherwise. A layout is immutable, independent of element types and buffers, and
 * needs no MPI: any process can answer questions about all processes. Its memory grows with the sum of the
 * grid's extents (with their product only if ranks are not in row-major order).
 *
 * The exception is the index lists of an unstructured ('u') axis. A layout made by dap_layout_create()
 * knows all of them. One made by dap_layout_assemble() keeps on each process only the indices of its own
 * coordinate and a slice of the table of owners. A function that would need others fails with
 * DAP_ERR_REMOTE; dap_layout_lookup() and plans ask the other processes.
 *
 * Nothing in this header is collective. Axes and coordinates must lie in the layout and pointers must not be
 * NULL unless a comment says otherwise; functions without `err` do not check this. Functions that return a
 * status fail with DAP_ERR_ARG for a layout that is NULL or, as far as that can be detected, destroyed. */
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

/* How one axis of a new layout is distributed. */
typedef enum dap_dist_kind {
  DAP_DIST_EVEN,         /* contiguous; the first size % procs processes get one more than the others */
  DAP_DIST_CEIL,         /* contiguous; ceil(size / procs) each, until none are left (HPF's BLOCK) */
  DAP_DIST_LENGTHS,      /* contiguous; the numbers in `lengths` */
  DAP_DIST_CYCLIC,       /* blocks of block_size elements dealt round robin, beginning with first_owner */
  DAP_DIST_UNSTRUCTURED, /* unstructured: the index lists in `indices` */
  DAP_DIST_REPLICATED,   /* all on every process, the same on each; no list is kept */
  DAP_DIST_PARTIAL /* on every process an addend of each element, which is their sum; only to move from */
} dap_dist_kind;

/* The distribution of one axis, for dap_layout_create(), which copies the arrays. The dap_dist_*()
 * functions fill it for the common cases. Zero is the default of each member. Members that do not apply to
 * the kind are ignored, except that halo, boundary and periodic are rejected for kinds that are not
 * contiguous. */
typedef struct dap_dist {
  dap_dist_kind kind;
  int procs;    /* processes along the axis, >= 1 */
  int64_t size; /* elements, boundary padding included, >= 0 */
  /* [procs] DAP_DIST_LENGTHS: owned elements, sum = size; DAP_DIST_UNSTRUCTURED: elements of each list. */
  const int64_t *lengths;
  int64_t block_size;  /* DAP_DIST_CYCLIC: >= 1 */
  int first_owner;     /* DAP_DIST_CYCLIC: 0 <= first_owner < procs (ScaLAPACK's RSRC, CSRC) */
  int64_t halo;        /* contiguous kinds: communication padding on both sides of each interface */
  int64_t boundary[2]; /* contiguous kinds: boundary padding at the two outer edges, inside size */
  bool periodic;       /* contiguous kinds: recorded and exported */
  /* Contiguous and periodic: communication padding at the two outer edges, too, which wraps around (protocol
   * 0.9). The axis then has no boundary padding. */
  bool wraps;
  /* DAP_DIST_UNSTRUCTURED: [procs][lengths[c]] global indices in the order of the buffer, none twice in a
   * list, each of 0 .. size - 1 in at least one. */
  const int64_t *const *indices;
  bool one_to_one; /* DAP_DIST_UNSTRUCTURED: no index is in two lists */
  /* DAP_DIST_UNSTRUCTURED: which process owns an index that several lists have; the others have it as a
   * ghost. Either [procs]: of list c the first owned[c] are owned there; or [procs][lengths[c]]: one by
   * one. Each index is owned once. Both NULL: the lowest process that has it, the protocol's rule. */
  const int64_t *owned;
  const bool *const *is_owned;
} dap_dist;

/* The common distributions. These functions only fill the struct; dap_layout_create() checks it.
 *   even         even blocks: the first size % procs processes have one more     (d2o "equal")
 *   padded       the same with `halo` elements of communication padding on both sides of each interface
 *   ceil         ceil(size / procs) each until none are left                     (d2o "fftw")
 *   lengths      lengths[procs] elements                                         (d2o "freeform")
 *   cyclic       blocks of `block_size`, the first on process 0                  (ScaLAPACK, RSRC = 0)
 *   unstructured the lists indices[procs] of lengths[procs] global indices
 *   unstructured_ghosted the same, of which the first owned[procs] are owned and the others ghosts, as in
 *                parts of a mesh
 *   replicated   all elements on every process; 'u', so solvers move it          (d2o "not")
 *   partial      all elements on every process, which has an addend of each: the array's element is their
 *                sum, or what dap_plan_options.combine says; only as the source of a plan
 *   local        not distributed: the whole axis on one process
 * d2o: Steininger et al., "d2o: a distributed data object for parallel high-performance computing in Python",
 * distribution strategies. */
DAP_API dap_dist dap_dist_even(int64_t size, int procs);
DAP_API dap_dist dap_dist_padded(int64_t size, int procs, int64_t halo);
DAP_API dap_dist dap_dist_ceil(int64_t size, int procs);
DAP_API dap_dist dap_dist_lengths(int64_t size, int procs, const int64_t lengths[]);
DAP_API dap_dist dap_dist_cyclic(int64_t size, int procs, int64_t block_size);
DAP_API dap_dist dap_dist_unstructured(int64_t size, int procs, const int64_t lengths[],
                                       const int64_t *const indices[]);
DAP_API dap_dist dap_dist_unstructured_ghosted(int64_t size, int procs, const int64_t lengths[],
                                               const int64_t owned[], const int64_t *const indices[]);
DAP_API dap_dist dap_dist_replicated(int64_t size, int procs);
DAP_API dap_dist dap_dist_partial(int64_t size, int procs);
DAP_API dap_dist dap_dist_local(int64_t size);

/* Creates the layout of an array of `ndim` axes, of which axis k is distributed as dists[k] over
 * dists[k].procs processes. ndim = 0 is a scalar on one process. The caller owns *layout and frees it with
 * dap_layout_destroy().
 * Errors: DAP_ERR_ARG (NULL, ndim outside 0 .. DAP_MAX_NDIM), DAP_ERR_DIM (a member outside its range;
 * lengths that do not add up; a halo wider than a neighbour's owned part, or next to an empty one; boundary
 * padding that does not fit the edge processes; padding or periodic on an axis that is not contiguous;
 * indices outside 0 .. size - 1, twice in a list, or in none; an index that is not owned once),
 * DAP_ERR_RANGE (the grid or the number of elements overflows), DAP_ERR_NOMEM. On error *layout is NULL. */
DAP_API dap_status dap_layout_create(int ndim, const dap_dist dists[], dap_layout **layout, dap_error *err);

/* Creates a layout with the same distributions and other ranks: ranks[i], i < nprocs, is the rank at the
 * i-th position of the grid in row-major order. The caller owns *reordered. In an assembled layout with 'u'
 * axes each process keeps the indices that it knows, so plans and lookups reject an order that changes a
 * process's coordinates.
 * Errors: DAP_ERR_ARG (NULL; ranks is not a permutation of 0 .. nprocs - 1; the entry is named),
 * DAP_ERR_NOMEM. On error *reordered is NULL. */
DAP_API dap_status dap_layout_reorder(const dap_layout *layout, const int ranks[], dap_layout **reordered,
                                      dap_error *err);

/* Returns another reference to the layout, to be released with dap_layout_destroy(). Thread-safe. */
DAP_API dap_layout *dap_layout_retain(const dap_layout *layout);

/* Releases a reference, sets it to NULL, and frees the layout with the last one. Accepts NULL and a pointer
 * to NULL. Thread-safe. */
DAP_API void dap_layout_destroy(dap_layout **layout);

/* Checks that `layout` is one, and live: what every function that returns a status does with its layouts. For
 * code that takes layouts from others, before the functions without `err`. The memory of a destroyed layout
 * is looked at, so this finds a mistake, and is nothing to rely on.
 * Errors: DAP_ERR_ARG (NULL, destroyed, or anything else than a layout). */
DAP_API dap_status dap_layout_check(const dap_layout *layout, dap_error *err);

/* ---- the whole -------------------------------------------------------------------------------- */

DAP_API int dap_layout_ndim(const dap_layout *layout);
DAP_API int64_t dap_layout_size(const dap_layout *layout, int axis); /* elements along an axis */
DAP_API int dap_layout_procs(const dap_layout *layout, int axis);    /* processes along an axis */
DAP_API int64_t dap_layout_count(const dap_layout *layout);          /* elements in all */
DAP_API int dap_layout_nprocs(const dap_layout *layout);             /* processes in all */

/* True iff both are the same distributions over the same grid: kind, size, block size, first owner, ranges,
 * padding, periodicity, indices, order of ranks. (Different distributions can still put all elements in the
 * same places.) Indices that this process does not know are compared by their hash. */
DAP_API bool dap_layout_is_equal(const dap_layout *a, const dap_layout *b);

/* A 64-bit hash: equal layouts have equal hashes. Collective functions compare it to find out whether all
 * processes passed the same layout. */
DAP_API uint64_t dap_layout_hash(const dap_layout *layout);

/* A rank's grid coordinates coords[ndim], and back. */
DAP_API void dap_layout_coords(const dap_layout *layout, int rank, int coords[]);
DAP_API int dap_layout_rank(const dap_layout *layout, const int coords[]);

/* True iff ranks are in row-major order on the grid. */
DAP_API bool dap_layout_is_row_major(const dap_layout *layout);

/* ---- one axis --------------------------------------------------------------------------------- */

/* The properties of an axis that are common to all processes. */
typedef struct dap_axis {
  char dist_type;  /* 'b', 'c' or 'u' */
  bool periodic;   /* 'b' */
  bool one_to_one; /* 'u': declared so; indices may be one to one without it */
  /* 'u': it was said who owns what; else the lowest coordinate that has an index owns it, as in the protocol.
   * Layouts with the same owners are equal either way. */
  bool owners_given;
  /* 'u' without lists: every coordinate has all elements, in their order. Replicated: the same on each, so
   * that any can be read; coordinate 0 counts as the owner. Partial: an addend of them. Neither equals an
   * axis of lists, even of the same indices, which promises nothing about what is in copies. */
  bool replicated, partial;
  int procs;
  int first_owner;    /* 'c': coordinate that owns block 0; else 0 */
  int64_t size;       /* elements */
  int64_t block_size; /* 'c'; else 0 */
  /* 'b': boundary padding at the outer edges, inside size; else 0. The protocol allows edge processes to
   *      differ;
   * in an assembled layout these are the widths of those at coordinate 0 of all other axes. */
  int64_t boundary[2];
} dap_axis;

DAP_API dap_axis dap_layout_axis(const dap_layout *layout, int axis);

/* A range of consecutive elements of one axis on one process. */
typedef struct dap_run {
  int64_t global; /* global index of its first element */
  int64_t local;  /* position of that element in the local buffer */
  int64_t length; /* elements, >= 1 */
} dap_run;

/* Whether this process knows which elements are at `coord`: always, except for other coordinates of an
 * assembled 'u' axis. Counts and extents are always known. */
DAP_API bool dap_layout_knows(const dap_layout *layout, int axis, int coord);

/* Iterates over the owned elements of the process at coordinate `coord` of `axis`, in the order of its
 * buffer, by runs of consecutive elements: one for a non-empty 'b', one per block for 'c', as long as
 * possible for 'u'. Start with a zeroed *run; each call sets the next run and returns true, or returns
 * false if there are no more or `coord` is not known. A call takes constant time for 'b' and 'c', and the
 * run's length for 'u':
 *     dap_run run = {0};
 *     while (dap_layout_next_run(layout, 0, coord, &run)) use(run); */
DAP_API bool dap_layout_next_run(const dap_layout *layout, int axis, int coord, dap_run *run);

/* The number of elements owned at `coord` (for 'c' the same as ScaLAPACK's TOOLS/numroc.f); and the local
 * buffer's extent, which for 'b' includes communication padding and for 'u' the ghosts: copies of elements
 * that another coordinate owns. */
DAP_API int64_t dap_layout_owned(const dap_layout *layout, int axis, int coord);
DAP_API int64_t dap_layout_extent(const dap_layout *layout, int axis, int coord);

/* Whether the element at position `local` of the buffer at `coord` is owned there: neither communication
 * padding nor a ghost. The coordinate must be known, the position lie in the buffer. */
DAP_API bool dap_layout_is_owned(const dap_layout *layout, int axis, int coord, int64_t local);

/* Sets width to the communication padding at the low and the high end of the buffer at `coord`, in
 * elements. */
DAP_API void dap_layout_halo(const dap_layout *layout, int axis, int coord, int64_t width[2]);

/* Sets *dim to the dictionary that the process at `coord` exports for `axis` in protocol `version`
 * ("0.10.0", "0.9.0", "0.0.1"; NULL: 0.10). dim->indices points to memory of the layout. The protocol
 * cannot say who owns an index of a 'u' axis: readers take the lowest coordinate that has it, so an array
 * whose owners were given must have up-to-date ghosts when it is handed out.
 * Errors: DAP_ERR_ARG (NULL, axis or coordinate out of range), DAP_ERR_VERSION, DAP_ERR_UNSUPPORTED (the
 * version cannot express the axis: 0.10 has no outer padding that wraps around, 0.9 and 0.0.1 no boundary
 * padding of a periodic axis, 0.0.1 no one_to_one; a partial axis, in any version), DAP_ERR_REMOTE,
 * DAP_ERR_NOMEM (the list of a replicated axis, which is made when it is first asked for). */
DAP_API dap_status dap_layout_dim(const dap_layout *layout, const char *version, int axis, int coord,
                                  dap_dim *dim, dap_error *err);

/* ---- as solver libraries describe an axis --------------------------------------------------------- */

/* A block-cyclic distribution that is the same as an axis's: ScaLAPACK's MB or NB, and RSRC or CSRC. */
typedef struct dap_blocks {
  int64_t size;  /* the only block size that fits; 0: each size >= least fits, as one process owns all */
  int64_t least; /* elements, >= 1 */
  int source;    /* coordinate that owns block 0; -1: any, as nothing is distributed */
} dap_blocks;

/* Expresses the axis as block-cyclic, if that is possible. Contiguous ranges are block-cyclic iff the
 * non-empty processes are adjacent, all but the last of these have the same length, and the last has no
 * more (rule 22): DAP_DIST_CEIL always, DAP_DIST_EVEN iff size % procs is 0 or procs - 1, or size < procs.
 * 'c' always is, 'u' never; an axis on one process always is, unless it is 'u'.
 * Errors: DAP_ERR_SHARE naming the first process where it fails, DAP_ERR_ARG (NULL, axis out of range). */
DAP_API dap_status dap_layout_blocks(const dap_layout *layout, int axis, dap_blocks *blocks, dap_error *err);

/* Expresses the axis by PETSc's ownership ranges, if that is possible: sets ranges[procs + 1] so that the
 * process at coordinate c owns [ranges[c], ranges[c + 1]). For 'c' this is possible iff no process has two
 * blocks and block 0 is on process 0; for 'u' iff all lists are known, ascending and without gaps.
 * Errors: as above, and DAP_ERR_REMOTE. */
DAP_API dap_status dap_layout_ranges(const dap_layout *layout, int axis, int64_t ranges[], dap_error *err);

/* ---- elements --------------------------------------------------------------------------------- */

/* Global index [ndim] -> the rank that owns the element, and its position [ndim] in that process's buffer.
 * Errors: DAP_ERR_ARG naming the axis and the index that is out of range, DAP_ERR_REMOTE (use
 * dap_layout_lookup()). */
DAP_API dap_status dap_layout_locate(const dap_layout *layout, const int64_t global[], int *rank,
                                     int64_t local[], dap_error *err);

/* Position [ndim] in the buffer of process `rank`, communication padding included -> global index
 * [ndim]. *owned (may be NULL) says whether that process owns the element.
 * Errors: DAP_ERR_ARG (rank outside the grid, position outside the buffer), DAP_ERR_REMOTE. */
DAP_API dap_status dap_layout_globalize(const dap_layout *layout, int rank, const int64_t local[],
                                        int64_t global[], bool *owned, dap_error *err);

/* Both for `count` elements at once, as for lists of indices from other languages: global and local
 * [count][ndim], ranks [count], owned [count] or NULL.
 * Errors: as above; the text gives the number of the first element that failed. Results for the elements
 * before it are valid. */
DAP_API dap_status dap_layout_locate_all(const dap_layout *layout, int64_t count, const int64_t global[],
                                         int ranks[], int64_t local[], dap_error *err);
DAP_API dap_status dap_layout_globalize_all(const dap_layout *layout, int rank, int64_t count,
                                            const int64_t local[], int64_t global[], bool owned[],
                                            dap_error *err);

/* ---- in words ------------------------------------------------------------------------------------ */

/* Writes a description of the layout, one line per axis, to `text`, which has `capacity` bytes. Like
 * snprintf(), it truncates the text to fit, terminates it with NUL, and returns the length of the full
 * text; (NULL, 0) only returns the length. */
DAP_API size_t dap_layout_describe(const dap_layout *layout, char *text, size_t capacity);

/* The same on one line without a newline, for messages: "10 x 12 over 2 x 3: block, cyclic(2)". */
DAP_API size_t dap_layout_summary(const dap_layout *layout, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif

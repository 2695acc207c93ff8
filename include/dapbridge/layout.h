/* dapbridge/layout.h: where every element of a distributed array lives.
 *
 * A layout is a product of one-dimensional maps, one per axis, over a process grid. Ranks run through the
 * grid in row-major order (the last axis's coordinate varies fastest) unless dap_layout_reorder() or the
 * assembled array says otherwise. A layout is immutable, knows nothing of element types or buffers, and
 * needs no MPI: every question about every process can be asked on any process. Its memory grows with the
 * sum of the grid's extents (with their product only where ranks have an order of their own). Nothing in this
 * header is collective. Axes and coordinates must lie in the layout and pointers must not be NULL unless a
 * comment says otherwise; functions without `err` do not check that.
 *
 * The exception are the indices of an unstructured ('u') axis. One made by dap_layout_create() knows all of
 * them. One made by dap_layout_assemble() keeps on each process the indices of its own coordinate and a slice
 * of the table of owners, so that no process holds them all; functions say so with DAP_ERR_REMOTE, and
 * dap_layout_lookup() and plans ask the other processes. */
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
  DAP_DIST_CEIL,         /* contiguous; ceil(size / procs) each, until nothing is left (HPF's BLOCK) */
  DAP_DIST_LENGTHS,      /* contiguous; as many as `lengths` says */
  DAP_DIST_CYCLIC,       /* blocks of block_size dealt round robin, the first to first_owner */
  DAP_DIST_UNSTRUCTURED, /* unstructured: the lists in `indices` */
  DAP_DIST_REPLICATED    /* unstructured: a full copy on every process; the first owns it */
} dap_dist_kind;

/* The distribution of one axis, for dap_layout_create(). Members of other kinds are ignored, but padding is
 * refused; zeroed ones are the defaults. Use the dap_dist_*() functions for the usual ones. */
typedef struct dap_dist {
  dap_dist_kind kind;
  int procs;              /* processes along the axis, >= 1 */
  int64_t size;           /* elements, boundary padding included, >= 0 */
  const int64_t *lengths; /* DAP_DIST_LENGTHS: [procs] owned elements, sum = size; copied
                             DAP_DIST_UNSTRUCTURED: [procs] elements of each list; copied */
  int64_t block_size;     /* DAP_DIST_CYCLIC: >= 1 */
  int first_owner;        /* DAP_DIST_CYCLIC: 0 <= first_owner < procs (ScaLAPACK's RSRC, CSRC) */
  int64_t halo;           /* contiguous kinds: communication padding on both sides of every interface */
  int64_t boundary[2];    /* contiguous kinds: widths at the two outer edges, inside size */
  bool periodic;          /* contiguous kinds: recorded and exported */
  bool wraps; /* contiguous kinds, with periodic: halo at the two outer edges too, which wraps round
                             (protocol 0.9); it then has no boundary */
  const int64_t *const
      *indices;    /* DAP_DIST_UNSTRUCTURED: [procs][lengths[c]] global indices in the order of the
                                    buffer, each once in a list, every one of 0 .. size - 1 in some; copied */
  bool one_to_one; /* DAP_DIST_UNSTRUCTURED: no index is in two lists */
} dap_dist;

/* The usual ones. They only fill the struct: dap_layout_create() checks it.
 *   even         even blocks, the first size % procs processes have one more   (d2o "equal")
 *   padded       the same with `halo` elements of communication padding on both sides of every interface
 *   ceil         ceil(size / procs) each until nothing is left              (d2o "fftw", slab localdimension)
 *   lengths      as many as lengths[procs] says                             (d2o "freeform")
 *   cyclic       blocks of `block_size`, the first on process 0             (ScaLAPACK, RSRC = 0)
 *   unstructured the lists indices[procs] of lengths[procs] global indices
 *   replicated   a full copy on every process, which is unstructured: solvers move it (d2o "not")
 *   local        an axis that is not distributed: all of it on one process
 * d2o: Steininger et al., "d2o: a distributed data object for parallel high-performance computing in Python",
 * distribution strategies. */
DAP_API dap_dist dap_dist_even(int64_t size, int procs);
DAP_API dap_dist dap_dist_padded(int64_t size, int procs, int64_t halo);
DAP_API dap_dist dap_dist_ceil(int64_t size, int procs);
DAP_API dap_dist dap_dist_lengths(int64_t size, int procs, const int64_t lengths[]);
DAP_API dap_dist dap_dist_cyclic(int64_t size, int procs, int64_t block_size);
DAP_API dap_dist dap_dist_unstructured(int64_t size, int procs, const int64_t lengths[],
                                       const int64_t *const indices[]);
DAP_API dap_dist dap_dist_replicated(int64_t size, int procs);
DAP_API dap_dist dap_dist_local(int64_t size);

/* Makes the layout of `ndim` axes distributed as `dists` [ndim] says, over a grid of dists[k].procs processes
 * along axis k. The caller owns *layout and ends it with dap_layout_destroy(). ndim = 0 is a scalar on
 * one process.
 * Errors: DAP_ERR_ARG (ndim outside 0..DAP_MAX_NDIM, NULL), DAP_ERR_DIM (a member outside its range,
 * lengths that do not add up, a halo wider than a neighbour's owned part or next to an empty one,
 * boundary widths that do not fit the edge processes, any of these or a period on an axis that is not contiguous, indices outside 0 .. size - 1, twice in a list, or
 * held by none), DAP_ERR_RANGE (the grid or the number of elements overflows), DAP_ERR_NOMEM. On error
 * *layout is NULL. */
DAP_API dap_status dap_layout_create(int ndim, const dap_dist dists[], dap_layout **layout, dap_error *err);

/* The same distributions with other ranks: the process at the i-th place of the grid in row-major order is
 * rank ranks[i], i < nprocs. The caller owns *reordered. Of an assembled layout with 'u' axes each process
 * keeps what it knows: plans and lookups refuse an order that puts a process at other coordinates.
 * Errors: DAP_ERR_ARG (NULL; ranks is no permutation of 0 .. nprocs - 1, naming the entry), DAP_ERR_NOMEM.
 * On error *reordered is NULL. */
DAP_API dap_status dap_layout_reorder(const dap_layout *layout, const int ranks[], dap_layout **reordered,
                                      dap_error *err);

/* Another reference to the same layout; each is ended with dap_layout_destroy(). Thread-safe. */
DAP_API dap_layout *dap_layout_retain(const dap_layout *layout);

/* Ends a reference and sets it to NULL. Accepts NULL and a pointer to NULL. Functions that return a status refuse a
 * layout that was destroyed, or none at all, with DAP_ERR_ARG, as far as can be seen of memory that is not the
 * library's any more. */
DAP_API void dap_layout_destroy(dap_layout **layout);

/* ---- the whole -------------------------------------------------------------------------------- */

DAP_API int dap_layout_ndim(const dap_layout *layout);
DAP_API int64_t dap_layout_size(const dap_layout *layout, int axis); /* elements along an axis */
DAP_API int dap_layout_procs(const dap_layout *layout, int axis);    /* processes along an axis */
DAP_API int64_t dap_layout_count(const dap_layout *layout);          /* elements in all */
DAP_API int dap_layout_nprocs(const dap_layout *layout);             /* processes in all */

/* True iff the two are the same distributions over the same grid: kind, size, block size, first owner,
 * ranges, padding, periodicity, indices, order of ranks. (Different distributions may still put all elements
 * at the same places.) Indices that are not known here are compared by their fingerprints. */
DAP_API bool dap_layout_is_equal(const dap_layout *a, const dap_layout *b);

/* A fingerprint: equal layouts have equal ones, and different layouts hardly ever. What processes compare
 * to find out whether they speak of the same layout. */
DAP_API uint64_t dap_layout_hash(const dap_layout *layout);

/* Rank <-> coords [ndim]. `rank` and coordinates must lie in the grid. */
DAP_API void dap_layout_coords(const dap_layout *layout, int rank, int coords[]);
DAP_API int dap_layout_rank(const dap_layout *layout, const int coords[]);

/* True iff ranks run through the grid in row-major order. */
DAP_API bool dap_layout_is_row_major(const dap_layout *layout);

/* ---- one axis --------------------------------------------------------------------------------- */

/* What holds for an axis on every process. */
typedef struct dap_axis {
  char dist_type;  /* 'b', 'c' or 'u' */
  bool periodic;   /* 'b' */
  bool one_to_one; /* 'u': said so; indices may be one to one without */
  int procs;
  int first_owner;    /* 'c': coordinate that owns block 0; else 0 */
  int64_t size;       /* elements */
  int64_t block_size; /* 'c'; else 0 */
  /* 'b': boundary padding at the outer edges, inside size; else 0. In an assembled layout what the processes at
   * coordinate 0 of all other axes said; the protocol lets edge processes differ. */
  int64_t boundary[2];
} dap_axis;

DAP_API dap_axis dap_layout_axis(const dap_layout *layout, int axis);

/* A stretch of consecutive elements of one axis on one process. */
typedef struct dap_run {
  int64_t global; /* global index of its first element */
  int64_t local;  /* position of that element in the local buffer */
  int64_t length; /* elements, >= 1 */
} dap_run;

/* Whether this process knows which elements are at `coord`: always, but for the indices of other
 * coordinates of an assembled 'u' axis. Counts and extents are known of all. */
DAP_API bool dap_layout_knows(const dap_layout *layout, int axis, int coord);

/* Goes through the owned elements of the process at coordinate `coord` of `axis` in the order of its buffer,
 * by runs of consecutive elements: one for a non-empty 'b', one per block for 'c', as long as the indices
 * allow for 'u'. Start with a zeroed *run; each call sets the next one and returns true, or false when there
 * is none left, or `coord` is not known. Constant time for 'b' and 'c', the run's length for 'u':
 *     for (dap_run run = {0}; dap_layout_next_run(layout, 0, coord, &run);) use(run); */
DAP_API bool dap_layout_next_run(const dap_layout *layout, int axis, int coord, dap_run *run);

/* Elements owned at `coord` (for 'c' what ScaLAPACK's TOOLS/numroc.f counts), and the local buffer's
 * extent, which for 'b' adds the communication padding and for 'u' the elements that a lower coordinate
 * owns. */
DAP_API int64_t dap_layout_owned(const dap_layout *layout, int axis, int coord);
DAP_API int64_t dap_layout_extent(const dap_layout *layout, int axis, int coord);

/* Communication padding at the low and the high end of the buffer at `coord`, in elements. */
DAP_API void dap_layout_halo(const dap_layout *layout, int axis, int coord, int64_t width[2]);

/* Sets *dim to the dictionary that the process at `coord` exports for `axis` in protocol `version`
 * ("0.10.0", "0.9.0", "0.0.1"; NULL: 0.10). Indices stay the layout's memory.
 * Errors: DAP_ERR_ARG (NULL, axis or coordinate outside), DAP_ERR_VERSION, DAP_ERR_UNSUPPORTED (the version cannot say it: 0.10 no outer
 * padding that wraps round, 0.9 and 0.0.1 no boundary padding of a periodic axis, 0.0.1 no one_to_one), DAP_ERR_REMOTE. */
DAP_API dap_status dap_layout_dim(const dap_layout *layout, const char *version, int axis, int coord,
                                  dap_dim *dim, dap_error *err);

/* ---- what the solvers' libraries can take -------------------------------------------------------- */

/* Blocks of one size dealt round robin that put every element where an axis has it: ScaLAPACK's MB or NB. */
typedef struct dap_blocks {
  int64_t size;  /* the one block size that fits; 0: every size >= least does, as one process owns all */
  int64_t least; /* elements, >= 1 */
  int source;    /* coordinate that owns block 0 (RSRC, CSRC); -1: any, as nothing is distributed */
} dap_blocks;

/* Whether one ScaLAPACK block size describes the axis. Contiguous lengths are one iff the non-empty processes
 * are adjacent, all but the last of them have the same length, and the last no more (rule 22): a "ceil" cut
 * always, an "even" one iff size % procs is 0 or procs - 1 or size < procs. 'c' always is, 'u' never; an axis
 * over one process always, unless its order is 'u'.
 * Errors: DAP_ERR_SHARE with the first process that breaks it, DAP_ERR_ARG (NULL, axis outside). */
DAP_API dap_status dap_layout_blocks(const dap_layout *layout, int axis, dap_blocks *blocks, dap_error *err);

/* Sets ranges[procs + 1] so that the process at coordinate c owns [ranges[c], ranges[c + 1]) in that order:
 * PETSc's ownership ranges. A 'c' axis has them iff no process has two blocks and block 0 is where the order
 * begins; a 'u' axis iff all known lists ascend without gaps.
 * Errors: DAP_ERR_SHARE with the first process that breaks it, DAP_ERR_REMOTE, DAP_ERR_ARG (as above). */
DAP_API dap_status dap_layout_ranges(const dap_layout *layout, int axis, int64_t ranges[], dap_error *err);

/* ---- elements --------------------------------------------------------------------------------- */

/* Global index [ndim] -> the rank that owns the element and its position [ndim] in that process's buffer.
 * Errors: DAP_ERR_ARG naming the axis and index that lies outside, DAP_ERR_REMOTE (dap_layout_lookup()). */
DAP_API dap_status dap_layout_locate(const dap_layout *layout, const int64_t global[], int *rank,
                                     int64_t local[], dap_error *err);

/* Position [ndim] in the buffer of process `rank`, communication padding included -> global index
 * [ndim]. *owned (may be NULL) says whether that process owns the element.
 * Errors: DAP_ERR_ARG (rank outside the grid, position outside the buffer), DAP_ERR_REMOTE. */
DAP_API dap_status dap_layout_globalize(const dap_layout *layout, int rank, const int64_t local[],
                                        int64_t global[], bool *owned, dap_error *err);

/* Both for `count` elements at once: global and local [count][ndim], ranks and owned (may be NULL) [count].
 * Errors: as above, for the first element that has one, whose number the text names; what was computed
 * before it stays. */
DAP_API dap_status dap_layout_locate_all(const dap_layout *layout, int64_t count, const int64_t global[],
                                         int ranks[], int64_t local[], dap_error *err);
DAP_API dap_status dap_layout_globalize_all(const dap_layout *layout, int rank, int64_t count,
                                            const int64_t local[], int64_t global[], bool owned[],
                                            dap_error *err);

/* ---- in words ------------------------------------------------------------------------------------ */

/* Writes the layout in words, one line an axis, to `text` of `capacity` bytes, cut to fit and always
 * closed with NUL. Returns the length the whole text has, as snprintf does; (NULL, 0) asks for it. */
DAP_API size_t dap_layout_describe(const dap_layout *layout, char *text, size_t capacity);

/* The same in one line without an end of line, for messages: "10 x 12 over 2 x 3: block, cyclic(2)". */
DAP_API size_t dap_layout_summary(const dap_layout *layout, char *text, size_t capacity);

/* Draws who owns what: the ranks along a 1-D array, or the table of a 2-D one, in stretches of equal owner
 * with the global index at which each begins, and the size at the end. "?" where this process does not know,
 * "..." where there are too many. Arrays of more dimensions are drawn by their first two, at index 0 of the
 * others. Text and capacity as above. */
DAP_API size_t dap_layout_draw(const dap_layout *layout, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif

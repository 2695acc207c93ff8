/* The model layer: the protocol in pure C, without MPI or input/output. This index lists the functions that
 * its files share with each other and with the layers above inside the core library. */
#ifndef DAP_MODEL_IMPL_H
#define DAP_MODEL_IMPL_H

#include "check.h"
#include "hash.h"
#include <dapbridge/array.h>
#include <dapbridge/dialect.h>
#include <dapbridge/dim.h>
#include <dapbridge/dtype.h>
#include <dapbridge/join.h>
#include <dapbridge/layout.h>
#include <dapbridge/matrix.h>
#include <dapbridge/matrix_op.h>
#include <dapbridge/part.h>
#include <dapbridge/rules.h>
#include <dapbridge/status.h>
#include <stdatomic.h>
#include <stddef.h>

/* packed.c: an array of numbers from 0 to `most` that takes few bytes a number */
typedef struct dap_packed {
  void *data; /* [count] */
  int width;  /* bytes of a number: 1, 2, 4 or 8 */
} dap_packed;
bool dap_packed_create(int64_t count, int64_t most, dap_packed *packed); /* zeroed; false: no memory */
void dap_packed_release(dap_packed *packed);
dap_dtype dap_packed_dtype(const dap_packed *packed);
int64_t dap_packed_get(const dap_packed *packed, int64_t index);
void dap_packed_set(dap_packed *packed, int64_t index, int64_t value);

/* ---- the canonical form -------------------------------------------------------------------------
 * A map has one axis on all of its processes, in no dialect. Process c of a contiguous axis owns
 * [bounds[c], bounds[c + 1]). Its buffer also holds halo[c][0] elements before that range and halo[c][1]
 * after it, counted modulo size at the outer edges. */
typedef struct dap_map {
  dap_axis axis;
  const struct dap_dist_ops *ops; /* of axis.dist_type */
  int64_t *bounds;                /* 'b': [procs + 1]; else NULL */
  int64_t (*halo)[2];             /* 'b': [procs] low, high; else NULL */
  struct dap_lists *lists;        /* 'u', neither replicated nor partial; else NULL */
  _Atomic(void *) identity;       /* replicated: the list 0, 1, ... after its first export; else NULL */
} dap_map;

struct dap_layout {
  atomic_int references;
  int ndim;
  int nprocs;
  uint32_t magic; /* for dap_layout_check(); free() may overwrite the first bytes of a struct, not these */
  int64_t count;
  int *ranks;                 /* [nprocs] rank of the process at each grid index; NULL: the grid index */
  int *grid_index;            /* [nprocs] the inverse */
  dap_map maps[DAP_MAX_NDIM]; /* [ndim] */
};

/* The positions of a destination buffer that a transfer fills along one axis. LOW and HIGH are the two ends
 * of HALO. REPLICA is all of a replicated axis of an array that is updated in place, from the process itself.
 * fill.c does not know REPLICA. */
typedef enum dap_region {
  DAP_REGION_OWNED,
  DAP_REGION_HALO,
  DAP_REGION_ALL,
  DAP_REGION_LOW,
  DAP_REGION_HIGH,
  DAP_REGION_REPLICA
} dap_region;

/* ---- checks -------------------------------------------------------------------------------------- */

/* One dictionary under examination. */
typedef struct dap_case {
  const dap_dialect *dialect;
  int axis;
  const dap_dim *dim; /* normal form */
  int64_t extent;     /* the buffer's extent along the axis; DAP_ABSENT: no buffer */
} dap_case;

/* An integer that the normal form of a dictionary must have. All checks rely on its presence, and those of
 * level 2 or more on its bound. */
typedef struct dap_required {
  const char *key;
  size_t member; /* offset of an int64_t of dap_dim */
  int64_t least; /* 0, 1, or INT64_MIN: there is no bound */
  int rule;      /* of the bound */
} dap_required;

/* A rule as a function of one dictionary. It may rely on all checks of lower levels. */
typedef struct dap_check {
  int level; /* 1 or more */
  dap_status (*check)(const dap_case *c, dap_error *err);
} dap_check;

/* Collects findings: the first one goes to err and status, and every one to `tell`, if it is set. */
typedef struct dap_findings {
  void (*tell)(void *context, dap_status status, const dap_error *finding);
  void *context;
  int rank; /* the rank that texts begin with; -1: none, because the process examines itself */
  dap_status status;
  dap_error *err;
  bool is_over; /* further findings are of no use: nobody is told, or memory ran out */
} dap_findings;

/* findings.c: notes a status and its error, if it is one. Returns whether it is DAP_OK. */
bool dap_found(dap_findings *findings, dap_status status, const dap_error *error);

/* The functions of a distribution. dist_type finds the tables of block.c, cyclic.c and unstructured.c. No
 * dictionary names those of replicated.c. */
typedef struct dap_dist_ops {
  char dist_type;
  const char *name;             /* "block" */
  const dap_required *required; /* besides those of all dictionaries; the last has no key */
  const dap_check *checks;      /* of one dictionary, by ascending level; the last has no function */
  /* Makes the canonical form of a dap_dist, whose kind, size and procs are possible. NULL: nothing is left to
   * be set. */
  dap_status (*create)(int axis, const dap_dist *dist, dap_map *map, dap_error *err);
  /* Makes the canonical form of all coordinates' dictionaries dims[procs]. Returns true if none is wrong. */
  bool (*assemble)(const dap_dialect *dialect, int axis, const dap_dim dims[], dap_map *map,
                   dap_findings *findings);
  int64_t (*owned)(const dap_map *map, int coord);
  int64_t (*extent)(const dap_map *map, int coord);
  /* See dap_layout_next_run(). NULL if runs have numbers. */
  bool (*next_run)(const dap_map *map, int coord, dap_run *run);
  /* Returns false if this process does not know the owner. */
  bool (*locate)(const dap_map *map, int64_t global, int *coord, int64_t *local);
  int64_t (*globalize)(const dap_map *map, int coord, int64_t local);
  bool (*is_owned)(const dap_map *map, int coord, int64_t local);
  dap_status (*export)(const dap_map *map, const dap_dialect *dialect, int axis, int coord, dap_dim *dim,
                       dap_error *err);
  /* Runs that ascend, by number. NULL for 'u'. */
  int64_t (*run_count)(const dap_map *map, int coord);
  dap_run (*run)(const dap_map *map, int coord, int64_t index);
  /* Returns the number of the first run that ends behind `global`; run_count() if there is none. */
  int64_t (*run_after)(const dap_map *map, int coord, int64_t global);
} dap_dist_ops;

/* dists.c: the table of distributions, and the axis of a dap_dist */
const dap_dist_ops *dap_dist_ops_find(char dist_type); /* NULL: unknown */
/* Sets ops, and of the axis what is known of them, size and procs. */
void dap_map_start(const dap_dist_ops *ops, int64_t size, int procs, dap_map *map);
dap_status dap_map_create(int axis, const dap_dist *dist, dap_map *map, dap_error *err);
/* Makes the map of an axis from the normal dictionaries dims[procs] of all coordinates. Returns true if
 * nothing is wrong. */
bool dap_map_assemble(const dap_dialect *dialect, int axis, const dap_dim dims[], dap_map *map,
                      dap_findings *findings);
dap_status dap_map_copy(int axis, const dap_map *map, dap_map *copy, dap_error *err);
void dap_map_release(dap_map *map);
bool dap_map_knows(const dap_map *map, int coord); /* this process has the list, if there is one */
bool dap_map_is_all_owned(const dap_map *map);     /* no process holds padding, ghosts or other copies */
bool dap_map_next_run(const dap_map *map, int coord, dap_run *run); /* as dap_layout_next_run() */
/* status.c */
/* Fails because this process does not know the list at `coord`. */
dap_status dap_fail_remote(int axis, int coord, dap_error *err);
/* Puts "rank R: " before the text. If that is too long, it is cut before its rule. */
void dap_error_name_rank(int rank, dap_error *err);

/* block_dim.c: the ranges of a dictionary of 'b', the same in all dialects */
typedef struct dap_block_part {
  int64_t start, stop; /* owned */
  int64_t halo[2];     /* communication padding */
  int64_t boundary[2];
} dap_block_part;
dap_block_part dap_block_part_of(const dap_dialect *dialect, const dap_dim *dim);
extern const dap_required dap_block_required[];
extern const dap_check dap_block_checks[];

/* block.c, cyclic.c, unstructured.c, replicated.c */
extern const dap_dist_ops dap_block_ops;
extern const dap_dist_ops dap_cyclic_ops;
extern const dap_dist_ops dap_unstructured_ops;
extern const dap_dist_ops dap_replicated_ops;
extern const dap_dist_ops dap_partial_ops;
dap_status dap_block_allocate(int axis, dap_map *map, dap_error *err); /* zeroed bounds and halo */
/* Sets halo widths: inner[procs - 1] of the interfaces, or inner[0] of all if `is_one`, and outer[2] of the
 * padding that wraps round. If `inner` is NULL, the interfaces keep theirs. */
dap_status dap_block_widen(int axis, dap_map *map, const int64_t inner[], bool is_one, const int64_t outer[2],
                           dap_error *err);
dap_dist_kind dap_block_cut(const dap_map *map); /* the first that fits: even, ceil, lengths */
/* Whether the axis is replicated or partial, so that every coordinate has all of it. */
static inline bool dap_map_is_whole(const dap_map *map)
{
  return map->axis.replicated || map->axis.partial;
}
/* Returns the number of elements that are dealt to the process at `distance` from the first owner. */
int64_t dap_numroc(int64_t size, int64_t block_size, int64_t distance, int64_t procs);

/* elements.c */
enum { DAP_AXIS_WORDS = 11 };
/* Writes and reads all members of an axis except owners_given, which does not matter for equality. */
void dap_axis_write(const dap_axis *axis, int64_t words[DAP_AXIS_WORDS]);
dap_axis dap_axis_read(const int64_t words[DAP_AXIS_WORDS]);
/* Continues a fingerprint with an axis; the same on every process. */
uint64_t dap_map_hash(uint64_t seed, const dap_map *map);

/* lists.c, directory.c: see lists_impl.h */
/* Checks that the indices of a dictionary can be read. */
dap_status dap_dim_check_indices(int axis, const dap_dim *dim, dap_error *err);
int64_t dap_dim_index(const dap_dim *dim, int64_t i); /* of any integer type; 2^63 - 1 stands for more */

/* fill.c: the stretches of a destination buffer that a transfer fills, in its order. Not for lists. */
int64_t dap_map_fill_count(const dap_map *map, int coord, dap_region region);
dap_run dap_map_fill(const dap_map *map, int coord, dap_region region, int64_t index);

/* lines.c */
/* Returns zeroed memory that begins on a cache line; NULL if there is not enough. `bytes` is positive. 4 MiB
 * or more are in huge pages where the system has them. */
void *dap_lines_allocate(int64_t bytes);
void dap_lines_free(void *at); /* accepts NULL */

/* array.c */
bool dap_layout_has_lists(const dap_layout *layout); /* has 'u' axes */
/* Chooses the distance of rows of `row` bytes. Returns false if it overflows. */
typedef bool dap_pitch(int64_t row, int64_t *pitch);
/* Sets strides in `order`. Rows have no gaps unless `pitch` chooses their distance. *bytes receives the bytes
 * that the strides span, with the gap of the last row. An extent of 0 counts as 1, so that an empty buffer
 * has usable strides; its bytes are 0. */
dap_status dap_array_set_strides(dap_array *array, dap_order order, dap_pitch *pitch, int64_t *bytes,
                                 dap_error *err);
/* Sets abi, version, dictionaries and shape of process `rank`, in protocol `version`. NULL stands for 0.10,
 * or 0.9 if 0.10 has no words for the layout. */
dap_status dap_array_describe(dap_array *array, const dap_layout *layout, int rank, const char *version,
                              dap_error *err);

/* match.c */
/* Checks that the array has the number of dimensions, the extents and the place in the grid that the layout
 * gives process `rank`, one of its processes. Partial axes and arrays without data pass. */
dap_status dap_array_match_place(dap_darray whole, int rank, dap_error *err);
/* Sets the coordinates of process `rank`. Returns DAP_ERR_ARG if whole.local cannot be its part. */
dap_status dap_array_find(dap_darray whole, int rank, int coords[], dap_error *err);

/* aliasing.c */
/* Finds the bytes from the lowest element of a strided buffer to the end of the highest, 0 if it is empty.
 * Returns false if they overflow. */
bool dap_span(int ndim, const int64_t shape[], const int64_t strides[], int64_t itemsize, int64_t *bytes);
/* Elements in memory. */
typedef struct dap_strided {
  const void *data; /* element (0, ..., 0); NULL: there is no memory */
  int ndim;
  const int64_t *shape, *strides; /* [ndim]; strides in bytes */
  int64_t itemsize;
} dap_strided;
/* Whether two buffers share memory; with the same struct, whether two elements do. */
bool dap_strided_overlaps(const dap_strided *a, const dap_strided *b);

/* dialect.c */
/* Finds the dialect of `rules`; if that is NULL, that of the array's version. */
dap_status dap_dialect_choose(const char version[DAP_VERSION_TEXT], const char *rules,
                              const dap_dialect **dialect, dap_error *err);

/* Returns the dialect's name for the type of a dictionary; NULL if it has none. */
const dap_dist_name *dap_dialect_name(const dap_dialect *dialect, const dap_dim *dim);

/* dtype.c: numpy's type string, "<f8" */
enum { DAP_TYPESTR = 8 /* bytes, with the closing NUL */ };
void dap_dtype_write_numpy(dap_dtype dtype, bool swapped, char typestr[DAP_TYPESTR]);

/* dim.c */
/* Returns the normal form, which has no empty dictionary, no 'n', and no absent optional key. */
dap_dim dap_dim_normal(const dap_dialect *dialect, const dap_dim *dim, int64_t extent);
/* Applies all checks to a dictionary, whose normal form is c->dim. Returns true if nothing is wrong. */
bool dap_dim_check(const dap_case *c, const dap_dim *dim, dap_findings *findings);

/* local.c */
dap_status dap_local_check_form(const dap_array *array, dap_error *err); /* abi and numbers of axes */
/* Checks an array by the rules of dap_array_check(), and sets *dialect. Returns true if nothing is wrong. */
bool dap_local_check(const dap_array *array, const char *rules, bool without_buffer,
                     const dap_dialect **dialect, dap_findings *findings);
/* Sets the normal dictionaries [dim_count] of an array that passed. */
void dap_local_dims(const dap_array *array, const dap_dialect *dialect, bool without_buffer, dap_dim dims[]);

/* part.c: fails if the layout does not have the part. */
dap_status dap_part_check(const dap_layout *layout, const dap_part *part, dap_error *err);

/* part_axis.c: [lo, hi) of one axis */
typedef struct dap_range {
  int axis;
  const dap_map *map; /* of the whole */
  int64_t lo, hi;
} dap_range;
/* The positions of the range in a local buffer: first, first + step, ... */
typedef struct dap_positions {
  int64_t first, step;
} dap_positions;
dap_status dap_part_axis(const dap_range *range, dap_map *part, dap_error *err);
/* Makes the map and finds the positions for one coordinate. The map of a 'u' axis has only its list. */
dap_status dap_part_axis_at(const dap_range *range, int coord, dap_positions *window, dap_map *part,
                            dap_error *err);

/* alone.c: whether other processes could complete these dictionaries, which passed all other checks. */
bool dap_local_alone(const dap_dialect *dialect, int ndim, const dap_dim dims[], dap_findings *findings);

/* envelope.c: the properties that must be equal on all processes, as numbers to be sent */
enum { DAP_ENVELOPE_AXIS = 6, DAP_ENVELOPE = 4 + DAP_MAX_NDIM * DAP_ENVELOPE_AXIS };
void dap_envelope_fill(const dap_array *array, const dap_dim dims[], bool without_buffer,
                       int64_t words[DAP_ENVELOPE]);
dap_status dap_envelope_compare(const int64_t mine[DAP_ENVELOPE], const int64_t first[DAP_ENVELOPE],
                                dap_error *err);

/* grid.c */
/* Checks that the product of all proc_grid_size is nprocs. */
dap_status dap_grid_check(int ndim, const dap_dim dims[], int nprocs, dap_error *err);
int dap_grid_index(int ndim, const dap_dim dims[]); /* row-major */
/* Fails because rank `other` has the same grid index. */
dap_status dap_grid_fail(int ndim, const dap_dim dims[], int other, dap_error *err);
/* Returns the grid index of the process whose dictionary stands for this coordinate of `axis`. Its other
 * coordinates are 0. */
int dap_grid_root(int ndim, const dap_dim dims[], int axis);
/* Keys that must be equal at one coordinate, as numbers to be sent. START has the length of a list. */
enum { DAP_COORD_START, DAP_COORD_STOP, DAP_COORD_LOW, DAP_COORD_HIGH, DAP_COORD_KEYS };
void dap_coord_keys_fill(const dap_dim *dim, int64_t keys[DAP_COORD_KEYS]);
dap_status dap_coord_keys_compare(const dap_dialect *dialect, int axis, const dap_dim *dim,
                                  const int64_t keys[DAP_COORD_KEYS], int root, dap_error *err);
/* Fails because indices[i] differs from that of rank `root` at the same coordinate. */
dap_status dap_coord_keys_fail_index(int axis, const dap_dim *dim, int64_t i, int64_t theirs, int root,
                                     dap_error *err);
/* Returns the dictionary of `coord` along the axis of `like` that has these keys. */
dap_dim dap_coord_keys_dim(const dap_dim *like, int coord, const int64_t keys[DAP_COORD_KEYS]);

/* layout.c */
/* Makes a layout of maps and takes them over, unless making them failed with `s`. Frees them on error. */
dap_status dap_layout_from_maps(dap_status s, int ndim, dap_map maps[], dap_layout **layout, dap_error *err);
/* Copies the order of its ranks, the permutation ranks[nprocs], to a new layout. NULL: row-major. */
dap_status dap_layout_set_ranks(dap_layout *layout, const int ranks[], dap_error *err);
dap_status dap_layout_check_axis(const dap_layout *layout, int axis, dap_error *err); /* the layout has it */
/* Checks that this process can be process `rank`: it has the lists and the slices of directories of that
 * one's coordinates. */
dap_status dap_layout_check_own(const dap_layout *layout, int rank, dap_error *err);

/* serialize.c: a layout as words, from which others make the same layout. The caller frees *words. */
dap_status dap_layout_pack(const dap_layout *layout, int64_t **words, int64_t *count, dap_error *err);
dap_status dap_layout_unpack(const int64_t words[], int64_t count, dap_layout **layout, dap_error *err);

/* ---- arithmetic, inline because inner loops use it -------------------------------------------------- */

static inline int64_t dap_smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static inline int64_t dap_larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* Returns the magnitude of a stride, which is not INT64_MIN. */
static inline int64_t dap_magnitude(int64_t a)
{
  return a < 0 ? -a : a;
}

/* Multiplies or adds. Returns false if the result overflows. */
static inline bool dap_multiply(int64_t a, int64_t b, int64_t *product)
{
  return !__builtin_mul_overflow(a, b, product);
}

static inline bool dap_add(int64_t a, int64_t b, int64_t *sum)
{
  return !__builtin_add_overflow(a, b, sum);
}

/* text.c: a text that is cut off at `capacity` */
typedef struct dap_text {
  char *out;
  size_t capacity;
  size_t length; /* of the whole text */
} dap_text;
dap_text dap_text_start(char *out, size_t capacity);
void dap_text_add(dap_text *text, const char *format, ...) DAP_PRINTF(2, 3);

#endif

/* dapbridge/dialect.h: the keys of a dimension dictionary in each version of the protocol.
 *
 * For programs that read foreign dictionaries: look up the dialect by __version__, read each key by its
 * name in the dialect, and fill a dap_dim. The library itself interprets a dap_array by the dialect of its
 * `version`. Nothing in this header is collective. */
#ifndef DAPBRIDGE_DIALECT_H
#define DAPBRIDGE_DIALECT_H

#include <dapbridge/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The names of the keys; NULL: the dialect has no such key. */
typedef struct dap_keys {
  const char *dim_data; /* in the export itself; the others are in each dictionary */
  const char *dist_type, *size, *proc_grid_size, *proc_grid_rank;
  const char *start, *stop, *padding, *periodic, *block_size, *indices, *one_to_one;
} dap_keys;

/* A value of the dist_type key. */
typedef struct dap_dist_name {
  const char *name;    /* NULL: the value None (JSON: null) */
  char dist_type;      /* the value for dap_dim.dist_type: 'b', 'c', 'u' or 'n' */
  bool has_padding;    /* the padding key is used; else it is ignored */
  bool has_block_size; /* the block_size key is used; else it is ignored, and the block size is 1 */
} dap_dist_name;

typedef struct dap_dialect {
  const char *versions; /* "0.9.*" for any patch level, or one version */
  const char *exported; /* the version written to exports in this dialect */
  bool is_tuple;        /* __version__ is a tuple of integers, not a string */
  dap_keys keys;
  const dap_dist_name *names; /* [name_count] */
  int name_count;
  bool has_empty;      /* the empty dictionary stands for an undistributed dimension */
  bool padding_inside; /* 'b': start and stop include communication padding */
  bool periodic_wraps; /* 'b', periodic: outer padding is communication padding, outside size */
} dap_dialect;

/* The dialect of a version ("0.10.0"), or NULL if there is none. Static memory. */
DAP_API const dap_dialect *dap_dialect_find(const char *version);

/* The dialect's entry for a value of its dist_type key (NULL: None), or NULL if there is none. Static
 * memory. */
DAP_API const dap_dist_name *dap_dialect_type(const dap_dialect *dialect, const char *name);

#ifdef __cplusplus
}
#endif

#endif

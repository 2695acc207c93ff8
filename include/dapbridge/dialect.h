/* dapbridge/dialect.h: how each version of the protocol spells and means a dimension dictionary.
 *
 * For readers of foreign dictionaries, which look up a dialect by __version__, find each key under its name
 * there, and fill a dap_dim. What the keys mean is the library's to know: it reads a dap_array by the
 * dialect of its `version`. */
#ifndef DAPBRIDGE_DIALECT_H
#define DAPBRIDGE_DIALECT_H

#include <dapbridge/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The names of keys; NULL: the dialect has no such key. */
typedef struct dap_keys {
  const char *dim_data; /* of the export itself; the others are of a dictionary */
  const char *dist_type, *size, *proc_grid_size, *proc_grid_rank;
  const char *start, *stop, *padding, *periodic, *block_size, *indices, *one_to_one;
} dap_keys;

/* A value of the dist_type key. */
typedef struct dap_dist_name {
  const char *name;    /* NULL: the value None (JSON: null) */
  char dist_type;      /* what to put into a dap_dim: 'b', 'c', 'u' or 'n' */
  bool has_padding;    /* the padding key counts; else it is ignored */
  bool has_block_size; /* the block_size key counts; else it is ignored, and is 1 */
} dap_dist_name;

typedef struct dap_dialect {
  const char *versions; /* "0.9.*" for any patch level, or one version */
  const char *exported; /* the version that exports of this dialect name */
  bool is_tuple;        /* __version__ is a tuple of integers, not a string */
  dap_keys keys;
  const dap_dist_name *names; /* [name_count] */
  int name_count;
  bool has_empty;      /* the empty dictionary stands for an undistributed dimension */
  bool padding_inside; /* 'b': start and stop include communication padding */
  bool periodic_wraps; /* 'b', periodic: the outer padding is communication padding, beyond size */
} dap_dialect;

/* The dialect of a version ("0.10.0"), or NULL when there is none. Static. Not collective. */
DAP_API const dap_dialect *dap_dialect_find(const char *version);

/* The dialect's entry for a value of its dist_type key (NULL: None), or NULL. Static. Not collective. */
DAP_API const dap_dist_name *dap_dialect_type(const dap_dialect *dialect, const char *name);

#ifdef __cplusplus
}
#endif

#endif

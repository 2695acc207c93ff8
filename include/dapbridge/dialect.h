/**
 * @file
 * The keys of a dimension dictionary in each version of the protocol.
 *
 * A dialect contains the names and conventions of one version. This header is for programs that read
 * dictionaries exported by other libraries. Such a program finds the dialect for `__version__`, reads each
 * key by its name in the dialect, and fills a dap_dim. dapbridge itself interprets a dap_array according to
 * the dialect for dap_array.version.
 */
#ifndef DAPBRIDGE_DIALECT_H
#define DAPBRIDGE_DIALECT_H

#include <dapbridge/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The names of the keys. A name is NULL if the dialect does not have the key. */
typedef struct dap_keys {
  const char *dim_data;       /**< name of the exported object's key for the list of dictionaries */
  const char *dist_type;      /**< name of the key for dap_dim.dist_type */
  const char *size;           /**< name of the key for dap_dim.size */
  const char *proc_grid_size; /**< name of the key for dap_dim.proc_grid_size */
  const char *proc_grid_rank; /**< name of the key for dap_dim.proc_grid_rank */
  const char *start;          /**< name of the key for dap_dim.start */
  const char *stop;           /**< name of the key for dap_dim.stop */
  const char *padding;        /**< name of the key for dap_dim.padding */
  const char *periodic;       /**< name of the key for dap_dim.periodic */
  const char *block_size;     /**< name of the key for dap_dim.block_size */
  const char *indices;        /**< name of the key for dap_dim.indices */
  const char *one_to_one;     /**< name of the key for dap_dim.one_to_one */
} dap_keys;

/** A value of the dist_type key. */
typedef struct dap_dist_name {
  const char *name;    /**< the value; NULL means None (null in JSON) */
  char dist_type;      /**< the corresponding dap_dim.dist_type: 'b', 'c', 'u' or 'n' */
  bool has_padding;    /**< true if the padding key is used; false if it is ignored */
  bool has_block_size; /**< true if the block_size key is used; false if the block size is 1 */
} dap_dist_name;

/** The names and conventions of one version of the protocol. */
typedef struct dap_dialect {
  const char *versions;       /**< a version, or a pattern for all patch levels, such as "0.9.*" */
  const char *exported;       /**< version number that dapbridge exports with this dialect */
  bool is_tuple;              /**< `__version__` is a tuple of integers, not a string */
  dap_keys keys;              /**< names of the keys */
  const dap_dist_name *names; /**< [name_count] values of the dist_type key */
  int name_count;             /**< number of values in `names` */
  bool has_empty;             /**< the empty dictionary stands for an axis that is not distributed */
  bool padding_inside;        /**< 'b': start and stop include communication padding */
  bool periodic_wraps; /**< 'b', periodic: outer padding is communication padding, and not part of size */
} dap_dialect;

/**
 * Finds the dialect of a version of the protocol.
 *
 * Not collective.
 *
 * @param version  version of the protocol, such as "0.10.0"; may be NULL
 * @return the dialect, in static memory; NULL if the version is unknown or NULL
 */
DAP_API const dap_dialect *dap_dialect_find(const char *version);

/**
 * Finds the entry for a value of the dist_type key.
 *
 * Not collective.
 *
 * @param dialect  a dialect, not NULL
 * @param name     value of the key; NULL means None
 * @return an entry of dialect->names; NULL if no entry has this value
 */
DAP_API const dap_dist_name *dap_dialect_type(const dap_dialect *dialect, const char *name);

#ifdef __cplusplus
}
#endif

#endif

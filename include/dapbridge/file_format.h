/**
 * @file
 * How to add a file format to dap_file_save() and dap_file_load().
 *
 * dapbridge divides the array into pieces. It moves elements to and from the *writers*: the processes that
 * read or write the file. dapbridge creates a new file under another name and renames the file at the end. A
 * format's functions read and write headers and pieces of the array. The elements of a piece are in the
 * file's order.
 */
#ifndef DAPBRIDGE_FILE_FORMAT_H
#define DAPBRIDGE_FILE_FORMAT_H

#include <dapbridge/file.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  DAP_FILE_FORMAT_VERSION = 1 /**< version of struct dap_file_format; changes only if the members change */
};

/** A piece of the file's array: a box of indices. Its axes are in the file's order: the axis whose index
 * varies slowest comes first. The piece need not be contiguous in the file: along any axis, it may contain
 * only a range of the array's indices. */
typedef struct dap_file_piece {
  int ndim;                    /**< number of axes */
  int64_t start[DAP_MAX_NDIM]; /**< [ndim] first index along each axis */
  int64_t shape[DAP_MAX_NDIM]; /**< [ndim] extent along each axis; if any is 0, the piece is empty */
  int64_t count;               /**< number of elements in the piece */
} dap_file_piece;

/** Specifies how a format opens a file. */
typedef enum dap_file_access {
  DAP_FILE_READ = 1, /**< an existing array, to be read */
  DAP_FILE_WRITE,    /**< an existing array, to be changed in place */
  DAP_FILE_CREATE    /**< a new array: `file` is empty, or does not contain the HDF5 dataset */
} dap_file_access;

/** The names that identify an array in a file. */
typedef struct dap_file_name {
  const char *file;    /**< path of the file */
  const char *dataset; /**< the dataset, such as "/group/dataset"; NULL if the path contains no dataset */
  const char *shown;   /**< the path as the caller passed it, for messages */
} dap_file_name;

/**
 * A table of functions that read and write one file format.
 *
 * dapbridge calls `query` on one process, and only for a regular file. It calls the other functions on the
 * writers. The status of these functions may differ between writers. `open` is collective on `comm`, which
 * contains only the writers.
 *
 * `query` checks that the file contains all elements. `layout` [capacity] receives the text of the stored
 * layout, or "" if none is stored. If the file does not contain the dataset, `query` sets info->ndim to -1
 * and returns DAP_ERR_FILE.
 *
 * With DAP_FILE_CREATE, `open` creates an array with shape info->shape and type info->dtype, and sets
 * info->offset. If the format has attributes, `open` also stores `layout` ("" means no layout). If `steps` is
 * not negative, the mode is DAP_FILE_APPEND. The array then has `steps` steps along its first axis, including
 * the new one, and this axis can grow. On error, *state must be NULL. dapbridge calls `close` on each writer
 * that has opened the file.
 *
 * `read` and `write` use a contiguous buffer with the file's type, byte order and order of axes. If
 * is_collective is false, dapbridge does not call these functions on writers whose pieces are empty.
 *
 * All functions may return DAP_ERR_FILE, and all except `close` may return DAP_ERR_NOMEM. `open` and `query`
 * may also return DAP_ERR_UNSUPPORTED, and `query` may return DAP_ERR_RANGE.
 */
struct dap_file_format {
  int version; /**< DAP_FILE_FORMAT_VERSION */
  /** name that identifies the format, such as "npy"; the same on every process */
  const char *name;
  bool has_datasets;   /**< paths have the form "file:dataset" */
  bool has_attributes; /**< the file itself stores the layout */
  bool can_append;     /**< DAP_FILE_APPEND is allowed */
  bool is_collective;  /**< `read` and `write` are called on all writers, with empty pieces if needed */

  /** Reads the array's shape, type and position into *info, and the stored layout into `layout`. */
  dap_status (*query)(const dap_file_format *format, const dap_file_name *name,
                      const dap_file_options *options, dap_file_info *info, char *layout, size_t capacity,
                      dap_error *err);

  /** Opens the file or creates an array in it, and stores the format's own data at *state. */
  dap_status (*open)(const dap_file_format *format, MPI_Comm comm, const dap_file_name *name,
                     dap_file_access access, int64_t steps, const char *layout, dap_file_info *info,
                     void **state, dap_error *err);

  /** Reads one piece into `data`. */
  dap_status (*read)(void *state, const dap_file_piece *piece, void *data, dap_error *err);

  /** Writes one piece from `data`. */
  dap_status (*write)(void *state, const dap_file_piece *piece, const void *data, dap_error *err);

  /** Syncs the file (unless `failed` is true), closes it, and frees the state. */
  dap_status (*close)(void *state, bool failed, dap_error *err);
};

#ifdef __cplusplus
}
#endif

#endif

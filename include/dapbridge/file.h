/**
 * @file
 * Distributed arrays in files that other programs can read and write.
 *
 * Any array can be saved to one file: a .npy file, a raw binary file, or a dataset of an HDF5 file (hdf5.h).
 * Such a file can be loaded into an array of the same shape, with any layout, on any number of processes:
 *
 *     dap_file_save(comm, a, "u.npy", NULL, &err); // on 4 processes
 *
 *     dap_file_query(comm, "u.npy", NULL, &info, &layout, &err); // later, on 3 processes
 *     dap_array_alloc(comm, layout, info.dtype, DAP_ORDER_C, &local, NULL, &err);
 *     dap_file_load(comm, (dap_darray){layout, &local}, "u.npy", NULL, &err);
 *
 * On each node, a few processes read and write the file. Plans move the elements between these processes and
 * the processes that hold the array. The plans work in rounds, so memory use is bounded. The file must have
 * the same path on all nodes.
 */
#ifndef DAPBRIDGE_FILE_H
#define DAPBRIDGE_FILE_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/mpi_family.h>
#include <dapbridge/part.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A file format. dap_file_npy(), dap_file_raw() and dap_file_hdf5() (hdf5.h) return the formats that
 * dapbridge provides. file_format.h explains how to add a format. */
typedef struct dap_file_format dap_file_format;

/**
 * Returns the .npy format, which numpy reads and writes.
 *
 * dapbridge loads versions 1.0, 2.0 and 3.0, both storage orders and both byte orders, but refuses structured
 * types and types without a fixed size. It writes version 1.0 in the machine's byte order. Not collective.
 *
 * Source: numpy, "numpy.lib.format", the NPY format.
 *
 * @return static data
 */
DAP_API const dap_file_format *dap_file_npy(void);

/**
 * Returns the raw format. A raw file contains only elements, which start at byte options.offset.
 *
 * The file does not contain the array's shape or type. dap_file_load() takes the shape from options.shape and
 * the type from options.dtype. If one of these is not set, the function takes it from the array. Not
 * collective.
 *
 * @return static data
 */
DAP_API const dap_file_format *dap_file_raw(void);

/** Specifies how dap_file_save() treats an existing file. DAP_FILE_UPDATE and DAP_FILE_APPEND are not
 * atomic: after an error or a crash, the array in the file may contain both old and new elements. */
typedef enum dap_file_mode {
  /** replaces the whole file atomically. After an error, `path` is either the unchanged old file or the
   * complete new file; see dap_file_save(). */
  DAP_FILE_REPLACE = 0,
  /** overwrites elements in place and keeps the stored layout; adds the dataset if an HDF5 file lacks it */
  DAP_FILE_UPDATE,
  /** HDF5 only: adds one step along the first axis of a dataset, which is created if it does not exist */
  DAP_FILE_APPEND
} dap_file_mode;

/** Options of the functions that save, load and query files. A NULL pointer or a zeroed struct selects the
 * defaults. All processes must pass the same options. `dtype` is ignored for an existing file that stores the
 * type of its elements. `shape` is used only when a raw file is loaded, updated or queried. `part` selects
 * the part of the file's array that is loaded or updated (DAP_FILE_UPDATE). This part must have the shape of
 * the array in memory. */
typedef struct dap_file_options {
  const dap_file_format *format; /**< NULL means .npy; the path must then end in ".npy" */
  dap_file_mode mode;            /**< how dap_file_save() treats an existing file */
  dap_dtype dtype; /**< type of the elements in a new file or a raw file; DAP_NONE means the array's type */
  bool lossy;      /**< true: allow conversions that can lose values; see dap_dtype_holds() */
  dap_order order; /**< storage order of a new file or a raw file; 0 means DAP_ORDER_C */
  bool swapped;    /**< true: a raw file's byte order is opposite to this machine's */
  int64_t offset;  /**< number of bytes before the first element in a raw file, >= 0 */
  int ndim;        /**< number of axes in `shape` */
  /** [ndim] shape of the array in a raw file; NULL means the array's shape or, in a query, a single axis */
  const int64_t *shape;
  dap_part part; /**< part of the array in the file; a zeroed part means the whole array */
  int writers;   /**< number of processes on each node that read or write the file; 0 means 2 */
  /** alignment, in bytes, of pieces in the file, if the length of rows allows it; 0 means 1 MiB */
  int64_t align;
  /** limit on the memory, in bytes, that each process uses in addition to the array; 0 means 64 MiB */
  int64_t memory_bytes;
  bool drop_layout; /**< true: do not store the layout with the data */
} dap_file_options;

/** Describes an array in a file. */
typedef struct dap_file_info {
  int ndim;                    /**< number of axes */
  int64_t shape[DAP_MAX_NDIM]; /**< [ndim] number of elements along each axis */
  dap_dtype dtype;             /**< type of the elements */
  bool swapped;                /**< true: the elements' byte order is opposite to this machine's */
  dap_order order;             /**< storage order in the file */
  int64_t offset;              /**< bytes before the first element; -1 if elements are not contiguous */
  bool has_layout;             /**< true: a stored layout was found and could be used */
  char note[DAP_ERROR_TEXT];   /**< why the stored layout was not used, or "" */
} dap_file_info;

/**
 * Saves an array to a file.
 *
 * Each element is written once. Communication padding and ghosts are not written. The layout is also stored:
 * in HDF5 as an attribute of the dataset, otherwise in `path`.dap. A new file keeps the permissions of the
 * file it replaces.
 *
 *     dap_file_save(comm, a, "u.npy", NULL, &err);
 *
 * Collective on `comm`. No process returns before the file has been synced and renamed.
 *
 * @param comm     communicator whose first ranks are the layout's processes; on the other ranks, array.local
 *                 is NULL
 * @param array    array to save; not changed
 * @param path     path of the file (for HDF5: "file.h5:/group/dataset"); the same on every process
 * @param options  NULL for the defaults; the same on every process
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, a lossy cast is not allowed, or
 *    memory_bytes is too small
 *  - DAP_ERR_UNSUPPORTED: the path's extension is not recognised, or the format does not support the type or
 *    the mode
 *  - DAP_ERR_BUFFER: array.local does not match the layout
 *  - DAP_ERR_FILE: the file cannot be written, or `path`.dap exists but is not a layout. If only the file of
 *    the layout cannot be renamed to `path`.dap, the array has been saved. In all other cases,
 *    DAP_FILE_REPLACE leaves the old file unchanged. With DAP_FILE_UPDATE and DAP_FILE_APPEND, some of the
 *    elements may have been written.
 *  - DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_file_load(); bridge/docs/files.md, "Layouts"
 */
DAP_API dap_status dap_file_save(MPI_Comm comm, dap_darray array, const char *path,
                                 const dap_file_options *options, dap_error *err);

/**
 * Loads an array from a file.
 *
 * Elements are converted to the array's type and byte order. Communication padding, ghosts and all copies of
 * replicated elements are also filled.
 *
 *     dap_file_options options = {.part = {.start = (int64_t[]){10, 0}, .shape = (int64_t[]){5, 100}}};
 *     dap_file_load(comm, a, "u.npy", &options, &err); // loads rows 10 to 14 into the 5 x 100 array a
 *
 * Collective on `comm`.
 *
 * @param comm     communicator whose first ranks are the layout's processes; on the other ranks, array.local
 *                 is NULL
 * @param array    receives the elements; the array is unchanged if the file is refused, and unspecified if
 *                 reading fails midway
 * @param path     path of the file (for HDF5: "file.h5:/group/dataset"); the same on every process
 * @param options  NULL for the defaults; the same on every process
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, shapes differ, a lossy cast is not
 *    allowed, or memory_bytes is too small
 *  - DAP_ERR_UNSUPPORTED: the path's extension is not recognised, or the type of the file's elements is
 *    unknown
 *  - DAP_ERR_BUFFER: array.local does not match the layout or is read-only
 *  - DAP_ERR_FILE: the file cannot be read, is too short, or has a wrong header
 *  - DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_file_query(), dap_file_save()
 */
DAP_API dap_status dap_file_load(MPI_Comm comm, dap_darray array, const char *path,
                                 const dap_file_options *options, dap_error *err);

/**
 * Reads the description of an array in a file, and creates a layout for the array.
 *
 * The function returns the stored layout if this layout is usable and has as many processes as `comm`.
 * Otherwise the function returns a layout with even blocks along the first axis, and info->note gives the
 * reason. If options->part is set, the layout describes the part. Collective on `comm`. One process reads the
 * file.
 *
 * @param comm     communicator whose processes will hold the array
 * @param path     path of the file (for HDF5: "file.h5:/group/dataset"); the same on every process
 * @param options  NULL for the defaults; the same on every process
 * @param info     receives the array's description; zeroed on error
 * @param layout   receives the layout, to be freed with dap_layout_destroy(); NULL on error. May be NULL.
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes
 *  - DAP_ERR_UNSUPPORTED: the path's extension is not recognised, or the type of the file's elements is
 *    unknown
 *  - DAP_ERR_FILE: the file cannot be read, is too short, or has a wrong header
 *  - DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_file_load()
 */
DAP_API dap_status dap_file_query(MPI_Comm comm, const char *path, const dap_file_options *options,
                                  dap_file_info *info, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif

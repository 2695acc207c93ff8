/* Declares the functions and types that the files of the format HDF5 share. They use public headers only. No
 * call of HDF5 is collective, so no process waits for one that failed. */
#ifndef DAP_HDF5_IMPL_H
#define DAP_HDF5_IMPL_H

#include "check.h"
#include <dapbridge/comm.h>
#include <dapbridge/file_format.h>
#include <dapbridge/hdf5.h>

#include <hdf5.h>

/* One writer changes an HDF5 file's structure: it makes or extends the dataset and has all storage allocated
 * (prepare.c). Then every writer reads and writes elements at their place in the file. The elements of a
 * contiguous dataset are bytes at an offset, which the format raw moves without HDF5. Other datasets are read
 * and written by HDF5 on each process separately (chunks.c). */

/* errors.c: HDF5 prints no errors between silence and restore. */
typedef struct dap_hdf5_printing {
  H5E_auto2_t function;
  void *data;
  bool is_known; /* the program has not set it by functions of HDF5 1.6 */
} dap_hdf5_printing;
dap_hdf5_printing dap_hdf5_silence(void);
void dap_hdf5_restore(const dap_hdf5_printing *printing);
/* Returns DAP_ERR_FILE with HDF5's innermost message, for the call of HDF5 that has just failed. */
dap_status dap_hdf5_fail(const dap_file_name *name, const char *what, dap_error *err);
dap_status dap_hdf5_fail_errno(const dap_file_name *name, const char *what, int error, dap_error *err);

/* types.c: HDF5's type of elements.
 * make: returns a type to be closed; a negative number: HDF5 fails, or does not have it on this machine.
 * find: finds the type of a dataset's elements. DAP_ERR_UNSUPPORTED: dapbridge does not have it. */
hid_t dap_hdf5_type_make(dap_dtype dtype, bool swapped);
dap_status dap_hdf5_type_find(hid_t type, const dap_file_name *name, dap_dtype *dtype, bool *swapped,
                              dap_error *err);

/* driver.c: HDF5's access to a file that is written. HDF5 does not learn of errors in writing. HDF5 1.10
 * crashes in MPI_Finalize() after a file could not be closed because a write had failed, as on a full disk.
 * So the driver keeps the error and goes on. */
typedef struct dap_hdf5_faults {
  int error;         /* errno of the first operation that failed, after which nothing is written; 0: none */
  bool discards;     /* nothing is written */
  bool only_data;    /* elements are written, and nothing else */
  bool lacks_memory; /* there was no memory to open the file; HDF5 tries twice to open a new one */
} dap_hdf5_faults;
/* open: with `is_new` the file exists and is empty, and becomes an HDF5 file. *faults stays until *file is
 * closed. On error *file is negative. */
dap_status dap_hdf5_driver_open(const dap_file_name *name, bool is_new, dap_hdf5_faults *faults, hid_t *file,
                                dap_error *err);

/* find.c: a dataset of an open file, to be closed. If it is missing, DAP_ERR_FILE is returned and
 * *is_there becomes false. `is_there` may be NULL. */
dap_status dap_hdf5_find(hid_t file, const dap_file_name *name, hid_t *dataset, bool *is_there,
                         dap_error *err);

/* Returns a copy of a text, for free(). A copy of NULL is "". NULL: no memory. */
char *dap_hdf5_copy(const char *text);

/* query.c. describe: sets shape, type and place of a dataset. */
dap_status dap_hdf5_describe(hid_t dataset, const dap_file_name *name, dap_file_info *info, dap_error *err);
dap_status dap_hdf5_query(const dap_file_format *format, const dap_file_name *name,
                          const dap_file_options *options, dap_file_info *info, char *layout, size_t capacity,
                          dap_error *err);

/* layout.c: the attribute "dap_layout". read: the text is "" if there is none, or it is too long. */
dap_status dap_hdf5_layout_write(hid_t dataset, const dap_file_name *name, const char *text, dap_error *err);
void dap_hdf5_layout_read(hid_t dataset, char *text, size_t capacity);

/* prepare.c: makes, extends and allocates the dataset, on one process; sets info->offset. `fd` is open for
 * writing. On error a file that was not empty stays as it was.
 * undo: removes the new dataset, or the new step; errors are ignored. */
typedef struct dap_hdf5_change {
  dap_file_access access;
  int64_t steps;      /* as in dap_file_format.open */
  const char *layout; /* text, or "" */
} dap_hdf5_change;
dap_status dap_hdf5_prepare(int fd, const dap_file_name *name, const dap_hdf5_change *change,
                            dap_file_info *info, dap_error *err);
void dap_hdf5_undo(const dap_file_name *name, const dap_hdf5_change *change);

/* make.c: a new dataset in an open file, and the groups on the way to it. */
dap_status dap_hdf5_make(hid_t file, const dap_file_name *name, const dap_hdf5_change *change,
                         const dap_file_info *info, hid_t *dataset, dap_error *err);

/* allocate.c: has HDF5 allocate all storage of a dataset, or that from index `first` of its first axis on. */
dap_status dap_hdf5_allocate(hid_t dataset, const dap_file_name *name, int64_t first, dap_error *err);

/* open.c: an open file on one process. */
typedef struct dap_hdf5_file {
  dap_file_name name; /* its texts belong to this struct */
  dap_file_info info;
  dap_hdf5_change change;    /* layout is NULL */
  bool undoes;               /* this process takes back a change that failed */
  bool is_made;              /* this process has made the file */
  int fd;                    /* to lock and sync it; -1: not open */
  void *bytes;               /* of the format raw, for a contiguous dataset; or NULL */
  hid_t file, dataset, type; /* of another dataset; negative: not open */
  dap_hdf5_faults faults;
} dap_hdf5_file;
dap_status dap_hdf5_open(const dap_file_format *format, MPI_Comm comm, const dap_file_name *name,
                         dap_file_access access, int64_t steps, const char *layout, dap_file_info *info,
                         void **state, dap_error *err);
dap_status dap_hdf5_close(void *state, bool failed, dap_error *err);

/* chunks.c: a dataset that is not contiguous, and a piece of it. */
typedef struct dap_hdf5_memory {
  void *to;         /* receives elements; NULL: `from` is written */
  const void *from; /* elements that are written */
} dap_hdf5_memory;
dap_status dap_hdf5_chunks_open(dap_hdf5_file *f, dap_error *err);
dap_status dap_hdf5_chunks(dap_hdf5_file *f, const dap_file_piece *piece, dap_hdf5_memory memory,
                           dap_error *err);

#endif

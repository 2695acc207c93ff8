/* Reads and makes datasets by HDF5's own functions on rank 0, and makes arrays by rows. */
#ifndef DAP_TEST_DATASETS_H
#define DAP_TEST_DATASETS_H

#include <dapbridge/file_format.h>
#include <dapbridge/hdf5.h>
#include <hdf5.h>

#include "files.h"

/* Returns "<folder>/<file>:<dataset>". The memory is static, as in files_path(). */
const char *dataset_path(const char *file, const char *dataset);

/* Reads a dataset on rank 0, in C order, as elements of `type`; 0: the file's type. The caller frees the
 * elements. Returns NULL on other ranks, and if the dataset cannot be read. If `extent` is not NULL, rank
 * 0 sets *extent to the extent of the first axis. */
void *dataset_read(const char *file, const char *dataset, hid_t type, int64_t *extent);

/* Description of a dataset that rank 0 makes. */
typedef struct dataset_row {
  const char *file, *name;
  hid_t type;   /* type in the file */
  hid_t memory; /* type of `elements`; 0: the same */
  int ndim;
  int64_t shape[DAP_MAX_NDIM];
  const void *elements; /* NULL: none is written */
  hid_t properties;     /* for H5Dcreate2(); 0: the default */
  const int64_t *limit; /* [ndim]; -1: unlimited; NULL: the shape */
  bool is_new;          /* makes the file */
} dataset_row;
void dataset_make(const dataset_row *row);

/* Records a failure if HDF5 has open objects. Called on every process. */
void datasets_are_closed(void);

/* An array of float64 in blocks of its first axis. rows_end() frees it. */
typedef struct test_rows {
  dap_layout *layout;
  dap_array array;
  int64_t first, count; /* number of this process's first element in C order, and of its elements */
} test_rows;
test_rows rows_make(int ndim, const int64_t shape[]);
void rows_end(test_rows *rows);
dap_darray rows_array(test_rows *rows);
/* Sets element number i to i + shift. */
void rows_fill(const test_rows *rows, int64_t shift);
bool rows_check(const test_rows *rows, int64_t shift);

/* Saves or loads with the format HDF5. */
dap_status rows_save(test_rows *rows, const char *path, dap_file_mode mode, dap_error *err);
dap_status rows_load(test_rows *rows, const char *path, dap_error *err);

#endif

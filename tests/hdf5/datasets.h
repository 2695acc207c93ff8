/* Datasets of tests, by HDF5's own functions on rank 0, and arrays by rows. */
#ifndef DAP_TEST_DATASETS_H
#define DAP_TEST_DATASETS_H

#include <dapbridge/file_format.h>
#include <dapbridge/hdf5.h>
#include <hdf5.h>

#include "files.h"

/* "<folder>/<file>:<dataset>". Static memory, as that of files_path(). */
const char *dataset_path(const char *file, const char *dataset);

/* Reads a dataset, in C order, as elements of a type; 0: the file's. On rank 0; NULL elsewhere, and where
 * it cannot be read. For free(). */
void *dataset_read(const char *file, const char *dataset, hid_t type);

/* The extent of a dataset's first axis; on rank 0, and `elsewhere` on other ranks. */
int64_t dataset_extent(const char *file, const char *dataset, int64_t elsewhere);

/* Makes a dataset on rank 0. */
typedef struct dataset_row {
  const char *file, *name;
  hid_t type;   /* in the file */
  hid_t memory; /* of `elements`; 0: the same */
  int ndim;
  int64_t shape[DAP_MAX_NDIM];
  const void *elements; /* NULL: none are written */
  hid_t properties;     /* of H5Dcreate2(); 0: the default */
  const int64_t *limit; /* [ndim], -1: unlimited; NULL: the shape */
  bool is_new;          /* the file is made */
} dataset_row;
void dataset_make(const dataset_row *row);

/* Records a failure if HDF5 has open objects. On every process. */
void datasets_are_closed(void);

/* An array of float64 that is dealt out by blocks of its first axis. Ended by rows_end(). */
typedef struct test_rows {
  dap_layout *layout;
  dap_array array;
  int64_t first, count; /* elements of this process: number of the first, in C order */
} test_rows;
test_rows rows_make(int ndim, const int64_t shape[]);
void rows_end(test_rows *rows);
dap_darray rows_array(test_rows *rows);
/* Element number i is i + shift. */
void rows_fill(const test_rows *rows, int64_t shift);
bool rows_check(const test_rows *rows, int64_t shift);

/* Saves or loads with the format HDF5. */
dap_status rows_save(test_rows *rows, const char *path, dap_file_mode mode, dap_error *err);
dap_status rows_load(test_rows *rows, const char *path, dap_error *err);

#endif

#include "datasets.h"

#include "mpi_test.h"

#include <inttypes.h>

const char *dataset_path(const char *file, const char *dataset)
{
  char name[200];
  snprintf(name, sizeof name, "%s:%s", file, dataset);
  return files_path(name);
}

/* ---- one process ------------------------------------------------------------------------------------- */

void *dataset_read(const char *file, const char *dataset, hid_t type, int64_t *extent)
{
  hsize_t shape[H5S_MAX_RANK] = {0};
  if (test_rank() > 0) return NULL;
  hid_t opened = H5Fopen(files_path(file), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2(opened, dataset, H5P_DEFAULT), own = H5Dget_type(set), space = H5Dget_space(set);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  EXPECT(H5Sget_simple_extent_dims(space, shape, NULL) >= 0);
  if (extent) *extent = (int64_t)shape[0];
  if (!type) type = own;
  void *elements = set < 0 ? NULL : calloc((size_t)count + 1, H5Tget_size(type));
  EXPECT(set >= 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements) >= 0);
  H5Sclose(space);
  H5Tclose(own);
  H5Dclose(set);
  H5Fclose(opened);
  return elements;
}

static hid_t make_space(const dataset_row *row)
{
  hsize_t shape[DAP_MAX_NDIM], limit[DAP_MAX_NDIM];
  for (int k = 0; k < row->ndim; k++) {
    shape[k] = (hsize_t)row->shape[k];
    limit[k] = !row->limit ? shape[k] : row->limit[k] < 0 ? H5S_UNLIMITED : (hsize_t)row->limit[k];
  }
  return row->ndim == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(row->ndim, shape, limit);
}

void dataset_make(const dataset_row *row)
{
  if (test_rank() == 0) {
    hid_t file = row->is_new ? H5Fcreate(files_path(row->file), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                             : H5Fopen(files_path(row->file), H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t space = make_space(row);
    hid_t set = H5Dcreate2(file, row->name, row->type, space, H5P_DEFAULT,
                           row->properties ? row->properties : H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_MSG(set >= 0, "HDF5 cannot make %s", row->name);
    if (row->elements)
      EXPECT(H5Dwrite(set, row->memory ? row->memory : row->type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                      row->elements) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void datasets_are_closed(void)
{
  EXPECT_INT(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* ---- rows -------------------------------------------------------------------------------------------- */

test_rows rows_make(int ndim, const int64_t shape[])
{
  dap_dist dists[DAP_MAX_NDIM];
  int64_t row = 1;
  dap_error err = {0};
  for (int k = 0; k < ndim; k++) dists[k] = dap_dist_even(shape[k], k == 0 ? test_nprocs() : 1);
  for (int k = 1; k < ndim; k++) row *= shape[k];
  test_rows rows = {.layout = layout_make(ndim, dists, NULL)};
  EXPECT_OK(dap_array_init(&rows.array, rows.layout, test_rank(), DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  dap_run run = {0};
  if (dap_layout_next_run(rows.layout, 0, test_rank(), &run)) rows.first = run.global * row;
  rows.count = rows.array.shape[0] * row;
  return rows;
}

void rows_end(test_rows *rows)
{
  dap_array_release(&rows->array);
  dap_layout_destroy(&rows->layout);
}

dap_darray rows_array(test_rows *rows)
{
  return (dap_darray){rows->layout, &rows->array};
}

void rows_fill(const test_rows *rows, int64_t shift)
{
  for (int64_t i = 0; i < rows->count; i++)
    ((double *)rows->array.data)[i] = (double)(rows->first + i + shift);
}

bool rows_check(const test_rows *rows, int64_t shift)
{
  for (int64_t i = 0; i < rows->count; i++) {
    const double found = ((double *)rows->array.data)[i];
    if (!EXPECT_MSG(found == (double)(rows->first + i + shift), "element %" PRId64 " is %g, not %g",
                    rows->first + i, found, (double)(rows->first + i + shift)))
      return false;
  }
  return true;
}

dap_status rows_save(test_rows *rows, const char *path, dap_file_mode mode, dap_error *err)
{
  const dap_file_options options = {.format = dap_file_hdf5(), .mode = mode};
  return dap_file_save(MPI_COMM_WORLD, rows_array(rows), path, &options, err);
}

dap_status rows_load(test_rows *rows, const char *path, dap_error *err)
{
  const dap_file_options options = {.format = dap_file_hdf5()};
  for (int64_t i = 0; i < rows->count; i++) ((double *)rows->array.data)[i] = -1;
  return dap_file_load(MPI_COMM_WORLD, rows_array(rows), path, &options, err);
}

/* Datasets beyond 2^31 elements, of which parts are changed and read; the rest of the file is a hole. */
#include "datasets.h"
#include "mpi_test.h"

#include <inttypes.h>

static const int64_t huge[2] = {5, 3000000001}, part_shape[2] = {2, 40};

static void make_huge(void)
{
  const dataset_row row = {.file = "huge.h5",
                           .name = "u",
                           .type = H5T_STD_U8LE,
                           .ndim = 2,
                           .shape = {huge[0], huge[1]},
                           .is_new = true};
  dataset_make(&row);
}

/* What HDF5 has at a place. */
static void check_element(int64_t row, int64_t column, int want)
{
  const hsize_t at[2] = {(hsize_t)row, (hsize_t)column}, one = 1;
  unsigned char found = 99;
  if (test_rank() > 0) return;
  hid_t file = H5Fopen(files_path("huge.h5"), H5F_ACC_RDONLY, H5P_DEFAULT),
        set = H5Dopen2(file, "u", H5P_DEFAULT);
  hid_t there = H5Dget_space(set), here = H5Screate_simple(1, &one, NULL);
  H5Sselect_elements(there, H5S_SELECT_SET, 1, at);
  EXPECT(H5Dread(set, H5T_NATIVE_UINT8, here, there, H5P_DEFAULT, &found) >= 0);
  EXPECT_MSG(found == want, "row %" PRId64 ", column %" PRId64 " is %d, not %d", row, column, found, want);
  H5Sclose(here);
  H5Sclose(there);
  H5Dclose(set);
  H5Fclose(file);
}

static void beyond_32_bits(void **state)
{
  (void)state;
  const int64_t start[2] = {2, huge[1] - part_shape[1]};
  const dap_file_options options = {.format = dap_file_hdf5(),
                                    .mode = DAP_FILE_UPDATE,
                                    .lossy = true,
                                    .part = {.start = start, .shape = part_shape}};
  dap_file_info info;
  dap_error err = {0};
  files_begin();
  make_huge();
  test_rows rows = rows_make(2, part_shape);
  char path[600];
  snprintf(path, sizeof path, "%s", dataset_path("huge.h5", "/u"));
  rows_fill(&rows, 1);
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, rows_array(&rows), path, &options, &err), &err);
  check_element(2, start[1], 1);
  check_element(3, huge[1] - 1, 80);
  check_element(3, start[1] - 1, 0);
  check_element(4, huge[1] - 1, 0);
  EXPECT_OK(dap_file_query(MPI_COMM_WORLD, path, &options, &info, NULL, &err), &err);
  EXPECT(info.shape[1] == huge[1] && info.offset > 0);
  rows_fill(&rows, 100);
  EXPECT_OK(dap_file_load(MPI_COMM_WORLD, rows_array(&rows), path, &options, &err), &err);
  rows_check(&rows, 1);
  rows_end(&rows);
  datasets_are_closed();
  SETTLE();
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(beyond_32_bits)};
MPI_TEST_MAIN(tests)

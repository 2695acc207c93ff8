/* Tests how elements are stored in files. Every storage must be read, and every one that can be changed in
 * place must be updated. */
#include "datasets.h"
#include "mpi_test.h"

#include <inttypes.h>

static const int64_t shape[2] = {20, 6};
enum { COUNT = 120 };

static hid_t contiguous(void)
{
  return H5Pcreate(H5P_DATASET_CREATE);
}

static hid_t filled(void)
{
  const double fill = 3;
  hid_t made = contiguous();
  H5Pset_fill_value(made, H5T_NATIVE_DOUBLE, &fill);
  return made;
}

static hid_t early(void)
{
  hid_t made = contiguous();
  H5Pset_alloc_time(made, H5D_ALLOC_TIME_EARLY);
  return made;
}

static hid_t compact(void)
{
  hid_t made = contiguous();
  H5Pset_layout(made, H5D_COMPACT);
  return made;
}

static hid_t chunked(void)
{
  const hsize_t chunk[2] = {3, 4};
  hid_t made = contiguous();
  H5Pset_chunk(made, 2, chunk);
  return made;
}

static hid_t chunked_filled(void)
{
  const hsize_t chunk[2] = {7, 6};
  hid_t made = filled();
  H5Pset_chunk(made, 2, chunk);
  return made;
}

static hid_t compressed(void)
{
  hid_t made = chunked();
  H5Pset_shuffle(made);
  H5Pset_deflate(made, 6);
  return made;
}

static hid_t external(void)
{
  hid_t made = contiguous();
  H5Pset_external(made, files_path("elements"), 0, COUNT * sizeof(double));
  return made;
}

/* Makes a virtual dataset, which refers to all of a dataset in another file. */
static hid_t virtual(void)
{
  const hsize_t extent[2] = {(hsize_t)shape[0], (hsize_t)shape[1]};
  const dataset_row source = {.file = "source.h5",
                              .name = "s",
                              .type = H5T_NATIVE_DOUBLE,
                              .ndim = 2,
                              .shape = {shape[0], shape[1]},
                              .is_new = true};
  dataset_make(&source);
  hid_t made = contiguous(), space = H5Screate_simple(2, extent, NULL);
  EXPECT(H5Pset_virtual(made, space, files_path("source.h5"), "s", space) >= 0);
  H5Sclose(space);
  return made;
}

static const struct {
  hid_t (*properties)(void);
  bool is_written; /* whether elements are written; otherwise they have the fill value */
  int fill;
  const char *update; /* why an update is refused; NULL: it succeeds */
  bool has_offset;
  const char *why;
} rows[] = {
    {contiguous, true, 0, NULL, true, "bytes at an offset"},
    {contiguous, false, 0, NULL, false, "nothing was written, so there is no storage yet"},
    {filled, false, 3, NULL, false, "the same with a fill value"},
    {early, false, 0, NULL, true, "storage without elements"},
    {chunked, true, 0, NULL, false, "edges of chunks are no edges of rows"},
    {chunked, false, 0, NULL, false, "no chunk is there yet"},
    {chunked_filled, false, 3, NULL, false, "the same with a fill value"},
    {compressed, true, 0, "is compressed", false, "shuffle and gzip"},
    {compact, true, 0, "is compact", false, "elements in the dataset's header"},
    {external, true, 0, "is in other files", false, "elements in another file"},
    {virtual, true, 0, "is virtual", false, "elements of another dataset"},
};

/* Checks that rows 5 to 14 increased by 1000, and that the others did not change. */
static void check_updated(int row, int before)
{
  double *found = dataset_read("storage.h5", "g", H5T_NATIVE_DOUBLE, NULL);
  for (int i = 0; found && i < COUNT; i++) {
    const int old = rows[row].is_written ? i : before;
    const int want = i >= 5 * shape[1] && i < 15 * shape[1] ? i - 5 * (int)shape[1] + 1000 : old;
    EXPECT_MSG(found[i] == want, "element %d is %g, not %d", i, found[i], want);
  }
  free(found);
}

static void update(int row)
{
  const int64_t part_shape[2] = {10, shape[1]}, part_start[2] = {5, 0};
  const dap_file_options options = {
      .format = dap_file_hdf5(), .mode = DAP_FILE_UPDATE, .part = {.start = part_start, .shape = part_shape}};
  test_rows part = rows_make(2, part_shape);
  dap_error err = {0};
  rows_fill(&part, 1000);
  const dap_status s =
      dap_file_save(MPI_COMM_WORLD, rows_array(&part), dataset_path("storage.h5", "g"), &options, &err);
  if (!rows[row].update) {
    EXPECT_OK(s, &err);
    check_updated(row, rows[row].fill);
  } else {
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, rows[row].update);
  }
  rows_end(&part);
}

static void all_storage_is_read(void **state)
{
  (void)state;
  double numbers[COUNT];
  for (int i = 0; i < COUNT; i++) numbers[i] = i;
  files_begin();
  test_rows whole = rows_make(2, shape);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_file_info info;
    dap_error err = {0};
    hid_t made = rows[i].properties();
    const dap_file_options options = {.format = dap_file_hdf5()};
    TEST_CASE("%s", rows[i].why);
    dataset_make(&(dataset_row){.file = "storage.h5",
                                .name = "g",
                                .type = H5T_NATIVE_DOUBLE,
                                .ndim = 2,
                                .shape = {shape[0], shape[1]},
                                .elements = rows[i].is_written ? numbers : NULL,
                                .properties = made,
                                .is_new = true});
    H5Pclose(made);
    EXPECT_OK(dap_file_query(MPI_COMM_WORLD, dataset_path("storage.h5", "/g"), &options, &info, NULL, &err),
              &err);
    EXPECT_INT(info.offset >= 0, rows[i].has_offset);
    EXPECT_OK(rows_load(&whole, dataset_path("storage.h5", "/g"), &err), &err);
    if (rows[i].is_written) rows_check(&whole, 0);
    for (int64_t j = 0; !rows[i].is_written && j < whole.count; j++)
      EXPECT(((double *)whole.array.data)[j] == rows[i].fill);
    update((int)i);
    datasets_are_closed();
    SETTLE();
  }
  rows_end(&whole);
  files_end();
}

/* Files of the newest format note which program writes them. Processes that write elements do not change
 * this. */
static void files_of_the_newest_format_are_updated(void **state)
{
  (void)state;
  files_begin();
  const hsize_t extent[2] = {(hsize_t)shape[0], (hsize_t)shape[1]};
  if (test_rank() == 0) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), made = chunked();
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fcreate(files_path("storage.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hid_t space = H5Screate_simple(2, extent, NULL);
    hid_t set = H5Dcreate2(file, "g", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, made, H5P_DEFAULT);
    EXPECT(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(made);
    H5Pclose(access);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  test_rows whole = rows_make(2, shape);
  dap_error err = {0};
  for (int turn = 0; turn < 2; turn++) {
    rows_fill(&whole, turn);
    EXPECT_OK(rows_save(&whole, dataset_path("storage.h5", "g"), DAP_FILE_UPDATE, &err), &err);
    double *found = dataset_read("storage.h5", "g", H5T_NATIVE_DOUBLE, NULL);
    for (int i = 0; found && i < COUNT; i++) EXPECT(found[i] == i + turn);
    free(found);
  }
  rows_end(&whole);
  datasets_are_closed();
  SETTLE();
  files_end();
}

/* An external link is read from the other file, even if the link's file has a dataset of the same name.
 * Updates through it are refused. */
static void external_links_are_read(void **state)
{
  (void)state;
  double numbers[2][COUNT];
  files_begin();
  for (int i = 0; i < COUNT; i++) {
    numbers[0][i] = i;
    numbers[1][i] = -1;
  }
  test_rows whole = rows_make(2, shape);
  dap_error err = {0};
  for (int i = 0; i < 2; i++) /* the linked dataset is in far.h5, the other one in near.h5 */
    dataset_make(&(dataset_row){.file = i ? "near.h5" : "far.h5",
                                .name = "g",
                                .type = H5T_NATIVE_DOUBLE,
                                .ndim = 2,
                                .shape = {shape[0], shape[1]},
                                .elements = numbers[i],
                                .is_new = true});
  if (test_rank() == 0) {
    hid_t file = H5Fopen(files_path("near.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    EXPECT(H5Lcreate_external(files_path("far.h5"), "/g", file, "x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_OK(rows_load(&whole, dataset_path("near.h5", "/x"), &err), &err);
  rows_check(&whole, 0);
  rows_fill(&whole, 7);
  const dap_status s = rows_save(&whole, dataset_path("near.h5", "/x"), DAP_FILE_UPDATE, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, "near.h5:/x|external link|far.h5:/g");
  EXPECT_OK(rows_load(&whole, dataset_path("far.h5", "/g"), &err), &err);
  rows_check(&whole, 0); /* unchanged */
  rows_end(&whole);
  datasets_are_closed();
  SETTLE();
  files_end();
}

/* ---- beyond 2^31 elements: a part is changed and read, the rest of the file is a hole ------------------ */

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

/* Checks an element by HDF5. */
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
  test_rows part = rows_make(2, part_shape);
  char path[600];
  snprintf(path, sizeof path, "%s", dataset_path("huge.h5", "/u"));
  rows_fill(&part, 1);
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, rows_array(&part), path, &options, &err), &err);
  check_element(2, start[1], 1);
  check_element(3, huge[1] - 1, 80);
  check_element(3, start[1] - 1, 0);
  check_element(4, huge[1] - 1, 0);
  EXPECT_OK(dap_file_query(MPI_COMM_WORLD, path, &options, &info, NULL, &err), &err);
  EXPECT(info.shape[1] == huge[1] && info.offset > 0);
  rows_fill(&part, 100);
  EXPECT_OK(dap_file_load(MPI_COMM_WORLD, rows_array(&part), path, &options, &err), &err);
  rows_check(&part, 1);
  rows_end(&part);
  datasets_are_closed();
  SETTLE();
  files_end();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(beyond_32_bits), cmocka_unit_test(all_storage_is_read),
    cmocka_unit_test(external_links_are_read), cmocka_unit_test(files_of_the_newest_format_are_updated)};
MPI_TEST_MAIN(tests)

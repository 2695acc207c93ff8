/* Appends steps along the first axis of datasets. */
#include "datasets.h"
#include "mpi_test.h"

enum { STEPS = 5 };

static int64_t count_of(int ndim, const int64_t shape[])
{
  int64_t count = 1;
  for (int k = 0; k < ndim; k++) count *= shape[k];
  return count;
}

/* Checks the steps, each of which is shifted by 1000 more. */
static void check_steps(const char *file, const char *name, int steps, int64_t count)
{
  int64_t extent = steps;
  double *found = dataset_read(file, name, H5T_NATIVE_DOUBLE, &extent);
  if (!EXPECT_INT(extent, steps)) steps = 0;
  for (int64_t i = 0; found && i < steps * count; i++) {
    const int64_t want = i % count + 1000 * (i / count);
    if (!EXPECT_MSG(found[i] == (double)want, "element %lld is %g, not %lld", (long long)i, found[i],
                    (long long)want))
      break;
  }
  free(found);
}

static const struct {
  int ndim;
  int64_t shape[3];
  hsize_t chunk[4];
  const char *why;
} fresh[] = {
    {2, {20, 6}, {17, 20, 6}, "small steps share a chunk"},
    {1, {7}, {292, 7}, "a step of a few bytes"},
    {1, {300000}, {1, 131072}, "a step is more than one chunk"},
    {3, {4, 300, 700}, {1, 1, 187, 700}, "chunks are whole rows, a part of a matrix"},
    {2, {5, 0}, {409, 5, 1}, "steps without elements"},
};

static void check_chunks(int row)
{
  hsize_t chunk[8] = {0};
  if (test_rank() > 0) return;
  hid_t file = H5Fopen(files_path("steps.hdf5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, "/run/u", H5P_DEFAULT), made = H5Dget_create_plist(set);
  EXPECT_INT(H5Pget_chunk(made, 8, chunk), fresh[row].ndim + 1);
  for (int k = 0; k <= fresh[row].ndim; k++) EXPECT_INT(chunk[k], fresh[row].chunk[k]);
  H5Pclose(made);
  H5Dclose(set);
  H5Fclose(file);
}

static void load_step(test_rows *rows, int step)
{
  const int axes[] = {1, 2, 3};
  const int64_t start[4] = {step};
  const dap_file_options options = {
      .format = dap_file_hdf5(),
      .part = {.naxes = dap_layout_ndim(rows->layout), .axes = axes, .start = start}};
  dap_error err = {0};
  EXPECT_OK(
      dap_file_load(MPI_COMM_WORLD, rows_array(rows), dataset_path("steps.hdf5", "/run/u"), &options, &err),
      &err);
  rows_check(rows, 1000 * step);
}

static void steps_are_appended(void **state)
{
  (void)state;
  files_begin();
  for (size_t i = 0; i < sizeof fresh / sizeof fresh[0]; i++) {
    test_rows rows = rows_make(fresh[i].ndim, fresh[i].shape);
    dap_error err = {0};
    TEST_CASE("%s", fresh[i].why);
    if (test_rank() == 0) (void)remove(files_path("steps.hdf5"));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
      rows_fill(&rows, 1000 * step);
      EXPECT_OK(rows_save(&rows, dataset_path("steps.hdf5", "/run/u"), DAP_FILE_APPEND, &err), &err);
      check_steps("steps.hdf5", "/run/u", step + 1, count_of(fresh[i].ndim, fresh[i].shape));
    }
    check_chunks((int)i);
    for (int step = STEPS - 1; step >= 0; step--) load_step(&rows, step);
    rows_end(&rows);
    datasets_are_closed();
    SETTLE();
  }
  files_end();
}

/* ---- datasets of others ------------------------------------------------------------------------------ */

static const struct {
  int64_t limit, first, second; /* of the dataset's axes */
  bool is_compressed;
  dap_status status;
  const char *parts, *why;
} given[] = {
    {-1, 4, 6, false, DAP_OK, NULL, "as h5py makes it with maxshape=(None, 4, 6): no chunk is there yet"},
    {2, 4, 6, false, DAP_OK, NULL, "there is room for two steps"},
    {1, 4, 6, false, DAP_ERR_UNSUPPORTED, "cannot grow to 2", "there is room for one step"},
    {-1, 4, 6, true, DAP_ERR_UNSUPPORTED, "is compressed",
     "processes cannot write parts of a compressed chunk"},
    {-1, 4, 7, false, DAP_ERR_ARG, "axis 1", "another shape"},
};

static void add_to_given(int i, test_rows *rows)
{
  const int64_t limit[3] = {given[i].limit, given[i].first, given[i].second};
  const hsize_t chunk[3] = {3, 3, 5};
  dap_error err = {0};
  hid_t made = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(made, 3, (hsize_t[]){given[i].limit > 0 ? 1 : chunk[0], chunk[1], chunk[2]});
  if (given[i].is_compressed) H5Pset_deflate(made, 1);
  dataset_make(&(dataset_row){.file = "steps.hdf5",
                              .name = "u",
                              .type = H5T_NATIVE_DOUBLE,
                              .ndim = 3,
                              .shape = {0, given[i].first, given[i].second},
                              .limit = limit,
                              .properties = made,
                              .is_new = true});
  H5Pclose(made);
  dap_status s = DAP_OK;
  int steps = 0;
  for (; !s && steps < 2; steps++) {
    rows_fill(rows, 1000 * steps);
    s = rows_save(rows, dataset_path("steps.hdf5", "u"), DAP_FILE_APPEND, &err);
  }
  expect_same_error(MPI_COMM_WORLD, s, &err, given[i].status, given[i].parts);
  check_steps("steps.hdf5", "u", s ? steps - 1 : steps, 24);
}

static void steps_are_appended_to_datasets_of_others(void **state)
{
  (void)state;
  files_begin();
  test_rows rows = rows_make(2, (int64_t[]){4, 6});
  for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
    TEST_CASE("%s", given[i].why);
    add_to_given((int)i, &rows);
    datasets_are_closed();
    SETTLE();
  }
  rows_end(&rows);
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_appended),
                                          cmocka_unit_test(steps_are_appended_to_datasets_of_others)};
MPI_TEST_MAIN(tests)

/* Saves to files that must not grow. All processes must receive the same error, the old file must not
 * change, HDF5 must still work, and MPI must end. */
#define _DEFAULT_SOURCE /* SIGXFSZ; NOLINT(bugprone-reserved-identifier) */
#include "datasets.h"
#include "mpi_test.h"

#include <signal.h>
#include <sys/resource.h>

static const int64_t shape[2] = {60, 50};
enum { COUNT = 3000, BYTES = 24000 };

/* Limits the bytes of a file; 0: up to the hard limit. */
static void limit_files(rlim_t bytes)
{
  struct rlimit limit;
  EXPECT(getrlimit(RLIMIT_FSIZE, &limit) == 0);
  limit.rlim_cur = bytes ? bytes : limit.rlim_max;
  EXPECT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
  dap_file_mode mode;
  const char *path;
  rlim_t room; /* limit of the file's bytes; if is_beyond, beyond the size of the old file */
  bool is_beyond;
  const char *why;
} rows[] = {
    {DAP_FILE_REPLACE, "room.h5:/u", 100, false, "not even HDF5's first bytes"},
    {DAP_FILE_REPLACE, "room.h5:/u", 3000, false, "not all that HDF5 writes"},
    {DAP_FILE_REPLACE, "room.h5:/u", 20000, false, "not all elements"},
    {DAP_FILE_REPLACE, "room.h5:/a/b/c", 3000, false, "groups on the way"},
    {DAP_FILE_UPDATE, "room.h5:/new", 1, true, "a dataset is added"},
    {DAP_FILE_UPDATE, "room.h5:/new/v", 4000, true, "a dataset is added with a group"},
    {DAP_FILE_UPDATE, "room.h5:/new", BYTES - 8, true, "a dataset is added, with almost enough room"},
    {DAP_FILE_APPEND, "room.h5:/steps", 1, true, "a step is added"},
    {DAP_FILE_APPEND, "room.h5:/new", 100, true, "a first step is added"},
    {DAP_FILE_UPDATE, "other.h5:/u", 3000, false, "a file that was not there is not there"},
    {DAP_FILE_APPEND, "other.h5:/u", 3000, false, "the same with a first step"},
};

static void make_file(test_rows *array)
{
  dap_error err = {0};
  rows_fill(array, 0);
  EXPECT_OK(rows_save(array, dataset_path("room.h5", "/u"), DAP_FILE_REPLACE, &err), &err);
  for (int step = 0; step < 2; step++)
    EXPECT_OK(rows_save(array, dataset_path("room.h5", "/steps"), DAP_FILE_APPEND, &err), &err);
}

/* Checks that the file contains all old data and nothing else. */
static void check_file(void)
{
  for (int i = 0; i < 2; i++) {
    double *found = dataset_read("room.h5", i ? "/steps" : "/u", H5T_NATIVE_DOUBLE, NULL);
    for (int j = 0; found && j < COUNT * (i + 1); j++)
      if (!EXPECT(found[j] == j % COUNT)) break;
    free(found);
  }
  if (test_rank() > 0) return;
  H5G_info_t info = {0};
  hid_t file = H5Fopen(files_path("room.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  EXPECT(H5Gget_info(file, &info) >= 0);
  EXPECT_INT(info.nlinks, 2);
  H5Fclose(file);
}

/* Removes the empty group that remains of "/new/v". */
static void remove_group(void)
{
  hid_t file = H5Fopen(files_path("room.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
  EXPECT(H5Lexists(file, "/new/v", H5P_DEFAULT) == 0);
  EXPECT(H5Ldelete(file, "/new", H5P_DEFAULT) >= 0);
  H5Fclose(file);
}

static void files_without_room_stay(void **state)
{
  (void)state;
  (void)signal(SIGXFSZ, SIG_IGN);
  files_begin();
  test_rows array = rows_make(2, shape);
  make_file(&array);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int64_t length = 0;
    dap_error err = {0};
    TEST_CASE("%s: %s, room %d", rows[i].path, rows[i].why, (int)rows[i].room);
    free(files_read(files_path("room.h5"), &length));
    MPI_Barrier(MPI_COMM_WORLD);
    limit_files(rows[i].room + (rows[i].is_beyond ? (rlim_t)length : 0));
    rows_fill(&array, 5);
    const dap_status s = rows_save(&array, files_path(rows[i].path), rows[i].mode, &err);
    limit_files(0);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, "File too large");
    EXPECT_INT(files_count(), 1);
    check_file();
    datasets_are_closed();
    SETTLE();
  }
  rows_end(&array);
  files_end();
}

/* If moving elements fails, the new dataset or step must be removed again. */
static void changes_are_taken_back(void **state)
{
  const dap_file_format *format = dap_file_hdf5();
  (void)state;
  files_begin();
  test_rows array = rows_make(2, shape);
  make_file(&array);
  for (int appends = 0; appends < 2; appends++) {
    char file[600];
    snprintf(file, sizeof file, "%s", files_path("room.h5"));
    const dap_file_name name = {file, appends ? "/steps" : "/new/v", file};
    dap_file_info info = {
        .ndim = 2 + appends, .shape = {60, 50}, .dtype = DAP_F8, .order = DAP_ORDER_C, .offset = -1};
    if (appends) memcpy(info.shape, (int64_t[]){3, 60, 50}, 3 * sizeof(int64_t));
    void *opened = NULL;
    dap_error err = {0};
    TEST_CASE(appends ? "a step" : "a dataset");
    EXPECT_OK(format->open(format, MPI_COMM_WORLD, &name, appends ? DAP_FILE_WRITE : DAP_FILE_CREATE,
                           appends ? 3 : -1, "", &info, &opened, &err),
              &err);
    MPI_Barrier(MPI_COMM_WORLD);
    if (opened) EXPECT_OK(format->close(opened, true, &err), &err);
    MPI_Barrier(MPI_COMM_WORLD);
    int64_t extent = 2;
    free(dataset_read("room.h5", "/steps", 0, &extent));
    EXPECT_INT(extent, 2);
    if (test_rank() == 0 && !appends) remove_group();
    check_file();
    datasets_are_closed();
    SETTLE();
  }
  rows_end(&array);
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(files_without_room_stay),
                                          cmocka_unit_test(changes_are_taken_back)};
MPI_TEST_MAIN(tests)

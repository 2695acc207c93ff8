/* Files that must not grow: the same error everywhere, and the old file is as it was. HDF5 goes on, and
 * MPI ends. */
#define _DEFAULT_SOURCE /* SIGXFSZ; NOLINT(bugprone-reserved-identifier) */
#include "datasets.h"
#include "mpi_test.h"

#include <signal.h>
#include <sys/resource.h>

static const int64_t shape[2] = {60, 50};
enum { COUNT = 3000, BYTES = 24000 };

/* Bytes that a file may have; 0: as many as there is room for. */
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
  const char *dataset;
  rlim_t room; /* bytes that the file may have; more than the old one has: from there on */
  bool is_beyond;
  const char *why;
} rows[] = {
    {DAP_FILE_REPLACE, "/u", 100, false, "not even HDF5's first bytes"},
    {DAP_FILE_REPLACE, "/u", 3000, false, "not all that HDF5 writes"},
    {DAP_FILE_REPLACE, "/u", 20000, false, "not all elements"},
    {DAP_FILE_REPLACE, "/a/b/c", 3000, false, "groups on the way"},
    {DAP_FILE_UPDATE, "/new", 1, true, "a dataset is added"},
    {DAP_FILE_UPDATE, "/new/v", 4000, true, "a dataset is added with a group"},
    {DAP_FILE_UPDATE, "/new", BYTES - 8, true, "a dataset is added, and there is almost enough room"},
    {DAP_FILE_APPEND, "/steps", 1, true, "a step is added"},
    {DAP_FILE_APPEND, "/new", 100, true, "a first step is added"},
};

static void make_file(test_rows *array)
{
  dap_error err = {0};
  rows_fill(array, 0);
  EXPECT_OK(rows_save(array, dataset_path("room.h5", "/u"), DAP_FILE_REPLACE, &err), &err);
  for (int step = 0; step < 2; step++)
    EXPECT_OK(rows_save(array, dataset_path("room.h5", "/steps"), DAP_FILE_APPEND, &err), &err);
}

/* All that was in the file is there, and nothing else. */
static void check_file(void)
{
  for (int i = 0; i < 2; i++) {
    double *found = dataset_read("room.h5", i ? "/steps" : "/u", H5T_NATIVE_DOUBLE);
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
    TEST_CASE("%s, room %d", rows[i].why, (int)rows[i].room);
    free(files_read(files_path("room.h5"), &length));
    MPI_Barrier(MPI_COMM_WORLD);
    limit_files(rows[i].room + (rows[i].is_beyond ? (rlim_t)length : 0));
    rows_fill(&array, 5);
    const dap_status s = rows_save(&array, dataset_path("room.h5", rows[i].dataset), rows[i].mode, &err);
    limit_files(0);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, "room.h5:|File too large");
    EXPECT_INT(files_count(), 1);
    check_file();
    datasets_are_closed();
    SETTLE();
  }
  rows_end(&array);
  files_end();
}

/* The old file is replaced once there is room. */
static void a_file_is_saved_afterwards(void **state)
{
  (void)state;
  files_begin();
  test_rows array = rows_make(2, shape);
  dap_error err = {0};
  make_file(&array);
  EXPECT_OK(rows_load(&array, dataset_path("room.h5", "/u"), &err), &err);
  rows_check(&array, 0);
  rows_end(&array);
  datasets_are_closed();
  SETTLE();
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(files_without_room_stay),
                                          cmocka_unit_test(a_file_is_saved_afterwards)};
MPI_TEST_MAIN(tests)

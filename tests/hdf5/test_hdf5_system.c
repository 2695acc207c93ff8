/* Lets each call of the system fail on one process, in each kind of save and in a load. All processes must
 * report it with the same text, and no file may stay open. The next call must work as usual. */
#include "datasets.h"
#include "mpi_test.h"
#include "system_calls.h"

enum { MOST = 60 /* most calls of one kind */ };
static const int64_t shape[2] = {40, 30};

static const struct {
  dap_file_mode mode;
  const char *dataset;
  bool keeps_old; /* whether the old contents remain after an error */
  const char *why;
} saves[] = {
    {DAP_FILE_REPLACE, "/new", true, "a new file"},
    {DAP_FILE_UPDATE, "/old", false, "elements in place"},
    {DAP_FILE_UPDATE, "/g/new", false, "another dataset"},
    {DAP_FILE_APPEND, "/new", false, "a first step"},
    {DAP_FILE_APPEND, "/steps", false, "a step"},
};

static void make_file(test_rows *rows)
{
  dap_error err = {0};
  if (test_rank() == 0) (void)remove(files_path("u.h5"));
  MPI_Barrier(MPI_COMM_WORLD);
  rows_fill(rows, 0);
  EXPECT_OK(rows_save(rows, dataset_path("u.h5", "/old"), DAP_FILE_UPDATE, &err), &err);
  EXPECT_OK(rows_save(rows, dataset_path("u.h5", "/steps"), DAP_FILE_APPEND, &err), &err);
}

static void check_dataset(const char *name, int64_t at, int64_t shift)
{
  double *found = dataset_read("u.h5", name, H5T_NATIVE_DOUBLE, NULL);
  for (int64_t i = 0; found && i < shape[0] * shape[1]; i++)
    if (!EXPECT(found[at + i] == (double)(i + shift))) break;
  free(found);
}

static bool try_save(test_rows *rows, int kind, int call, int number, int rank)
{
  const char *path = dataset_path("u.h5", saves[kind].dataset);
  dap_error err = {0};
  make_file(rows);
  rows_fill(rows, 5);
  system_calls_refuse(call, number, rank);
  const dap_status s = rows_save(rows, path, saves[kind].mode, &err);
  const bool met = system_calls_met(call, number, rank);
  if (s) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, "u.h5:");
  if (s && saves[kind].keeps_old) check_dataset("/old", 0, 0);
  if (!s)
    check_dataset(saves[kind].dataset, strcmp(saves[kind].dataset, "/steps") ? 0 : shape[0] * shape[1], 5);
  datasets_are_closed();
  return met;
}

/* Returns the number of calls of one kind that failed on a process. */
static int try_all(test_rows *rows, int kind, int call, int rank)
{
  int number = 1;
  for (; number < MOST; number++) {
    TEST_CASE("%s, call %d of kind %d on rank %d", saves[kind].why, number, call, rank);
    const bool met = try_save(rows, kind, call, number, rank);
    SETTLE();
    if (!met) break;
  }
  return number - 1;
}

static void calls_fail_in_saves(void **state)
{
  (void)state;
  files_begin();
  test_rows rows = rows_make(2, shape);
  for (int kind = 0; kind < (int)(sizeof saves / sizeof saves[0]); kind++) {
    int failures = 0;
    for (int call = 0; call < SYSTEM_CALLS; call++)
      for (int last = 0; last < 2; last++)
        failures += try_all(&rows, kind, call, last ? test_nprocs() - 1 : 0);
    EXPECT_MSG(failures > 10, "%s: %d failures", saves[kind].why, failures);
    SETTLE();
  }
  rows_end(&rows);
  files_end();
}

static void calls_fail_in_loads(void **state)
{
  (void)state;
  static const char *const datasets[] = {"/old", "/steps"};
  files_begin();
  test_rows rows = rows_make(2, shape), steps = rows_make(3, (int64_t[]){1, shape[0], shape[1]});
  make_file(&rows);
  for (int i = 0; i < 2; i++)
    for (int call = 0; call < SYSTEM_CALLS; call++) {
      bool met = true;
      for (int number = 1; met && number < MOST; number++) {
        test_rows *to = i ? &steps : &rows;
        dap_error err = {0};
        TEST_CASE("%s, call %d of kind %d", datasets[i], number, call);
        system_calls_refuse(call, number, 0);
        const dap_status s = rows_load(to, dataset_path("u.h5", datasets[i]), &err);
        met = system_calls_met(call, number, 0);
        if (s) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, "u.h5:");
        if (!s) rows_check(to, 0);
        datasets_are_closed();
        SETTLE();
      }
    }
  rows_end(&steps);
  rows_end(&rows);
  files_end();
}

/* Reads and writes continue after they are interrupted or move only a part. */
static void bit_by_bit(void **state)
{
  (void)state;
  files_begin();
  test_rows rows = rows_make(2, shape);
  system_calls_most = 13;
  make_file(&rows);
  dap_error err = {0};
  EXPECT_OK(rows_load(&rows, dataset_path("u.h5", "/old"), &err), &err);
  system_calls_most = 0;
  rows_check(&rows, 0);
  check_dataset("/old", 0, 0);
  check_dataset("/steps", 0, 0);
  rows_end(&rows);
  SETTLE();
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(calls_fail_in_saves),
                                          cmocka_unit_test(calls_fail_in_loads),
                                          cmocka_unit_test(bit_by_bit)};
MPI_TEST_MAIN(tests)

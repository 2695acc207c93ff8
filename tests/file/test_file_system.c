/* Lets each call of the system fail on one process, in saves and loads. All processes must report it with
 * the same text, the old file must not change, and no other file may remain. The next call must work as
 * usual. */
#include "files.h"
#include "mpi_test.h"
#include "system_calls.h"

#include <errno.h>
#include <inttypes.h>

enum { MOST = 40 /* most calls of one kind */ };

static dap_status save(const fixture *t, const char *name, dap_error *err)
{
  const dap_file_options options = {.memory_bytes = 6000 * test_nprocs(), .writers = test_nprocs()};
  return dap_file_save(MPI_COMM_WORLD, (dap_darray){t->layout, &t->local}, files_path(name), &options, err);
}

static dap_status load(const fixture *t, const char *name, dap_error *err)
{
  const dap_file_options options = {.memory_bytes = 6000 * test_nprocs(), .writers = test_nprocs()};
  return dap_file_load(MPI_COMM_WORLD, (dap_darray){t->layout, &t->local}, files_path(name), &options, err);
}

static bool is_same(const char *path, const unsigned char *want, int64_t length)
{
  int64_t now;
  unsigned char *bytes = files_read(path, &now);
  const bool same = bytes && now == length && !memcmp(bytes, want, (size_t)length);
  free(bytes);
  return same;
}

/* Checks that a save that fails leaves the old file as it was, and that one that succeeds replaces it. */
static bool try_save(const fixture *t, int call, int number, int rank, const unsigned char *old,
                     int64_t length)
{
  dap_error err = {0};
  system_calls_refuse(call, number, rank);
  const dap_status s = save(t, "old.npy", &err);
  const bool met = system_calls_met(call, number, rank);
  if (s) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, "old.npy|Input/output error");
  if (test_rank() == 0) {
    EXPECT(s ? is_same(files_path("old.npy"), old, length) || call == CALL_RENAME
             : !is_same(files_path("old.npy"), old, length));
    EXPECT_INT(files_count(), s && call != CALL_RENAME ? 1 : files_count());
    EXPECT(files_count() <= 2);
  }
  return met;
}

static void saves(void **state)
{
  (void)state;
  int64_t length = 24;
  const unsigned char old[] = "an array of another time";
  int failures = 0;
  files_begin();
  fixture t = files_trial();
  for (int call = 0; call < SYSTEM_CALLS; call++)
    for (int last = 0; last < 2; last++) {
      const int rank = last ? test_nprocs() - 1 : 0;
      bool met = true;
      for (int number = 1; met && number < MOST; number++) {
        TEST_CASE("call %d of kind %d on rank %d", number, call, rank);
        MPI_Barrier(MPI_COMM_WORLD);
        if (test_rank() == 0) {
          remove(files_path("old.npy.dap"));
          EXPECT(files_write(files_path("old.npy"), old, length));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        met = try_save(&t, call, number, rank, old, length);
        failures += met;
        SETTLE();
      }
    }
  EXPECT(failures > 20);
  fixture_end(&t);
  files_end();
  SETTLE();
}

static void loads(void **state)
{
  (void)state;
  int failures = 0;
  dap_error err = {0};
  files_begin();
  fixture t = files_trial();
  EXPECT_OK(save(&t, "u.npy", &err), &err);
  for (int call = 0; call < SYSTEM_CALLS; call++)
    for (int number = 1; number < MOST; number++) {
      TEST_CASE("call %d of kind %d", number, call);
      const int rank = number % 2 ? 0 : test_nprocs() - 1;
      memset(t.local.data, TEST_POISON, (size_t)dap_array_bytes(&t.local));
      system_calls_refuse(call, number, rank);
      const dap_status s = load(&t, "u.npy", &err);
      const bool met = system_calls_met(call, number, rank);
      failures += s != DAP_OK;
      if (s) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, "u.npy|Input/output error");
      EXPECT(s == DAP_OK || met);
      EXPECT(s || check_global(t.layout, test_rank(), &t.local, PADDING_ANY));
      SETTLE();
    }
  EXPECT(failures > 4);
  fixture_end(&t);
  files_end();
  SETTLE();
}

/* The last process's node does not have the file. Its first call asks whether the file exists. */
static void elsewhere(void **state)
{
  (void)state;
  const int last = test_nprocs() - 1;
  dap_error err = {0};
  files_begin();
  fixture t = files_trial();
  EXPECT_OK(save(&t, "u.npy", &err), &err);
  for (int saves_it = 0; saves_it < 2 && last > 0; saves_it++) {
    TEST_CASE("%s", saves_it ? "saved" : "loaded");
    system_calls_refuse(CALL_STAT, 1, last);
    system_calls_error = ENOENT;
    const dap_status s = saves_it ? save(&t, "u.npy", &err) : load(&t, "u.npy", &err);
    system_calls_error = EIO;
    memset(system_calls_failing, 0, sizeof system_calls_failing);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, "u.npy|does not see the file|nodes");
    if (test_rank() == 0) EXPECT_INT(files_count(), 2);
    SETTLE();
  }
  fixture_end(&t);
  files_end();
  SETTLE();
}

/* Reads and writes continue after they are interrupted or move only a part. */
static void bit_by_bit(void **state)
{
  (void)state;
  dap_error err = {0};
  files_begin();
  fixture t = files_trial();
  system_calls_refuse(0, 0, 0);
  system_calls_most = 13;
  EXPECT_OK(save(&t, "u.npy", &err), &err);
  memset(t.local.data, TEST_POISON, (size_t)dap_array_bytes(&t.local));
  EXPECT_OK(load(&t, "u.npy", &err), &err);
  system_calls_most = 0;
  check_global(t.layout, test_rank(), &t.local, PADDING_ANY);
  fixture_end(&t);
  files_end();
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(saves), cmocka_unit_test(loads),
                                          cmocka_unit_test(elsewhere), cmocka_unit_test(bit_by_bit)};
MPI_TEST_MAIN(tests)

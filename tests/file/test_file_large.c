/* Writes and reads parts of files with more than 2^31 elements, and arrays that need no plan. */
#define _XOPEN_SOURCE 700 /* truncate(); NOLINT(bugprone-reserved-identifier) */
#include "files.h"
#include "mpi_test.h"

#include <dapbridge/log.h>
#include <inttypes.h>
#include <unistd.h>

/* ---- a huge file -------------------------------------------------------------------------------------- */

enum { PART_ROWS = 3, PART_COLUMNS = 40 };
static const int64_t huge[] = {5, 3000000001};

/* Checks one byte. The file has holes, which read as zeros, where nothing was written. */
static void check_bytes_at(const char *path, int64_t row, int64_t column, int64_t number)
{
  unsigned char want = 0, got = 0;
  FILE *file = fopen(path, "rb");
  value_of(DAP_U1, number, &want);
  if (number < 0) want = 0;
  EXPECT(file && fseeko(file, row * huge[1] + column, SEEK_SET) == 0 && fread(&got, 1, 1, file) == 1);
  EXPECT_MSG(got == want, "row %" PRId64 ", column %" PRId64 ": %d, expected %d", row, column, got, want);
  if (file) fclose(file);
}

static void check_file(const char *path, const int64_t start[])
{
  for (int64_t i = 0; i < PART_ROWS; i++)
    for (int64_t j = 0; j < PART_COLUMNS; j++)
      check_bytes_at(path, start[0] + i, start[1] + j, i * PART_COLUMNS + j);
  check_bytes_at(path, start[0], start[1] - 1, -1);
  check_bytes_at(path, start[0] - 1, start[1] + 1, -1);
}

static void beyond_32_bits(void **state)
{
  (void)state;
  const int64_t start[] = {2, huge[1] - PART_COLUMNS}, shape[] = {PART_ROWS, PART_COLUMNS};
  const dap_file_options options = {.format = dap_file_raw(),
                                    .mode = DAP_FILE_UPDATE,
                                    .ndim = 2,
                                    .shape = huge,
                                    .part = {.start = start, .shape = shape}};
  const dap_dist dists[] = {dap_dist_local(PART_ROWS), dap_dist_cyclic(PART_COLUMNS, test_nprocs(), 1)};
  dap_layout *layout = NULL;
  dap_array local;
  dap_error err = {0};
  files_begin();
  if (test_rank() == 0) {
    EXPECT(files_write(files_path("huge"), "", 0));
    EXPECT(truncate(files_path("huge"), huge[0] * huge[1]) == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&local, layout, test_rank(), DAP_U1, DAP_ORDER_C, NULL, &err), &err);
  fill_global(layout, test_rank(), &local);
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, (dap_darray){layout, &local}, files_path("huge"), &options, &err),
            &err);
  if (test_rank() == 0) check_file(files_path("huge"), start);
  memset(local.data, TEST_POISON, (size_t)dap_array_bytes(&local));
  EXPECT_OK(dap_file_load(MPI_COMM_WORLD, (dap_darray){layout, &local}, files_path("huge"), &options, &err),
            &err);
  check_global(layout, test_rank(), &local, PADDING_ANY);
  dap_array_release(&local);
  dap_layout_destroy(&layout);
  files_end();
  SETTLE();
}

/* ---- without a plan ----------------------------------------------------------------------------------- */

enum { ROWS = 12, COLUMNS = 24576 };

static char said[1024];
static void hear(void *context, const char *line)
{
  (void)context;
  if (strncmp(line, "file ", 5) == 0) snprintf(said, sizeof said, "%s", line);
}

static const struct {
  const char *why;
  bool rows, cyclic;
  dap_order order, file;
  dap_dtype dtype;                 /* type in the file */
  bool saved, saved_apart, loaded; /* without a plan: on one node, on several, and on any */
} rows[] = {
    {"row blocks are pieces of the file", true, false, 'C', 'C', DAP_F8, true, true, true},
    {"column blocks are long, but nodes would share pages", false, false, 'C', 'C', DAP_F8, true, false,
     true},
    {"column blocks of a file in Fortran order", false, false, 'F', 'F', DAP_F8, true, true, true},
    {"rows that are dealt are long", true, true, 'C', 'C', DAP_F8, true, false, true},
    {"columns that are dealt are short", false, true, 'C', 'C', DAP_F8, false, false, false},
    {"another order", true, false, 'F', 'C', DAP_F8, false, false, false},
    {"another type", true, false, 'C', 'C', DAP_F16, false, false, false},
};

static void expect_said(bool directly)
{
  if (test_rank() == 0 && test_nprocs() > 1)
    EXPECT_MSG(test_contains(said, directly ? "directly" : "by plans"), "%s", said);
}

static void run_direct(size_t i)
{
  const int P = test_nprocs();
  const dap_dist cut = rows[i].cyclic ? dap_dist_cyclic(rows[i].rows ? ROWS : COLUMNS, P, 1)
                                      : dap_dist_even(rows[i].rows ? ROWS : COLUMNS, P);
  const int64_t length = rows[i].rows ? COLUMNS : ROWS;
  const dap_dist whole = rows[i].cyclic ? dap_dist_cyclic(length, 1, 1) : dap_dist_local(length);
  const dap_dist dists[] = {rows[i].rows ? cut : whole, rows[i].rows ? whole : cut};
  const dap_file_options options = {.order = rows[i].file, .dtype = rows[i].dtype, .lossy = true};
  dap_layout *layout = NULL;
  dap_array local;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&local, layout, test_rank(), DAP_F8, rows[i].order, NULL, &err), &err);
  fill_global(layout, test_rank(), &local);
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, (dap_darray){layout, &local}, files_path("d.npy"), &options, &err),
            &err);
  expect_said(test_nodes() > 1 ? rows[i].saved_apart : rows[i].saved);
  memset(local.data, TEST_POISON, (size_t)dap_array_bytes(&local));
  EXPECT_OK(dap_file_load(MPI_COMM_WORLD, (dap_darray){layout, &local}, files_path("d.npy"), &options, &err),
            &err);
  expect_said(rows[i].loaded);
  check_global(layout, test_rank(), &local, PADDING_ANY);
  dap_array_release(&local);
  dap_layout_destroy(&layout);
}

static void directly(void **state)
{
  (void)state;
  files_begin();
  if (test_rank() == 0) dap_log_set(hear, NULL);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    run_direct(i);
    SETTLE();
  }
  dap_log_set(NULL, NULL);
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(beyond_32_bits), cmocka_unit_test(directly)};
MPI_TEST_MAIN(tests)

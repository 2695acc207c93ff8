/* Tests the layout that is stored with an array, and the result of dap_file_query() for it. */
#define _XOPEN_SOURCE 700 /* symlink(); NOLINT(bugprone-reserved-identifier) */
#include "files.h"
#include "mpi_test.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 30, COLUMNS = 11 };

/* Makes a layout with even blocks along the first axis. */
static dap_layout *make_slabs(int64_t rows, int64_t columns)
{
  const dap_dist dists[] = {dap_dist_even(rows, test_nprocs()), dap_dist_local(columns)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  return layout;
}

static void save(const dap_layout *layout)
{
  dap_array local;
  dap_error err = {0};
  EXPECT_OK(dap_array_init(&local, layout, test_rank(), DAP_I4, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, (dap_darray){layout, &local}, files_path("l.npy"), NULL, &err),
            &err);
  dap_array_release(&local);
}

static void expect_slabs(const dap_layout *layout, int64_t rows, int64_t columns)
{
  dap_layout *want = make_slabs(rows, columns);
  EXPECT(layout && dap_layout_is_equal(layout, want));
  dap_layout_destroy(&want);
}

/* The layout's file has other contents. */
static void spoilt(void **state)
{
  (void)state;
  static const struct {
    const char *why, *text, *parts;
  } texts[] = {{"another shape", "31x11", "another shape"},
               {"other axes", "30", "another shape"},
               {"nonsense", "no layout\n", "cannot be read"},
               {"nothing", "", "no layout"}};
  files_begin();
  dap_layout *layout = make_slabs(ROWS, COLUMNS), *found = NULL;
  save(layout);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    dap_file_info info;
    dap_error err = {0};
    TEST_CASE("%s", texts[i].why);
    if (test_rank() == 0)
      EXPECT(files_write(files_path("l.npy.dap"), texts[i].text, (int64_t)strlen(texts[i].text)));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_OK(dap_file_query(MPI_COMM_WORLD, files_path("l.npy"), NULL, &info, &found, &err), &err);
    EXPECT_MSG(!info.has_layout && test_contains(info.note, texts[i].parts), "%s", info.note);
    expect_slabs(found, ROWS, COLUMNS);
    dap_layout_destroy(&found);
    SETTLE();
  }
  dap_layout_destroy(&layout);
  files_end();
}

/* ---- by a link ---------------------------------------------------------------------------------------- */

/* A save through a link replaces the link's target, and a query finds the layout beside that file. */
static void links(void **state)
{
  (void)state;
  files_begin();
  if (test_rank() == 0) {
    EXPECT(mkdir(files_path("far"), 0777) == 0);
    EXPECT(files_write(files_path("far/real.npy"), "old", 3));
    EXPECT(symlink("far/real.npy", files_path("l.npy")) == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  dap_layout *layout = make_slabs(ROWS, COLUMNS), *found = NULL;
  dap_file_info info;
  dap_error err = {0};
  save(layout);
  const char *const names[] = {"l.npy", "far/real.npy"};
  for (int i = 0; i < 2; i++) {
    TEST_CASE("%s", names[i]);
    EXPECT_OK(dap_file_query(MPI_COMM_WORLD, files_path(names[i]), NULL, &info, &found, &err), &err);
    EXPECT_MSG(info.has_layout && dap_layout_is_equal(found, layout), "%s", info.note);
    dap_layout_destroy(&found);
    SETTLE();
  }
  dap_layout_destroy(&layout);
  files_end();
  SETTLE();
}

/* ---- of a part ---------------------------------------------------------------------------------------- */

static void parts(void **state)
{
  (void)state;
  static const int64_t start[] = {4, 2}, shape[] = {20, 5};
  static const int turned[] = {1, 0};
  files_begin();
  dap_layout *layout = make_slabs(ROWS, COLUMNS), *found = NULL, *want = NULL;
  dap_file_info info;
  dap_error err = {0};
  dap_file_options options = {.part = {.start = start, .shape = shape}};
  save(layout);
  EXPECT_OK(dap_file_query(MPI_COMM_WORLD, files_path("l.npy"), &options, &info, &found, &err), &err);
  EXPECT_OK(dap_layout_part(layout, &options.part, &want, NULL, &err), &err);
  EXPECT(info.has_layout && found && dap_layout_is_equal(found, want));
  EXPECT_INT(info.shape[0], ROWS); /* shape of the array in the file */
  dap_layout_destroy(&want);
  dap_layout_destroy(&found);
  options.part = (dap_part){.naxes = 2, .axes = turned, .start = start, .shape = shape};
  EXPECT_OK(dap_file_query(MPI_COMM_WORLD, files_path("l.npy"), &options, &info, &found, &err), &err);
  EXPECT(!info.has_layout && test_contains(info.note, "axes"));
  expect_slabs(found, 5, 20);
  dap_layout_destroy(&found);
  dap_layout_destroy(&layout);
  files_end();
  SETTLE();
}

/* ---- raw files ---------------------------------------------------------------------------------------- */

static void raw(void **state)
{
  (void)state;
  static const int64_t shape[] = {2, 6}, larger[] = {3, 6};
  files_begin();
  dap_file_info info;
  dap_error err = {0};
  if (test_rank() == 0) EXPECT(files_write(files_path("raw"), "thirty-six bytes: 4, and 32 more ....", 36));
  MPI_Barrier(MPI_COMM_WORLD);
  dap_file_options options = {.format = dap_file_raw(), .dtype = DAP_I2, .offset = 4};
  EXPECT_OK(dap_file_query(MPI_COMM_WORLD, files_path("raw"), &options, &info, NULL, &err), &err);
  EXPECT(info.ndim == 1 && info.shape[0] == 16 && info.dtype == DAP_I2 && info.offset == 4);
  options.ndim = 2;
  options.shape = shape;
  EXPECT_OK(dap_file_query(MPI_COMM_WORLD, files_path("raw"), &options, &info, NULL, &err), &err);
  EXPECT(info.ndim == 2 && info.shape[1] == 6);
  options.shape = larger;
  dap_status s = dap_file_query(MPI_COMM_WORLD, files_path("raw"), &options, &info, NULL, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, "36 bytes|40");
  options = (dap_file_options){.format = dap_file_raw(), .dtype = DAP_F8, .offset = 5};
  s = dap_file_query(MPI_COMM_WORLD, files_path("raw"), &options, &info, NULL, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, "36 bytes|options.offset");
  options = (dap_file_options){.format = dap_file_raw()};
  s = dap_file_query(MPI_COMM_WORLD, files_path("raw"), &options, &info, NULL, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "options.dtype");
  files_end();
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(spoilt), cmocka_unit_test(links),
                                          cmocka_unit_test(parts), cmocka_unit_test(raw)};
MPI_TEST_MAIN(tests)

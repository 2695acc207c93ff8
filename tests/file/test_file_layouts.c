/* The layout that is stored with an array, and what dap_file_query() makes of it. */
#define _XOPEN_SOURCE 700 /* symlink(); NOLINT(bugprone-reserved-identifier) */
#include "files.h"
#include "mpi_test.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 30, COLUMNS = 11 };

/* ---- saved and found ---------------------------------------------------------------------------------- */

static const int64_t indices[8] = {3, 0, 2, 1};

typedef struct row {
  const char *why;
  dap_dist_kind kind;
  int64_t block, halo;
  bool drops;
  bool is_stored; /* and comes back */
} row;

static const row rows[] = {
    {"blocks", DAP_DIST_EVEN, 0, 0, false, true},
    {"blocks of another cut", DAP_DIST_CEIL, 0, 0, false, true},
    {"blocks with padding", DAP_DIST_EVEN, 0, 1, false, true},
    {"dealt blocks", DAP_DIST_CYCLIC, 3, 0, false, true},
    {"copies", DAP_DIST_REPLICATED, 0, 0, false, true},
    {"a layout that is not wanted", DAP_DIST_CYCLIC, 3, 0, true, false},
};

static dap_layout *make_layout(const row *r)
{
  const dap_dist dists[] = {
      {.kind = r->kind, .procs = test_nprocs(), .size = ROWS, .block_size = r->block, .halo = r->halo},
      dap_dist_local(COLUMNS)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  return layout;
}

static void save(const dap_layout *layout, bool drops)
{
  dap_array local;
  dap_error err = {0};
  const dap_file_options options = {.drop_layout = drops};
  EXPECT_OK(dap_array_init(&local, layout, test_rank(), DAP_I4, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, (dap_darray){layout, &local}, files_path("l.npy"), &options, &err),
            &err);
  dap_array_release(&local);
}

/* Even blocks of the first axis on the processes of `comm`. */
static void expect_slabs(MPI_Comm comm, const dap_layout *layout, int64_t rows_of, int64_t columns)
{
  int nprocs;
  MPI_Comm_size(comm, &nprocs);
  const dap_dist dists[] = {dap_dist_even(rows_of, nprocs), dap_dist_local(columns)};
  dap_layout *want = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &want, &err), &err);
  EXPECT(layout && dap_layout_is_equal(layout, want));
  dap_layout_destroy(&want);
}

static void stored(void **state)
{
  (void)state;
  files_begin();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_layout *layout = make_layout(&rows[i]), *found = NULL;
    dap_file_info info;
    dap_error err = {0};
    TEST_CASE("%s", rows[i].why);
    save(layout, rows[i].drops);
    EXPECT_OK(dap_file_query(MPI_COMM_WORLD, files_path("l.npy"), NULL, &info, &found, &err), &err);
    EXPECT_INT(info.has_layout, rows[i].is_stored);
    if (rows[i].is_stored)
      EXPECT(found && dap_layout_is_equal(found, layout));
    else
      expect_slabs(MPI_COMM_WORLD, found, ROWS, COLUMNS);
    EXPECT(rows[i].is_stored ? !info.note[0] : test_contains(info.note, "no layout is stored"));
    if (test_rank() == 0) EXPECT_INT(files_count(), rows[i].is_stored ? 2 : 1);
    dap_layout_destroy(&found);
    dap_layout_destroy(&layout);
    SETTLE();
  }
  files_end();
}

/* ---- what does not fit -------------------------------------------------------------------------------- */

/* On the first processes only. */
static void fewer_processes(void **state)
{
  (void)state;
  files_begin();
  dap_layout *layout = make_layout(&rows[3]), *found = NULL;
  save(layout, false);
  const bool is_in = test_rank() == 0 || test_rank() < test_nprocs() - 1;
  MPI_Comm fewer;
  MPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, 0, &fewer);
  if (is_in && test_nprocs() > 1) {
    dap_file_info info;
    dap_error err = {0};
    EXPECT_OK(dap_file_query(fewer, files_path("l.npy"), NULL, &info, &found, &err), &err);
    EXPECT(!info.has_layout && test_contains(info.note, "process|communicator"));
    expect_slabs(fewer, found, ROWS, COLUMNS);
    dap_layout_destroy(&found);
  }
  if (is_in) MPI_Comm_free(&fewer);
  dap_layout_destroy(&layout);
  files_end();
  SETTLE();
}

/* The file beside has something else. */
static void spoilt(void **state)
{
  (void)state;
  static const struct {
    const char *why, *text, *parts;
  } texts[] = {{"another shape", "31x11", "another shape"},
               {"other axes", "30", "another shape"},
               {"nonsense", "no layout\n", "cannot be read"},
               {"nothing", "", "no layout is stored"}};
  files_begin();
  dap_layout *layout = make_layout(&rows[0]), *found = NULL;
  save(layout, false);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    dap_file_info info;
    dap_error err = {0};
    TEST_CASE("%s", texts[i].why);
    if (test_rank() == 0)
      EXPECT(files_write(files_path("l.npy.dap"), texts[i].text, (int64_t)strlen(texts[i].text)));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_OK(dap_file_query(MPI_COMM_WORLD, files_path("l.npy"), NULL, &info, &found, &err), &err);
    EXPECT_MSG(!info.has_layout && test_contains(info.note, texts[i].parts), "%s", info.note);
    expect_slabs(MPI_COMM_WORLD, found, ROWS, COLUMNS);
    dap_layout_destroy(&found);
    SETTLE();
  }
  dap_layout_destroy(&layout);
  files_end();
}

/* ---- by a link ---------------------------------------------------------------------------------------- */

/* A save through a link replaces the file that it leads to, and a query finds the text beside that file. */
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
  dap_layout *layout = make_layout(&rows[0]), *found = NULL;
  dap_file_info info;
  dap_error err = {0};
  save(layout, false);
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
  dap_layout *layout = make_layout(&rows[0]), *found = NULL, *want = NULL;
  dap_file_info info;
  dap_error err = {0};
  dap_file_options options = {.part = {.start = start, .shape = shape}};
  save(layout, false);
  EXPECT_OK(dap_file_query(MPI_COMM_WORLD, files_path("l.npy"), &options, &info, &found, &err), &err);
  EXPECT_OK(dap_layout_part(layout, &options.part, &want, NULL, &err), &err);
  EXPECT(info.has_layout && found && dap_layout_is_equal(found, want));
  EXPECT_INT(info.shape[0], ROWS); /* of the file's array */
  dap_layout_destroy(&want);
  dap_layout_destroy(&found);
  options.part = (dap_part){.naxes = 2, .axes = turned, .start = start, .shape = shape};
  EXPECT_OK(dap_file_query(MPI_COMM_WORLD, files_path("l.npy"), &options, &info, &found, &err), &err);
  EXPECT(!info.has_layout && test_contains(info.note, "axes"));
  expect_slabs(MPI_COMM_WORLD, found, 5, 20);
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
  if (test_rank() == 0) EXPECT(files_write(files_path("raw"), indices, 4 + 8 * 4));
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

static const struct CMUnitTest tests[] = {cmocka_unit_test(stored), cmocka_unit_test(fewer_processes),
                                          cmocka_unit_test(spoilt), cmocka_unit_test(links),
                                          cmocka_unit_test(parts),  cmocka_unit_test(raw)};
MPI_TEST_MAIN(tests)

/* Tests refusals, which have the same text on every process. The old file must not change, and no other
 * file may remain. */
#define _XOPEN_SOURCE 700 /* mkfifo(), setrlimit(); NOLINT(bugprone-reserved-identifier) */
#include "files.h"
#include "mpi_test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OLD = 300 /* bytes of the old file */, ROWS = 40, COLUMNS = 30 /* of files_trial() */ };

static void make_old(const char *path, unsigned char byte)
{
  unsigned char bytes[OLD];
  memset(bytes, byte, sizeof bytes);
  if (test_rank() == 0) EXPECT(files_write(path, bytes, sizeof bytes));
  MPI_Barrier(MPI_COMM_WORLD);
}

static void check_old(const char *path, unsigned char byte)
{
  int64_t length, same = 0;
  if (test_rank() > 0) return;
  unsigned char *bytes = files_read(path, &length);
  for (int64_t i = 0; bytes && i < length; i++) same += bytes[i] == byte;
  EXPECT(length == OLD && same == OLD);
  free(bytes);
}

static bool has_text(const char *path, const char *text)
{
  int64_t length;
  unsigned char *bytes = files_read(path, &length);
  const bool is_same = bytes && strcmp((char *)bytes, text) == 0;
  free(bytes);
  return is_same;
}

/* ---- paths -------------------------------------------------------------------------------------------- */

/* A path with which saving and loading fail. */
typedef struct path_row {
  const char *why, *name;
  dap_status save, load;
  const char *save_parts, *load_parts;
} path_row;

static char long_name[400];

static void paths(void **state)
{
  (void)state;
  const path_row rows[] = {
      {"a folder that is not there", "nowhere/u.npy", DAP_ERR_FILE, DAP_ERR_FILE,
       "nowhere/u.npy|No such file", "nowhere/u.npy|No such file"},
      {"a file in the place of a folder", "file/u.npy", DAP_ERR_FILE, DAP_ERR_FILE, "Not a directory",
       "Not a directory"},
      {"a name that is too long", long_name, DAP_ERR_FILE, DAP_ERR_FILE, "File name too long",
       "File name too long"},
      {"a folder itself", "folder.npy", DAP_ERR_FILE, DAP_ERR_FILE, "a directory", "a directory"},
      {"a pipe, which nobody would ever write to", "pipe.npy", DAP_ERR_FILE, DAP_ERR_FILE, "a pipe",
       "a pipe"},
      {"a link to nothing", "dangling.npy", DAP_ERR_FILE, DAP_ERR_FILE, "link|followed", "No such file"},
      {"an ending that says no format", "u.dat", DAP_ERR_UNSUPPORTED, DAP_ERR_UNSUPPORTED,
       "u.dat|options.format", "options.format"},
      {"HDF5 is another library", "u.h5:/x", DAP_ERR_UNSUPPORTED, DAP_ERR_UNSUPPORTED, "dap_file_hdf5()",
       "HDF5"},
  };
  memset(long_name, 'n', sizeof long_name);
  memcpy(long_name + sizeof long_name - 5, ".npy", 5);
  files_begin();
  if (test_rank() == 0) {
    EXPECT(mkdir(files_path("folder.npy"), 0777) == 0);
    EXPECT(mkfifo(files_path("pipe.npy"), 0777) == 0);
    EXPECT(symlink("absent", files_path("dangling.npy")) == 0);
    EXPECT(files_write(files_path("file"), "", 0));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  fixture t = files_trial();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_error err = {0};
    TEST_CASE("%s", rows[i].why);
    dap_status s =
        dap_file_save(MPI_COMM_WORLD, (dap_darray){t.layout, &t.local}, files_path(rows[i].name), NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, rows[i].save, rows[i].save_parts);
    s = dap_file_load(MPI_COMM_WORLD, (dap_darray){t.layout, &t.local}, files_path(rows[i].name), NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, rows[i].load, rows[i].load_parts);
    s = dap_file_query(MPI_COMM_WORLD, files_path(rows[i].name), NULL, NULL, NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, rows[i].load, rows[i].load_parts);
    if (test_rank() == 0) EXPECT_INT(files_count(), 4);
    SETTLE();
  }
  check_global(t.layout, test_rank(), &t.local, PADDING_ANY);
  fixture_end(&t);
  files_end();
  SETTLE();
}

/* Another file has the name of the layout's file, so nothing is saved. If no layout is saved, the array is
 * saved, and the other file stays. */
static void layout_is_in_the_way(void **state)
{
  (void)state;
  static const struct {
    const char *why, *text, *parts; /* text: NULL means a folder */
  } others[] = {{"a folder", NULL, "u.npy.dap|a directory"},
                {"another program's file", "40 x 30, by hand\n", "u.npy.dap|in the way"},
                {"a file without a text", "", "u.npy.dap|in the way"}};
  const dap_file_options drops = {.drop_layout = true};
  fixture t = files_trial();
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    const char *text = others[i].text;
    dap_error err = {0};
    TEST_CASE("%s", others[i].why);
    files_begin();
    make_old(files_path("u.npy"), 'o');
    if (test_rank() == 0 && text)
      EXPECT(files_write(files_path("u.npy.dap"), text, (int64_t)strlen(text)));
    else if (test_rank() == 0)
      EXPECT(mkdir(files_path("u.npy.dap"), 0777) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    const dap_darray array = {t.layout, &t.local};
    const dap_status s = dap_file_save(MPI_COMM_WORLD, array, files_path("u.npy"), NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, others[i].parts);
    check_old(files_path("u.npy"), 'o');
    EXPECT_OK(dap_file_save(MPI_COMM_WORLD, array, files_path("u.npy"), &drops, &err), &err);
    if (test_rank() == 0) EXPECT_INT(files_count(), 2);
    if (test_rank() == 0 && text) EXPECT(has_text(files_path("u.npy.dap"), text));
    files_end();
    SETTLE();
  }
  fixture_end(&t);
}

/* ---- arguments ---------------------------------------------------------------------------------------- */

static const int64_t shape[] = {4, 5}, minus[] = {-1}, beyond[] = {ROWS, 0};
static const int axes[] = {0, 0};

typedef struct argument_row {
  const char *why;
  dap_file_options options;
  dap_status status;
  const char *parts;
  bool loads; /* whether it is loaded; otherwise it is saved */
} argument_row;

/* clang-format off */
static const argument_row argument_rows[] = {
  {"no such mode", {.mode = (dap_file_mode)3}, DAP_ERR_ARG, "mode 3", false},
  {"no such type", {.dtype = (dap_dtype)99}, DAP_ERR_ARG, "dtype 99", false},
  {"no such order", {.order = (dap_order)'X'}, DAP_ERR_ARG, "order 88", false},
  {"less than no bytes", {.offset = -1}, DAP_ERR_ARG, "offset is -1", false},
  {"less than no writers", {.writers = -2}, DAP_ERR_ARG, "writers is -2", false},
  {"less than no memory", {.memory_bytes = -1}, DAP_ERR_ARG, "memory_bytes is -1", false},
  {"less than no alignment", {.align = -1}, DAP_ERR_ARG, "align is -1", false},
  {"axes without extents", {.ndim = 2}, DAP_ERR_ARG, "ndim is 2|shape is NULL", false},
  {"more axes than there can be", {.ndim = 9, .shape = shape}, DAP_ERR_ARG, "ndim is 9|8", false},
  {"a negative extent", {.ndim = 1, .shape = minus}, DAP_ERR_ARG, "shape[0] is -1", false},
  {"a part of a file that is new", {.part = {.start = shape}}, DAP_ERR_ARG, "DAP_FILE_UPDATE", false},
  {"memory for less than an element", {.memory_bytes = 7}, DAP_ERR_ARG, "memory_bytes 7|too small", false},
  {"a cast that loses digits", {.dtype = DAP_F4}, DAP_ERR_ARG, "float64 to float32|options.lossy", false},
  {"steps of a .npy file", {.mode = DAP_FILE_APPEND}, DAP_ERR_UNSUPPORTED, "appended|npy", false},
  {"an update of nothing", {.mode = DAP_FILE_UPDATE}, DAP_ERR_FILE, "No such file", false},
  {"a part of another shape", {.part = {.start = shape}}, DAP_ERR_ARG, "axis 0|40|36", true},
  {"a part beyond the end", {.part = {.start = beyond, .shape = shape}}, DAP_ERR_ARG, "axis 0", true},
  {"one axis twice", {.part = {.naxes = 2, .axes = axes}}, DAP_ERR_ARG, "axes[1] = 0 is axes[0] too", true},
};
/* clang-format on */

static void arguments(void **state)
{
  (void)state;
  files_begin();
  fixture t = files_trial();
  dap_error err = {0};
  EXPECT_OK(
      dap_file_save(MPI_COMM_WORLD, (dap_darray){t.layout, &t.local}, files_path("there.npy"), NULL, &err),
      &err);
  for (size_t i = 0; i < sizeof argument_rows / sizeof argument_rows[0]; i++) {
    const argument_row *r = &argument_rows[i];
    TEST_CASE("%s", r->why);
    const char *path = files_path(r->loads ? "there.npy" : "new.npy");
    const dap_darray array = {t.layout, &t.local};
    const dap_status s = r->loads ? dap_file_load(MPI_COMM_WORLD, array, path, &r->options, &err)
                                  : dap_file_save(MPI_COMM_WORLD, array, path, &r->options, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, r->status, r->parts);
    EXPECT_INT(err.rule, 0);
    if (test_rank() == 0) EXPECT_INT(files_count(), 2);
    SETTLE();
  }
  fixture_end(&t);
  files_end();
  SETTLE();
}

/* One process passes other arguments than the rest. */
static void differences(void **state)
{
  (void)state;
  static const int64_t from[] = {0, 0}, later[] = {1, 0}, some[] = {4, 5}, fewer[] = {3, 5};
  static const dap_file_options part = {.part = {.start = from, .shape = some}};
  const struct {
    const char *why, *parts, *path;
    dap_file_options options;
    const dap_file_options *first; /* options of the others, if the call is a query */
  } rows[] = {
      {"another path", "path", "other.npy", {.writers = 0}, NULL},
      {"no path", "path|NULL", NULL, {.writers = 0}, NULL},
      {"another order", "order", "u.npy", {.order = DAP_ORDER_F}, NULL},
      {"another format", "format", "u.npy", {.format = dap_file_raw()}, NULL},
      {"other writers", "writers", "u.npy", {.writers = 1}, NULL},
      {"another start", "part.start", "u.npy", {.part = {.start = later, .shape = some}}, &part},
      {"another shape", "part.shape", "u.npy", {.part = {.start = from, .shape = fewer}}, &part},
  };
  files_begin();
  fixture t = files_trial();
  const bool is_last = test_rank() == test_nprocs() - 1 && test_rank() > 0;
  const dap_darray array = {t.layout, &t.local};
  dap_error err = {0};
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, array, files_path("u.npy"), NULL, &err), &err);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0] && test_nprocs() > 1; i++) {
    dap_layout *found = NULL;
    TEST_CASE("%s", rows[i].why);
    const char *name = is_last ? rows[i].path : "u.npy", *path = name ? files_path(name) : NULL;
    const dap_file_options *options = is_last ? &rows[i].options : rows[i].first;
    const dap_status s = rows[i].first ? dap_file_query(MPI_COMM_WORLD, path, options, NULL, &found, &err)
                                       : dap_file_save(MPI_COMM_WORLD, array, path, options, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, rows[i].parts);
    EXPECT(!found && (test_rank() > 0 || files_count() == 2));
    SETTLE();
  }
  fixture_end(&t);
  files_end();
  SETTLE();
}

/* ---- a full disk -------------------------------------------------------------------------------------- */

/* Lets no process write beyond this number of bytes of a file. */
static void limit_files(rlim_t bytes, struct rlimit *old)
{
  getrlimit(RLIMIT_FSIZE, old);
  signal(SIGXFSZ, SIG_IGN);
  EXPECT(setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, old->rlim_max}) == 0);
}

static void full_disk(void **state)
{
  (void)state;
  static const rlim_t limits[] = {0, 100, 128, 200, 128 + ROWS * COLUMNS * 8 - 1};
  struct rlimit old;
  files_begin();
  fixture t = files_trial();
  make_old(files_path("u.npy"), 'o');
  static const char stored[] = "40x30";
  if (test_rank() == 0) EXPECT(files_write(files_path("u.npy.dap"), stored, sizeof stored - 1));
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    dap_error err = {0};
    TEST_CASE("a disk for %d bytes", (int)limits[i]);
    limit_files(limits[i], &old);
    const dap_status s =
        dap_file_save(MPI_COMM_WORLD, (dap_darray){t.layout, &t.local}, files_path("u.npy"), NULL, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_FILE, "u.npy|File too large");
    check_old(files_path("u.npy"), 'o');
    if (test_rank() == 0) EXPECT(has_text(files_path("u.npy.dap"), stored) && files_count() == 2);
    SETTLE();
  }
  fixture_end(&t);
  files_end();
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(paths), cmocka_unit_test(layout_is_in_the_way),
                                          cmocka_unit_test(arguments), cmocka_unit_test(differences),
                                          cmocka_unit_test(full_disk)};
MPI_TEST_MAIN(tests)

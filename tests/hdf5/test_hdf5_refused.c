/* Tests refusals, which have the same text on every process. */
#define _DEFAULT_SOURCE /* flock, truncate; NOLINT(bugprone-reserved-identifier) */
#include "datasets.h"
#include "mpi_test.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t shape[2] = {6, 5};

/* ---- paths and files --------------------------------------------------------------------------------- */

typedef enum what { LOAD, UPDATE, APPEND, REPLACE } what;

static const struct {
  what action;
  const char *path;
  dap_status status;
  const char *parts, *why;
} paths[] = {
    {LOAD, "none.h5:/u", DAP_ERR_FILE, "none.h5:/u|No such file", "no such file"},
    {LOAD, "good.h5:/v", DAP_ERR_FILE, "good.h5:/v|'v'|'/'|'g', 'lost', 'u'", "no such dataset"},
    {LOAD, "good.h5:/g/v/w", DAP_ERR_FILE, "'v'|'/g'|'x'", "no such group"},
    {LOAD, "good.h5:/g", DAP_ERR_FILE, "is a group", "a group"},
    {LOAD, "good.h5:/u/x", DAP_ERR_FILE, "'x'|group", "below a dataset"},
    {LOAD, "good.h5:/lost", DAP_ERR_FILE, "cannot be opened|HDF5: ", "a link that leads nowhere"},
    {LOAD, "good.h5", DAP_ERR_ARG, "has no dataset|good.h5:/name|'g', 'lost', 'u'", "no dataset is named"},
    {LOAD, "good.h5:", DAP_ERR_ARG, "has no dataset", "none, with a colon"},
    {LOAD, "good.h5:/", DAP_ERR_ARG, "has no dataset", "the group of all"},
    {LOAD, "good.h5:/g/x", DAP_ERR_ARG, "axis 1|5", "another shape"},
    {LOAD, "text.h5:/u", DAP_ERR_FILE, "text.h5:/u|not an HDF5 file", "another file"},
    {LOAD, "empty.h5:/u", DAP_ERR_FILE, "not an HDF5 file", "an empty file"},
    {LOAD, "short.h5:/u", DAP_ERR_FILE, "HDF5: truncated file", "the end is missing"},
    {LOAD, "scar.h5:/u", DAP_ERR_FILE, "HDF5: ", "bytes within the file are wrong"},
    {LOAD, "folder:/u", DAP_ERR_FILE, "folder", "a folder"},
    {REPLACE, "new.h5", DAP_ERR_ARG, "has no dataset", "a new file, and no dataset"},
    {REPLACE, "12:30.h5", DAP_ERR_ARG, "has no dataset", "the colon is in the file's name"},
    {REPLACE, "12:30/new.h5", DAP_ERR_FILE, "No such file", "the colon is in the folder's name"},
    {UPDATE, "12:30.h5", DAP_ERR_ARG, "has no dataset", "a colon in the file's name, in place"},
    {REPLACE, "no/new.h5:/u", DAP_ERR_FILE, "No such file", "in no folder"},
    {UPDATE, "text.h5:/u", DAP_ERR_FILE, "not an HDF5 file", "nothing is added to another file"},
    {UPDATE, "good.h5:/u/x", DAP_ERR_FILE, "'x'|group", "nothing is added below a dataset"},
    {UPDATE, "good.h5:/g", DAP_ERR_FILE, "is a group", "a group stays one"},
    {UPDATE, "good.h5:/lost", DAP_ERR_FILE, "cannot be opened", "a link stays one"},
    {UPDATE, "short.h5:/v", DAP_ERR_FILE, "truncated file", "nothing is added to half a file"},
    {APPEND, "good.h5:/u", DAP_ERR_ARG, "good.h5:/u|3|2", "its steps would be rows"},
};

static void make_text(const char *file, const char *text)
{
  EXPECT(files_write(files_path(file), text, (int64_t)strlen(text)));
}

static void copy_good(const char *file, int64_t cut, int64_t scar)
{
  int64_t length;
  unsigned char *bytes = files_read(files_path("good.h5"), &length);
  if (scar) memset(bytes + scar, 0xee, (size_t)(length / 2 - scar));
  EXPECT(files_write(files_path(file), bytes, length - cut));
  free(bytes);
}

static void make_files(void)
{
  const double zeros[30] = {0};
  dataset_make(&(dataset_row){.file = "good.h5",
                              .name = "/u",
                              .type = H5T_NATIVE_DOUBLE,
                              .ndim = 2,
                              .shape = {shape[0], shape[1]},
                              .elements = zeros,
                              .is_new = true});
  if (test_rank() == 0) {
    hid_t file = H5Fopen(files_path("good.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "/g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Lcreate_soft("/nowhere", file, "/lost", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
  }
  dataset_make(
      &(dataset_row){.file = "good.h5", .name = "/g/x", .type = H5T_NATIVE_INT, .ndim = 2, .shape = {6, 4}});
  if (test_rank() == 0) {
    make_text("text.h5", "u = 1\n");
    make_text("empty.h5", "");
    copy_good("short.h5", 100, 0);
    copy_good("scar.h5", 0, 96);
    EXPECT(mkdir(files_path("folder"), 0755) == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static dap_status act(what action, test_rows *rows, const char *path, dap_error *err)
{
  static const dap_file_mode modes[] = {
      [UPDATE] = DAP_FILE_UPDATE, [APPEND] = DAP_FILE_APPEND, [REPLACE] = DAP_FILE_REPLACE};
  return action == LOAD ? rows_load(rows, path, err) : rows_save(rows, path, modes[action], err);
}

/* The library must not change the program's setting of HDF5's own printing. */
static int printed;

static herr_t print(hid_t stack, void *unused)
{
  (void)stack, (void)unused;
  printed++;
  return 0;
}

static void paths_are_refused(void **state)
{
  (void)state;
  H5E_auto2_t function = NULL;
  void *data = NULL;
  files_begin();
  make_files();
  H5Eset_auto2(H5E_DEFAULT, print, &printed);
  test_rows rows = rows_make(2, shape);
  const int count = files_count();
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
    dap_error err = {0};
    TEST_CASE("%s %s", paths[i].path, paths[i].why);
    const dap_status s = act(paths[i].action, &rows, files_path(paths[i].path), &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, paths[i].status, paths[i].parts);
    datasets_are_closed();
    SETTLE();
  }
  EXPECT_INT(files_count(), count);
  EXPECT_INT(printed, 0);
  EXPECT(H5Eget_auto2(H5E_DEFAULT, &function, &data) >= 0 && function == print && data == &printed);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  rows_end(&rows);
  SETTLE();
  files_end();
}

/* ---- other programs ---------------------------------------------------------------------------------- */

/* HDF5 locks files: shared to read, exclusive to write. HDF5's environment variable switches the library's
 * locks off, too. */
static void open_files_are_refused(void **state)
{
  static const struct {
    what action;
    int lock;
    const char *locking; /* value of the variable */
    dap_status status;
    const char *parts;
  } cases[] = {
      {LOAD, LOCK_EX, "TRUE", DAP_ERR_FILE, "another program has"},
      {UPDATE, LOCK_EX, "TRUE", DAP_ERR_FILE, "cannot be opened|another program has"},
      {UPDATE, LOCK_SH, "TRUE", DAP_ERR_FILE, "cannot be written|another program has"},
      {LOAD, LOCK_SH, "TRUE", DAP_OK, ""},
      {UPDATE, LOCK_SH, "FALSE", DAP_OK, ""},
      {UPDATE, LOCK_SH, "0", DAP_OK, ""},
  };
  (void)state;
  files_begin();
  test_rows rows = rows_make(2, shape);
  dap_error err = {0};
  rows_fill(&rows, 0);
  EXPECT_OK(rows_save(&rows, dataset_path("open.h5", "/u"), DAP_FILE_REPLACE, &err), &err);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const int fd = open(files_path("open.h5"), O_RDWR);
    TEST_CASE("case %d", (int)i);
    EXPECT(!setenv("HDF5_USE_FILE_LOCKING", cases[i].locking, 1));
    if (test_rank() == 0) EXPECT(flock(fd, cases[i].lock) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    const dap_status s = act(cases[i].action, &rows, dataset_path("open.h5", "/u"), &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, cases[i].status, cases[i].parts);
    MPI_Barrier(MPI_COMM_WORLD);
    close(fd);
    SETTLE();
  }
  EXPECT(!unsetenv("HDF5_USE_FILE_LOCKING"));
  rows_end(&rows);
  datasets_are_closed();
  SETTLE();
  files_end();
}

static void options_are_refused(void **state)
{
  (void)state;
  files_begin();
  test_rows rows = rows_make(2, shape);
  const dap_file_options options = {.format = dap_file_hdf5(), .order = DAP_ORDER_F};
  dap_error err = {0};
  rows_fill(&rows, 0);
  const dap_status s =
      dap_file_save(MPI_COMM_WORLD, rows_array(&rows), dataset_path("f.h5", "/u"), &options, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "C order|DAP_ORDER_F");
  EXPECT_INT(files_count(), 0);
  rows_end(&rows);
  datasets_are_closed();
  SETTLE();
  files_end();
}

/* Steps need one axis more than the array, and a dataset cannot have more axes than an array can. */
static void steps_of_all_axes_are_refused(void **state)
{
  int64_t ones[DAP_MAX_NDIM];
  (void)state;
  files_begin();
  for (int k = 0; k < DAP_MAX_NDIM; k++) ones[k] = 1;
  test_rows rows = rows_make(DAP_MAX_NDIM, ones);
  dap_error err = {0};
  const dap_status s = rows_save(&rows, dataset_path("f.h5", "/u"), DAP_FILE_APPEND, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "f.h5:/u|one axis more|8");
  EXPECT_INT(files_count(), 0);
  rows_end(&rows);
  datasets_are_closed();
  SETTLE();
  files_end();
}

/* ---- types of elements ------------------------------------------------------------------------------- */

/* Types that dapbridge does not have, and their names in texts. */
enum { RECORD, COLOURS, LISTS, ARRAYS, OPAQUE, BITS, REFERENCES, TEXT, TEXTS, ODD_INTEGER, ODD_FLOAT, TYPES };
static const char *const type_words[TYPES] = {
    [RECORD] = "compounds",
    [COLOURS] = "enumeration|bool",
    [LISTS] = "variable length",
    [ARRAYS] = "arrays as elements",
    [OPAQUE] = "opaque",
    [BITS] = "bit fields",
    [REFERENCES] = "references",
    [TEXT] = "strings",
    [TEXTS] = "strings",
    [ODD_INTEGER] = "integers|size",
    [ODD_FLOAT] = "floating-point|format",
};

static hid_t make_type(int i)
{
  const int values[2] = {0, 1};
  const hid_t copied[TYPES] = {
      [BITS] = H5T_STD_B8LE, [REFERENCES] = H5T_STD_REF_OBJ, [TEXT] = H5T_C_S1,
      [TEXTS] = H5T_C_S1,    [ODD_INTEGER] = H5T_STD_I32LE,  [ODD_FLOAT] = H5T_IEEE_F32LE};
  hid_t type = i == RECORD    ? H5Tcreate(H5T_COMPOUND, 16)
               : i == COLOURS ? H5Tenum_create(H5T_NATIVE_INT)
               : i == LISTS   ? H5Tvlen_create(H5T_NATIVE_INT)
               : i == ARRAYS  ? H5Tarray_create2(H5T_NATIVE_INT, 1, (hsize_t[]){3})
               : i == OPAQUE  ? H5Tcreate(H5T_OPAQUE, 4)
                              : H5Tcopy(copied[i]);
  if (i == RECORD) H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
  if (i == RECORD) H5Tinsert(type, "count", 8, H5T_NATIVE_INT);
  if (i == COLOURS) H5Tenum_insert(type, "red", &values[0]);
  if (i == COLOURS) H5Tenum_insert(type, "blue", &values[1]);
  if (i == TEXT) H5Tset_size(type, 5);
  if (i == TEXTS) H5Tset_size(type, H5T_VARIABLE);
  if (i == ODD_INTEGER) H5Tset_precision(type, 20); /* HDF5 1.14.5 refuses to make 12 bits in 4 bytes */
  if (i == ODD_FLOAT) H5Tset_fields(type, 31, 20, 11, 0, 20);
  return type;
}

static void types_are_refused(void **state)
{
  (void)state;
  files_begin();
  test_rows rows = rows_make(2, shape);
  for (int i = 0; i < TYPES; i++) {
    hid_t type = make_type(i);
    dap_error err = {0};
    TEST_CASE("type %d: %s", i, type_words[i]);
    dataset_make(&(dataset_row){.file = "types.h5",
                                .name = "x",
                                .type = type,
                                .ndim = 2,
                                .shape = {shape[0], shape[1]},
                                .is_new = true});
    H5Tclose(type);
    for (int action = LOAD; action <= UPDATE; action++) {
      const dap_status s = act((what)action, &rows, dataset_path("types.h5", "/x"), &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, type_words[i]);
    }
    datasets_are_closed();
    SETTLE();
  }
  rows_end(&rows);
  files_end();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(types_are_refused),
    cmocka_unit_test(paths_are_refused),
    cmocka_unit_test(open_files_are_refused),
    cmocka_unit_test(options_are_refused),
    cmocka_unit_test(steps_of_all_axes_are_refused),
};
MPI_TEST_MAIN(tests)

/* Types of elements: as h5py has them in new files, and as other programs write them. */
#include "datasets.h"
#include "mpi_test.h"

static const int64_t shape[2] = {12, 5};
enum { COUNT = 60 };

/* ---- what dapbridge writes --------------------------------------------------------------------------- */

static const struct {
  dap_dtype dtype;
  H5T_class_t class;
  size_t size;
  const char *why;
} written[] = {
    {DAP_BOOL, H5T_ENUM, 1, "h5py's bool is an enumeration"},
    {DAP_I1, H5T_INTEGER, 1, ""},
    {DAP_U1, H5T_INTEGER, 1, ""},
    {DAP_I2, H5T_INTEGER, 2, ""},
    {DAP_U2, H5T_INTEGER, 2, ""},
    {DAP_I4, H5T_INTEGER, 4, ""},
    {DAP_U4, H5T_INTEGER, 4, ""},
    {DAP_I8, H5T_INTEGER, 8, ""},
    {DAP_U8, H5T_INTEGER, 8, ""},
    {DAP_F2, H5T_FLOAT, 2, "HDF5 1.10 has no name for it"},
    {DAP_F4, H5T_FLOAT, 4, ""},
    {DAP_F8, H5T_FLOAT, 8, ""},
    {DAP_F16, H5T_FLOAT, 16, "long double"},
    {DAP_C8, H5T_COMPOUND, 8, "h5py's complex numbers are compounds"},
    {DAP_C16, H5T_COMPOUND, 16, ""},
    {DAP_C32, H5T_COMPOUND, 32, ""},
};

/* HDF5 converts numbers of all formats to double, so that it has been told the format rightly. */
static void check_numbers(hid_t type, const char *name, dap_dtype dtype)
{
  hid_t memory = H5Tcopy(H5T_NATIVE_DOUBLE);
  if (H5Tget_class(type) == H5T_COMPOUND) {
    H5Tclose(memory);
    memory = H5Tcreate(H5T_COMPOUND, sizeof(double));
    H5Tinsert(memory, "r", 0, H5T_NATIVE_DOUBLE);
    EXPECT_INT(H5Tget_member_index(type, "i"), 1);
  } else if (dtype == DAP_BOOL) {
    const signed char yes = 1;
    char text[8] = "";
    EXPECT(H5Tenum_nameof(type, &yes, text, sizeof text) >= 0 && !strcmp(text, "TRUE"));
    H5Tclose(memory);
    return;
  }
  double *found = dataset_read("types.h5", name, memory);
  for (int i = 0; found && i < COUNT; i++) EXPECT(found[i] == i);
  free(found);
  H5Tclose(memory);
}

static void check_type(const char *name, int row)
{
  if (test_rank() > 0) return;
  hid_t file = H5Fopen(files_path("types.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set);
  EXPECT_INT(H5Tget_class(type), written[row].class);
  EXPECT_INT(H5Tget_size(type), written[row].size);
  check_numbers(type, name, written[row].dtype);
  H5Tclose(type);
  H5Dclose(set);
  H5Fclose(file);
}

static void each_type_is_written_as_h5py_does(void **state)
{
  (void)state;
  files_begin();
  test_rows rows = rows_make(2, shape);
  for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
    const dap_file_options options = {
        .format = dap_file_hdf5(), .mode = DAP_FILE_UPDATE, .dtype = written[i].dtype, .lossy = true};
    dap_file_info info;
    dap_error err = {0};
    const char *name = dap_dtype_name(written[i].dtype), *path = dataset_path("types.h5", name);
    TEST_CASE("%s: %s", name, written[i].why);
    rows_fill(&rows, 0);
    EXPECT_OK(dap_file_save(MPI_COMM_WORLD, rows_array(&rows), path, &options, &err), &err);
    check_type(name, (int)i);
    EXPECT_OK(dap_file_query(MPI_COMM_WORLD, path, &options, &info, NULL, &err), &err);
    EXPECT_INT(info.dtype, written[i].dtype);
    EXPECT(!info.swapped && info.ndim == 2 && info.shape[0] == shape[0] && info.offset > 0 &&
           info.has_layout);
    for (int64_t j = 0; j < rows.count; j++) ((double *)rows.array.data)[j] = -1;
    EXPECT_OK(dap_file_load(MPI_COMM_WORLD, rows_array(&rows), path, &options, &err), &err);
    if (written[i].dtype != DAP_BOOL) rows_check(&rows, 0);
    SETTLE();
  }
  rows_end(&rows);
  datasets_are_closed();
  SETTLE();
  files_end();
}

/* ---- what others write ------------------------------------------------------------------------------- */

static hid_t make_complex(hid_t part, const char *first, const char *second)
{
  hid_t type = H5Tcreate(H5T_COMPOUND, 2 * H5Tget_size(part));
  H5Tinsert(type, first, 0, part);
  H5Tinsert(type, second, H5Tget_size(part), part);
  return type;
}

typedef struct foreign {
  hid_t type, memory;
  dap_dtype dtype;
  bool swapped;
  const char *why;
} foreign;
enum { FOREIGN = 8 };

/* Types are HDF5's objects, so the table is made when HDF5 runs. */
static void make_foreign(foreign rows[FOREIGN])
{
  const foreign all[FOREIGN] = {
      {H5Tcopy(H5T_IEEE_F64BE), H5Tcopy(H5T_NATIVE_DOUBLE), DAP_F8, true, "big-endian"},
      {H5Tcopy(H5T_STD_I32BE), H5Tcopy(H5T_NATIVE_DOUBLE), DAP_I4, true, "big-endian integers"},
      {H5Tcopy(H5T_STD_U8BE), H5Tcopy(H5T_NATIVE_DOUBLE), DAP_U1, false, "one byte has no order"},
      {H5Tcopy(H5T_STD_I64LE), H5Tcopy(H5T_NATIVE_DOUBLE), DAP_I8, false, "little-endian integers"},
      {make_complex(H5T_IEEE_F32BE, "r", "i"), make_complex(H5T_NATIVE_DOUBLE, "r", "i"), DAP_C8, true,
       "complex numbers, big-endian"},
      {make_complex(H5T_IEEE_F64LE, "real", "imag"), make_complex(H5T_NATIVE_DOUBLE, "real", "imag"), DAP_C16,
       false, "Octave's names"},
      {make_complex(H5T_IEEE_F64LE, "re", "im"), make_complex(H5T_NATIVE_DOUBLE, "re", "im"), DAP_C16, false,
       "others' names"},
      {H5Tcopy(H5T_IEEE_F32LE), H5Tcopy(H5T_NATIVE_DOUBLE), DAP_F4, false, "single precision"},
  };
  memcpy(rows, all, sizeof all);
}

/* Element number i is i + shift. */
static void check_file(const foreign *row, int shift)
{
  const int parts = row->dtype == DAP_C8 || row->dtype == DAP_C16 ? 2 : 1;
  double *found = dataset_read("foreign.h5", "x", row->memory);
  for (int i = 0; found && i < COUNT; i++) EXPECT(found[(ptrdiff_t)i * parts] == i + shift);
  free(found);
}

static void types_of_others_are_read_and_updated(void **state)
{
  foreign table[FOREIGN];
  double numbers[2 * COUNT] = {0};
  (void)state;
  files_begin();
  make_foreign(table);
  test_rows rows = rows_make(2, shape);
  for (int i = 0; i < FOREIGN; i++) {
    const foreign *row = &table[i];
    const int parts = row->dtype == DAP_C8 || row->dtype == DAP_C16 ? 2 : 1;
    const dap_file_options options = {.format = dap_file_hdf5(), .mode = DAP_FILE_UPDATE, .lossy = true};
    const char *path = dataset_path("foreign.h5", "/x");
    dap_file_info info;
    dap_error err = {0};
    TEST_CASE("%s", row->why);
    for (int j = 0; j < COUNT; j++) numbers[j * parts] = j;
    dataset_make(&(dataset_row){.file = "foreign.h5",
                                .name = "x",
                                .type = row->type,
                                .memory = row->memory,
                                .ndim = 2,
                                .shape = {shape[0], shape[1]},
                                .elements = numbers,
                                .is_new = true});
    EXPECT_OK(dap_file_query(MPI_COMM_WORLD, path, &options, &info, NULL, &err), &err);
    EXPECT_INT(info.dtype, row->dtype);
    EXPECT_INT(info.swapped, row->swapped);
    EXPECT(!info.has_layout);
    EXPECT_OK(dap_file_load(MPI_COMM_WORLD, rows_array(&rows), path, &options, &err), &err);
    rows_check(&rows, 0);
    rows_fill(&rows, 7);
    EXPECT_OK(dap_file_save(MPI_COMM_WORLD, rows_array(&rows), path, &options, &err), &err);
    check_file(row, 7);
    H5Tclose(row->type);
    H5Tclose(row->memory);
    SETTLE();
  }
  rows_end(&rows);
  datasets_are_closed();
  SETTLE();
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(each_type_is_written_as_h5py_does),
                                          cmocka_unit_test(types_of_others_are_read_and_updated)};
MPI_TEST_MAIN(tests)

/* Tests types of elements as programs other than h5py write them. In tests/python, h5py reads and writes
 * all types. */
#include "datasets.h"
#include "mpi_test.h"

static const int64_t shape[2] = {12, 5};
enum { COUNT = 60 };

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

/* Makes the table at run time, because types are objects of HDF5. */
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

/* Checks that element number i is i + shift. */
static void check_file(const foreign *row, int shift)
{
  const int parts = row->dtype == DAP_C8 || row->dtype == DAP_C16 ? 2 : 1;
  double *found = dataset_read("foreign.nc", "x", row->memory, NULL);
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
    const char *path = dataset_path("foreign.nc", "/x");
    dap_file_info info;
    dap_error err = {0};
    TEST_CASE("%s", row->why);
    for (int j = 0; j < COUNT; j++) numbers[j * parts] = j;
    dataset_make(&(dataset_row){.file = "foreign.nc",
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

static const struct CMUnitTest tests[] = {cmocka_unit_test(types_of_others_are_read_and_updated)};
MPI_TEST_MAIN(tests)

/* Types of elements that dapbridge does not have: refused in words, the same on every process. */
#include "datasets.h"
#include "mpi_test.h"

static const int64_t shape[2] = {6, 5};

static hid_t make_text_type(void)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 5);
  return type;
}

static hid_t make_texts_type(void)
{
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  return type;
}

static hid_t make_record_type(void)
{
  hid_t type = H5Tcreate(H5T_COMPOUND, 16);
  H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "count", 8, H5T_NATIVE_INT);
  return type;
}

static hid_t make_colours_type(void)
{
  const int values[2] = {0, 1};
  hid_t type = H5Tenum_create(H5T_NATIVE_INT);
  H5Tenum_insert(type, "red", &values[0]);
  H5Tenum_insert(type, "blue", &values[1]);
  return type;
}

static hid_t make_lists_type(void)
{
  return H5Tvlen_create(H5T_NATIVE_INT);
}

static hid_t make_arrays_type(void)
{
  return H5Tarray_create2(H5T_NATIVE_INT, 1, (hsize_t[]){3});
}

static hid_t make_opaque_type(void)
{
  return H5Tcreate(H5T_OPAQUE, 4);
}

static hid_t make_bits_type(void)
{
  return H5Tcopy(H5T_STD_B8LE);
}

static hid_t make_references_type(void)
{
  return H5Tcopy(H5T_STD_REF_OBJ);
}

static hid_t make_odd_integer_type(void)
{
  hid_t type = H5Tcopy(H5T_STD_I32LE);
  H5Tset_precision(type, 20); // HDF5 1.14.5 refuses to make 12 bits in 4 bytes
  return type;
}

static hid_t make_odd_float_type(void)
{
  hid_t type = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(type, 31, 20, 11, 0, 20);
  return type;
}

static const struct {
  hid_t (*make)(void);
  const char *words;
} types[] = {
    {make_text_type, "strings"},
    {make_texts_type, "strings"},
    {make_record_type, "compounds that are not complex"},
    {make_colours_type, "an enumeration other than h5py's bool"},
    {make_lists_type, "sequences of variable length"},
    {make_arrays_type, "arrays as elements"},
    {make_opaque_type, "opaque bytes"},
    {make_bits_type, "bit fields"},
    {make_references_type, "references"},
    {make_odd_integer_type, "integers of an unusual size"},
    {make_odd_float_type, "floating-point numbers of an unusual format"},
};

static void types_are_refused(void **state)
{
  (void)state;
  files_begin();
  test_rows rows = rows_make(2, shape);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    hid_t type = types[i].make();
    dap_error err = {0};
    TEST_CASE("%s", types[i].words);
    dataset_make(&(dataset_row){.file = "types.h5",
                                .name = "x",
                                .type = type,
                                .ndim = 2,
                                .shape = {shape[0], shape[1]},
                                .is_new = true});
    H5Tclose(type);
    for (int saves = 0; saves < 2; saves++) {
      const char *path = dataset_path("types.h5", "/x");
      const dap_status s =
          saves ? rows_save(&rows, path, DAP_FILE_UPDATE, &err) : rows_load(&rows, path, &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, types[i].words);
    }
    datasets_are_closed();
    SETTLE();
  }
  rows_end(&rows);
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(types_are_refused)};
MPI_TEST_MAIN(tests)

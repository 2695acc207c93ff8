/* Types and byte orders: what is written is the value in the file's type, and it comes back. */
#include "files.h"
#include "mpi_test.h"

#include <inttypes.h>

enum { ROWS = 7, COLUMNS = 9 };

typedef struct row {
  const char *why;
  dap_dtype array, file;
  bool lossy, swapped_array, swapped_file;
} row;

static const row rows[] = {
    {"one type", DAP_F8, DAP_F8, false, false, false},
    {"the file has more digits", DAP_F4, DAP_F8, false, false, false},
    {"the file has fewer digits", DAP_F8, DAP_F4, true, false, false},
    {"integers to real numbers", DAP_I2, DAP_F4, false, false, false},
    {"longer integers", DAP_U1, DAP_I8, false, false, false},
    {"shorter integers", DAP_I8, DAP_U1, true, false, false},
    {"complex numbers", DAP_C8, DAP_C16, false, false, false},
    {"the array has the other byte order", DAP_F8, DAP_F8, false, true, false},
    {"the file has the other byte order", DAP_C16, DAP_C16, false, false, true},
    {"both have it", DAP_I4, DAP_I4, false, true, true},
    {"another type, and the other byte order", DAP_F4, DAP_F8, false, false, true},
    {"bytes have no order", DAP_U1, DAP_U1, false, false, true},
};

static dap_layout *make_layout(bool is_cyclic)
{
  const dap_dist dists[] = {is_cyclic ? dap_dist_cyclic(ROWS, test_nprocs(), 1)
                                      : dap_dist_padded(ROWS, test_nprocs() < ROWS ? test_nprocs() : 1, 0),
                            dap_dist_local(COLUMNS)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  return layout;
}

/* The array of this process, and its elements turned if they are to be. */
static void turn(dap_array *array)
{
  const int64_t size = dap_dtype_size(array->dtype);
  char *at = array->data;
  for (int64_t i = 0; i < dap_array_count(array) && array->swapped; i++)
    turn_bytes(array->dtype, at + i * size);
}

static void check_file(const row *r)
{
  int64_t length;
  const int64_t size = dap_dtype_size(r->file);
  unsigned char *bytes = test_rank() == 0 ? files_read(files_path("t"), &length) : NULL, want[32];
  if (bytes && EXPECT_INT(length, ROWS * COLUMNS * size))
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) {
      value_of(r->file, i, want);
      if (r->swapped_file) turn_bytes(r->file, want);
      if (!EXPECT_MSG(!memcmp(bytes + i * size, want, (size_t)size), "element %" PRId64 " of the file", i))
        break;
    }
  free(bytes);
}

static void save_and_load(const row *r, bool is_cyclic)
{
  dap_layout *layout = make_layout(is_cyclic);
  const bool has_part = test_rank() < dap_layout_nprocs(layout);
  dap_array local = {0};
  dap_error err = {0};
  const dap_file_options options = {
      .format = dap_file_raw(), .dtype = r->file, .lossy = r->lossy, .swapped = r->swapped_file};
  if (has_part) {
    EXPECT_OK(dap_array_init(&local, layout, test_rank(), r->array, DAP_ORDER_C, NULL, &err), &err);
    local.swapped = r->swapped_array;
    fill_global(layout, test_rank(), &local);
    turn(&local);
  }
  const dap_darray array = {layout, has_part ? &local : NULL};
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, array, files_path("t"), &options, &err), &err);
  check_file(r);
  if (has_part && local.data) memset(local.data, TEST_POISON, (size_t)dap_array_bytes(&local));
  const dap_file_options back = {
      .format = dap_file_raw(), .dtype = r->file, .lossy = true, .swapped = r->swapped_file};
  EXPECT_OK(dap_file_load(MPI_COMM_WORLD, array, files_path("t"), &back, &err), &err);
  if (has_part) {
    turn(&local);
    check_global(layout, test_rank(), &local, PADDING_ANY);
  }
  dap_array_release(&local);
  dap_layout_destroy(&layout);
}

static void types(void **state)
{
  (void)state;
  files_begin();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int is_cyclic = 0; is_cyclic < 2; is_cyclic++) {
      TEST_CASE("%s%s", rows[i].why, is_cyclic ? ", dealt" : "");
      save_and_load(&rows[i], is_cyclic);
      SETTLE();
    }
  files_end();
}

/* ---- addends ------------------------------------------------------------------------------------------ */

/* Each process has an addend of each element: the file has their sums. A file cannot be loaded into
 * addends. */
static void addends(void **state)
{
  (void)state;
  enum { COUNT = 3000 };
  const int P = test_nprocs();
  const dap_dist dist = dap_dist_partial(COUNT, P);
  dap_layout *layout = NULL;
  double *data = calloc(COUNT, sizeof *data);
  dap_error err = {0};
  int64_t length = 0;
  files_begin();
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  dap_array local = {
      .abi = DAP_ARRAY_ABI, .dtype = DAP_F8, .ndim = 1, .shape = {COUNT}, .strides = {8}, .data = data};
  for (int i = 0; data && i < COUNT; i++) data[i] = i + test_rank();
  const dap_file_options options = {.format = dap_file_raw(), .drop_layout = true};
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, (dap_darray){layout, &local}, files_path("p"), &options, &err),
            &err);
  unsigned char *bytes = test_rank() == 0 ? files_read(files_path("p"), &length) : NULL;
  if (bytes && EXPECT_INT(length, COUNT * 8))
    for (int i = 0; i < COUNT; i++) {
      double got;
      memcpy(&got, bytes + 8 * i, sizeof got);
      if (!EXPECT_MSG(got == P * i + P * (P - 1) / 2, "element %d of the file: %g", i, got)) break;
    }
  const dap_status s =
      dap_file_load(MPI_COMM_WORLD, (dap_darray){layout, &local}, files_path("p"), &options, &err);
  if (P > 1) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "partial");
  free(bytes);
  free(data);
  dap_layout_destroy(&layout);
  files_end();
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(types), cmocka_unit_test(addends)};
MPI_TEST_MAIN(tests)

/* Layouts by name, each to a file and from it to another layout, in both orders of storage. */
#include "files.h"
#include "move_rows.h"
#include "mpi_test.h"

#include <inttypes.h>

/* A buffer of this process for the layout of a row's side. */
static dap_darray take(const dap_layout *layout, const test_buffer *buffer, dap_dtype dtype, dap_array *array)
{
  *array = test_buffer_array(buffer, dtype);
  return (dap_darray){layout, array};
}

static void check_file(const move_row *r, const dap_file_options *options, dap_dtype dtype)
{
  int64_t length;
  file_array found = {.ndim = -1};
  if (test_rank() > 0) return;
  unsigned char *bytes = files_read(files_path("rows.npy"), &length);
  if (EXPECT(bytes && files_parse(bytes, length, &found))) {
    EXPECT_INT(found.ndim, r->ndim);
    for (int k = 0; k < r->ndim; k++) EXPECT_INT(found.shape[k], r->size[k]);
    EXPECT_INT(found.type[1], dap_dtype_name(dtype)[0]); /* u, i, f, c: numpy's letter is the name's */
    files_check(bytes, length, found.offset, r->ndim, r->size, found.fortran, r->itemsize, 0);
  }
  EXPECT(options->order == DAP_ORDER_F || !found.fortran);
  free(bytes);
}

static void save_and_load(const move_row *r, const dap_file_options *options, test_random *random)
{
  const dap_dtype dtype = files_dtype(r->itemsize);
  const case_layout cases[] = {move_case(r, &r->from), move_case(r, &r->to)};
  dap_layout *from = case_create(MPI_COMM_WORLD, &cases[0], random);
  dap_layout *to = case_create(MPI_COMM_WORLD, &cases[1], random);
  test_buffer a = test_buffer_make(from, test_rank(), r->itemsize, r->from.form, random);
  test_buffer b = test_buffer_make(to, test_rank(), r->itemsize, r->to.form, random);
  dap_array saved, loaded;
  dap_error err = {0};
  fill_bytes(from, test_rank(), a.data, a.strides, r->itemsize);
  EXPECT_OK(
      dap_file_save(MPI_COMM_WORLD, take(from, &a, dtype, &saved), files_path("rows.npy"), options, &err),
      &err);
  check_file(r, options, dtype);
  fill_poison(to, test_rank(), b.data, b.strides, r->itemsize);
  EXPECT_OK(
      dap_file_load(MPI_COMM_WORLD, take(to, &b, dtype, &loaded), files_path("rows.npy"), options, &err),
      &err);
  check_bytes(to, test_rank(), b.data, b.strides, r->itemsize, PADDING_FILLED);
  check_gaps(&b);
  test_buffer_free(&a);
  test_buffer_free(&b);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
}

/* Whether files have such elements, and both sides are on all processes. */
static bool is_for_all(const move_row *r)
{
  return files_dtype(r->itemsize) && r->from.axes != ONE_PROCESS && r->to.axes != ONE_PROCESS;
}

static void rows(void **state)
{
  (void)state;
  test_random random = test_random_init(5);
  static const dap_file_options all[] = {
      {.order = DAP_ORDER_C},
      {.order = DAP_ORDER_F, .drop_layout = true},
      {.order = DAP_ORDER_F, .writers = 1},
      {.order = DAP_ORDER_C, .writers = 3, .align = 16},
  };
  files_begin();
  for (const move_row *r = move_rows; r < move_rows + move_row_count; r++)
    for (size_t i = 0; is_for_all(r) && i < sizeof all / sizeof all[0]; i++) {
      TEST_CASE("options %zu: %s", i, r->why);
      save_and_load(r, &all[i], &random);
      SETTLE();
    }
  if (test_rank() == 0) EXPECT_INT(files_count(), 2 /* the array, and its layout */);
  files_end();
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(rows)};
MPI_TEST_MAIN(tests)

/* Saves and loads random arrays: all kinds of layouts, created or assembled, on all processes or some.
 * Buffers, types, orders, writers and memory vary. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "files.h"
#include "mpi_test.h"

#include <inttypes.h>

enum { CASES = 120, MOST = 3000 /* most elements */ };

static random_array arrays[2]; /* the saved array, and the loaded one */

static dap_file_options draw_options(test_random *random)
{
  return (dap_file_options){.format = test_random_one_in(random, 2) ? dap_file_npy() : dap_file_raw(),
                            .order = test_random_one_in(random, 2) ? DAP_ORDER_F : DAP_ORDER_C,
                            .offset = test_random_one_in(random, 2) ? test_random_int(random, 1, 99) : 0,
                            .writers = (int)test_random_int(random, 0, 4),
                            .align = test_random_one_in(random, 2) ? test_random_int(random, 1, 64) : 0,
                            .memory_bytes = test_random_one_in(random, 2)
                                                ? test_random_int(random, 1000, 4000) * test_nprocs()
                                                : 0};
}

/* ---- the bytes of files ------------------------------------------------------------------------------- */

/* Description of an array in a file. */
typedef struct file_array {
  char type[16]; /* numpy's name of the type */
  bool fortran;
  int ndim;
  int64_t shape[DAP_MAX_NDIM];
  int64_t offset;
} file_array;

/* Reads the header of a .npy file that numpy could have written. Returns false for other bytes. */
static bool parse(const unsigned char *bytes, int64_t length, file_array *array)
{
  char order[8] = "", rest[512] = "";
  *array = (file_array){.ndim = 0};
  if (length < 64 || memcmp(bytes, "\x93NUMPY\x01\x00", 8) != 0) return false;
  array->offset = 10 + bytes[8] + 256 * bytes[9];
  if (array->offset > length || array->offset % 64 != 0 || bytes[array->offset - 1] != '\n') return false;
  if (sscanf((const char *)bytes + 10,
             "{'descr': '%15[^']', 'fortran_order': %7[A-Za-z], 'shape': (%511[^\n]", array->type, order,
             rest) != 3)
    return false;
  array->fortran = strcmp(order, "True") == 0;
  if (!array->fortran && strcmp(order, "False") != 0) return false;
  char *at = rest;
  while (*at >= '0' && *at <= '9') {
    array->shape[array->ndim++] = strtoll(at, &at, 10);
    at += strncmp(at, ", ", 2) == 0 ? 2 : strncmp(at, ",)", 2) == 0 && array->ndim == 1 ? 1 : 0;
  }
  if (strncmp(at, "), }", 4) != 0) return false;
  return strspn(at + 4, " ") == strlen(at + 4);
}

/* Checks that the elements begin at the array's offset, each as side_fill() writes it with `shift`. The
 * file must end after them. */
static void check_bytes_of(const unsigned char *bytes, int64_t length, const file_array *f, int64_t itemsize,
                           int64_t shift)
{
  unsigned char want[SIDE_ITEM];
  int64_t count = 1, index[DAP_MAX_NDIM] = {0};
  for (int k = 0; k < f->ndim; k++) count *= f->shape[k];
  if (!EXPECT_INT(length, f->offset + count * itemsize)) return;
  for (int64_t i = 0; i < count; i++) {
    int64_t flat = 0; /* number in C order */
    for (int k = 0; k < f->ndim; k++) flat = flat * f->shape[k] + index[k];
    bytes_of(itemsize, flat + shift, want);
    if (!EXPECT_MSG(!memcmp(bytes + f->offset + i * itemsize, want, (size_t)itemsize),
                    "element %" PRId64 " of the file", i))
      return;
    for (int j = 0; j < f->ndim; j++) {
      const int k = f->fortran ? j : f->ndim - 1 - j;
      if (++index[k] < f->shape[k]) break;
      index[k] = 0;
    }
  }
}

/* Checks the bytes of the saved file. */
static void check_file(const random_array *array, const dap_file_options *options, int64_t itemsize,
                       int64_t shift)
{
  int64_t length;
  if (test_rank() > 0) return;
  unsigned char *bytes = files_read(files_path("random"), &length);
  file_array found = {
      .ndim = array->ndim, .offset = options->offset, .fortran = options->order == DAP_ORDER_F};
  for (int k = 0; k < array->ndim; k++) found.shape[k] = array->model.axes[k].size;
  if (options->format == dap_file_npy()) EXPECT(bytes && parse(bytes, length, &found));
  EXPECT_INT(found.ndim, array->ndim);
  for (int k = 0; k < array->ndim; k++) EXPECT_INT(found.shape[k], array->model.axes[k].size);
  if (bytes) check_bytes_of(bytes, length, &found, itemsize, shift);
  free(bytes);
}

static void round_trip(const test_side *from, const test_side *to, const dap_file_options *options)
{
  dap_array saved, loaded;
  dap_error err = {0};
  side_fill(from, 3, COPIES_WRONG);
  side_poison(to);
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, files_array(from, &saved), files_path("random"), options, &err),
            &err);
  check_file(from->array, options, from->itemsize, 3);
  EXPECT_OK(dap_file_load(MPI_COMM_WORLD, files_array(to, &loaded), files_path("random"), options, &err),
            &err);
  side_check(to, 3, COPIES_RIGHT, PADDING_FILLED);
  side_check(from, 3, COPIES_WRONG, PADDING_POISON);
}

static void label(int number, int64_t itemsize, const dap_file_options *o)
{
  char from[240];
  snprintf(from, sizeof from, "%s", random_array_text(&arrays[0]));
  TEST_CASE("seed %" PRIu64 ", case %d, %" PRId64 " bytes, %s in %c, offset %" PRId64
            ", %d writers, align %" PRId64 ", %" PRId64 " bytes of memory: %s; to %s",
            test_seed(), number, itemsize, o->format == dap_file_npy() ? "npy" : "raw", o->order, o->offset,
            o->writers, o->align, o->memory_bytes, from, random_array_text(&arrays[1]));
}

static void random_file(int number, test_random *random)
{
  static const int64_t itemsizes[] = {1, 2, 4, 8, 16, 32};
  const int ndim = (int)test_random_int(random, 0, number % 5 == 0 ? 6 : 4);
  const int64_t itemsize = itemsizes[test_random_int(random, 0, 5)];
  int64_t size[DAP_MAX_NDIM];
  random_shape(random, ndim, ndim > 4 ? MOST / 8 : MOST, size);
  test_side from = side_draw(random, ndim, size, itemsize, false, &arrays[0]);
  test_side to = side_draw(random, ndim, size, itemsize, false, &arrays[1]);
  const dap_file_options options = draw_options(random);
  label(number, itemsize, &options);
  round_trip(&from, &to, &options);
  side_free(&from);
  side_free(&to);
}

static void random_files(void **state)
{
  (void)state;
  files_begin();
  test_each(test_cases(CASES), 77, random_file);
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(random_files)};
MPI_TEST_MAIN(tests)

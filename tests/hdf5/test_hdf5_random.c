/* Saves random arrays to HDF5 files and loads them: all kinds of layouts, on all processes or some. Buffers,
 * types, writers and memory vary, and so do new files, several datasets of one file, and steps.
 *
 * HDF5 reads the saved data on one process. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "datasets.h"
#include "mpi_test.h"

#include <inttypes.h>

enum { CASES = 80, MOST = 3000 /* most elements */ };

static random_array arrays[2]; /* the saved array, and the loaded one */

static dap_file_options draw_options(test_random *random)
{
  return (dap_file_options){.format = dap_file_hdf5(),
                            .mode = (dap_file_mode)test_random_int(random, DAP_FILE_REPLACE, DAP_FILE_APPEND),
                            .writers = (int)test_random_int(random, 0, 4),
                            .align = test_random_one_in(random, 2) ? test_random_int(random, 1, 64) : 0,
                            .memory_bytes = test_random_one_in(random, 2)
                                                ? test_random_int(random, 1000, 4000) * test_nprocs()
                                                : 0};
}

/* Checks a dataset of steps, each of which has the array with another shift. */
static void check_dataset(const random_array *array, const char *name, int64_t itemsize, int steps)
{
  int64_t bytes = itemsize;
  char *elements = dataset_read("random.h5", name, 0, NULL);
  for (int k = 0; k < array->ndim; k++) bytes *= array->model.axes[k].size;
  for (int step = 0; elements && step < steps; step++)
    EXPECT(whole_check(array, itemsize, 3 + step, (unsigned char *)elements + step * bytes));
  free(elements);
}

/* Loads the last step, or the whole dataset. */
static void load(const test_side *to, const char *path, const dap_file_options *options, int steps)
{
  int axes[DAP_MAX_NDIM];
  int64_t start[DAP_MAX_NDIM + 1] = {steps - 1};
  dap_array loaded;
  dap_error err = {0};
  dap_file_options o = *options;
  for (int k = 0; k < to->array->ndim; k++) axes[k] = k + 1;
  if (o.mode == DAP_FILE_APPEND) o.part = (dap_part){.naxes = to->array->ndim, .axes = axes, .start = start};
  side_poison(to);
  EXPECT_OK(dap_file_load(MPI_COMM_WORLD, files_array(to, &loaded), path, &o, &err), &err);
  side_check(to, 2 + steps, COPIES_RIGHT, PADDING_FILLED);
}

static void round_trip(const test_side *from, const test_side *to, const dap_file_options *options,
                       int number)
{
  char name[40];
  const int steps = options->mode == DAP_FILE_APPEND ? 1 + number % 3 : 1;
  snprintf(name, sizeof name, "/group %d/x", number);
  const char *path = dataset_path("random.h5", name);
  dap_array saved;
  dap_error err = {0};
  for (int step = 0; step < steps; step++) {
    side_fill(from, 3 + step, COPIES_WRONG);
    EXPECT_OK(dap_file_save(MPI_COMM_WORLD, files_array(from, &saved), path, options, &err), &err);
  }
  check_dataset(from->array, name, from->itemsize, steps);
  load(to, path, options, steps);
  side_check(from, 2 + steps, COPIES_WRONG, PADDING_POISON);
}

static void label(int number, int64_t itemsize, const dap_file_options *o)
{
  char from[240];
  snprintf(from, sizeof from, "%s", random_array_text(&arrays[0]));
  TEST_CASE("seed %" PRIu64 ", case %d, %" PRId64 " bytes, mode %d, %d writers, align %" PRId64 ", %" PRId64
            " bytes of memory: %s; to %s",
            test_seed(), number, itemsize, (int)o->mode, o->writers, o->align, o->memory_bytes, from,
            random_array_text(&arrays[1]));
}

static void random_dataset(int number, test_random *random)
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
  round_trip(&from, &to, &options, number);
  side_free(&from);
  side_free(&to);
  datasets_are_closed();
}

static void random_datasets(void **state)
{
  (void)state;
  files_begin();
  test_each(test_cases(CASES), 43, random_dataset);
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(random_datasets)};
MPI_TEST_MAIN(tests)

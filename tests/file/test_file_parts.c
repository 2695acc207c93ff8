/* Loads and updates parts of files with random arrays: ranges, axes in another order, omitted axes and new
 * axes. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "files.h"
#include "mpi_test.h"

#include <inttypes.h>

enum { CASES = 120, MOST = 2000 /* most elements */ };

static random_array arrays[2]; /* the array in the file, and that of the part */

/* A part of the file's array. */
typedef struct random_part_of {
  int ndim; /* axes of the file's array */
  int64_t size[DAP_MAX_NDIM], start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM];
  bool has_axes;
  int naxes, axes[DAP_MAX_NDIM];
  int64_t extent[DAP_MAX_NDIM]; /* [naxes] shape of the loaded array */
} random_part_of;

static void draw_axes(test_random *random, random_part_of *p)
{
  int order[DAP_MAX_NDIM];
  for (int k = 0; k < p->ndim; k++) order[k] = k;
  test_shuffle(random, p->ndim, order);
  p->naxes = 0;
  for (int k = 0; k < p->ndim; k++) {
    if (p->size[order[k]] == 0 || !test_random_one_in(random, 3)) p->axes[p->naxes++] = order[k];
    if (test_random_one_in(random, 5)) p->axes[p->naxes++] = -1;
  }
}

static void draw_part(test_random *random, random_part_of *p)
{
  p->has_axes = test_random_one_in(random, 2);
  for (int k = 0; k < p->ndim; k++) {
    p->axes[k] = k;
    p->start[k] = test_random_int(random, 0, p->size[k] > 0 ? p->size[k] - 1 : 0);
    p->shape[k] = test_random_int(random, p->size[k] > 0, p->size[k] - p->start[k]);
    if (!test_random_one_in(random, 2)) continue;
    p->start[k] = 0; /* the whole axis */
    p->shape[k] = p->size[k];
  }
  p->naxes = p->ndim;
  if (p->has_axes) draw_axes(random, p);
  for (int j = 0; j < p->naxes; j++) p->extent[j] = p->axes[j] < 0 ? 1 : p->shape[p->axes[j]];
}

/* Returns the number, in C order, of the file's element at an index of the part. */
static int64_t number_of(const random_part_of *p, const int64_t index[])
{
  int64_t at[DAP_MAX_NDIM] = {0}, flat = 0;
  for (int k = 0; k < p->ndim; k++) at[k] = p->start[k];
  for (int j = 0; j < p->naxes; j++)
    if (p->axes[j] >= 0) at[p->axes[j]] += index[j];
  for (int k = 0; k < p->ndim; k++) flat = flat * p->size[k] + at[k];
  return flat;
}

/* ---- loaded ------------------------------------------------------------------------------------------- */

/* Checks that every position of the buffer, padding and copies included, has the file's element. */
static void check_loaded(const test_side *side, const random_part_of *p, int64_t shift)
{
  unsigned char want[SIDE_ITEM];
  if (side->process < 0) return;
  for (brute_walk w = brute_walk_start(&side->array->model, side->process); !w.done; brute_walk_next(&w)) {
    bytes_of(side->itemsize, number_of(p, w.global) + shift, want);
    if (!EXPECT_MSG(!memcmp(side_place(side, &w), want, (size_t)side->itemsize),
                    "element %" PRId64 " of the part is not element %" PRId64 " of the file", w.flat,
                    number_of(p, w.global)))
      return;
  }
  check_gaps(&side->buffer);
}

/* ---- updated ------------------------------------------------------------------------------------------ */

/* Checks all elements of the file after the part has been written. */
static void check_updated(const random_array *whole, const random_array *part, const random_part_of *p,
                          const dap_file_options *options, int64_t itemsize)
{
  int64_t length, *values = calloc((size_t)whole->model.count + 1, sizeof *values);
  unsigned char want[SIDE_ITEM], *bytes = test_rank() == 0 ? files_read(files_path("part"), &length) : NULL;
  for (int64_t i = 0; i < whole->model.count; i++) values[i] = i + 3;
  for (brute_walk w = brute_walk_start(&part->model, -1); !w.done; brute_walk_next(&w))
    values[number_of(p, w.global)] = w.flat + 9;
  for (int64_t i = 0; bytes && i < whole->model.count; i++) {
    int64_t rest = i, at = 0, index[DAP_MAX_NDIM];
    for (int k = p->ndim - 1; k >= 0; k--) {
      index[k] = rest % p->size[k];
      rest /= p->size[k];
    }
    for (int k = 0; k < p->ndim; k++) {
      const int axis = options->order == DAP_ORDER_F ? p->ndim - 1 - k : k;
      at = at * p->size[axis] + index[axis];
    }
    bytes_of(itemsize, values[i], want);
    if (!EXPECT_MSG(!memcmp(bytes + options->offset + at * itemsize, want, (size_t)itemsize),
                    "element %" PRId64 " of the file", i))
      break;
  }
  free(bytes);
  free(values);
}

/* ---- cases -------------------------------------------------------------------------------------------- */

static test_side draw(test_random *random, int ndim, const int64_t size[], int64_t itemsize,
                      random_array *array)
{
  random_array_draw(random, ndim > 0 ? test_nprocs() : 1, ndim, size, array);
  return side_make(array, CREATED, NULL, itemsize, (test_form)test_random_int(random, 0, FORM_COUNT - 1),
                   random);
}

static void label(int number, const random_part_of *p, const dap_file_options *o)
{
  char text[300] = "";
  size_t used = 0;
  for (int k = 0; k < p->ndim; k++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%" PRId64 "+%" PRId64 "/%" PRId64 " ",
                             p->start[k], p->shape[k], p->size[k]);
  for (int j = 0; p->has_axes && j < p->naxes; j++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", j ? "," : "axes ", p->axes[j]);
  TEST_CASE("seed %" PRIu64 ", case %d, order %c, %" PRId64 " bytes of memory: %s of %s", test_seed(), number,
            o->order, o->memory_bytes, text, random_array_text(&arrays[1]));
}

static void run_case(test_random *random, int number, random_part_of *p)
{
  static const int64_t itemsizes[] = {1, 4, 8, 16};
  const int64_t itemsize = itemsizes[number % 4];
  dap_array local;
  dap_error err = {0};
  test_side whole = draw(random, p->ndim, p->size, itemsize, &arrays[0]);
  test_side part = draw(random, p->naxes, p->extent, itemsize, &arrays[1]);
  dap_file_options options = {.format = dap_file_raw(),
                              .order = number % 3 ? DAP_ORDER_C : DAP_ORDER_F,
                              .offset = number % 5 ? 0 : 7,
                              .memory_bytes = number % 2 ? 0 : 3000 * test_nprocs()};
  label(number, p, &options);
  side_fill(&whole, 3, COPIES_WRONG);
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, files_array(&whole, &local), files_path("part"), &options, &err),
            &err);
  options.ndim = p->ndim;
  options.shape = p->size;
  options.part = (dap_part){.naxes = p->has_axes ? p->naxes : 0,
                            .axes = p->has_axes ? p->axes : NULL,
                            .start = p->start,
                            .shape = p->shape};
  side_poison(&part);
  EXPECT_OK(dap_file_load(MPI_COMM_WORLD, files_array(&part, &local), files_path("part"), &options, &err),
            &err);
  check_loaded(&part, p, 3);
  options.mode = DAP_FILE_UPDATE;
  side_fill(&part, 9, COPIES_WRONG);
  EXPECT_OK(dap_file_save(MPI_COMM_WORLD, files_array(&part, &local), files_path("part"), &options, &err),
            &err);
  check_updated(&arrays[0], &arrays[1], p, &options, itemsize);
  side_free(&whole);
  side_free(&part);
}

static void try_part(int number, test_random *random)
{
  random_part_of p = {.ndim = (int)test_random_int(random, 1, 4)};
  random_shape(random, p.ndim, MOST, p.size);
  draw_part(random, &p);
  run_case(random, number, &p);
}

static void random_parts(void **state)
{
  (void)state;
  files_begin();
  test_each(test_cases(CASES), 78, try_part);
  files_end();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(random_parts)};
MPI_TEST_MAIN(tests)

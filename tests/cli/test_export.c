/* Tests dap_layout_export() and dap_array_export(). The reader of documents must make the same layout and
 * buffer from their output, in every version of the protocol. Errors must be the same on all processes.
 * Private: the reader of documents is part of the command only. */
#include "document.h"
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/export.h>
#include <dapbridge/parse.h>

/* ---- reading it again ------------------------------------------------------------------------------- */

/* Facts that each process tells process 0 about its part, for comparison. */
typedef struct told {
  int64_t dtype, ndim, readonly, swapped, shape[DAP_MAX_NDIM], strides[DAP_MAX_NDIM];
} told;
enum { TOLD = sizeof(told) / sizeof(int64_t) };

static void tell(const dap_array *array, told all[])
{
  told mine = {
      .dtype = array->dtype, .ndim = array->ndim, .readonly = array->readonly, .swapped = array->swapped};
  for (int k = 0; k < array->ndim; k++) {
    mine.shape[k] = array->shape[k];
    mine.strides[k] = array->strides[k];
  }
  MPI_Gather(&mine, TOLD, MPI_INT64_T, all, TOLD, MPI_INT64_T, 0, MPI_COMM_WORLD);
}

static void compare_buffers(const document_parts *parts, const told all[])
{
  for (int r = 0; r < parts->doc->nprocs; r++) {
    const dap_array *array = &parts->arrays[r];
    EXPECT(array->dtype == (dap_dtype)all[r].dtype && array->ndim == all[r].ndim);
    EXPECT(array->readonly == (all[r].readonly != 0) && array->swapped == (all[r].swapped != 0));
    for (int k = 0; k < array->ndim; k++)
      EXPECT(array->shape[k] == all[r].shape[k] && array->strides[k] == all[r].strides[k]);
  }
}

/* Returns, on process 0, the layout of the only document of the file. */
static dap_layout *read_back(FILE *stream, const told all[])
{
  document_file file;
  document_place place;
  document doc;
  document_parts parts;
  dap_layout *layout = NULL;
  dap_error err = {0};
  rewind(stream);
  EXPECT_OK(document_file_init(&file, stream, DOCUMENT_LIMIT, &err), &err);
  if (!EXPECT(document_file_next(&file, &place, &err) && place.json)) {
    document_file_release(&file);
    return NULL;
  }
  EXPECT_OK(document_open(&doc, place.json, NULL, &err), &err);
  EXPECT_INT(doc.nprocs, test_nprocs());
  EXPECT(!doc.is_export && doc.has_buffers && doc.has_strides == (all != NULL));
  EXPECT_OK(document_parts_init(&parts, &doc, NULL, &err), &err);
  EXPECT_OK(document_parts_join(&parts, NULL, &layout, &err), &err);
  if (all) compare_buffers(&parts, all);
  document_parts_release(&parts);
  EXPECT(!document_file_next(&file, &place, &err));
  document_file_release(&file);
  return layout;
}

/* Checks that `export` writes the layout, and the buffers of `local` unless that is NULL. Documents do not
 * contain owners that the caller gave. */
static void expect_export(MPI_Comm comm, const char *version, const dap_layout *layout,
                          const dap_array *local, bool by_array, bool compare)
{
  FILE *stream = test_rank() == 0 ? tmpfile() : NULL;
  told all[16];
  dap_error err = {0};
  if (local) tell(local, all);
  const dap_darray whole = {layout, local};
  EXPECT_OK(by_array ? dap_array_export(comm, local, stream, &err)
                     : dap_layout_export(comm, version, whole, stream, &err),
            &err);
  if (test_rank() == 0 && EXPECT(stream != NULL)) {
    dap_layout *got = read_back(stream, local ? all : NULL);
    EXPECT(!compare || (got && is_as_read(got, layout)));
    dap_layout_destroy(&got);
    fclose(stream);
  }
}

/* ---- all kinds, versions and types -------------------------------------------------------------------- */

static random_array array;
static const char *const versions[] = {NULL, "0.10.0", "0.9.0", "0.0.1"};

static void export_one(int i, const dap_layout *layout)
{
  dap_array local;
  dap_error err = {0};
  const dap_order order = i % 2 ? DAP_ORDER_F : DAP_ORDER_C;
  const bool compare = random_array_lowest_own(&array);
  EXPECT_OK(dap_array_init(&local, layout, test_rank(), (dap_dtype)(1 + i % DAP_C32), order, NULL, &err),
            &err);
  local.readonly = i % 3 == 0;
  local.swapped = i % 5 == 0 && dap_dtype_size(local.dtype) > 1;
  expect_export(MPI_COMM_WORLD, NULL, layout, &local, true, compare);
  for (size_t v = 0; v < sizeof versions / sizeof versions[0]; v++) {
    if (versions[v] && !random_array_is_sayable(&array, versions[v])) continue;
    expect_export(MPI_COMM_WORLD, versions[v], layout, v % 2 ? &local : NULL, false, compare);
  }
  dap_array_release(&local);
}

static void random_layouts(void **state)
{
  (void)state;
  test_random random = test_random_init(92);
  for (int i = 0; i < test_cases(60); i++) {
    const int ndim = (int)test_random_int(&random, 1, 4);
    int64_t size[DAP_MAX_NDIM];
    random_shape(&random, ndim, 100, size);
    random_array_draw(&random, test_nprocs(), ndim, size, &array);
    TEST_CASE("case %d: %s", i, random_array_text(&array));
    dap_layout *made = random_array_layout(&array);
    if (made && (random_array_is_sayable(&array, "0.10.0") || random_array_is_sayable(&array, "0.9.0")))
      export_one(i, made);
    dap_layout_destroy(&made);
    SETTLE();
  }
}

/* Exports lists that no process knows completely. */
static void assembled_layouts(void **state)
{
  (void)state;
  test_random random = test_random_init(93);
  const int64_t size[1] = {50};
  for (int i = 0; i < 8; i++) {
    do random_array_draw(&random, test_nprocs(), 1, size, &array);
    while (array.dists[0].kind != DAP_DIST_UNSTRUCTURED || !random_array_lowest_own(&array));
    TEST_CASE("case %d: %s", i, random_array_text(&array));
    dap_layout *layout = random_array_layout(&array);
    dap_layout *assembled = layout ? assemble_again(MPI_COMM_WORLD, layout, NULL, &random) : NULL;
    if (assembled) expect_export(MPI_COMM_WORLD, NULL, assembled, NULL, false, true);
    dap_layout_destroy(&assembled);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* Exports text that needs several messages: 400000 indices on each process. */
static void long_texts(void **state)
{
  (void)state;
  const dap_dist dist = dap_dist_replicated(400000, test_nprocs());
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  expect_export(MPI_COMM_WORLD, NULL, layout, NULL, false, true);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- errors ------------------------------------------------------------------------------------------- */

static dap_layout *layout;
static dap_array mine;

static int begin(void **state)
{
  (void)state;
  const dap_dist dist = dap_dist_even(100, test_nprocs());
  return dap_layout_create(1, &dist, &layout, NULL) ||
         dap_array_init(&mine, layout, test_rank(), DAP_F8, DAP_ORDER_C, NULL, NULL);
}

static int end(void **state)
{
  (void)state;
  dap_array_release(&mine);
  dap_layout_destroy(&layout);
  return 0;
}

static void a_full_disk(void **state)
{
  (void)state;
  const dap_darray whole = {layout, &mine};
  for (int buffered = 0; buffered < 2; buffered++) {
    FILE *stream = test_rank() == 0 ? fopen("/dev/full", "w") : NULL;
    int is_there = stream != NULL;
    dap_error err = {0};
    MPI_Bcast(&is_there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!is_there) skip();
    TEST_CASE("%s", buffered ? "found out at the end" : "found out at once");
    if (stream && !buffered) setvbuf(stream, NULL, _IONBF, 0);
    dap_status s = dap_layout_export(MPI_COMM_WORLD, NULL, whole, stream, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LIBRARY, "rank 0|written|No space left");
    s = dap_array_export(MPI_COMM_WORLD, &mine, stream, NULL);
    EXPECT_INT(s, DAP_ERR_LIBRARY);
    if (stream) fclose(stream);
    SETTLE();
  }
}

/* Passes a wrong argument on the last process only. */
static void wrong_arguments(void **state)
{
  (void)state;
  const int last = test_nprocs() - 1;
  const bool is_last = test_rank() == last;
  FILE *stream = tmpfile();
  dap_error err = {0};
  char parts[80];
  dap_array wrong = mine;

  TEST_CASE("no stream");
  dap_status s = dap_array_export(MPI_COMM_WORLD, &mine, NULL, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "rank 0|stream|NULL");

  TEST_CASE("no array");
  snprintf(parts, sizeof parts, "rank %d|array|NULL", last);
  s = dap_array_export(MPI_COMM_WORLD, is_last ? NULL : &mine, stream, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, parts);

  TEST_CASE("a list that cannot be read");
  wrong.dims[0] = (dap_dim){.dist_type = 'u', .index_count = 2};
  snprintf(parts, sizeof parts, "rank %d|axis 0|NULL", last);
  s = dap_array_export(MPI_COMM_WORLD, is_last ? &wrong : &mine, stream, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_DIM, parts);

  TEST_CASE("no layout");
  snprintf(parts, sizeof parts, "rank %d|layout|NULL", last);
  s = dap_layout_export(MPI_COMM_WORLD, NULL, (dap_darray){is_last ? NULL : layout, &mine}, stream, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, parts);

  TEST_CASE("a part of other extents");
  wrong = mine;
  wrong.shape[0]++;
  snprintf(parts, sizeof parts, "rank %d|axis 0|extent", last);
  s = dap_layout_export(MPI_COMM_WORLD, NULL, (dap_darray){layout, is_last ? &wrong : &mine}, stream, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_BUFFER, parts);

  TEST_CASE("no such version");
  s = dap_layout_export(MPI_COMM_WORLD, "0.8.0", (dap_darray){layout, &mine}, stream, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_VERSION, "rank 0|0.8.0");
  if (stream) {
    EXPECT_MSG(ftell(stream) == 0, "something was written");
    fclose(stream);
  }
  SETTLE();
}

static void processes_that_differ(void **state)
{
  (void)state;
  const bool is_last = test_rank() == test_nprocs() - 1;
  FILE *stream = tmpfile();
  dap_error err = {0};
  if (test_nprocs() == 1) {
    if (stream) fclose(stream);
    skip();
  }
  dap_status s =
      dap_layout_export(MPI_COMM_WORLD, is_last ? "0.9.0" : NULL, (dap_darray){layout, &mine}, stream, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "the version");
  s = dap_layout_export(MPI_COMM_WORLD, NULL, (dap_darray){layout, is_last ? NULL : &mine}, stream, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "part");
  s = is_last ? dap_array_export(MPI_COMM_WORLD, &mine, stream, &err)
              : dap_layout_export(MPI_COMM_WORLD, NULL, (dap_darray){layout, &mine}, stream, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "dap_array_export|dap_layout_export");
  s = dap_layout_export(MPI_COMM_SELF, NULL, (dap_darray){layout, &mine}, stream, &err);
  EXPECT_STATUS(s, DAP_ERR_ARG, &err);
  if (stream) fclose(stream);
  SETTLE();
}

static void undescribable_layouts(void **state)
{
  (void)state;
  const dap_dist partial = dap_dist_partial(4, test_nprocs()),
                 wraps = {.procs = test_nprocs(), .size = 100, .halo = 1, .periodic = true, .wraps = true};
  dap_layout *of_addends = NULL, *ring = NULL;
  FILE *stream = tmpfile();
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &partial, &of_addends, &err), &err);
  EXPECT_OK(dap_layout_create(1, &wraps, &ring, &err), &err);
  dap_status s = dap_layout_export(MPI_COMM_WORLD, NULL, (dap_darray){of_addends, NULL}, stream, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "rank 0|axis 0|addend");
  s = dap_layout_export(MPI_COMM_WORLD, "0.10.0", (dap_darray){ring, NULL}, stream, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "rank 0|axis 0|wraps");
  if (stream) fclose(stream);
  dap_layout_destroy(&of_addends);
  dap_layout_destroy(&ring);
  SETTLE();
}

/* Exports an array that breaks the rules. It must still be written, so that the command can explain why. */
static void invalid_arrays_are_written(void **state)
{
  (void)state;
  FILE *stream = test_rank() == 0 ? tmpfile() : NULL;
  char text[4096] = "";
  dap_error err = {0};
  dap_array wrong = mine;
  wrong.dims[0].start = -7 - test_rank();
  EXPECT_OK(dap_array_export(MPI_COMM_WORLD, &wrong, stream, &err), &err);
  if (stream) {
    rewind(stream);
    EXPECT(fread(text, 1, sizeof text - 1, stream) > 0);
    for (int r = 0; r < test_nprocs(); r++) {
      char want[32];
      snprintf(want, sizeof want, "\"start\": %d,", -7 - r);
      EXPECT(strstr(text, want) != NULL);
    }
    fclose(stream);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_layouts),
    cmocka_unit_test(assembled_layouts),
    cmocka_unit_test(long_texts),
    cmocka_unit_test_setup_teardown(a_full_disk, begin, end),
    cmocka_unit_test_setup_teardown(wrong_arguments, begin, end),
    cmocka_unit_test_setup_teardown(processes_that_differ, begin, end),
    cmocka_unit_test(undescribable_layouts),
    cmocka_unit_test_setup_teardown(invalid_arrays_are_written, begin, end),
};

MPI_TEST_MAIN(tests)

/* Tests random layouts of all kinds, in one process: their answers about every process, and the layouts
 * that the dictionaries of all processes give when they are joined. The seed is printed, and DAP_TEST_SEED
 * repeats a run. */
#include "map_check.h"
#include "mpi_test.h"

#include <dapbridge/join.h>
#include <inttypes.h>

enum {
  CASES = 4000,
  MOST = 200 /* elements */,
  PROCS = 8,
  AXES = 4,
  MOST_AXES = DAP_MAX_NDIM /* in some layouts */
};

static random_array array; /* the current array */

/* ---- exported and joined ------------------------------------------------------------------------- */

typedef struct exports {
  dap_array parts[PROCS];
  void *indices[PROCS];
} exports;

static dap_status part_of(void *context, int rank, dap_array *part, dap_error *err)
{
  (void)err;
  *part = ((exports *)context)->parts[rank];
  return DAP_OK;
}

/* Checks a new array of dap_array_init(): zeroed memory at a cache line, contiguous in either order. */
static void check_new_array(const dap_layout *layout, int rank, const dap_array *part, dap_order order)
{
  const unsigned char *bytes = part->data;
  int coords[DAP_MAX_NDIM];
  int64_t stride = 8;
  dap_layout_coords(layout, rank, coords);
  EXPECT(part->abi == DAP_ARRAY_ABI && part->ndim == array.ndim && part->dim_count == array.ndim);
  EXPECT(part->dtype == DAP_F8 && !part->readonly && !part->swapped);
  for (int i = 0; i < array.ndim; i++) {
    const int k = order == DAP_ORDER_C ? array.ndim - 1 - i : i;
    EXPECT_INT(part->shape[k], array.model.axes[k].extent[coords[k]]);
    if (part->shape[k] > 1) EXPECT_INT(part->strides[k], stride);
    stride *= part->shape[k] ? part->shape[k] : 1;
  }
  EXPECT((uintptr_t)bytes % 64 == 0 && (bytes || dap_array_bytes(part) == 0));
  for (int64_t i = 0; i < dap_array_bytes(part); i++) EXPECT(bytes[i] == 0);
}

/* Exports the dictionaries in `version`, with a buffer and indices of random forms. The parts give their
 * version as `name`. */
static void export_part(const dap_layout *layout, int rank, const char *version, const char *name,
                        test_random *random, exports *all)
{
  const dap_order order = test_random_one_in(random, 2) ? DAP_ORDER_C : DAP_ORDER_F;
  dap_array *part = &all->parts[rank];
  dap_error err = {0};
  int coords[DAP_MAX_NDIM];
  EXPECT_OK(dap_array_init(part, layout, rank, DAP_F8, order, NULL, &err), &err);
  EXPECT(!strcmp(part->version, random_array_is_sayable(&array, "0.10.0") ? "0.10.0" : "0.9.0"));
  check_new_array(layout, rank, part, order);
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < array.ndim; k++)
    EXPECT_OK(dap_layout_dim(layout, version, k, coords[k], &part->dims[k], &err), &err);
  memcpy(part->version, name, strlen(name) + 1);
  random_indices(random, part, &all->indices[rank]);
  EXPECT_OK(strcmp(version, name) ? DAP_OK : dap_array_check(part, &err), &err);
}

static void tell(void *context, dap_status status, const dap_error *finding)
{
  (void)context;
  EXPECT_MSG(false, "told: %s, %s", dap_status_name(status), finding->text);
}

static void check_join(const dap_layout *layout, const char *version, test_random *random)
{
  static exports all;
  const bool by_rules = test_random_one_in(random, 3), without = test_random_one_in(random, 3);
  for (int rank = 0; rank < array.nprocs; rank++) {
    export_part(layout, rank, version, by_rules ? "my own 7" : version, random, &all);
    if (without) all.parts[rank].dtype = DAP_NONE;
    for (int k = 0; k < array.ndim && without; k++) all.parts[rank].shape[k] = -7;
  }
  const dap_join join = {.nprocs = array.nprocs,
                         .context = &all,
                         .part = part_of,
                         .tell = test_random_one_in(random, 2) ? tell : NULL,
                         .rules = by_rules ? version : NULL,
                         .without_buffers = without};
  dap_layout *joined = NULL;
  dap_error err = {.rank = 41, .rule = 42, .text = "untouched"};
  if (EXPECT_OK(dap_layout_join(&join, &joined, &err), &err)) {
    EXPECT(err.rank == 41 && err.rule == 42 && !strcmp(err.text, "untouched"));
    const bool same = is_as_read(joined, layout);
    EXPECT_MSG(same == random_array_lowest_own(&array), "joined in %s it is %s layout", version,
               same ? "the same" : "another");
  }
  dap_layout_destroy(&joined);
  for (int rank = 0; rank < array.nprocs; rank++) {
    dap_array_release(&all.parts[rank]);
    free(all.indices[rank]);
  }
}

/* Returns how many versions can describe the layout. */
static int check_exports(const dap_layout *layout, test_random *random)
{
  static const char *const versions[] = {"0.10.0", "0.9.0", "0.0.1"};
  int sayable = 0;
  dap_error err = {0};
  for (int i = 0; i < 3; i++) sayable += random_array_is_sayable(&array, versions[i]);
  for (int i = 0; i < 3 && sayable; i++)
    if (random_array_is_sayable(&array, versions[i])) check_join(layout, versions[i], random);
  dap_array part;
  if (!sayable)
    EXPECT_STATUS(dap_array_init(&part, layout, 0, DAP_F8, DAP_ORDER_C, NULL, &err), DAP_ERR_UNSUPPORTED,
                  &err);
  return sayable;
}

static void random_layouts(void **state)
{
  (void)state;
  test_random random = test_random_init(72);
  int sayable[4] = {0}; /* layouts by the number of versions that can describe them */
  for (int i = 0; i < CASES; i++) {
    int64_t size[MOST_AXES];
    const int nprocs = (int)test_random_int(&random, 1, PROCS);
    const bool is_deep = test_random_one_in(&random, 40);
    const int ndim = (int)test_random_int(&random, nprocs > 1 || !test_random_one_in(&random, 4),
                                          is_deep ? MOST_AXES : AXES);
    random_shape(&random, ndim, is_deep ? MOST / 8 : MOST, size);
    random_array_draw(&random, nprocs, ndim, size, &array);
    TEST_CASE("seed %" PRIu64 ", case %d: %s", test_seed(), i, random_array_text(&array));
    dap_layout *layout = random_array_layout(&array);
    if (!layout) break;
    check_layout(layout, &array, &random);
    sayable[check_exports(layout, &random)]++;
    dap_layout_destroy(&layout);
  }
  EXPECT_MSG(sayable[0] > 5 && sayable[1] > 50 && sayable[2] > 50 && sayable[3] > CASES / 2,
             "%d, %d, %d, %d layouts sayable in 0, 1, 2, 3 versions", sayable[0], sayable[1], sayable[2],
             sayable[3]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(random_layouts)};

MPI_TEST_MAIN(tests)

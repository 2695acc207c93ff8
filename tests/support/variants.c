#include "variants.h"

#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"

/* ---- lists ---------------------------------------------------------------------------------------- */

/* What a test asks for must fit, or it would write over its own memory. */
static void must_fit(int64_t count, int64_t room, const char *what)
{
  if (count <= room) return;
  fprintf(stderr, "variants.h has room for %lld %s, not %lld\n", (long long)room, what, (long long)count);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void add(variant_lists *lists, int c, int64_t index)
{
  must_fit(lists->lengths[c] + 1, VARIANT_SIZE, "indices a process");
  lists->memory[c][lists->lengths[c]++] = index;
}

dap_dist variant_dist(test_random *random, int64_t size, int procs, bool overlap, variant_lists *lists)
{
  must_fit(procs, VARIANT_PROCS, "processes");
  *lists = (variant_lists){.lengths = {0}};
  for (int64_t i = 0; i < size; i++) {
    const int holder = (int)test_random_int(random, 0, procs - 1);
    for (int c = 0; c < procs; c++)
      if (c == holder || (overlap && test_random_one_in(random, 3))) add(lists, c, i);
  }
  for (int c = 0; c < procs; c++) {
    test_shuffle_long(random, lists->lengths[c], lists->memory[c]);
    lists->lists[c] = lists->memory[c];
  }
  return dap_dist_unstructured(size, procs, lists->lengths, lists->lists);
}

void variant_add_ghosts(int procs, variant_lists *lists)
{
  for (int c = procs - 1; c > 0; c--)
    for (int lower = 0; lower < c; lower++)
      for (int64_t i = 0; i < lists->lengths[lower]; i++)
        if ((i + c) % 3 == 0) add(lists, c, lists->memory[lower][i]);
}

/* ---- layouts -------------------------------------------------------------------------------------- */

static void must(dap_status status, const dap_error *err)
{
  if (!status) return;
  fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

dap_layout *variant_shuffle(test_random *random, dap_layout *layout)
{
  int64_t order[VARIANT_PROCS];
  int ranks[VARIANT_PROCS];
  const int nprocs = dap_layout_nprocs(layout);
  dap_layout *shuffled;
  dap_error err = {0};
  must_fit(nprocs, VARIANT_PROCS, "processes");
  for (int i = 0; i < nprocs; i++) order[i] = i;
  test_shuffle_long(random, nprocs, order);
  for (int i = 0; i < nprocs; i++) ranks[i] = (int)order[i];
  must(dap_layout_reorder(layout, ranks, &shuffled, &err), &err);
  dap_layout_destroy(&layout);
  return shuffled;
}

dap_layout *variant_assemble(MPI_Comm comm, dap_layout *layout)
{
  int rank;
  dap_array array;
  dap_layout *assembled;
  dap_error err = {0};
  MPI_Comm_rank(comm, &rank);
  must(dap_array_init(&array, layout, rank, DAP_U1, DAP_ORDER_C, NULL, &err), &err);
  must(dap_layout_assemble(comm, &array, &assembled, &err), &err);
  EXPECT_MSG(is_as_read(assembled, layout), "assembled, it is another layout");
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  return assembled;
}

/* ---- buffers -------------------------------------------------------------------------------------- */

static unsigned char *element(const dap_array *array, const int64_t local[])
{
  unsigned char *at = array->data;
  for (int k = 0; k < array->ndim; k++) at += local[k] * array->strides[k];
  return at;
}

static bool next(const dap_array *array, int64_t local[])
{
  int k = array->ndim - 1;
  while (k >= 0 && ++local[k] == array->shape[k]) local[k--] = 0;
  return k >= 0;
}

void variant_swap(dap_array *array)
{
  int64_t local[DAP_MAX_NDIM] = {0};
  array->swapped = !array->swapped;
  for (bool more = dap_array_count(array) > 0; more; more = next(array, local))
    turn_bytes(array->dtype, element(array, local));
}

int64_t variant_held(const dap_layout *layout, int rank)
{
  int coords[DAP_MAX_NDIM];
  int64_t count = 1, halo[2];
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < dap_layout_ndim(layout); k++) {
    dap_layout_halo(layout, k, coords[k], halo);
    count *= dap_layout_extent(layout, k, coords[k]) - halo[0] - halo[1];
  }
  return count;
}

static bool is_padding(const dap_layout *layout, const int coords[], const int64_t local[])
{
  for (int k = 0; k < dap_layout_ndim(layout); k++) {
    int64_t halo[2];
    dap_layout_halo(layout, k, coords[k], halo);
    if (local[k] < halo[0] || local[k] >= dap_layout_extent(layout, k, coords[k]) - halo[1]) return true;
  }
  return false;
}

bool variant_check(const dap_layout *layout, int rank, const dap_array *array)
{
  int coords[DAP_MAX_NDIM];
  int64_t local[DAP_MAX_NDIM] = {0}, global[DAP_MAX_NDIM];
  unsigned char want[64];
  const size_t bytes = (size_t)dap_dtype_size(array->dtype);
  bool good = true;
  dap_layout_coords(layout, rank, coords);
  for (bool more = dap_array_count(array) > 0; more && good; more = next(array, local)) {
    int64_t flat = 0;
    EXPECT_OK(dap_layout_globalize(layout, rank, local, global, NULL, NULL), NULL);
    for (int k = 0; k < array->ndim; k++) flat = flat * dap_layout_size(layout, k) + global[k];
    value_of(array->dtype, flat, want);
    const bool padding = is_padding(layout, coords, local);
    if (padding) memset(want, TEST_POISON, sizeof want);
    good = EXPECT_MSG(!memcmp(element(array, local), want, bytes), "%s element %d of rank %d is wrong",
                      padding ? "padding" : "held", (int)flat, rank);
  }
  return good;
}

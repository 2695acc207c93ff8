/* Private: dap_dim_index() reads indices of all integer types, and layout_as_read() makes a layout of
 * maps. */
#include "random_array.h"

#include "buffers.h"
#include "model_impl.h"
#include "mpi_test.h"

#include <inttypes.h>

/* ---- drawn -------------------------------------------------------------------------------------- */

bool array_deal(int ndim, const dap_dist dists[], const int ranks[], random_array *array)
{
  for (int k = 0; k < ndim; k++) array->dists[k] = dists[k];
  array->ndim = ndim;
  const bool legal = EXPECT(brute_array_deal(ndim, dists, ranks, &array->model));
  array->nprocs = array->model.nprocs;
  return legal;
}

void random_array_draw(test_random *random, int nprocs, int ndim, const int64_t size[], random_array *array)
{
  int procs[DAP_MAX_NDIM], ranks[BRUTE_PROCS];
  dap_dist dists[DAP_MAX_NDIM];
  random_grid(random, nprocs, ndim, procs);
  random_ranks(random, nprocs, ranks);
  for (int k = 0; k < ndim; k++) dists[k] = random_any_dist(random, procs[k], size[k], &array->memory[k]);
  (void)array_deal(ndim, dists, ranks, array);
}

void random_shape(test_random *random, int ndim, int64_t most, int64_t size[])
{
  for (int k = 0; k < ndim; k++) {
    const int64_t limit = ndim > 4 ? 6 : ndim > 1 ? 40 : BRUTE_SIZE - 6; /* leaves room for halos */
    size[k] = test_random_int(random, test_random_one_in(random, 12) ? 0 : 1, most < limit ? most : limit);
    most /= size[k] ? size[k] : 1;
    if (size[k] > test_most) size[k] = test_most;
  }
}

dap_layout *layout_make(int ndim, const dap_dist dists[], const int ranks[])
{
  dap_layout *straight = NULL, *layout = NULL;
  dap_error err = {0};
  if (!EXPECT_OK(dap_layout_create(ndim, dists, &straight, &err), &err) || !ranks) return straight;
  EXPECT_OK(dap_layout_reorder(straight, ranks, &layout, &err), &err);
  dap_layout_destroy(&straight);
  return layout;
}

dap_layout *random_array_layout(const random_array *array)
{
  return layout_make(array->ndim, array->dists, array->model.ranks);
}

bool dist_is_sayable(const dap_dist *dist, const char *version)
{
  const bool has_edges = dist->periodic && (dist->boundary[0] > 0 || dist->boundary[1] > 0);
  if (!strncmp(version, "0.10", 4)) return !dist->wraps || dist->halo == 0;
  return !has_edges && (strcmp(version, "0.0.1") || dist->kind != DAP_DIST_UNSTRUCTURED || !dist->one_to_one);
}

bool random_array_is_sayable(const random_array *array, const char *version)
{
  bool is_sayable = true;
  for (int k = 0; k < array->ndim; k++) is_sayable = is_sayable && dist_is_sayable(&array->dists[k], version);
  return is_sayable;
}

bool random_array_can_assemble(const random_array *array)
{
  for (int k = 0; k < array->ndim; k++)
    if (array->model.axes[k].whole) return false;
  return random_array_is_sayable(array, "0.10") || random_array_is_sayable(array, "0.9");
}

bool random_array_lowest_own(const random_array *array)
{
  for (int k = 0; k < array->ndim; k++) {
    const brute_axis *axis = &array->model.axes[k];
    for (int p = 0; p < axis->procs && axis->kind == 'u'; p++)
      for (int64_t i = 0; i < axis->extent[p]; i++)
        if (axis->owner[axis->held[p][i]] > p) return false;
  }
  return true;
}

const char *random_array_text(const random_array *array)
{
  static char text[480];
  size_t used = 0;
  text[0] = '\0';
  for (int k = 0; k < array->ndim && used < sizeof text; k++)
    used +=
        (size_t)snprintf(text + used, sizeof text - used, "%s%s", k ? "; " : "", dist_text(&array->dists[k]));
  for (int i = 0; i < array->nprocs && used < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", i ? " " : "; ranks ",
                             array->model.ranks[i]);
  return text;
}

/* ---- exported ----------------------------------------------------------------------------------- */

dap_array list_part(int64_t size, int64_t count, dap_dtype dtype, const void *indices)
{
  static char element;
  return (dap_array){.abi = DAP_ARRAY_ABI,
                     .version = "0.10.0",
                     .dim_count = 1,
                     .dims = {{.dist_type = 'u',
                               .indices_dtype = dtype,
                               .size = size,
                               .proc_grid_size = test_nprocs(),
                               .proc_grid_rank = test_rank(),
                               .index_count = count,
                               .indices = indices}},
                     .dtype = DAP_I1,
                     .ndim = 1,
                     .shape = {count},
                     .data = &element};
}

/* Returns whether integers of that type can be indices of an axis. Every second type has a sign. */
static bool holds(dap_dtype dtype, int64_t size)
{
  const int64_t bits = 8 * dap_dtype_size(dtype) - (dtype % 2 == DAP_I1 % 2);
  return bits > 62 || size <= INT64_C(1) << bits;
}

void random_indices(test_random *random, dap_array *array, void **memory)
{
  int64_t words = 1;
  for (int k = 0; k < array->ndim; k++)
    words += array->dims[k].dist_type == 'u' ? array->dims[k].index_count : 0;
  int64_t *next = *memory = test_must(malloc((size_t)words * sizeof *next));
  for (int k = 0; k < array->ndim; k++) {
    dap_dim *dim = &array->dims[k];
    if (dim->dist_type != 'u') continue;
    dap_dtype type = DAP_NONE;
    do type = (dap_dtype)test_random_int(random, DAP_I1, DAP_U8);
    while (!holds(type, dim->size));
    for (int64_t i = 0; i < dim->index_count; i++)
      value_of(type, dap_dim_index(dim, i) - 1, (char *)next + i * dap_dtype_size(type));
    dim->indices = next;
    dim->indices_dtype = type;
    next += dim->index_count;
  }
}

/* Makes flags of this process's indices for each axis whose owners are given. */
static void take_owners(const dap_layout *layout, const int coords[], bool *is_owned[])
{
  for (int k = 0; k < dap_layout_ndim(layout); k++) {
    is_owned[k] = NULL;
    if (!dap_layout_axis(layout, k).owners_given) continue;
    is_owned[k] = calloc((size_t)dap_layout_extent(layout, k, coords[k]) + 1, sizeof **is_owned);
    for (int64_t i = 0; is_owned[k] && i < dap_layout_extent(layout, k, coords[k]); i++)
      is_owned[k][i] = dap_layout_is_owned(layout, k, coords[k], i);
  }
}

dap_layout *assemble_again(MPI_Comm comm, const dap_layout *layout, const char *version, test_random *types)
{
  dap_layout *assembled = NULL;
  dap_error err = {0};
  dap_array array;
  void *memory = NULL;
  int rank = 0, coords[DAP_MAX_NDIM];
  bool *is_owned[DAP_MAX_NDIM];
  MPI_Comm_rank(comm, &rank);
  if (!EXPECT_OK(dap_array_init(&array, layout, rank, DAP_U1, DAP_ORDER_C, NULL, &err), &err)) return NULL;
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < array.ndim && version; k++)
    EXPECT_OK(dap_layout_dim(layout, version, k, coords[k], &array.dims[k], &err), &err);
  if (version) memcpy(array.version, version, strlen(version) + 1);
  random_indices(types, &array, &memory);
  take_owners(layout, coords, is_owned);
  bool gives = false;
  for (int k = 0; k < array.ndim; k++) gives = gives || is_owned[k];
  EXPECT_OK(
      gives ? dap_layout_assemble_ghosted(comm, NULL, &array, (const bool *const *)is_owned, &assembled, &err)
            : dap_layout_assemble(comm, &array, &assembled, &err),
      &err);
  for (int k = 0; k < array.ndim; k++) free(is_owned[k]);
  dap_array_release(&array);
  free(memory);
  return assembled;
}

/* ---- as readers have it ------------------------------------------------------------------------- */

/* Makes the lists that a replicated axis is exported as. */
static dap_status list_axis(const dap_map *map, dap_map *listed, dap_error *err)
{
  const int procs = map->axis.procs;
  const int64_t size = map->axis.size;
  int64_t *all = test_must(calloc((size_t)size + 1, sizeof *all));
  int64_t *lengths = test_must(calloc((size_t)procs, sizeof *lengths));
  const int64_t **indices = test_must(calloc((size_t)procs, sizeof(int64_t *)));
  for (int64_t i = 0; i < size; i++) all[i] = i;
  for (int c = 0; c < procs; c++) {
    lengths[c] = size;
    indices[c] = all;
  }
  const dap_dist dist = dap_dist_unstructured(size, procs, lengths, indices);
  const dap_status s = dap_map_create(0, &dist, listed, err);
  free(all);
  free(lengths);
  free(indices);
  return s;
}

dap_layout *layout_as_read(const dap_layout *layout)
{
  dap_map maps[DAP_MAX_NDIM] = {0};
  dap_layout *read = NULL;
  dap_error err = {0};
  if (!layout) return NULL;
  for (int k = 0; k < layout->ndim; k++) {
    const dap_map *map = &layout->maps[k];
    EXPECT_OK(map->axis.replicated ? list_axis(map, &maps[k], &err) : dap_map_copy(k, map, &maps[k], &err),
              &err);
  }
  if (EXPECT_OK(dap_layout_from_maps(DAP_OK, layout->ndim, maps, &read, &err), &err))
    EXPECT_OK(dap_layout_set_ranks(read, layout->ranks, &err), &err);
  return read;
}

bool is_as_read(const dap_layout *got, const dap_layout *layout)
{
  dap_layout *read = layout_as_read(layout);
  const bool same = dap_layout_is_equal(got, read) && dap_layout_is_equal(read, got) &&
                    dap_layout_hash(got) == dap_layout_hash(read);
  dap_layout_destroy(&read);
  return same;
}

void expect_dictionaries(const dap_layout *layout, const dap_array *array)
{
  dap_layout *assembled = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_array_check(array, &err), &err);
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, array, &assembled, &err), &err);
  EXPECT(assembled && is_as_read(assembled, layout));
  dap_layout_destroy(&assembled);
}

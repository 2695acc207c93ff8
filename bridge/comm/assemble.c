/* A layout from the dictionaries of all processes.
 *
 * Each axis needs one dictionary per coordinate, not per process. The process whose other coordinates
 * are 0 tells its coordinate's; the others compare theirs with it. What travels and is kept grows with
 * the sum of the grid's extents. */
#include "comm_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The members of a dictionary that a process tells, in the order they travel. */
enum { KEY_START, KEY_STOP, KEY_LOW, KEY_HIGH, KEYS };
static const char *const key_names[KEYS] = {"start", "stop", "padding[0]", "padding[1]"};

/* What must be equal on all processes, in the order it travels. */
enum { ALL_VERSION_0, ALL_VERSION_1, ALL_DTYPE, ALL_NDIM, ALL_AXES };
enum { AXIS_TYPE, AXIS_SIZE, AXIS_PROCS, AXIS_BLOCK, AXIS_PERIODIC, AXIS_WORDS };
enum { WORDS = ALL_AXES + DAP_MAX_NDIM * AXIS_WORDS };
static const char *const axis_names[AXIS_WORDS] = {"dist_type", "size", "proc_grid_size", "block_size",
                                                   "periodic"};

typedef struct assembly {
  MPI_Comm comm;
  int rank, nprocs, ndim;
  dap_dim mine[DAP_MAX_NDIM];  /* [ndim] normal */
  int first[DAP_MAX_NDIM + 1]; /* where axis k begins in the tables below; first[ndim] = sum of procs */
  int64_t *told;               /* [first[ndim]][KEYS] from the tellers */
  dap_dim *dims;               /* [first[ndim]] */
} assembly;

/* ---- the envelope ----------------------------------------------------------------------------- */

static void collect_words(const dap_array *local, const dap_dim mine[], int64_t words[WORDS])
{
  memset(words, 0, WORDS * sizeof *words);
  char version[DAP_VERSION_TEXT] = "";
  for (int i = 0; local->version[i]; i++) version[i] = local->version[i];
  memcpy(&words[ALL_VERSION_0], version, sizeof version);
  words[ALL_DTYPE] = local->dtype;
  words[ALL_NDIM] = local->ndim;
  for (int k = 0; k < local->ndim; k++) {
    int64_t *axis = &words[ALL_AXES + k * AXIS_WORDS];
    axis[AXIS_TYPE] = (unsigned char)mine[k].dist_type;
    axis[AXIS_SIZE] = mine[k].size;
    axis[AXIS_PROCS] = mine[k].proc_grid_size;
    axis[AXIS_BLOCK] = mine[k].dist_type == 'c' ? mine[k].block_size : 0;
    axis[AXIS_PERIODIC] = mine[k].dist_type == 'b' && mine[k].periodic;
  }
}

static dap_status compare_words(const int64_t mine[WORDS], const int64_t first[WORDS], dap_error *err)
{
  char version[2][DAP_VERSION_TEXT];
  memcpy(version[0], &mine[ALL_VERSION_0], sizeof version[0]);
  memcpy(version[1], &first[ALL_VERSION_0], sizeof version[1]);
  DAP_REQUIRE(strcmp(version[0], version[1]) == 0, err, DAP_ERR_LAYOUT,
              "__version__ '%s' differs from '%s' on rank 0", version[0], version[1]);
  DAP_REQUIRE(mine[ALL_DTYPE] == first[ALL_DTYPE], err, DAP_ERR_LAYOUT,
              "element type %s differs from %s on rank 0", dap_dtype_name((dap_dtype)mine[ALL_DTYPE]),
              dap_dtype_name((dap_dtype)first[ALL_DTYPE]));
  DAP_REQUIRE(mine[ALL_NDIM] == first[ALL_NDIM], err, DAP_ERR_LAYOUT,
              "%" PRId64 " dimensions differ from %" PRId64 " on rank 0", mine[ALL_NDIM], first[ALL_NDIM]);
  for (int i = 0; i < (int)mine[ALL_NDIM] * AXIS_WORDS; i++) {
    const int64_t here = mine[ALL_AXES + i], there = first[ALL_AXES + i];
    const int axis = i / AXIS_WORDS, word = i % AXIS_WORDS;
    DAP_REQUIRE(here == there || word != AXIS_TYPE, err, DAP_ERR_LAYOUT,
                "dim %d: dist_type '%c' differs from '%c' on rank 0", axis, (char)here, (char)there);
    DAP_REQUIRE(here == there, err, DAP_ERR_LAYOUT,
                "dim %d: %s %" PRId64 " differs from %" PRId64 " on rank 0", axis, axis_names[word], here,
                there);
  }
  return DAP_OK;
}

static dap_status compare_envelopes(const assembly *a, const dap_array *local, dap_error *err)
{
  int64_t mine[WORDS], first[WORDS];
  collect_words(local, a->mine, mine);
  memcpy(first, mine, sizeof first);
  DAP_TRY(dap_mpi_check(MPI_Bcast(first, WORDS, MPI_INT64_T, 0, a->comm), "MPI_Bcast", err));
  return compare_words(mine, first, err);
}

/* ---- the process grid ------------------------------------------------------------------------- */

/* The grid must be exactly the communicator, each process at its row-major place. */
static dap_status check_grid(assembly *a, dap_error *err)
{
  int64_t procs = 1;
  for (int k = 0; k < a->ndim; k++)
    DAP_REQUIRE(dap_multiply(procs, a->mine[k].proc_grid_size, &procs) && procs <= a->nprocs, err,
                DAP_ERR_LAYOUT,
                "dim %d: the product of proc_grid_size up to here exceeds the communicator's %d processes", k,
                a->nprocs);
  DAP_REQUIRE(procs == a->nprocs, err, DAP_ERR_LAYOUT,
              "the product of all proc_grid_size is %" PRId64 ", but the communicator has %d processes",
              procs, a->nprocs);
  for (int k = 0; k < a->ndim; k++) a->first[k + 1] = a->first[k] + (int)a->mine[k].proc_grid_size;
  for (int k = a->ndim - 1, rest = a->rank; k >= 0; k--) {
    const int size = (int)a->mine[k].proc_grid_size;
    DAP_REQUIRE(a->mine[k].proc_grid_rank == rest % size, err, DAP_ERR_LAYOUT,
                "dim %d: proc_grid_rank %" PRId64 " is not %d, this rank's coordinate in row-major order", k,
                a->mine[k].proc_grid_rank, rest % size);
    rest /= size;
  }
  return DAP_OK;
}

/* ---- the dictionaries ------------------------------------------------------------------------- */

static void keys_of(const dap_dim *dim, int64_t keys[KEYS])
{
  const bool block = dim->dist_type == 'b';
  keys[KEY_START] = dim->start;
  keys[KEY_STOP] = block ? dim->stop : 0;
  keys[KEY_LOW] = block ? dim->padding[0] : 0;
  keys[KEY_HIGH] = block ? dim->padding[1] : 0;
}

/* The rank that tells the dictionary of this process' coordinate along `axis`. */
static int teller_of(const assembly *a, int axis)
{
  int rank = (int)a->mine[axis].proc_grid_rank;
  for (int k = axis + 1; k < a->ndim; k++) rank *= (int)a->mine[k].proc_grid_size;
  return rank;
}

static dap_status allocate_tables(assembly *a, dap_error *err)
{
  const size_t count = (size_t)a->first[a->ndim];
  a->told = malloc((count ? count : 1) * KEYS * sizeof *a->told);
  a->dims = calloc(count ? count : 1, sizeof *a->dims);
  DAP_REQUIRE(a->told && a->dims, err, DAP_ERR_NOMEM, "no memory for %zu dimension dictionaries", count);
  for (size_t i = 0; i < count * KEYS; i++) a->told[i] = INT64_MIN;
  for (int k = 0; k < a->ndim; k++)
    if (teller_of(a, k) == a->rank)
      keys_of(&a->mine[k], a->told + (a->first[k] + a->mine[k].proc_grid_rank) * KEYS);
  return DAP_OK;
}

/* Outer padding of edge processes is boundary padding, and may differ. */
static bool may_differ(const dap_dim *dim, int key)
{
  return (key == KEY_LOW && dim->proc_grid_rank == 0) ||
         (key == KEY_HIGH && dim->proc_grid_rank == dim->proc_grid_size - 1);
}

static dap_status exchange(assembly *a, dap_error *err)
{
  int count;
  DAP_TRY(dap_to_int((int64_t)a->first[a->ndim] * KEYS, "number of keys", &count, err));
  DAP_TRY(dap_mpi_check(MPI_Allreduce(MPI_IN_PLACE, a->told, count, MPI_INT64_T, MPI_MAX, a->comm),
                        "MPI_Allreduce", err));
  for (int k = 0; k < a->ndim; k++) {
    const dap_dim *dim = &a->mine[k];
    const int64_t *told = a->told + (a->first[k] + dim->proc_grid_rank) * KEYS;
    int64_t keys[KEYS];
    keys_of(dim, keys);
    for (int i = 0; i < KEYS; i++)
      DAP_REQUIRE(keys[i] == told[i] || may_differ(dim, i), err, DAP_ERR_LAYOUT,
                  "dim %d: %s %" PRId64 " differs from %" PRId64
                  " on rank %d, whose proc_grid_rank is %" PRId64 " too",
                  k, key_names[i], keys[i], told[i], teller_of(a, k), dim->proc_grid_rank);
  }
  return DAP_OK;
}

static dap_status build(assembly *a, dap_layout **layout, dap_error *err)
{
  const dap_dim *axes[DAP_MAX_NDIM];
  for (int k = 0; k < a->ndim; k++) {
    axes[k] = a->dims + a->first[k];
    for (int c = 0; c < a->first[k + 1] - a->first[k]; c++) {
      dap_dim *dim = a->dims + a->first[k] + c;
      const int64_t *told = a->told + (int64_t)(a->first[k] + c) * KEYS;
      *dim = a->mine[k];
      dim->proc_grid_rank = c;
      dim->start = told[KEY_START];
      dim->stop = told[KEY_STOP];
      dim->padding[0] = told[KEY_LOW];
      dim->padding[1] = told[KEY_HIGH];
    }
  }
  return dap_layout_from_dims(a->ndim, axes, layout, err);
}

/* ---- all of it -------------------------------------------------------------------------------- */

static dap_status start(assembly *a, const dap_array *local, dap_layout **layout, dap_error *err)
{
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout must not be NULL");
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(a->comm, &a->rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_size(a->comm, &a->nprocs), "MPI_Comm_size", err));
  DAP_TRY(dap_array_check(local, err));
  a->ndim = local->ndim;
  for (int k = 0; k < a->ndim; k++) a->mine[k] = dap_dim_normal(&local->dims[k], local->shape[k]);
  return DAP_OK;
}

/* Each step ends in an agreement, so that the next one can rely on what it checked everywhere. */
static dap_status assemble(assembly *a, const dap_array *local, dap_layout **layout, dap_error *err)
{
  DAP_TRY(dap_agree(a->comm, start(a, local, layout, err), err));
  DAP_TRY(dap_agree(a->comm, compare_envelopes(a, local, err), err));
  DAP_TRY(dap_agree(a->comm, check_grid(a, err), err));
  DAP_TRY(dap_agree(a->comm, allocate_tables(a, err), err));
  DAP_TRY(dap_agree(a->comm, exchange(a, err), err));
  const dap_status s = dap_agree(a->comm, build(a, layout, err), err);
  if (s) dap_layout_destroy(layout);
  return s;
}

dap_status dap_layout_assemble(MPI_Comm comm, const dap_array *local, dap_layout **layout, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  if (layout) *layout = NULL;
  DAP_TRY(dap_comm_check(comm, err));
  assembly a = {.comm = comm};
  const dap_status s = assemble(&a, local, layout, err);
  free(a.told);
  free(a.dims);
  return s;
}

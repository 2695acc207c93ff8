/* Assembles a layout from the dictionaries of all processes. Each axis needs one dictionary per coordinate:
 * the process whose other coordinates are 0 sends it, and the others compare theirs with it. So messages and
 * memory grow with the sum of the grid's extents. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

typedef struct assembly {
  MPI_Comm comm;
  int rank, nprocs, ndim;
  const dap_dialect *dialect;
  const bool *const *is_owned; /* [ndim] as dap_layout_assemble_ghosted() takes them; NULL: none */
  dap_dim mine[DAP_MAX_NDIM];  /* [ndim] in normal form */
  int grid_index;              /* of this process in the grid, row-major */
  int *ranks;                  /* [nprocs] rank at each grid index; NULL: the index */
  int first[DAP_MAX_NDIM + 1]; /* where axis k begins in the tables below; first[ndim] = sum of procs */
  int64_t *coord_keys;         /* [first[ndim]][DAP_COORD_KEYS] of the roots */
  dap_dim *dims;               /* [first[ndim]] */
} assembly;

/* ---- the envelope ----------------------------------------------------------------------------- */

/* Returns a bit for each axis whose owners this process gives. */
static int64_t given_axes(const assembly *a)
{
  int64_t bits = 0;
  for (int k = 0; a->is_owned && k < a->ndim; k++)
    if (a->is_owned[k]) bits |= INT64_C(1) << k;
  return bits;
}

/* Compares the envelope with that of rank 0, and also the rules that it is read by and the axes whose owners
 * are given. */
static dap_status compare_envelopes(const assembly *a, const dap_array *local, dap_error *err)
{
  enum { RULES = DAP_ENVELOPE, GIVEN, WORDS };
  int64_t mine[WORDS], first[WORDS];
  const char *rules = a->dialect->versions;
  dap_envelope_fill(local, a->mine, false, mine);
  mine[RULES] = (int64_t)dap_hash(0, rules, strlen(rules));
  mine[GIVEN] = given_axes(a);
  memcpy(first, mine, sizeof first);
  DAP_TRY(dap_bcast(a->comm, first, WORDS, MPI_INT64_T, 0, err));
  DAP_TRY(dap_envelope_compare(mine, first, err));
  DAP_RULE(2, mine[RULES] == first[RULES], err, DAP_ERR_ARG,
           "the rules %s to read by are not the same as on rank 0", rules);
  for (int k = 0; k < a->ndim; k++)
    DAP_REQUIRE(((mine[GIVEN] ^ first[GIVEN]) >> k & 1) == 0, err, DAP_ERR_ARG,
                "axis %d: owners are given on %s, but not on %s", k,
                mine[GIVEN] >> k & 1 ? "this rank" : "rank 0", mine[GIVEN] >> k & 1 ? "rank 0" : "this one");
  return DAP_OK;
}

/* ---- the process grid ------------------------------------------------------------------------- */

static dap_status check_grid(assembly *a, dap_error *err)
{
  DAP_TRY(dap_grid_check(a->ndim, a->mine, a->nprocs, err));
  a->grid_index = dap_grid_index(a->ndim, a->mine);
  for (int k = 0; k < a->ndim; k++) a->first[k + 1] = a->first[k] + (int)a->mine[k].proc_grid_size;
  return DAP_OK;
}

/* Gathers grid_indices[rank] and inverts them to ranks[index]. If no index is taken twice, all are taken. */
static dap_status gather_grid_indices(assembly *a, int grid_indices[], dap_error *err)
{
  dap_status s = DAP_OK;
  DAP_TRY(dap_allgather(a->comm, &a->grid_index, grid_indices, 1, MPI_INT, err));
  for (int i = 0; i < a->nprocs; i++) a->ranks[i] = -1;
  for (int rank = 0; rank < a->nprocs; rank++) {
    int *holder = &a->ranks[grid_indices[rank]];
    if (*holder >= 0 && rank == a->rank) s = dap_grid_fail(a->ndim, a->mine, *holder, err);
    if (*holder < 0) *holder = rank;
  }
  return s;
}

/* Gathers the rank at each place of the grid. If ranks are in row-major order, nothing is gathered. */
static dap_status find_ranks(assembly *a, dap_error *err)
{
  enum { IS_ROW_MAJOR };
  dap_agreement all = {.least = {[IS_ROW_MAJOR] = a->grid_index == a->rank}};
  DAP_TRY(dap_agree_all(a->comm, &all, err));
  if (all.least[IS_ROW_MAJOR]) return DAP_OK;
  int *grid_indices = malloc((size_t)a->nprocs * sizeof *grid_indices);
  a->ranks = malloc((size_t)a->nprocs * sizeof *a->ranks);
  dap_status s = DAP_OK;
  if (!grid_indices || !a->ranks)
    s = dap_fail(err, DAP_ERR_NOMEM, "no memory for the grid indices of %d processes", a->nprocs);
  s = dap_agree(a->comm, s, err);
  if (!s) s = dap_agree(a->comm, gather_grid_indices(a, grid_indices, err), err);
  free(grid_indices);
  return s;
}

/* ---- the dictionaries ------------------------------------------------------------------------- */

static int64_t *keys_of(const assembly *a, int axis, int64_t coord)
{
  return a->coord_keys + (a->first[axis] + coord) * DAP_COORD_KEYS;
}

static dap_status allocate_tables(assembly *a, dap_error *err)
{
  const size_t count = (size_t)a->first[a->ndim];
  a->coord_keys = malloc((count ? count : 1) * DAP_COORD_KEYS * sizeof *a->coord_keys);
  a->dims = calloc(count ? count : 1, sizeof *a->dims);
  DAP_REQUIRE(a->coord_keys && a->dims, err, DAP_ERR_NOMEM, "no memory for %zu dimension dictionaries",
              count);
  for (size_t i = 0; i < count * DAP_COORD_KEYS; i++) a->coord_keys[i] = INT64_MIN;
  for (int k = 0; k < a->ndim; k++)
    if (dap_grid_root(a->ndim, a->mine, k) == a->grid_index)
      dap_coord_keys_fill(&a->mine[k], keys_of(a, k, a->mine[k].proc_grid_rank));
  return DAP_OK;
}

static dap_status exchange(assembly *a, dap_error *err)
{
  int count;
  DAP_TRY(dap_to_int((int64_t)a->first[a->ndim] * DAP_COORD_KEYS, "number of keys", &count, err));
  DAP_TRY(dap_allreduce(a->comm, a->coord_keys, count, MPI_INT64_T, MPI_MAX, err));
  for (int k = 0; k < a->ndim; k++) {
    const int root = dap_grid_root(a->ndim, a->mine, k);
    DAP_TRY(dap_coord_keys_compare(a->dialect, k, &a->mine[k], keys_of(a, k, a->mine[k].proc_grid_rank),
                                   a->ranks ? a->ranks[root] : root, err));
  }
  return DAP_OK;
}

/* ---- the maps --------------------------------------------------------------------------------- */

static dap_status build_ranges(assembly *a, int axis, dap_map *map, dap_error *err)
{
  dap_dim *dims = a->dims + a->first[axis];
  for (int c = 0; c < a->mine[axis].proc_grid_size; c++)
    dims[c] = dap_coord_keys_dim(&a->mine[axis], c, keys_of(a, axis, c));
  dap_findings findings = {.rank = -1, .err = err};
  (void)dap_map_assemble(a->dialect, axis, dims, map, &findings);
  return findings.status;
}

/* Builds a 'u' axis. Its keys have the number of indices at each coordinate. */
static dap_status build_lists(assembly *a, int axis, dap_map *map, dap_error *err)
{
  const int procs = (int)a->mine[axis].proc_grid_size;
  int64_t *held = malloc((size_t)procs * sizeof *held);
  dap_status s =
      held ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "axis %d: no memory for %d counts", axis, procs);
  s = dap_agree(a->comm, s, err);
  for (int c = 0; c < procs && !s; c++) held[c] = keys_of(a, axis, c)[DAP_COORD_START];
  const bool *is_owned = a->is_owned ? a->is_owned[axis] : NULL;
  const dap_held_lists lists = {a->ndim, axis, a->mine, a->ranks, held, is_owned};
  if (!s) s = dap_lists_assemble(a->comm, &lists, map, err);
  free(held);
  return s;
}

static dap_status build(assembly *a, dap_layout **layout, dap_error *err)
{
  dap_map maps[DAP_MAX_NDIM] = {0};
  dap_status s = DAP_OK;
  for (int k = 0; k < a->ndim && !s; k++) {
    if (a->mine[k].dist_type == 'u')
      s = build_lists(a, k, &maps[k], err);
    else
      s = dap_agree(a->comm, build_ranges(a, k, &maps[k], err), err);
  }
  s = dap_layout_from_maps(s, a->ndim, maps, layout, err);
  if (!s) s = dap_layout_set_ranks(*layout, a->ranks, err);
  return dap_agree(a->comm, s, err);
}

/* ---- all of it -------------------------------------------------------------------------------- */

static dap_status start(assembly *a, const char *rules, const dap_array *local, dap_layout **layout,
                        dap_error *err)
{
  dap_findings findings = {.rank = -1, .err = err};
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout must not be NULL");
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(a->comm, &a->rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_size(a->comm, &a->nprocs), "MPI_Comm_size", err));
  if (!dap_local_check(local, rules, false, &a->dialect, &findings)) return findings.status;
  a->ndim = local->ndim;
  dap_local_dims(local, a->dialect, false, a->mine);
  for (int k = 0; k < a->ndim; k++)
    DAP_REQUIRE((given_axes(a) >> k & 1) == 0 || a->mine[k].dist_type == 'u', err, DAP_ERR_ARG,
                "axis %d: owners are given, but dist_type is '%c', not 'u'", k, a->mine[k].dist_type);
  return DAP_OK;
}

/* Each step ends in an agreement, so that the next one can rely on its checks on all processes. */
static dap_status assemble(assembly *a, const char *function, const char *rules, const dap_array *local,
                           dap_layout **layout, dap_error *err)
{
  DAP_TRY(dap_agree_call(a->comm, function, start(a, rules, local, layout, err), err));
  DAP_TRY(dap_agree(a->comm, compare_envelopes(a, local, err), err));
  DAP_TRY(dap_agree(a->comm, check_grid(a, err), err));
  DAP_TRY(find_ranks(a, err));
  DAP_TRY(dap_agree(a->comm, allocate_tables(a, err), err));
  DAP_TRY(dap_agree(a->comm, exchange(a, err), err));
  const dap_status s = build(a, layout, err);
  if (s) dap_layout_destroy(layout);
  return s;
}

static dap_status assemble_on(MPI_Comm comm, const char *function, const char *rules, const dap_array *local,
                              const bool *const is_owned[], dap_layout **layout, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  if (layout) *layout = NULL;
  DAP_TRY(dap_comm_check(comm, err));
  assembly a = {.comm = comm, .is_owned = is_owned};
  const dap_status s = assemble(&a, function, rules, local, layout, err);
  free(a.ranks);
  free(a.coord_keys);
  free(a.dims);
  return s;
}

dap_status dap_layout_assemble_ghosted(MPI_Comm comm, const char *rules, const dap_array *local,
                                       const bool *const is_owned[], dap_layout **layout, dap_error *err)
{
  return assemble_on(comm, "dap_layout_assemble_ghosted", rules, local, is_owned, layout, err);
}

dap_status dap_layout_assemble_as(MPI_Comm comm, const char *rules, const dap_array *local,
                                  dap_layout **layout, dap_error *err)
{
  return assemble_on(comm, "dap_layout_assemble", rules, local, NULL, layout, err);
}

dap_status dap_layout_assemble(MPI_Comm comm, const dap_array *local, dap_layout **layout, dap_error *err)
{
  return dap_layout_assemble_as(comm, NULL, local, layout, err);
}

/* Assembles a 'u' axis from the lists of all processes. A process sees its own list and a slice of the table
 * of owners. It claims the indices of its list from the processes that keep their slices. */
#include "comm_impl.h"
#include "lists_impl.h"

#include <inttypes.h>
#include <string.h>

typedef struct gathering {
  MPI_Comm comm;
  const dap_held_lists *given;
  const dap_dim *dim; /* this process's dictionary of the axis */
  int coord;          /* of this process along the axis */
  dap_map *map;
  int64_t wrong, theirs; /* position of the first index that differs, and the neighbour's index; -1: none */
  int64_t contested;     /* position of the first index whose owner differs; -1: none */
} gathering;

static int rank_of(const gathering *g, const dap_dim dims[])
{
  const int grid_index = dap_grid_index(g->given->ndim, dims);
  return g->given->ranks ? g->given->ranks[grid_index] : grid_index;
}

/* Returns the rank of the process at `coord` of the axis that has this process's other coordinates. */
static int rank_at(const gathering *g, int coord)
{
  dap_dim dims[DAP_MAX_NDIM];
  memcpy(dims, g->given->dims, (size_t)g->given->ndim * sizeof *dims);
  dims[g->given->axis].proc_grid_rank = coord;
  return rank_of(g, dims);
}

/* ---- processes at one coordinate have the same list ---------------------------------------------------- */

/* Returns the rank before this one among those at its coordinate, in the order of the grid. If each but the
 * first is equal to the one before, all are equal, and a process receives one list at most. */
static int neighbour_of(const gathering *g)
{
  dap_dim dims[DAP_MAX_NDIM];
  memcpy(dims, g->given->dims, (size_t)g->given->ndim * sizeof *dims);
  for (int k = g->given->ndim - 1; k >= 0; k--) {
    if (k == g->given->axis) continue;
    const int64_t before = dims[k].proc_grid_rank - 1;
    dims[k].proc_grid_rank = before >= 0 ? before : dims[k].proc_grid_size - 1;
    if (before >= 0) break;
  }
  return rank_of(g, dims);
}

/* Returns whether this process is the first of those at its coordinate. */
static bool is_first(const gathering *g)
{
  for (int k = 0; k < g->given->ndim; k++)
    if (k != g->given->axis && g->given->dims[k].proc_grid_rank > 0) return false;
  return true;
}

static int ask_neighbour(void *context, int64_t i, int64_t question[])
{
  const gathering *g = context;
  question[0] = i;
  return neighbour_of(g);
}

static void answer_neighbour(void *context, int from, const int64_t question[], int64_t answer[])
{
  const gathering *g = context;
  (void)from;
  answer[0] = dap_dim_index(g->dim, question[0]); /* lists at one coordinate have the same length */
  answer[1] = g->given->is_owned && g->given->is_owned[question[0]];
}

static void take_neighbour(void *context, int64_t i, const int64_t answer[])
{
  gathering *g = context;
  const bool *is_owned = g->given->is_owned;
  if (g->contested < 0 && answer[1] != (is_owned && is_owned[i])) g->contested = i;
  if (g->wrong >= 0 || answer[0] == dap_dim_index(g->dim, i)) return;
  g->wrong = i;
  g->theirs = answer[0];
}

static dap_status compare_lists(gathering *g, dap_error *err)
{
  int procs = 1;
  for (int k = 0; k < g->given->ndim; k++) procs *= (int)g->given->dims[k].proc_grid_size;
  if (procs == g->dim->proc_grid_size) return DAP_OK; /* one process at a coordinate */
  const dap_query query = {.count = is_first(g) ? 0 : g->dim->index_count,
                           .question_words = 1,
                           .answer_words = 2,
                           .context = g,
                           .question = ask_neighbour,
                           .answer = answer_neighbour,
                           .take = take_neighbour};
  g->wrong = g->contested = -1;
  DAP_TRY(dap_query_all(g->comm, &query, err));
  dap_status s = DAP_OK;
  if (g->wrong >= 0)
    s = dap_coord_keys_fail_index(g->given->axis, g->dim, g->wrong, g->theirs, neighbour_of(g), err);
  else if (g->contested >= 0)
    s = dap_fail(err, DAP_ERR_LAYOUT,
                 "axis %d: is_owned[%" PRId64 "] is not what it is on rank %d, which has the same indices",
                 g->given->axis, g->contested, neighbour_of(g));
  return dap_agree(g->comm, s, err);
}

/* ---- the directory ------------------------------------------------------------------------------------- */

static int ask_claim(void *context, int64_t i, int64_t question[])
{
  const gathering *g = context;
  question[0] = dap_packed_get(&g->map->lists->list[g->coord].indices, i);
  question[1] = i;
  question[2] = !g->given->is_owned || g->given->is_owned[i] ? g->coord : -1; /* a ghost claims nothing */
  return rank_at(g, dap_directory_host(g->map, question[0]));
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a dap_query's answer, which here is empty */
static void answer_claim(void *context, int from, const int64_t question[], int64_t answer[])
{
  const gathering *g = context;
  (void)from;
  (void)answer;
  if (question[2] >= 0) dap_directory_claim(g->map, question[0], (int)question[2], question[1]);
}

static dap_status claim(gathering *g, dap_error *err)
{
  const dap_query query = {.count = g->map->lists->held[g->coord],
                           .question_words = 3,
                           .context = g,
                           .question = ask_claim,
                           .answer = answer_claim};
  return dap_query_all(g->comm, &query, err);
}

/* Agrees on the lowest gap and the lowest duplicate of all slices, so that all processes report the same, and
 * on whether all lists are in order. */
static dap_status check_slices(gathering *g, dap_error *err)
{
  const dap_directory *d = &g->map->lists->directory;
  enum { GAP, TWICE, IN_ORDER };
  dap_agreement lowest = {
      .least = {[GAP] = dap_directory_gap(g->map), [TWICE] = d->twice, [IN_ORDER] = g->map->lists->in_order}};
  DAP_TRY(dap_agree_all(g->comm, &lowest, err));
  const int64_t gap = lowest.least[GAP], twice = lowest.least[TWICE];
  g->map->lists->in_order = lowest.least[IN_ORDER] != 0;
  int owner = -1;
  if (twice != INT64_MAX && twice == d->twice) owner = (int)dap_packed_get(&d->owner, twice - d->first) - 1;
  dap_status s = dap_allreduce(g->comm, &owner, 1, MPI_INT, MPI_MAX, err);
  if (!s) s = dap_directory_verdict(g->given->axis, g->map, gap, twice, owner, err);
  return dap_agree(g->comm, s, err);
}

/* ---- the owner of an index in several lists ------------------------------------------------------------ */

static int ask_owner(void *context, int64_t i, int64_t question[])
{
  const gathering *g = context;
  question[0] = dap_packed_get(&g->map->lists->list[g->coord].indices, i);
  return rank_at(g, dap_directory_host(g->map, question[0]));
}

static void answer_owner(void *context, int from, const int64_t question[], int64_t answer[])
{
  const gathering *g = context;
  const dap_directory *d = &g->map->lists->directory;
  (void)from;
  answer[0] = dap_packed_get(&d->owner, question[0] - d->first) - 1;
}

static void take_owner(void *context, int64_t i, const int64_t answer[])
{
  gathering *g = context;
  if (answer[0] == g->coord) dap_lists_own(g->map, g->coord, i);
}

static dap_status flag_lowest(gathering *g, dap_error *err)
{
  dap_lists *lists = g->map->lists;
  DAP_TRY(dap_agree(g->comm, dap_lists_disown(g->given->axis, g->map, g->coord, err), err));
  const dap_query query = {.count = lists->held[g->coord],
                           .question_words = 1,
                           .answer_words = 1,
                           .context = g,
                           .question = ask_owner,
                           .answer = answer_owner,
                           .take = take_owner};
  return dap_query_all(g->comm, &query, err);
}

/* Shares how many indices each coordinate owns. */
static dap_status count_owned(gathering *g, dap_error *err)
{
  dap_lists *lists = g->map->lists;
  const int64_t mine = lists->owned[g->coord];
  for (int c = 0; c < g->map->axis.procs; c++) lists->owned[c] = c == g->coord ? mine : 0;
  return dap_allreduce(g->comm, lists->owned, g->map->axis.procs, MPI_INT64_T, MPI_MAX, err);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* Adds the digests of the lists, one for each coordinate. */
static dap_status add_digests(gathering *g, dap_error *err)
{
  g->map->lists->digest = is_first(g) ? dap_list_digest(g->map, g->coord) : 0;
  return dap_allreduce(g->comm, &g->map->lists->digest, 1, MPI_UINT64_T, MPI_SUM, err);
}

static dap_status start(gathering *g, bool *has_duplicates, dap_error *err)
{
  const dap_dim *dim = g->dim;
  const int axis = g->given->axis;
  dap_map *map = g->map;
  dap_map_start(dap_dist_ops_find('u'), dim->size, (int)dim->proc_grid_size, map);
  DAP_TRY(dap_lists_start(axis, dim->one_to_one, map, err));
  DAP_TRY(dap_lists_set(axis, map, g->coord, dim, err));
  for (int c = 0; c < map->axis.procs; c++) map->lists->held[c] = map->lists->owned[c] = g->given->held[c];
  if (g->given->is_owned) DAP_TRY(dap_lists_give(axis, map, g->coord, 0, g->given->is_owned, err));
  DAP_TRY(dap_lists_count(axis, map, has_duplicates, err));
  const int64_t slice = dap_directory_slice(map), first = dap_smaller(g->coord * slice, dim->size);
  const int64_t count = dap_smaller(slice, dim->size - first);
  return dap_directory_create(axis, map, first, count, &map->lists->directory, err);
}

dap_status dap_lists_assemble(MPI_Comm comm, const dap_held_lists *lists, dap_map *map, dap_error *err)
{
  const dap_dim *dim = &lists->dims[lists->axis];
  gathering g = {.comm = comm, .given = lists, .dim = dim, .coord = (int)dim->proc_grid_rank, .map = map};
  bool has_duplicates = false;
  DAP_TRY(compare_lists(&g, err));
  DAP_TRY(dap_agree(comm, start(&g, &has_duplicates, err), err));
  DAP_TRY(claim(&g, err));
  DAP_TRY(check_slices(&g, err));
  if (has_duplicates && !lists->is_owned) DAP_TRY(flag_lowest(&g, err));
  dap_status s = has_duplicates || lists->is_owned ? count_owned(&g, err) : DAP_OK;
  const dap_status t = add_digests(&g, s ? NULL : err);
  return dap_agree(comm, s ? s : t, err);
}

/* Finds owners of indices. For 'u' axes it asks the processes that keep the directory's slices. */
#include "comm_impl.h"
#include "lists_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- one axis ----------------------------------------------------------------------------------- */

typedef struct asking {
  const dap_lookup *lookup;
  const dap_map *map;
  int coords[DAP_MAX_NDIM]; /* [ndim] of this process; outside the layout, of one that its rank chooses */
} asking;

/* Asks the process that keeps the slice with the index and has the asker's other coordinates. */
static int ask_index(void *context, int64_t i, int64_t question[])
{
  asking *a = context;
  const dap_lookup *l = a->lookup;
  question[0] = l->global(l->context, i);
  a->coords[l->axis] = dap_directory_host(a->map, question[0]);
  const int process = dap_layout_rank(l->layout, a->coords);
  return l->ranks ? l->ranks[process] : process;
}

static void answer_index(void *context, int from, const int64_t question[], int64_t answer[])
{
  const asking *a = context;
  int coord = -1;
  (void)from;
  (void)a->map->ops->locate(a->map, question[0], &coord, &answer[1]);
  answer[0] = coord;
}

static void take_owner(void *context, int64_t i, const int64_t answer[])
{
  const asking *a = context;
  a->lookup->found(a->lookup->context, i, (int)answer[0], answer[1]);
}

/* Finds all owners on this process, which has the whole map. */
static void answer_here(const dap_lookup *l, const dap_map *map)
{
  for (int64_t i = 0; i < l->count; i++) {
    int coord = -1;
    int64_t local = 0;
    (void)map->ops->locate(map, l->global(l->context, i), &coord, &local);
    l->found(l->context, i, coord, local);
  }
}

dap_status dap_lookup_run(MPI_Comm comm, const dap_lookup *lookup, dap_error *err)
{
  asking a = {.lookup = lookup, .map = &lookup->layout->maps[lookup->axis]};
  const dap_directory *d = &a.map->lists->directory;
  int rank = 0;
  enum { HAS_DIRECTORY }; /* this process has the whole directory */
  dap_agreement all = {.least = {[HAS_DIRECTORY] = d->first == 0 && d->count == a.map->axis.size}};
  all.status = dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err);
  DAP_TRY(dap_agree_all(comm, &all, err));
  if (all.least[HAS_DIRECTORY]) {
    answer_here(lookup, a.map);
    return DAP_OK;
  }
  const int process = lookup->process >= 0 ? lookup->process : rank % lookup->layout->nprocs;
  dap_layout_coords(lookup->layout, process, a.coords);
  const dap_query query = {.count = lookup->count,
                           .question_words = 1,
                           .answer_words = 2,
                           .context = &a,
                           .question = ask_index,
                           .answer = answer_index,
                           .take = take_owner};
  return dap_query_all(comm, &query, err);
}

/* ---- whole elements ------------------------------------------------------------------------------ */

typedef struct elements {
  const dap_layout *layout;
  int axis;
  const int64_t *global; /* [count][ndim] */
  int *coords;           /* [count][ndim] */
  int64_t *local;        /* [count][ndim] */
} elements;

static int64_t element_global(void *context, int64_t i)
{
  const elements *e = context;
  return e->global[i * e->layout->ndim + e->axis];
}

static void element_found(void *context, int64_t i, int coord, int64_t local)
{
  const elements *e = context;
  e->coords[i * e->layout->ndim + e->axis] = coord;
  e->local[i * e->layout->ndim + e->axis] = local;
}

static dap_status check_process(const dap_layout *layout, int nprocs, int rank, dap_error *err)
{
  DAP_REQUIRE(layout->nprocs == nprocs, err, DAP_ERR_ARG, "the layout has %d processes, the communicator %d",
              layout->nprocs, nprocs);
  return dap_layout_check_own(layout, rank, err);
}

dap_status dap_layout_agree(MPI_Comm comm, const char *function, const dap_layout *layout, dap_error *err)
{
  static const char *const names[] = {"the layout"};
  int nprocs = 0, rank = 0;
  dap_status s = dap_layout_check(layout, err);
  if (!s) s = dap_mpi_check(MPI_Comm_size(comm, &nprocs), "MPI_Comm_size", err);
  if (!s) s = dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err);
  const uint64_t words[] = {s ? 0 : dap_layout_hash(layout)};
  DAP_TRY(dap_agree_first(
      comm, &(dap_agreement){.function = function, .status = s, .words = words, .names = names, .count = 1},
      err));
  return dap_agree(comm, check_process(layout, nprocs, rank, err), err);
}

static dap_status check_elements(const dap_layout *layout, int64_t count, const int64_t global[],
                                 const int ranks[], const int64_t local[], dap_error *err)
{
  DAP_REQUIRE(count >= 0 && count <= INT64_MAX / 64 / (layout->ndim + 1), err, DAP_ERR_ARG,
              "count %" PRId64 " is negative or beyond any memory", count);
  DAP_REQUIRE(count == 0 || ranks, err, DAP_ERR_ARG, "ranks must not be NULL");
  DAP_REQUIRE(count == 0 || layout->ndim == 0 || (global && local), err, DAP_ERR_ARG,
              "global and local must not be NULL");
  for (int64_t i = 0; i < count * layout->ndim; i++) {
    const int k = (int)(i % layout->ndim);
    DAP_REQUIRE(global[i] >= 0 && global[i] < layout->maps[k].axis.size, err, DAP_ERR_ARG,
                "element %" PRId64 ": axis %d: index %" PRId64 " is outside 0 .. size - 1 = %" PRId64,
                i / layout->ndim, k, global[i], layout->maps[k].axis.size - 1);
  }
  return DAP_OK;
}

/* Finds owners axis by axis. Only axes of lists take messages. */
static dap_status look_up(MPI_Comm comm, int rank, elements *e, int64_t count, dap_error *err)
{
  for (int k = 0; k < e->layout->ndim; k++) {
    const dap_map *map = &e->layout->maps[k];
    e->axis = k;
    const dap_lookup lookup = {.layout = e->layout,
                               .axis = k,
                               .process = rank,
                               .count = count,
                               .context = e,
                               .global = element_global,
                               .found = element_found};
    if (map->lists)
      DAP_TRY(dap_lookup_run(comm, &lookup, err));
    else
      answer_here(&lookup, map);
  }
  return DAP_OK;
}

dap_status dap_layout_lookup(MPI_Comm comm, const dap_layout *layout, int64_t count, const int64_t global[],
                             int ranks[], int64_t local[], dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  DAP_TRY(dap_comm_check(comm, err));
  DAP_TRY(dap_layout_agree(comm, "dap_layout_lookup", layout, err));
  elements e = {.layout = layout, .global = global, .local = local};
  DAP_TRY(dap_agree(comm, check_elements(layout, count, global, ranks, local, err), err));
  int rank = 0;
  dap_status s = dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err);
  e.coords = malloc((size_t)(count * layout->ndim + 1) * sizeof *e.coords);
  if (!s && !e.coords) s = dap_fail(err, DAP_ERR_NOMEM, "no memory to look up %" PRId64 " elements", count);
  s = dap_agree(comm, s, err);
  if (!s) s = look_up(comm, rank, &e, count, err);
  for (int64_t i = 0; i < count && !s; i++) ranks[i] = dap_layout_rank(layout, e.coords + i * layout->ndim);
  free(e.coords);
  return s;
}

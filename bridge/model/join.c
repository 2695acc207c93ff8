/* Checks the parts of all processes and puts them together in one process. It passes over all parts several
 * times, and each pass relies on what earlier ones found to hold everywhere. Its steps and texts are those of
 * dap_layout_assemble(), which may name another rank where lists differ at one coordinate. */
#include "model_impl.h"

#include <stdlib.h>
#include <string.h>

typedef struct joining {
  const dap_join *join;
  dap_findings findings;
  const dap_dialect *dialect;
  bool *clean; /* [nprocs] nothing found in the part itself */
  int ndim;
  int64_t envelope[DAP_ENVELOPE]; /* of rank 0 */
  dap_dim first[DAP_MAX_NDIM];    /* [ndim] normal dictionaries of rank 0 */
  int *ranks;                     /* [nprocs] of the process at each grid index */
  dap_dim *dims[DAP_MAX_NDIM];    /* [ndim][procs] normal dictionaries, by coordinate */
  bool doubt[DAP_MAX_NDIM];       /* [ndim] something found in the dictionaries of the axis */
} joining;

/* One process under examination. */
typedef struct part {
  int rank;
  dap_array array;
  dap_dim dims[DAP_MAX_NDIM]; /* [ndim] normal; of clean parts */
} part;

/* Notes a finding about rank `rank`, if `status` is one. */
static void note(joining *j, int rank, dap_status status, const dap_error *error)
{
  j->findings.rank = rank;
  (void)dap_found(&j->findings, status, error);
}

/* ---- the passes ----------------------------------------------------------------------------------- */

static void check_part(joining *j, part *p)
{
  const dap_dialect *dialect = NULL;
  j->findings.rank = p->rank;
  j->clean[p->rank] =
      dap_local_check(&p->array, j->join->rules, j->join->without_buffers, &dialect, &j->findings);
  if (p->rank == 0) j->dialect = dialect;
}

static void compare_envelope(joining *j, part *p)
{
  int64_t words[DAP_ENVELOPE];
  dap_error error = {0};
  if (!j->clean[0] || !j->clean[p->rank]) return;
  dap_envelope_fill(&p->array, p->dims, j->join->without_buffers, words);
  if (p->rank == 0) {
    memcpy(j->envelope, words, sizeof words);
    memcpy(j->first, p->dims, sizeof j->first);
    j->ndim = p->array.dim_count;
  } else {
    note(j, p->rank, dap_envelope_compare(words, j->envelope, &error), &error);
  }
}

/* Checks the grid of rank 0, which is that of all. If other parts are missing, it checks the only one by
 * itself. */
static void check_grid(joining *j)
{
  dap_error error = {0};
  note(j, 0, dap_grid_check(j->ndim, j->first, j->join->nprocs, &error), &error);
  if (j->findings.status && j->join->nprocs == 1 && !j->findings.is_over)
    (void)dap_local_alone(j->dialect, j->ndim, j->first, &j->findings);
}

static void take_place(joining *j, part *p)
{
  dap_error error = {0};
  int *rank = &j->ranks[dap_grid_index(j->ndim, p->dims)];
  if (*rank >= 0)
    note(j, p->rank, dap_grid_fail(j->ndim, p->dims, *rank, &error), &error);
  else
    *rank = p->rank;
}

/* Allocates dictionaries, once the grid is known to have as many processes as there are parts. */
static void allocate_dims(joining *j)
{
  for (int k = 0; k < j->ndim && !j->findings.is_over; k++) {
    dap_error error = {0};
    j->dims[k] = calloc((size_t)j->first[k].proc_grid_size, sizeof *j->dims[k]);
    if (!j->dims[k])
      note(j, 0, dap_fail(&error, DAP_ERR_NOMEM, "axis %d: no memory for its dictionaries", k), &error);
  }
}

static void take_dims(joining *j, part *p)
{
  const int grid_index = dap_grid_index(j->ndim, p->dims);
  for (int k = 0; k < j->ndim; k++)
    if (dap_grid_root(j->ndim, p->dims, k) == grid_index) j->dims[k][p->dims[k].proc_grid_rank] = p->dims[k];
}

static dap_status compare_indices(int axis, const dap_dim *mine, const dap_dim *root_dim, int root,
                                  dap_error *err)
{
  for (int64_t i = 0; i < mine->index_count; i++) {
    const int64_t theirs = dap_dim_index(root_dim, i);
    if (dap_dim_index(mine, i) != theirs) return dap_coord_keys_fail_index(axis, mine, i, theirs, root, err);
  }
  return DAP_OK;
}

static void compare_dims(joining *j, part *p)
{
  for (int k = 0; k < j->ndim && !j->findings.is_over; k++) {
    const dap_dim *mine = &p->dims[k], *root_dim = &j->dims[k][mine->proc_grid_rank];
    const int root = j->ranks[dap_grid_root(j->ndim, p->dims, k)];
    int64_t words[DAP_COORD_KEYS];
    dap_error error = {0};
    dap_coord_keys_fill(root_dim, words);
    dap_status s = dap_coord_keys_compare(j->dialect, k, mine, words, root, &error);
    if (!s && mine->dist_type == 'u' && root != p->rank) s = compare_indices(k, mine, root_dim, root, &error);
    j->doubt[k] = j->doubt[k] || s;
    note(j, p->rank, s, &error);
  }
}

/* Shows all parts to a pass, in turn. */
static void pass(joining *j, void (*examine)(joining *, part *))
{
  for (int rank = 0; rank < j->join->nprocs && !j->findings.is_over; rank++) {
    part p = {.rank = rank};
    dap_error error = {0};
    const dap_status s = j->join->part(j->join->context, rank, &p.array, &error);
    note(j, rank, s, &error);
    j->findings.is_over = j->findings.is_over || s;
    if (j->findings.is_over) return;
    if (j->clean[0] && j->clean[rank]) dap_local_dims(&p.array, j->dialect, j->join->without_buffers, p.dims);
    examine(j, &p);
  }
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static dap_status allocate_ranks(joining *j, dap_error *err)
{
  const size_t count = (size_t)j->join->nprocs;
  j->clean = calloc(count, sizeof *j->clean);
  j->ranks = malloc(count * sizeof *j->ranks);
  DAP_REQUIRE(j->clean && j->ranks, err, DAP_ERR_NOMEM, "no memory for %zu processes", count);
  for (size_t i = 0; i < count; i++) j->ranks[i] = -1;
  return DAP_OK;
}

/* Makes maps of the axes that are beyond doubt, and a layout if all are. */
static void build(joining *j, dap_layout **layout)
{
  dap_map maps[DAP_MAX_NDIM] = {0};
  dap_error error = {0};
  j->findings.rank = 0;
  for (int k = 0; k < j->ndim && !j->findings.is_over; k++)
    if (!j->doubt[k]) (void)dap_map_assemble(j->dialect, k, j->dims[k], &maps[k], &j->findings);
  const bool is_clean = !j->findings.status;
  dap_status s = dap_layout_from_maps(j->findings.status, j->ndim, maps, layout, &error);
  if (!s) s = dap_layout_set_ranks(*layout, j->ranks, &error);
  if (s) dap_layout_destroy(layout);
  if (is_clean) note(j, 0, s, &error);
}

static void run(joining *j, dap_layout **layout)
{
  dap_error error = {0};
  note(j, -1, allocate_ranks(j, &error), &error);
  pass(j, check_part);
  pass(j, compare_envelope);
  if (j->findings.status) return;
  check_grid(j);
  if (!j->findings.status) pass(j, take_place);
  if (!j->findings.status) allocate_dims(j);
  if (j->findings.status) return;
  pass(j, take_dims);
  pass(j, compare_dims);
  if (!j->findings.is_over) build(j, layout);
}

dap_status dap_layout_join(const dap_join *join, dap_layout **layout, dap_error *err)
{
  DAP_REQUIRE(layout, err, DAP_ERR_ARG, "layout must not be NULL");
  *layout = NULL;
  DAP_REQUIRE(join && join->part, err, DAP_ERR_ARG, "join and its part must not be NULL");
  DAP_REQUIRE(join->nprocs >= 1, err, DAP_ERR_ARG, "nprocs %d is less than 1", join->nprocs);
  joining j = {.join = join, .findings = {.tell = join->tell, .context = join->context, .err = err}};
  run(&j, layout);
  free(j.clean);
  free(j.ranks);
  for (int k = 0; k < j.ndim; k++) free(j.dims[k]);
  return j.findings.status;
}

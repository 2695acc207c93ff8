/* The one place that decides whether a vector's entries can be the elements in the array's buffer. */
#include "vector_impl.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct dap_petsc_vector_state dap_state;

/* ---- what is the same on every process -------------------------------------------------------------- */

/* In a cyclic axis block 0 may begin anywhere; where each process has one block, that is where the order begins. */
int dap_vector_place(const dap_layout *layout, int axis, int coord)
{
  const dap_axis a = dap_layout_axis(layout, axis);
  return (coord - a.first_owner + a.procs) % a.procs;
}

static dap_status check_copies(const dap_layout *layout, dap_error *why)
{
  for (int k = 0; k < dap_layout_ndim(layout); k++) {
    int64_t held = 0;
    for (int c = 0; c < dap_layout_procs(layout, k); c++) held += dap_layout_extent(layout, k, c);
    DAP_REQUIRE(dap_layout_axis(layout, k).dist_type != 'u' || held == dap_layout_size(layout, k), why,
                DAP_ERR_SHARE,
                "dim %d: the lists have %" PRId64 " entries for %" PRId64 " elements; a vector has each once",
                k, held, dap_layout_size(layout, k));
  }
  return DAP_OK;
}

/* The one axis that may be distributed: no slower one has more than one element. */
static dap_status find_cut(const dap_layout *layout, dap_order order, int *cut, dap_error *why)
{
  const int ndim = dap_layout_ndim(layout);
  int slower = -1;
  *cut = -1;
  for (int i = 0; i < ndim; i++) {
    const int k = order == DAP_ORDER_C ? i : ndim - 1 - i;
    if (dap_layout_procs(layout, k) > 1) {
      DAP_REQUIRE(*cut < 0, why, DAP_ERR_SHARE,
                  "dims %d and %d are both distributed; a vector has one range a process", *cut, k);
      DAP_REQUIRE(slower < 0, why, DAP_ERR_SHARE,
                  "dim %d is distributed, but dim %d is slower in %c order: a process' entries are no range",
                  k, slower, (char)order);
      *cut = k;
    }
    if (slower < 0 && dap_layout_size(layout, k) > 1) slower = k;
  }
  return DAP_OK;
}

static dap_status check_blocks(const dap_layout *layout, int cut, int64_t block_size, dap_error *why)
{
  const int64_t all = dap_layout_count(layout);
  for (int c = 0; cut >= 0 && all > 0 && c < dap_layout_procs(layout, cut); c++) {
    const int64_t count = dap_layout_owned(layout, cut, c) * (all / dap_layout_size(layout, cut));
    DAP_REQUIRE(count % block_size == 0, why, DAP_ERR_SHARE,
                "dim %d: proc_grid_rank %d has %" PRId64 " elements, no whole blocks of size %" PRId64, cut,
                c, count, block_size);
  }
  return DAP_OK;
}

static dap_status ask_all(dap_state *state, dap_error *why)
{
  DAP_TRY(check_copies(state->layout, why));
  DAP_TRY(find_cut(state->layout, state->options.order, &state->cut, why));
  return check_blocks(state->layout, state->cut, state->options.block_size, why);
}

/* ---- what only this process can tell ----------------------------------------------------------------- */

static const char *kind(const dap_layout *layout, int k)
{
  switch (dap_layout_axis(layout, k).dist_type) {
  case 'u':
    return "unstructured";
  case 'c':
    return "cyclic";
  default:
    return "in blocks";
  }
}

/* The elements here are those that follow the ones of the processes before, in order, and lie so. Indices that are not
 * known here are none. */
static dap_status check_range(const dap_state *state, int k, int coord, dap_error *why)
{
  const dap_layout *layout = state->layout;
  const int place = dap_vector_place(layout, k, coord);
  int64_t next = 0, local = -1, left = dap_layout_owned(layout, k, coord);
  bool follows = true;
  for (int c = 0; c < dap_layout_procs(layout, k); c++)
    if (dap_vector_place(layout, k, c) < place) next += dap_layout_owned(layout, k, c);
  for (dap_run run = {0}; follows && dap_layout_next_run(layout, k, coord, &run);) {
    follows = run.global == next && (local < 0 || run.local == local);
    next += run.length;
    local = run.local + run.length;
    left -= run.length;
  }
  DAP_REQUIRE(follows && left == 0, why, DAP_ERR_SHARE,
              "dim %d is %s, and the elements of a process are not one range in process order", k,
              kind(layout, k));
  return DAP_OK;
}

static dap_status check_ranges(const dap_state *state, dap_error *why)
{
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(state->layout, state->rank, coords);
  for (int k = 0; k < dap_layout_ndim(state->layout); k++) DAP_TRY(check_range(state, k, coords[k], why));
  return DAP_OK;
}

/* A list needs no order, but has to be known. */
static dap_status check_list(const dap_state *state, dap_error *why)
{
  int coord = 0;
  dap_layout_coords(state->layout, state->rank, &coord);
  DAP_REQUIRE(dap_layout_knows(state->layout, 0, coord), why, DAP_ERR_SHARE,
              "dim 0: the indices of this process are not known to it");
  return DAP_OK;
}

/* The owned part of the buffer; sets the state's count and offset. */
static dap_status check_buffer(dap_state *state, dap_error *why)
{
  const dap_array *array = &state->work.array;
  int64_t owned[DAP_MAX_NDIM] = {0}, offset = 0, halo[2];
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(state->layout, state->rank, coords);
  state->count = dap_layout_count(state->layout) > 0;
  for (int k = 0; k < array->ndim && state->count > 0; k++) {
    owned[k] = dap_layout_owned(state->layout, k, coords[k]);
    dap_layout_halo(state->layout, k, coords[k], halo);
    state->count *= owned[k];
    offset += halo[0] * array->strides[k];
  }
  if (state->count == 0) return DAP_OK;
  DAP_TRY(dap_work_shares(&state->work, why));
  state->offset = offset;
  return dap_share_memory("the owned elements are", array->ndim, 0, owned, array->strides,
                          (char *)array->data + offset, state->options.order, why);
}

/* ---- the predicate ----------------------------------------------------------------------------------- */

/* DAP_OK, or DAP_ERR_SHARE with the first condition that fails. Collective; agreed. */
static dap_status ask(dap_state *state, dap_error *why)
{
  DAP_TRY(ask_all(state, why)); /* the same everywhere */
  const bool list = dap_layout_ndim(state->layout) == 1 && !state->options.natural &&
                    dap_layout_axis(state->layout, 0).dist_type == 'u';
  dap_status s = dap_agree(state->comm, check_ranges(state, why), why);
  state->entries = DAP_ENTRIES_RANGE;
  if (s == DAP_ERR_SHARE && list) {
    s = dap_agree(state->comm, check_list(state, why), why);
    state->cut = 0;
    state->entries = DAP_ENTRIES_LIST;
  }
  if (!s) s = dap_agree(state->comm, check_buffer(state, why), why);
  return s;
}

dap_status dap_vector_decide(dap_state *state, dap_petsc_vector *vector, dap_error *err)
{
  const dap_sharing sharing = state->options.sharing;
  dap_error why = {.rank = -1};
  const dap_status s =
      sharing == DAP_SHARE_NEVER ? dap_fail(&why, DAP_ERR_SHARE, "a copy was asked for") : ask(state, &why);
  vector->shared = s == DAP_OK;
  if (s)
    (void)snprintf(vector->reason, sizeof vector->reason, "%s", why.text);
  else if (state->entries == DAP_ENTRIES_LIST)
    (void)snprintf(vector->reason, sizeof vector->reason, "the elements of each list are contiguous");
  else
    (void)snprintf(vector->reason, sizeof vector->reason,
                   "the owned part of the buffer is contiguous, one range a process");
  if (!s) return DAP_OK;
  state->entries = DAP_ENTRIES_MOVED;
  if (s == DAP_ERR_SHARE && sharing != DAP_SHARE_OR_FAIL) return DAP_OK;
  (void)dap_fail(err, s, "the vector cannot share the buffer: %.400s", why.text);
  if (err) err->rank = why.rank < 0 ? 0 : why.rank;
  return s;
}

/* The arguments of a move: checked on each process, made uniform, compared between processes. */
#include "transfer_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- one side --------------------------------------------------------------------------------- */

/* This process' number in the side's layout, or -1; refuses ranks outside `comm` or given twice. */
static dap_status find_process(const dap_layout *layout, const int *ranks, const char *name, int nprocs,
                               int rank, int *process, dap_error *err)
{
  const int count = layout->nprocs;
  DAP_REQUIRE(count <= nprocs, err, DAP_ERR_ARG, "%s: its layout has %d processes, the communicator %d", name,
              count, nprocs);
  *process = !ranks && rank < count ? rank : -1;
  if (!ranks) return DAP_OK;
  bool *seen = calloc((size_t)nprocs, sizeof *seen);
  DAP_REQUIRE(seen, err, DAP_ERR_NOMEM, "%s: no memory to check %d ranks", name, count);
  int bad = -1;
  for (int i = 0; i < count && bad < 0; i++) {
    const int held = ranks[i];
    if (held < 0 || held >= nprocs || seen[held]) {
      bad = i;
    } else {
      seen[held] = true;
      if (held == rank) *process = i;
    }
  }
  free(seen);
  DAP_REQUIRE(bad < 0, err, DAP_ERR_ARG,
              "%s: ranks[%d] = %d is outside the communicator's %d processes or named twice", name, bad,
              ranks[bad], nprocs);
  return DAP_OK;
}

/* What a layout with 'u' axes knows here is what that process is to know. */
static dap_status check_own(const dap_side *side, const dap_layout *layout, const char *name, int process,
                            dap_error *err)
{
  dap_error own;
  if (process < 0) return DAP_OK;
  DAP_REQUIRE(side->layout, err, DAP_ERR_ARG, "%s: the layout is NULL, but this is its process %d", name,
              process);
  const dap_status s = dap_layout_check_own(layout, process, &own);
  return s ? dap_fail(err, s, "%s: %s", name, own.text) : DAP_OK;
}

static void local_shape(const dap_layout *layout, int process, int64_t shape[])
{
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, process, coords);
  for (int k = 0; k < layout->ndim; k++) shape[k] = dap_layout_extent(layout, k, coords[k]);
}

/* The side's strides, or those of a contiguous C-order buffer; the buffer they span must be addressable. */
static dap_status set_strides(const dap_side *side, const dap_layout *layout, const char *name, int process,
                              int64_t itemsize, int64_t strides[], bool *holds, dap_error *err)
{
  const int ndim = layout->ndim;
  int64_t shape[DAP_MAX_NDIM] = {0}, span = itemsize, step = itemsize;
  *holds = false;
  if (process < 0) return DAP_OK;
  local_shape(layout, process, shape);
  bool empty = false;
  for (int k = 0; k < ndim; k++) empty = empty || shape[k] == 0;
  for (int k = ndim - 1; k >= 0; k--) {
    strides[k] = side->strides ? side->strides[k] : step;
    DAP_REQUIRE(dap_multiply(step, empty ? 1 : shape[k], &step), err, DAP_ERR_RANGE,
                "%s: dim %d: the buffer exceeds 2^63 - 1 bytes", name, k);
  }
  DAP_REQUIRE(dap_span(ndim, shape, strides, itemsize, &span), err, DAP_ERR_RANGE,
              "%s: its strides span more than 2^63 - 1 bytes", name);
  *holds = !empty;
  return DAP_OK;
}

static dap_status check_writable(const dap_ends *ends, dap_error *err)
{
  if (!ends->holds_to) return DAP_OK;
  int64_t shape[DAP_MAX_NDIM];
  local_shape(ends->to, ends->to_process, shape);
  for (int k = 0; k < ends->ndim; k++)
    DAP_RULE(19, shape[k] <= 1 || ends->to_strides[k] != 0, err, DAP_ERR_BUFFER,
             "to: dim %d: stride 0 puts %" PRId64 " elements at one place, which cannot be written", k,
             shape[k]);
  return DAP_OK;
}

/* ---- which elements --------------------------------------------------------------------------- */

static dap_status set_axes(const dap_plan_options *o, dap_ends *ends, dap_error *err)
{
  char here[DAP_ERROR_TEXT / 3], there[DAP_ERROR_TEXT / 3];
  (void)dap_layout_summary(ends->from, here, sizeof here);
  (void)dap_layout_summary(ends->to, there, sizeof there);
  DAP_REQUIRE(ends->from->ndim == ends->to->ndim, err, DAP_ERR_ARG,
              "from has %d dimensions (%s), to has %d (%s)", ends->from->ndim, here, ends->to->ndim, there);
  bool seen[DAP_MAX_NDIM] = {false};
  ends->ndim = ends->to->ndim;
  for (int k = 0; k < ends->ndim; k++) {
    const int axis = o->axes ? o->axes[k] : k;
    DAP_REQUIRE(axis >= 0 && axis < ends->ndim && !seen[axis], err, DAP_ERR_ARG,
                "axes[%d] = %d is outside 0 .. %d or named twice", k, axis, ends->ndim - 1);
    seen[axis] = true;
    ends->axes[k] = axis;
  }
  return DAP_OK;
}

/* Elements [start, start + length) of an axis, which has `size`. */
static dap_status check_part(const char *name, int axis, int64_t start, int64_t length, int64_t size,
                             dap_error *err)
{
  DAP_REQUIRE(start >= 0 && start <= size, err, DAP_ERR_ARG,
              "%s: dim %d: start %" PRId64 " is outside 0 .. size = %" PRId64, name, axis, start, size);
  DAP_REQUIRE(length >= 0 && length <= size - start, err, DAP_ERR_ARG,
              "%s: dim %d: %" PRId64 " elements from %" PRId64 " on are more than its size %" PRId64 " has",
              name, axis, length, start, size);
  return DAP_OK;
}

static dap_status fail_sizes(const dap_ends *ends, int k, dap_error *err)
{
  char here[DAP_ERROR_TEXT / 3], there[DAP_ERROR_TEXT / 3];
  (void)dap_layout_summary(ends->from, here, sizeof here);
  (void)dap_layout_summary(ends->to, there, sizeof there);
  return dap_fail(err, DAP_ERR_ARG, "dim %d: from has size %" PRId64 " (%s), to has %" PRId64 " (%s)%s", k,
                  dap_ends_from_map(ends, k)->axis.size, here, ends->to->maps[k].axis.size, there,
                  ends->from_start[k] || ends->to_start[k] ? " and there are not as many from start on" : "");
}

static dap_status set_window(const dap_side *from, const dap_side *to, const dap_plan_options *o,
                             dap_ends *ends, dap_error *err)
{
  for (int k = 0; k < ends->ndim; k++) {
    const int64_t from_size = dap_ends_from_map(ends, k)->axis.size, to_size = ends->to->maps[k].axis.size;
    const int axis = ends->axes[k];
    ends->from_start[k] = from->start ? from->start[axis] : 0;
    ends->to_start[k] = to->start ? to->start[k] : 0;
    DAP_TRY(check_part("from", axis, ends->from_start[k], o->shape ? o->shape[k] : 0, from_size, err));
    DAP_TRY(check_part("to", k, ends->to_start[k], o->shape ? o->shape[k] : 0, to_size, err));
    ends->shape[k] = o->shape ? o->shape[k] : to_size - ends->to_start[k];
    if (!o->shape && from_size - ends->from_start[k] != ends->shape[k]) return fail_sizes(ends, k, err);
  }
  return DAP_OK;
}

/* ---- what becomes of them --------------------------------------------------------------------- */

static dap_status set_elements(const dap_side *from, const dap_side *to, int64_t itemsize,
                               const dap_plan_options *o, dap_ends *ends, dap_error *err)
{
  const int64_t a = dap_dtype_size(from->dtype), b = dap_dtype_size(to->dtype);
  DAP_REQUIRE((a > 0 || from->dtype == DAP_NONE) && (b > 0 || to->dtype == DAP_NONE), err, DAP_ERR_ARG,
              "dtypes %d and %d are not both of dap_dtype", (int)from->dtype, (int)to->dtype);
  DAP_REQUIRE((a > 0) == (b > 0), err, DAP_ERR_ARG, "%s has a dtype, %s has none", a > 0 ? "from" : "to",
              a > 0 ? "to" : "from");
  DAP_REQUIRE(itemsize >= (a > 0 ? 0 : 1), err, DAP_ERR_ARG, "itemsize %" PRId64 " is less than 1", itemsize);
  DAP_REQUIRE(itemsize <= INT_MAX, err, DAP_ERR_ARG, "itemsize %" PRId64 " is more than %d", itemsize,
              INT_MAX);
  DAP_REQUIRE(a == 0 || itemsize == 0 || itemsize == a, err, DAP_ERR_ARG,
              "itemsize %" PRId64 " is not that of from's %s, %" PRId64, itemsize,
              dap_dtype_name(from->dtype), a);
  DAP_REQUIRE(a > 0 || (!o->conjugate && !o->alpha && !o->beta), err, DAP_ERR_ARG,
              "%s needs the dtypes of both sides",
              o->conjugate ? "conjugate"
              : o->alpha   ? "alpha"
                           : "beta");
  ends->from_item = a > 0 ? a : itemsize;
  ends->to_item = a > 0 ? b : itemsize;
  if (a == 0) return DAP_OK;
  DAP_RULE(20, o->lossy || dap_dtype_holds(to->dtype, from->dtype), err, DAP_ERR_ARG,
           "a cast from %s to %s can lose something; options.lossy allows it", dap_dtype_name(from->dtype),
           dap_dtype_name(to->dtype));
  ends->transform = (dap_transform){.from = from->dtype,
                                    .to = to->dtype,
                                    .conjugate = o->conjugate,
                                    .alpha = {o->alpha ? o->alpha[0] : 1, o->alpha ? o->alpha[1] : 0},
                                    .beta = {o->beta ? o->beta[0] : 0, o->beta ? o->beta[1] : 0}};
  ends->transforms = !dap_transform_is_copy(&ends->transform);
  return DAP_OK;
}

/* ---- both ------------------------------------------------------------------------------------- */

static dap_status set_processes(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                dap_ends *ends, dap_error *err)
{
  int coords[DAP_MAX_NDIM];
  ends->rank = rank;
  DAP_TRY(find_process(ends->from, ends->from_ranks, "from", nprocs, rank, &ends->from_process, err));
  DAP_TRY(find_process(ends->to, ends->to_ranks, "to", nprocs, rank, &ends->to_process, err));
  DAP_TRY(check_own(from, ends->from, "from", ends->from_process, err));
  DAP_TRY(check_own(to, ends->to, "to", ends->to_process, err));
  if (ends->to_process >= 0) dap_layout_coords(ends->to, ends->to_process, ends->to_coords);
  if (ends->from_process >= 0) dap_layout_coords(ends->from, ends->from_process, coords);
  for (int k = 0; k < ends->ndim && ends->from_process >= 0; k++)
    ends->from_coords[k] = coords[ends->axes[k]];
  return DAP_OK;
}

static dap_status check_options(const dap_plan_options *o, dap_error *err)
{
  DAP_REQUIRE(o->message_bytes >= 0 && o->message_bytes <= INT_MAX, err, DAP_ERR_ARG,
              "message_bytes %" PRId64 " is outside 0 .. %d", o->message_bytes, INT_MAX);
  DAP_REQUIRE(o->memory_bytes >= 0, err, DAP_ERR_ARG, "memory_bytes %" PRId64 " is negative",
              o->memory_bytes);
  DAP_REQUIRE(o->transports <= (DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES |
                                DAP_TRANSPORT_FETCHED),
              err, DAP_ERR_ARG, "transports %#x has bits that are not of dap_transport", o->transports);
  return DAP_OK;
}

dap_status dap_ends_check(int nprocs, int rank, const dap_side *from, const dap_side *to, int64_t itemsize,
                          const dap_plan_options *options, dap_ends *ends, dap_error *err)
{
  const dap_plan_options defaults = {0}, *o = options ? options : &defaults;
  int64_t strides[DAP_MAX_NDIM] = {0};
  DAP_TRY(check_options(o, err));
  DAP_TRY(set_axes(o, ends, err));
  DAP_TRY(set_window(from, to, o, ends, err));
  DAP_TRY(set_elements(from, to, itemsize, o, ends, err));
  DAP_TRY(set_processes(nprocs, rank, from, to, ends, err));
  DAP_TRY(set_strides(from, ends->from, "from", ends->from_process, ends->from_item, strides,
                      &ends->holds_from, err));
  for (int k = 0; k < ends->ndim; k++) ends->from_strides[k] = strides[ends->axes[k]];
  DAP_TRY(set_strides(to, ends->to, "to", ends->to_process, ends->to_item, ends->to_strides, &ends->holds_to,
                      err));
  return check_writable(ends, err);
}

/* Ranks that are the identity are as none. */
static uint64_t hash_ranks(const int *ranks, const dap_layout *layout)
{
  bool identity = true;
  for (int i = 0; ranks && i < layout->nprocs && identity; i++) identity = ranks[i] == i;
  return identity ? 0 : dap_hash(0, ranks, (size_t)layout->nprocs * sizeof *ranks);
}

static uint64_t hash_part(const dap_ends *ends)
{
  const size_t bytes = (size_t)ends->ndim * sizeof ends->shape[0];
  uint64_t hash = dap_hash(0, ends->shape, bytes);
  hash = dap_hash(hash, ends->from_start, bytes);
  hash = dap_hash(hash, ends->to_start, bytes);
  return dap_hash(hash, ends->axes, (size_t)ends->ndim * sizeof ends->axes[0]);
}

static uint64_t hash_transform(const dap_transform *t)
{
  const int kinds[] = {(int)t->from, (int)t->to, t->conjugate};
  const uint64_t hash = dap_hash(0, kinds, sizeof kinds);
  return dap_hash(dap_hash(hash, t->alpha, sizeof t->alpha), t->beta, sizeof t->beta);
}

/* `variant` is what else must agree: the products to be filled. Collective. */
dap_status dap_ends_compare(MPI_Comm comm, const dap_ends *ends, const dap_plan_options *options,
                            uint64_t variant, dap_error *err)
{
  static const char *const names[] = {"the layout of from",
                                      "the layout of to",
                                      "itemsize",
                                      "message_bytes",
                                      "the ranks of from",
                                      "the ranks of to",
                                      "what is filled",
                                      "memory_bytes",
                                      "transports",
                                      "the axes or the sub-array",
                                      "dtypes, conjugate, alpha or beta"};
  const dap_plan_options defaults = {0}, *o = options ? options : &defaults;
  const uint64_t words[] = {dap_layout_hash(ends->from),
                            dap_layout_hash(ends->to),
                            (uint64_t)ends->from_item,
                            (uint64_t)o->message_bytes,
                            hash_ranks(ends->from_ranks, ends->from),
                            hash_ranks(ends->to_ranks, ends->to),
                            variant,
                            (uint64_t)o->memory_bytes,
                            o->transports,
                            hash_part(ends),
                            hash_transform(&ends->transform)};
  return dap_agree_words(comm, words, names, (int)(sizeof words / sizeof words[0]), err);
}

void dap_ends_release(dap_ends *ends)
{
  dap_layout_destroy(&ends->from);
  dap_layout_destroy(&ends->to);
  free(ends->from_ranks);
  free(ends->to_ranks);
  *ends = (dap_ends){0};
}

/* ---- asked ------------------------------------------------------------------------------------ */

const dap_map *dap_ends_from_map(const dap_ends *ends, int axis)
{
  return &ends->from->maps[ends->axes[axis]];
}

bool dap_ends_is_listed(const dap_ends *ends, int axis)
{
  return dap_ends_from_map(ends, axis)->lists || ends->to->maps[axis].lists;
}

int dap_ends_rank(const dap_ends *ends, bool of_from, const int coords[])
{
  int own[DAP_MAX_NDIM];
  for (int k = 0; k < ends->ndim; k++) own[of_from ? ends->axes[k] : k] = coords[k];
  const int process = dap_layout_rank(of_from ? ends->from : ends->to, own);
  const int *ranks = of_from ? ends->from_ranks : ends->to_ranks;
  return ranks ? ranks[process] : process;
}

/* The arguments of a plan: checked on each process, made uniform, compared between processes. */
#include "transfer_impl.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

enum { DEFAULT_MESSAGE = 1 << 30 /* bytes */ };

/* ---- one side --------------------------------------------------------------------------------- */

/* This process' number in the side's layout, or -1; refuses ranks outside `comm` or given twice. */
static dap_status find_process(const dap_side *side, const char *name, int nprocs, int rank, int *process,
                               dap_error *err)
{
  const int count = side->layout->nprocs;
  DAP_REQUIRE(count <= nprocs, err, DAP_ERR_ARG, "%s: its layout has %d processes, the communicator %d", name,
              count, nprocs);
  *process = !side->ranks && rank < count ? rank : -1;
  if (!side->ranks) return DAP_OK;
  bool *seen = calloc((size_t)nprocs, sizeof *seen);
  DAP_REQUIRE(seen, err, DAP_ERR_NOMEM, "%s: no memory to check %d ranks", name, count);
  int bad = -1;
  for (int i = 0; i < count && bad < 0; i++) {
    const int held = side->ranks[i];
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
              side->ranks[bad], nprocs);
  return DAP_OK;
}

/* What a layout with 'u' axes knows here is what that process is to know. */
static dap_status check_own(const dap_side *side, const char *name, int process, dap_error *err)
{
  dap_error own;
  const dap_status s = process < 0 ? DAP_OK : dap_layout_check_own(side->layout, process, &own);
  return s ? dap_fail(err, s, "%s: %s", name, own.text) : DAP_OK;
}

static void local_shape(const dap_layout *layout, int process, int64_t shape[])
{
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, process, coords);
  for (int k = 0; k < layout->ndim; k++) shape[k] = dap_layout_extent(layout, k, coords[k]);
}

/* The side's strides, or those of a contiguous C-order buffer; the buffer they span must be addressable. */
static dap_status set_strides(const dap_side *side, const char *name, int process, int64_t itemsize,
                              int64_t strides[], dap_error *err)
{
  const int ndim = side->layout->ndim;
  int64_t shape[DAP_MAX_NDIM] = {0}, span = itemsize, step = itemsize;
  if (process < 0) return DAP_OK;
  local_shape(side->layout, process, shape);
  bool empty = false;
  for (int k = 0; k < ndim; k++) empty = empty || shape[k] == 0;
  for (int k = ndim - 1; k >= 0; k--) {
    strides[k] = side->strides ? side->strides[k] : step;
    DAP_REQUIRE(dap_multiply(step, empty ? 1 : shape[k], &step), err, DAP_ERR_RANGE,
                "%s: dim %d: the buffer exceeds 2^63 - 1 bytes", name, k);
  }
  DAP_REQUIRE(dap_span(ndim, shape, strides, itemsize, &span), err, DAP_ERR_RANGE,
              "%s: its strides span more than 2^63 - 1 bytes", name);
  return DAP_OK;
}

static dap_status check_writable(const dap_ends *ends, dap_error *err)
{
  if (ends->to_process < 0) return DAP_OK;
  int64_t shape[DAP_MAX_NDIM];
  local_shape(ends->to, ends->to_process, shape);
  for (int k = 0; k < ends->to->ndim; k++)
    DAP_RULE(19, shape[k] <= 1 || ends->to_strides[k] != 0, err, DAP_ERR_BUFFER,
             "to: dim %d: stride 0 puts %" PRId64 " elements at one place, which cannot be written", k,
             shape[k]);
  return DAP_OK;
}

/* ---- both ------------------------------------------------------------------------------------- */

static dap_status check_shapes(const dap_layout *from, const dap_layout *to, dap_error *err)
{
  char here[DAP_ERROR_TEXT / 3], there[DAP_ERROR_TEXT / 3];
  (void)dap_layout_summary(from, here, sizeof here);
  (void)dap_layout_summary(to, there, sizeof there);
  DAP_REQUIRE(from->ndim == to->ndim, err, DAP_ERR_ARG, "from has %d dimensions (%s), to has %d (%s)",
              from->ndim, here, to->ndim, there);
  for (int k = 0; k < from->ndim; k++)
    DAP_REQUIRE(from->maps[k].axis.size == to->maps[k].axis.size, err, DAP_ERR_ARG,
                "dim %d: from has size %" PRId64 " (%s), to has %" PRId64 " (%s)", k, from->maps[k].axis.size,
                here, to->maps[k].axis.size, there);
  return DAP_OK;
}

dap_status dap_ends_check(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                          const dap_plan_options *options, dap_ends *ends, dap_error *err)
{
  const dap_plan_options defaults = {0}, *o = options ? options : &defaults;
  int nprocs = 0, rank = 0;
  DAP_REQUIRE(from && from->layout, err, DAP_ERR_ARG, "from and its layout must not be NULL");
  DAP_REQUIRE(to && to->layout, err, DAP_ERR_ARG, "to and its layout must not be NULL");
  DAP_REQUIRE(itemsize >= 1, err, DAP_ERR_ARG, "itemsize %" PRId64 " is less than 1", itemsize);
  DAP_REQUIRE(o->message_bytes >= 0 && o->message_bytes <= INT_MAX, err, DAP_ERR_ARG,
              "message_bytes %" PRId64 " is outside 0 .. %d", o->message_bytes, INT_MAX);
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_size(comm, &nprocs), "MPI_Comm_size", err));
  *ends = (dap_ends){.from = from->layout,
                     .to = to->layout,
                     .from_ranks = from->ranks,
                     .to_ranks = to->ranks,
                     .rank = rank,
                     .itemsize = itemsize,
                     .message_bytes = o->message_bytes ? o->message_bytes : DEFAULT_MESSAGE};
  DAP_TRY(check_shapes(from->layout, to->layout, err));
  DAP_TRY(find_process(from, "from", nprocs, rank, &ends->from_process, err));
  DAP_TRY(find_process(to, "to", nprocs, rank, &ends->to_process, err));
  DAP_TRY(check_own(from, "from", ends->from_process, err));
  DAP_TRY(check_own(to, "to", ends->to_process, err));
  DAP_TRY(set_strides(from, "from", ends->from_process, itemsize, ends->from_strides, err));
  DAP_TRY(set_strides(to, "to", ends->to_process, itemsize, ends->to_strides, err));
  return check_writable(ends, err);
}

static uint64_t hash_ranks(const int *ranks, const dap_layout *layout)
{
  return ranks ? dap_hash(0, ranks, (size_t)layout->nprocs * sizeof *ranks) : 0;
}

/* `variant` is what else must agree: the products to be filled. Collective. */
dap_status dap_ends_compare(MPI_Comm comm, const dap_ends *ends, uint64_t variant, dap_error *err)
{
  static const char *const names[] = {"the layout of from", "the layout of to",  "itemsize",
                                      "message_bytes",      "the ranks of from", "the ranks of to",
                                      "what is filled"};
  const uint64_t words[] = {dap_layout_hash(ends->from),
                            dap_layout_hash(ends->to),
                            (uint64_t)ends->itemsize,
                            (uint64_t)ends->message_bytes,
                            hash_ranks(ends->from_ranks, ends->from),
                            hash_ranks(ends->to_ranks, ends->to),
                            variant};
  return dap_agree_words(comm, words, names, (int)(sizeof words / sizeof words[0]), err);
}

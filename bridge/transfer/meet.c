/* Overlaps along an axis whose elements are listed one by one ('u', on either side), found by asking.
 *
 * Who receives knows which elements its buffer wants, in the buffer's order, and asks who owns each and where.
 * Then it tells every process that owns some of them which ones, in that order, so that both sides list the
 * same elements without any process seeing all lists. */
#include "transfer_impl.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct meeting {
  const dap_ends *ends;
  int axis;
  dap_reach reach;
  const dap_map *from, *to;
  int from_axis;   /* the source's */
  int q;           /* this process' coordinate along the axis; -1: not part of the destination */
  int64_t *chosen; /* [count] positions wanted, where a part of the axis moves; NULL: all that `reach` says */
  int64_t count;   /* wanted */
  dap_overlap *wanted; /* [procs of from] source positions -> positions here, in the order of this buffer */
  dap_overlap *send;   /* [procs of to] */
  dap_status status;   /* of what happened while asking */
  dap_error error;
  /* the combs of `wanted`, told to every process that has them */
  int64_t *first;            /* [procs of from + 1] questions before those about coordinate p */
  int others, step, senders; /* told are the senders others, others + step, ..., `senders` of them */
} meeting;

/* ---- what is wanted ------------------------------------------------------------------------------- */

static int64_t reached_count(const meeting *m)
{
  if (m->q < 0) return 0;
  const int64_t extent = m->to->ops->extent(m->to, m->q), owned = m->to->ops->owned(m->to, m->q);
  if (m->to->lists) return extent; /* without padding; halo products leave such axes whole */
  return m->reach == DAP_REACH_OWNED ? owned : m->reach == DAP_REACH_HALO ? extent - owned : extent;
}

/* Position in this buffer of the i-th element within reach. */
static int64_t reached_position(const meeting *m, int64_t i)
{
  if (!m->to->halo || m->reach == DAP_REACH_ALL) return i;
  const int64_t low = m->to->halo[m->q][0];
  if (m->reach == DAP_REACH_OWNED) return low + i;
  return i < low ? i : i + m->to->ops->owned(m->to, m->q);
}

static int64_t wanted_position(const meeting *m, int64_t i)
{
  return m->chosen ? m->chosen[i] : reached_position(m, i);
}

/* Its index in the destination, counted from the first element that moves. */
static int64_t index_at(const meeting *m, int64_t position)
{
  return m->to->ops->globalize(m->to, m->q, position) - m->ends->to_start[m->axis];
}

static int64_t wanted_global(void *context, int64_t i)
{
  const meeting *m = context;
  return index_at(m, wanted_position(m, i)) + m->ends->from_start[m->axis];
}

/* Where only a part of the axis moves, the positions of it. */
static dap_status choose(meeting *m, dap_error *err)
{
  const int64_t length = m->ends->shape[m->axis], reached = reached_count(m);
  m->count = reached;
  if (length == m->to->axis.size || reached == 0) return DAP_OK;
  m->chosen = malloc((size_t)reached * sizeof *m->chosen);
  DAP_REQUIRE(m->chosen, err, DAP_ERR_NOMEM, "no memory for %" PRId64 " elements of a part", reached);
  m->count = 0;
  for (int64_t i = 0; i < reached; i++) {
    const int64_t position = reached_position(m, i), index = index_at(m, position);
    if (index >= 0 && index < length) m->chosen[m->count++] = position;
  }
  return DAP_OK;
}

static void wanted_found(void *context, int64_t i, int coord, int64_t local)
{
  meeting *m = context;
  if (!m->status) m->status = dap_overlap_add(&m->wanted[coord], local, wanted_position(m, i), 1, &m->error);
}

static dap_status find_wanted(MPI_Comm comm, meeting *m, dap_error *err)
{
  const dap_lookup lookup = {.layout = m->ends->from,
                             .axis = m->from_axis,
                             .process = m->ends->from_process,
                             .ranks = m->ends->from_ranks,
                             .count = m->count,
                             .context = m,
                             .global = wanted_global,
                             .found = wanted_found};
  if (m->from->lists) return dap_lookup_run(comm, &lookup, err);
  for (int64_t i = 0; i < lookup.count; i++) {
    int coord;
    int64_t local;
    (void)m->from->ops->locate(m->from, wanted_global(m, i), &coord, &local);
    wanted_found(m, i, coord, local);
  }
  return DAP_OK;
}

/* ---- who is told ----------------------------------------------------------------------------------- */

/* Processes that share a coordinate of the axis are numbered by their other coordinates, row-major. */
static int other_count(const dap_layout *layout, int axis)
{
  return layout->nprocs / layout->maps[axis].axis.procs;
}

static int other_of(const dap_layout *layout, int axis, int process)
{
  int coords[DAP_MAX_NDIM], other = 0;
  dap_layout_coords(layout, process, coords);
  for (int k = 0; k < layout->ndim; k++)
    if (k != axis) other = other * layout->maps[k].axis.procs + coords[k];
  return other;
}

static int process_of(const dap_layout *layout, int axis, int coord, int other)
{
  int coords[DAP_MAX_NDIM];
  for (int k = layout->ndim - 1; k >= 0; k--) {
    const int procs = layout->maps[k].axis.procs;
    coords[k] = k == axis ? coord : other % procs;
    if (k != axis) other /= procs;
  }
  return dap_layout_rank(layout, coords);
}

/* The receivers at a coordinate want the same, so they share the telling: each tells every step-th sender. */
static void share_telling(meeting *m)
{
  const int all = other_count(m->ends->from, m->from_axis);
  m->step = other_count(m->ends->to, m->axis);
  m->others = m->q < 0 ? all : other_of(m->ends->to, m->axis, m->ends->to_process);
  m->senders = m->others < all ? (all - 1 - m->others) / m->step + 1 : 0;
  for (int p = 0; p < m->from->axis.procs; p++)
    m->first[p + 1] = m->first[p] + dap_overlap_comb_count(&m->wanted[p]) * m->senders;
}

/* The coordinate that question i is about. */
static int coordinate_of(const meeting *m, int64_t i)
{
  int low = 0, high = m->from->axis.procs - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (m->first[middle + 1] > i)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static int tell(void *context, int64_t i, int64_t words[])
{
  const meeting *m = context;
  const int p = coordinate_of(m, i);
  const int64_t at = i - m->first[p];
  const dap_comb comb = dap_overlap_comb(&m->wanted[p], at / m->senders);
  words[0] = m->q;
  words[1] = comb.from;
  words[2] = comb.from_step;
  words[3] = comb.to;
  words[4] = comb.to_step;
  words[5] = comb.length;
  words[6] = comb.count;
  const int other = m->others + (int)(at % m->senders) * m->step;
  const int process = process_of(m->ends->from, m->from_axis, p, other);
  return m->ends->from_ranks ? m->ends->from_ranks[process] : process;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a dap_ask's answer, which here is empty */
static void hear(void *context, int from, const int64_t words[], int64_t answer[])
{
  meeting *m = context;
  dap_overlap *send = &m->send[words[0]];
  const dap_comb comb = {.from = words[1],
                         .from_step = words[2],
                         .to = words[3],
                         .to_step = words[4],
                         .length = words[5],
                         .count = words[6]};
  (void)from;
  (void)answer;
  if (!m->status) m->status = dap_overlap_append(send, &comb, &m->error);
}

static dap_status tell_senders(MPI_Comm comm, meeting *m, dap_error *err)
{
  share_telling(m);
  const dap_ask ask = {
      .count = m->first[m->from->axis.procs], .ask_words = 7, .context = m, .ask = tell, .answer = hear};
  return dap_ask_all(comm, &ask, err);
}

/* ---- all of it -------------------------------------------------------------------------------------- */

static dap_status allocate(meeting *m, dap_error *err)
{
  const size_t from = (size_t)m->from->axis.procs, to = (size_t)m->to->axis.procs;
  m->wanted = calloc(from, sizeof *m->wanted);
  m->send = calloc(to, sizeof *m->send);
  m->first = calloc(from + 1, sizeof *m->first);
  DAP_REQUIRE(m->wanted && m->send && m->first, err, DAP_ERR_NOMEM, "no memory for a plan over %zu processes",
              from + to);
  return DAP_OK;
}

static dap_status finish(meeting *m, dap_met *met, dap_error *err)
{
  for (int p = 0; p < m->from->axis.procs; p++) DAP_TRY(dap_overlap_finish(&m->wanted[p], err));
  for (int q = 0; q < m->to->axis.procs; q++) DAP_TRY(dap_overlap_finish(&m->send[q], err));
  met->receive = m->wanted;
  met->send = m->send;
  met->receive_count = m->from->axis.procs;
  met->send_count = m->to->axis.procs;
  m->wanted = m->send = NULL;
  return DAP_OK;
}

static dap_status run(MPI_Comm comm, meeting *m, dap_met *met, dap_error *err)
{
  dap_status s = allocate(m, err);
  if (!s) s = choose(m, err);
  DAP_TRY(dap_agree(comm, s, err));
  DAP_TRY(find_wanted(comm, m, err));
  if (m->status) *err = m->error;
  DAP_TRY(dap_agree(comm, m->status, err));
  DAP_TRY(tell_senders(comm, m, err));
  if (m->status)
    *err = m->error;
  else
    m->status = finish(m, met, err);
  return dap_agree(comm, m->status, err);
}

static void release_all(dap_overlap *overlaps, int count)
{
  for (int c = 0; overlaps && c < count; c++) dap_overlap_release(&overlaps[c]);
  free(overlaps);
}

void dap_met_release(dap_met *met)
{
  release_all(met->receive, met->receive_count);
  release_all(met->send, met->send_count);
  *met = (dap_met){0};
}

dap_status dap_meet(MPI_Comm comm, const dap_ends *ends, int axis, dap_reach reach, dap_met *met,
                    dap_error *err)
{
  meeting m = {.ends = ends,
               .axis = axis,
               .reach = reach,
               .from = dap_ends_from_map(ends, axis),
               .from_axis = ends->axes[axis],
               .to = &ends->to->maps[axis],
               .q = ends->to_process < 0 ? -1 : ends->to_coords[axis]};
  *met = (dap_met){0};
  const dap_status s = run(comm, &m, met, err);
  release_all(m.wanted, m.from->axis.procs);
  release_all(m.send, m.to->axis.procs);
  free(m.first);
  free(m.chosen);
  return s;
}

/* Finds overlaps along an axis whose elements are listed ('u' on either side), by queries. A receiver asks
 * which process owns each element that its buffer wants, in the buffer's order, and where. Then it sends each
 * owner a request for its elements in that order, so both have the same list, and no process sees all. */
#include "problem_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* Allocates empty overlaps. The caller releases them in any case. */
static dap_status allocate(int send_count, int receive_count, dap_rendezvous *rendezvous, dap_error *err)
{
  *rendezvous = (dap_rendezvous){.send = calloc((size_t)send_count, sizeof *rendezvous->send),
                                 .receive = calloc((size_t)receive_count, sizeof *rendezvous->receive),
                                 .send_count = send_count,
                                 .receive_count = receive_count};
  DAP_REQUIRE(rendezvous->send && rendezvous->receive, err, DAP_ERR_NOMEM,
              "no memory for a plan over %d processes", send_count + receive_count);
  return DAP_OK;
}

void dap_rendezvous_release(dap_rendezvous *rendezvous)
{
  for (int c = 0; rendezvous->send && c < rendezvous->send_count; c++)
    dap_overlap_release(&rendezvous->send[c]);
  for (int c = 0; rendezvous->receive && c < rendezvous->receive_count; c++)
    dap_overlap_release(&rendezvous->receive[c]);
  free(rendezvous->send);
  free(rendezvous->receive);
  *rendezvous = (dap_rendezvous){0};
}

dap_status dap_rendezvous_create_own(const dap_problem *problem, int axis, dap_rendezvous *rendezvous,
                                     dap_error *err)
{
  const int procs = dap_problem_to_map(problem, axis)->axis.procs;
  DAP_TRY(allocate(procs, procs, rendezvous, err));
  if (problem->to.process < 0) return DAP_OK;
  dap_overlap *own = &rendezvous->receive[problem->to.coords[axis]];
  DAP_TRY(dap_overlap_create_own(problem, axis, true, own, err));
  DAP_TRY(dap_overlap_finish(own, err));
  return dap_overlap_copy(own, &rendezvous->send[problem->to.coords[axis]], err);
}

dap_status dap_rendezvous_copy(const dap_rendezvous *from, dap_rendezvous *to, dap_error *err)
{
  DAP_TRY(allocate(from->send_count, from->receive_count, to, err));
  for (int c = 0; c < from->send_count; c++) DAP_TRY(dap_overlap_copy(&from->send[c], &to->send[c], err));
  for (int c = 0; c < from->receive_count; c++)
    DAP_TRY(dap_overlap_copy(&from->receive[c], &to->receive[c], err));
  return DAP_OK;
}

typedef struct inquiry {
  dap_requests requests; /* `wanted` and `send` are those of `found` */
  dap_region region;
  const dap_map *from, *to;
  dap_packed chosen; /* [count] positions wanted; no data: all that region_count() counts */
  int64_t count;     /* elements wanted */
  /* receive [sources]: source positions -> positions here, in the order of this buffer; send [procs of to] */
  dap_rendezvous found;
  dap_status status; /* result of the queries */
  dap_error error;
} inquiry;

/* Returns the number of positions to examine. In halo products both sides are listed, and each position of a
 * list is checked for being in the region. */
static int64_t region_count(const inquiry *m)
{
  if (m->requests.q < 0) return 0;
  const bool is_whole = m->to->axis.dist_type == 'u' || m->region == DAP_REGION_ALL;
  return is_whole ? m->to->ops->extent(m->to, m->requests.q) : m->to->ops->owned(m->to, m->requests.q);
}

/* Returns the position in this buffer of element i of the region. */
static int64_t region_position(const inquiry *m, int64_t i)
{
  return m->to->halo && m->region != DAP_REGION_ALL ? m->to->halo[m->requests.q][0] + i : i;
}

static int64_t wanted_position(const inquiry *m, int64_t i)
{
  return m->chosen.data ? dap_packed_get(&m->chosen, i) : region_position(m, i);
}

/* Returns the index of a position in the destination, counted from the first element that moves. */
static int64_t index_at(const inquiry *m, int64_t position)
{
  return m->to->ops->globalize(m->to, m->requests.q, position) -
         m->requests.problem->to.start[m->requests.axis];
}

static int64_t wanted_global(void *context, int64_t i)
{
  const inquiry *m = context;
  return index_at(m, wanted_position(m, i)) + m->requests.problem->from.start[m->requests.axis];
}

/* Lists the positions that move, unless all of the axis moves. */
static dap_status choose_positions(inquiry *m, dap_error *err)
{
  const int64_t length = m->requests.problem->shape[m->requests.axis], in_region = region_count(m);
  const bool is_whole = length == m->to->axis.size;
  const bool picks = m->to->axis.dist_type == 'u' && m->region != DAP_REGION_ALL;
  m->count = in_region;
  if ((is_whole && !picks) || in_region == 0) return DAP_OK;
  const int64_t owned = m->to->ops->owned(m->to, m->requests.q);
  const int64_t most = picks && m->region == DAP_REGION_OWNED ? owned : picks ? in_region - owned : in_region;
  m->count = 0;
  DAP_REQUIRE(dap_packed_create(most, m->to->ops->extent(m->to, m->requests.q), &m->chosen), err,
              DAP_ERR_NOMEM, "no memory for %" PRId64 " elements of a part", most);
  for (int64_t i = 0; i < in_region; i++) {
    const int64_t position = region_position(m, i), index = is_whole ? 0 : index_at(m, position);
    if (index < 0 || index >= length) continue;
    if (!picks || m->to->ops->is_owned(m->to, m->requests.q, position) == (m->region == DAP_REGION_OWNED))
      dap_packed_set(&m->chosen, m->count++, position);
  }
  return DAP_OK;
}

/* Adds an element. Many overlaps grow at a time, so one that seems to have no order is packed early.
 * dap_overlap_finish() undoes that if it has one. */
static dap_status add_found(dap_overlap *overlap, int64_t from, int64_t to, dap_error *err)
{
  enum { SOME = 32 };
  DAP_TRY(dap_overlap_add(overlap, from, to, 1, err));
  return overlap->size == SOME ? dap_overlap_pack(overlap, err) : DAP_OK;
}

static void wanted_found(void *context, int64_t i, int coord, int64_t local)
{
  inquiry *m = context;
  if (!m->status) m->status = add_found(&m->found.receive[coord], local, wanted_position(m, i), &m->error);
}

static dap_status find_wanted(MPI_Comm comm, inquiry *m, dap_error *err)
{
  const dap_lookup lookup = {.layout = m->requests.problem->from.layout,
                             .axis = m->requests.problem->from.axes[m->requests.axis],
                             .process = m->requests.problem->from.process,
                             .ranks = m->requests.problem->from.ranks,
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

static dap_status finish_all(dap_overlap overlaps[], int count, dap_error *err)
{
  for (int i = 0; i < count; i++) DAP_TRY(dap_overlap_finish(&overlaps[i], err));
  return DAP_OK;
}

static dap_status ask_owners(MPI_Comm comm, inquiry *m, dap_error *err)
{
  dap_status s = allocate(m->to->axis.procs, m->requests.sources, &m->found, err);
  if (!s) s = choose_positions(m, err);
  DAP_TRY(dap_agree(comm, s, err));
  DAP_TRY(find_wanted(comm, m, err));
  if (!m->status) m->status = finish_all(m->found.receive, m->found.receive_count, &m->error);
  if (m->status) *err = m->error;
  m->requests.wanted = m->found.receive;
  m->requests.send = m->found.send;
  DAP_TRY(dap_requests_exchange(comm, m->status, &m->requests, err));
  return dap_agree(comm, finish_all(m->found.send, m->found.send_count, err), err);
}

/* Finds the elements that coordinate q wants. Those that this process sends go to send[q], and those that it
 * receives to receive[]. */
static dap_status find_known(inquiry *m, int q, bool is_own, dap_error *err)
{
  const dap_problem *problem = m->requests.problem;
  const bool is_read =
      problem->from.process >= 0 && m->requests.from_all && dap_peers_read(problem, m->requests.axis, q);
  m->requests.q = q;
  dap_packed_release(&m->chosen);
  DAP_TRY(choose_positions(m, err));
  for (int64_t i = 0; i < m->count; i++) {
    int coord = 0;
    int64_t local = 0;
    DAP_REQUIRE(m->from->ops->locate(m->from, wanted_global(m, i), &coord, &local), err, DAP_ERR_REMOTE,
                "axis %d: only another process knows who owns what is listed", m->requests.axis);
    const int64_t position = wanted_position(m, i);
    if (is_own) DAP_TRY(add_found(&m->found.receive[coord], local, position, err));
    if (problem->from.process >= 0 &&
        (m->requests.from_all ? is_read : coord == problem->from.coords[m->requests.axis]))
      DAP_TRY(add_found(&m->found.send[q], local, position, err));
  }
  return DAP_OK;
}

dap_status dap_lists_check_known(int axis, const dap_map *map, dap_error *err)
{
  for (int c = 0; map->lists && c < map->axis.procs; c++)
    if (!dap_map_knows(map, c)) return dap_fail_remote(axis, c, err);
  return DAP_OK;
}

static dap_status use_known_lists(inquiry *m, int own, dap_error *err)
{
  DAP_TRY(dap_lists_check_known(m->requests.axis, m->from, err));
  DAP_TRY(dap_lists_check_known(m->requests.axis, m->to, err));
  DAP_TRY(allocate(m->to->axis.procs, m->requests.sources, &m->found, err));
  for (int q = 0; q < m->to->axis.procs; q++) DAP_TRY(find_known(m, q, q == own, err));
  DAP_TRY(finish_all(m->found.receive, m->found.receive_count, err));
  return finish_all(m->found.send, m->found.send_count, err);
}

dap_status dap_rendezvous_create(MPI_Comm comm, const dap_problem *problem, int axis, dap_region region,
                                 bool from_owner, dap_rendezvous *rendezvous, dap_error *err)
{
  const dap_map *from = dap_problem_from_map(problem, axis);
  const bool from_all = !from_owner && problem->copies && dap_map_is_whole(from);
  const int q = problem->to.process < 0 ? -1 : problem->to.coords[axis];
  inquiry m = {.requests = {problem, axis, from_all, q, from_all ? 1 : from->axis.procs, NULL, NULL},
               .region = region,
               .from = from,
               .to = dap_problem_to_map(problem, axis)};
  const dap_status s = comm == MPI_COMM_NULL ? use_known_lists(&m, q, err) : ask_owners(comm, &m, err);
  if (s) dap_rendezvous_release(&m.found);
  dap_packed_release(&m.chosen);
  *rendezvous = m.found;
  return s;
}

/* Tells the processes that have what is wanted along a listed axis which elements, in the order of those that
 * want them. */
#include "problem_impl.h"

#include <stdlib.h>

typedef struct notification {
  const dap_notice *notice;
  int64_t *first;            /* [sources + 1] questions before those about coordinate p */
  bool tells_points;         /* instead of strided runs */
  int others, step, senders; /* notified are the senders others, others + step, ..., `senders` of them, */
  dap_senders read;          /* or, if from_all, these */
  dap_status status;         /* of what was told here */
  dap_error error;
} notification;

/* ---- who is told ----------------------------------------------------------------------------------- */

/* The receivers at a coordinate want the same, so they share the work: each notifies every step-th sender, or
 * those of some blocks. */
static dap_status share_senders(notification *m, dap_error *err)
{
  const dap_notice *n = m->notice;
  const dap_problem *problem = n->problem;
  if (n->from_all) {
    DAP_TRY(dap_senders_find(problem, n->axis, &m->read, err));
    m->senders = m->read.count;
    return DAP_OK;
  }
  const int to_axis = problem->to_axes[n->axis],
            all = dap_peers_count(problem->from, problem->from_axes[n->axis]);
  m->step = dap_peers_count(problem->to, to_axis);
  m->others = n->q < 0 ? all : dap_peers_number(problem->to, to_axis, problem->to_process);
  m->senders = m->others < all ? (all - 1 - m->others) / m->step + 1 : 0;
  return DAP_OK;
}

/* ---- questions, whose answers are empty --------------------------------------------------------------- */

/* Questions about coordinate p: its runs, or, as points are many and their words few, how many there are, and
 * all of them in a second turn. */
static int64_t questions_about(const notification *m, int p)
{
  const dap_overlap *wanted = &m->notice->wanted[p];
  const bool points = dap_overlap_is_points(wanted);
  return m->tells_points ? (points ? wanted->elements : 0) : points ? 1 : wanted->size;
}

static int64_t count_questions(notification *m)
{
  for (int p = 0; p < m->notice->sources; p++)
    m->first[p + 1] = m->first[p] + questions_about(m, p) * m->senders;
  return m->first[m->notice->sources];
}

/* The coordinate that question i is about. */
static int coordinate_of(const notification *m, int64_t i)
{
  int low = 0, high = m->notice->sources - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (m->first[middle + 1] > i)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* The rank that question i is for; the coordinate it is about, and which of those about it. */
static int receiver_of(const notification *m, int64_t i, int *p, int64_t *number)
{
  *p = coordinate_of(m, i);
  const int64_t at = i - m->first[*p];
  *number = at / m->senders;
  const dap_notice *n = m->notice;
  if (n->from_all) return m->read.ranks[at % m->senders];
  const int other = m->others + (int)(at % m->senders) * m->step;
  const int process = dap_peers_process(n->problem->from, n->problem->from_axes[n->axis], *p, other);
  return n->problem->from_ranks ? n->problem->from_ranks[process] : process;
}

/* A run of length 0 says how many points there will be. */
static int write_run(void *context, int64_t i, int64_t words[])
{
  const notification *m = context;
  int p;
  int64_t number;
  const int rank = receiver_of(m, i, &p, &number);
  const dap_overlap *wanted = &m->notice->wanted[p];
  dap_strided_run run = {.count = wanted->elements};
  if (!dap_overlap_is_points(wanted)) run = dap_overlap_run(wanted, number);
  words[0] = m->notice->q;
  words[1] = run.from;
  words[2] = run.from_step;
  words[3] = run.to;
  words[4] = run.to_step;
  words[5] = run.length;
  words[6] = run.count;
  return rank;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a dap_query's answer, which here is empty */
static void take_run(void *context, int from, const int64_t words[], int64_t answer[])
{
  notification *m = context;
  dap_overlap *send = &m->notice->send[words[0]];
  const dap_strided_run run = {.from = words[1],
                               .from_step = words[2],
                               .to = words[3],
                               .to_step = words[4],
                               .length = words[5],
                               .count = words[6]};
  (void)from;
  (void)answer;
  if (m->status) return;
  m->status = run.length > 0 ? dap_overlap_append(send, &run, &m->error)
                             : dap_points_start(send, run.count, &m->error);
}

static int write_point(void *context, int64_t i, int64_t words[])
{
  const notification *m = context;
  int p;
  int64_t number;
  const int rank = receiver_of(m, i, &p, &number);
  words[0] = m->notice->q;
  words[1] = dap_packed_get(&m->notice->wanted[p].from, number);
  words[2] = dap_packed_get(&m->notice->wanted[p].to, number);
  return rank;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a dap_query's answer, which here is empty */
static void take_point(void *context, int from, const int64_t words[], int64_t answer[])
{
  notification *m = context;
  const dap_strided_run run = {.from = words[1], .to = words[2], .length = 1, .count = 1};
  (void)from;
  (void)answer;
  if (!m->status) m->status = dap_overlap_append(&m->notice->send[words[0]], &run, &m->error);
}

/* ---- all of it -------------------------------------------------------------------------------------- */

static dap_status start(notification *m, dap_error *err)
{
  m->first = calloc((size_t)m->notice->sources + 1, sizeof *m->first);
  DAP_REQUIRE(m->first, err, DAP_ERR_NOMEM, "no memory for a plan over %d processes", m->notice->sources);
  return share_senders(m, err);
}

static dap_status tell(MPI_Comm comm, notification *m, dap_error *err)
{
  const dap_query runs = {.count = count_questions(m),
                          .question_words = 7,
                          .context = m,
                          .question = write_run,
                          .answer = take_run};
  DAP_TRY(dap_query_all(comm, &runs, err));
  m->tells_points = true;
  const dap_query points = {.count = count_questions(m),
                            .question_words = 3,
                            .context = m,
                            .question = write_point,
                            .answer = take_point};
  DAP_TRY(dap_query_all(comm, &points, err));
  if (m->status) *err = m->error;
  return dap_agree(comm, m->status, err);
}

dap_status dap_rendezvous_tell(MPI_Comm comm, dap_status status, const dap_notice *notice, dap_error *err)
{
  notification m = {.notice = notice};
  dap_status s = dap_agree(comm, status ? status : start(&m, err), err);
  if (!s) s = tell(comm, &m, err);
  free(m.first);
  free(m.read.ranks);
  return s;
}

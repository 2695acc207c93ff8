/* Sends requests for elements along a listed axis to the processes that have them, in the order of the
 * receiver's buffer. */
#include "problem_impl.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct exchange {
  const dap_requests *requests;
  int64_t *first;            /* [sources + 1] questions before those about coordinate p */
  bool sends_points;         /* the questions are points, not strided runs */
  int others, step, senders; /* the requests go to `senders` processes: others, others + step, ... */
  dap_senders read;          /* if from_all, the requests go to these instead */
  dap_status status;         /* result of the requests that this process received */
  dap_error error;
} exchange;

/* Chooses the senders that this process asks. The receivers at a coordinate want the same, so each asks every
 * step-th sender, or those of some blocks. */
static dap_status share_senders(exchange *m, dap_error *err)
{
  const dap_requests *n = m->requests;
  const dap_problem *problem = n->problem;
  if (n->from_all) {
    DAP_TRY(dap_senders_find(problem, n->axis, &m->read, err));
    m->senders = m->read.count;
    return DAP_OK;
  }
  const int to_axis = problem->to.axes[n->axis],
            all = dap_peers_count(problem->from.layout, problem->from.axes[n->axis]);
  m->step = dap_peers_count(problem->to.layout, to_axis);
  m->others = n->q < 0 ? all : dap_peers_number(problem->to.layout, to_axis, problem->to.process);
  m->senders = m->others < all ? (all - 1 - m->others) / m->step + 1 : 0;
  return DAP_OK;
}

/* Counts the questions about each coordinate, and returns their number. Runs take one each. Points take one
 * that has their number, and one each in a second round. */
static int64_t count_questions(exchange *m)
{
  for (int p = 0; p < m->requests->sources; p++) {
    const dap_overlap *wanted = &m->requests->wanted[p];
    const bool points = dap_overlap_is_points(wanted);
    const int64_t each = m->sends_points ? (points ? wanted->elements : 0) : points ? 1 : wanted->size;
    m->first[p + 1] = m->first[p] + each * m->senders;
  }
  return m->first[m->requests->sources];
}

/* Returns the coordinate that question i is about. */
static int coordinate_of(const exchange *m, int64_t i)
{
  int low = 0, high = m->requests->sources - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (m->first[middle + 1] > i)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Returns the rank that question i is for. Sets the coordinate p that it is about, and its number among the
 * questions about p. */
static int receiver_of(const exchange *m, int64_t i, int *p, int64_t *number)
{
  *p = coordinate_of(m, i);
  const int64_t at = i - m->first[*p];
  *number = at / m->senders;
  const dap_requests *n = m->requests;
  if (n->from_all) return m->read.ranks[at % m->senders];
  const int other = m->others + (int)(at % m->senders) * m->step;
  const int process = dap_peers_process(n->problem->from.layout, n->problem->from.axes[n->axis], *p, other);
  return n->problem->from.ranks ? n->problem->from.ranks[process] : process;
}

/* The words of a question: the receiver's coordinate, then a run, or of a point only its two positions. */
enum { ASKED_Q, ASKED_RUN };

static size_t asked_bytes(const exchange *m)
{
  return m->sends_points ? offsetof(dap_strided_run, length) : offsetof(dap_strided_run, before);
}

/* Writes a run or a point. A run of length 0 announces points. */
static int write_question(void *context, int64_t i, int64_t words[])
{
  const exchange *m = context;
  int p;
  int64_t number;
  const int rank = receiver_of(m, i, &p, &number);
  const dap_overlap *wanted = &m->requests->wanted[p];
  dap_strided_run run = {.count = wanted->elements};
  if (m->sends_points || !dap_overlap_is_points(wanted)) run = dap_overlap_run(wanted, number);
  words[ASKED_Q] = m->requests->q;
  memcpy(words + ASKED_RUN, &run, asked_bytes(m));
  return rank;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a dap_query's answer, which here is empty */
static void receive_question(void *context, int from, const int64_t words[], int64_t answer[])
{
  exchange *m = context;
  dap_overlap *send = &m->requests->send[words[ASKED_Q]];
  dap_strided_run run = {.length = 1, .count = 1};
  memcpy(&run, words + ASKED_RUN, asked_bytes(m));
  (void)from;
  (void)answer;
  if (m->status) return;
  m->status = run.length > 0 ? dap_overlap_append(send, &run, &m->error)
                             : dap_points_start(send, run.count, &m->error);
}

static dap_status exchange_requests(MPI_Comm comm, exchange *m, dap_error *err)
{
  for (int round = 0; round < 2; round++) {
    m->sends_points = round == 1;
    const dap_query query = {.count = count_questions(m),
                             .question_words = ASKED_RUN + (int)(asked_bytes(m) / sizeof(int64_t)),
                             .context = m,
                             .question = write_question,
                             .answer = receive_question};
    DAP_TRY(dap_query_all(comm, &query, err));
  }
  if (m->status) *err = m->error;
  return dap_agree(comm, m->status, err);
}

dap_status dap_requests_exchange(MPI_Comm comm, dap_status status, const dap_requests *requests,
                                 dap_error *err)
{
  exchange m = {.requests = requests, .first = calloc((size_t)requests->sources + 1, sizeof *m.first)};
  if (!status && !m.first)
    status = dap_fail(err, DAP_ERR_NOMEM, "no memory for a plan over %d processes", requests->sources);
  dap_status s = dap_agree(comm, status ? status : share_senders(&m, err), err);
  if (!s) s = exchange_requests(comm, &m, err);
  free(m.first);
  free(m.read.ranks);
  return s;
}

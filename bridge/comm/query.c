/* Asks other processes questions, in rounds of bounded memory. In a round each process asks some of its
 * questions. If too many of them would come to one process, the round has fewer. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

/* Most questions that a process asks in one round, and most that it answers there. */
enum { ASKED = 1 << 14, ANSWERED = 1 << 16 };

/* Questions up to which a process makes room for all that can come, without counting those that do. */
enum { UNASKED = 1 << 13 };

typedef struct rounds {
  MPI_Comm comm;
  int nprocs;
  const dap_query *query;
  int64_t most;              /* questions of the process that has most */
  int64_t each;              /* most questions of a process in a round, at most ASKED */
  int *to;                   /* [each] rank asked */
  int64_t *slot;             /* [each] place among the questions sent */
  int64_t *out;              /* [each][question_words] by rank asked */
  int64_t *back;             /* [each][answer_words] the answers to them */
  int64_t room;              /* questions that `in` and `answers` have room for */
  int64_t *in;               /* [room][question_words] by rank asking */
  int64_t *answers;          /* [room][answer_words] */
  int *out_count, *in_count; /* [nprocs] questions of the round */
  int *out_words, *out_first, *in_words, *in_first; /* [nprocs] arguments of MPI_Alltoallv() */
} rounds;

/* Allocates the arrays of [nprocs]. No other memory grows with the number of processes. */
static dap_status allocate_counts(rounds *r, dap_error *err)
{
  int **const all[] = {&r->out_count, &r->in_count, &r->out_words, &r->out_first, &r->in_words, &r->in_first};
  const size_t procs = (size_t)r->nprocs, kinds = sizeof all / sizeof *all;
  r->out_count = calloc(kinds * procs, sizeof *r->out_count);
  DAP_REQUIRE(r->out_count, err, DAP_ERR_NOMEM, "no memory to ask %d processes", r->nprocs);
  for (size_t i = 0; i < kinds; i++) *all[i] = r->out_count + i * procs;
  return DAP_OK;
}

static dap_status make_room(rounds *r, int64_t questions, dap_error *err)
{
  free(r->in);
  free(r->answers);
  r->room = questions;
  r->in = malloc((size_t)(questions * r->query->question_words) * sizeof *r->in);
  r->answers = malloc((size_t)(questions * r->query->answer_words + 1) * sizeof *r->answers);
  DAP_REQUIRE(r->in && r->answers, err, DAP_ERR_NOMEM, "no memory to answer %d processes", r->nprocs);
  return DAP_OK;
}

/* Returns whether few questions can come to a process. Then it makes room for all of them at the start. */
static bool are_few(const rounds *r)
{
  return r->nprocs * r->each <= UNASKED;
}

static dap_status allocate(rounds *r, dap_error *err)
{
  const size_t each = (size_t)r->each;
  r->to = malloc(each * sizeof *r->to);
  r->slot = malloc(each * sizeof *r->slot);
  r->out = malloc(each * (size_t)r->query->question_words * sizeof *r->out);
  r->back = malloc((each * (size_t)r->query->answer_words + 1) * sizeof *r->back);
  DAP_REQUIRE(r->to && r->slot && r->out && r->back, err, DAP_ERR_NOMEM, "no memory to ask %d processes",
              r->nprocs);
  DAP_TRY(allocate_counts(r, err));
  return are_few(r) ? make_room(r, r->nprocs * r->each, err) : DAP_OK;
}

static void release(rounds *r)
{
  free(r->to);
  free(r->slot);
  free(r->out);
  free(r->back);
  free(r->in);
  free(r->answers);
  free(r->out_count);
}

/* Writes questions [begin, begin + count), sorted by the rank that they are for. */
static void write_questions(rounds *r, int64_t begin, int64_t count)
{
  const dap_query *query = r->query;
  int *next = r->out_first, sum = 0;
  memset(r->out_count, 0, (size_t)r->nprocs * sizeof *r->out_count);
  for (int64_t i = 0; i < count; i++) {
    int64_t question[DAP_QUERY_WORDS];
    r->to[i] = query->question(query->context, begin + i, question);
    r->out_count[r->to[i]]++;
  }
  for (int p = 0; p < r->nprocs; p++) {
    next[p] = sum;
    sum += r->out_count[p];
  }
  for (int64_t i = 0; i < count; i++) {
    r->slot[i] = next[r->to[i]]++;
    (void)query->question(query->context, begin + i, r->out + r->slot[i] * query->question_words);
  }
}

/* Agrees on the number of questions that come to the process that gets most. `s` is the status of earlier
 * rounds. All learn it here, because the next steps need these numbers. */
static dap_status count_incoming(rounds *r, dap_status s, int64_t *most, dap_error *err)
{
  enum { MINUS_INCOMING };
  int64_t incoming = 0;
  const dap_status t = dap_alltoall(r->comm, r->out_count, r->in_count, s ? NULL : err);
  if (!s) s = t;
  for (int p = 0; p < r->nprocs && !s; p++) incoming += r->in_count[p];
  dap_agreement a = {.status = s, .least = {[MINUS_INCOMING] = -incoming}};
  DAP_TRY(dap_agree_all(r->comm, &a, err));
  *most = -a.least[MINUS_INCOMING];
  return DAP_OK;
}

/* Writes the questions of a round, at most *asked of each process, so that the process that gets most can
 * answer them at once. Makes room for those that come. */
static dap_status prepare(rounds *r, int64_t begin, int64_t *asked, dap_status s, dap_error *err)
{
  int64_t most = 0;
  for (*asked = r->each;; *asked = dap_larger(1, *asked * ANSWERED / most)) {
    write_questions(r, begin, dap_larger(0, dap_smaller(r->query->count - begin, *asked)));
    DAP_TRY(count_incoming(r, s, &most, err));
    if (most <= ANSWERED || *asked == 1) break;
  }
  if (most <= r->room) return DAP_OK;
  return dap_agree(r->comm, make_room(r, dap_larger(most, dap_smaller(2 * most, ANSWERED)), err), err);
}

/* Lists the words[nprocs] that go to each process or come from it, and where they begin. */
static void list_words(int nprocs, const int counts[], int factor, int words[], int first[])
{
  int sum = 0;
  for (int p = 0; p < nprocs; p++) {
    words[p] = counts[p] * factor;
    first[p] = sum;
    sum += words[p];
  }
}

/* Moves questions, or if `returns` answers, of `words` int64_t each.
 * NOLINTNEXTLINE(readability-non-const-parameter): one of the two receives them */
static dap_status move(rounds *r, int words, int64_t *mine, int64_t *theirs, bool returns, dap_error *err)
{
  list_words(r->nprocs, r->out_count, words, r->out_words, r->out_first);
  list_words(r->nprocs, r->in_count, words, r->in_words, r->in_first);
  const dap_words own = {mine, r->out_words, r->out_first}, other = {theirs, r->in_words, r->in_first};
  return returns ? dap_alltoall_words(r->comm, &other, &own, err)
                 : dap_alltoall_words(r->comm, &own, &other, err);
}

/* Writes the answers in the order of the questions, which is by rank. */
static void write_answers(rounds *r)
{
  const dap_query *query = r->query;
  const int64_t *question = r->in;
  int64_t *answer = r->answers;
  for (int p = 0; p < r->nprocs; p++)
    for (int i = 0; i < r->in_count[p]; i++) {
      query->answer(query->context, p, question, answer);
      question += query->question_words;
      answer += query->answer_words;
    }
}

/* Moves questions and answers. *s receives the status of this process, which all learn in the next round or
 * after the last one. If the questions did not come, answers are zeros until then. */
static void ask_and_answer(rounds *r, dap_status *s, dap_error *err)
{
  const dap_query *query = r->query;
  *s = move(r, query->question_words, r->out, r->in, false, err);
  if (!*s)
    write_answers(r);
  else
    memset(r->answers, 0, (size_t)(r->room * query->answer_words) * sizeof *r->answers);
  if (query->answer_words == 0) return;
  const dap_status t = move(r, query->answer_words, r->back, r->answers, true, *s ? NULL : err);
  if (!*s) *s = t;
}

/* Runs a round from question *begin on, and moves *begin behind it. Returns the agreed status. */
static dap_status run_round(rounds *r, int64_t *begin, dap_status *s, dap_error *err)
{
  const dap_query *query = r->query;
  int64_t asked = 0;
  DAP_TRY(prepare(r, *begin, &asked, *s, err));
  ask_and_answer(r, s, err);
  for (int64_t i = 0; i < asked && *begin + i < query->count && query->take && !*s; i++)
    query->take(query->context, *begin + i, r->back + r->slot[i] * query->answer_words);
  *begin += asked;
  return DAP_OK;
}

static dap_status start(rounds *r, dap_error *err)
{
  enum { MINUS_COUNT };
  dap_agreement a = {.least = {[MINUS_COUNT] = -r->query->count}};
  a.status = dap_mpi_check(MPI_Comm_size(r->comm, &r->nprocs), "MPI_Comm_size", err);
  DAP_TRY(dap_agree_all(r->comm, &a, err));
  r->most = -a.least[MINUS_COUNT];
  r->each = dap_larger(1, dap_smaller(ASKED, r->most));
  return dap_agree(r->comm, allocate(r, err), err);
}

dap_status dap_query_all(MPI_Comm comm, const dap_query *query, dap_error *err)
{
  rounds r = {.comm = comm, .query = query};
  dap_status s = start(&r, err), own = DAP_OK;
  for (int64_t begin = 0; begin < r.most && !s;) s = run_round(&r, &begin, &own, err);
  if (r.most > 0 && !s) s = dap_agree(comm, own, err);
  release(&r);
  return s;
}

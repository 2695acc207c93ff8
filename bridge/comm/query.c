/* Questions to other processes and their answers, in rounds, so that memory is bounded however many there
 * are, whomever they are for and however many processes take part. In a round each process puts some of its
 * questions; where more of them come to a process than it answers at once, they come in turns. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

/* What a process asks in one round, and answers in one turn, at most. ASKED <= ANSWERED, so that the
 * questions of one process to another never need two turns. */
enum { ASKED = 1 << 14, ANSWERED = 1 << 16 };

/* Room for so many is made without asking how many will come. */
enum { UNASKED = 1 << 13 };

typedef struct rounds {
  MPI_Comm comm;
  int nprocs;
  const dap_query *query;
  int64_t each;              /* questions of a process in a round, at most ASKED */
  int64_t count;             /* rounds */
  int turns;                 /* of the round */
  int *to;                   /* [each] rank asked */
  int64_t *slot;             /* [each] place among the questions sent */
  int64_t *out;              /* [each][question_words] by rank asked */
  int64_t *back;             /* [each][answer_words] the answers to them */
  int64_t room;              /* questions that `in` and `answers` have room for, at most ANSWERED */
  int64_t *in;               /* [room][question_words] those of a turn, by rank asking */
  int64_t *answers;          /* [room][answer_words] */
  int *out_count, *in_count; /* [nprocs] questions of the round */
  int *out_turn, *in_turn;   /* [nprocs] when they go and come */
  int *out_words, *out_first, *in_words, *in_first; /* [nprocs] what MPI_Alltoallv() sends and receives */
} rounds;

/* All that is [nprocs]: this alone grows with the number of processes. */
static dap_status allocate_counts(rounds *r, dap_error *err)
{
  int **const all[] = {&r->out_count, &r->in_count,  &r->out_turn, &r->in_turn,
                       &r->out_words, &r->out_first, &r->in_words, &r->in_first};
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

/* Whether so few questions can come to a process that all have room for them, and one turn will do. */
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

/* Questions [begin, begin + count) sorted by the rank they are for. */
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

/* Fills turns with the questions that come, in the order of ranks; returns the most in one of them. */
static int64_t fill_turns(rounds *r, int *turns)
{
  int64_t most = 0, taken = 0;
  *turns = 1;
  for (int p = 0; p < r->nprocs; p++) {
    if (taken + r->in_count[p] > ANSWERED) {
      taken = 0;
      ++*turns;
    }
    taken += r->in_count[p];
    r->in_turn[p] = *turns - 1;
    most = dap_larger(most, taken);
  }
  return most;
}

/* Who asks whom when. All processes have as many turns, and as much room. `s`: how it is with the rounds
 * before; agreed, as who does not know these numbers could take no part in what follows. */
static dap_status agree_on_turns(rounds *r, dap_status s, dap_error *err)
{
  int turns = 1;
  const dap_status t = dap_alltoall(r->comm, r->out_count, r->in_count, s ? NULL : err);
  if (!s) s = t;
  const int64_t most = s ? 0 : fill_turns(r, &turns);
  dap_agreement a = {.status = s, .least = {-most, -turns}};
  DAP_TRY(dap_agree_all(r->comm, &a, err));
  r->turns = (int)-a.least[1];
  if (are_few(r)) return DAP_OK; /* all turns are 0 */
  s = dap_alltoall(r->comm, r->in_turn, r->out_turn, err);
  if (!s && -a.least[0] > r->room) s = make_room(r, dap_smaller(-2 * a.least[0], ANSWERED), err);
  return dap_agree(r->comm, s, err);
}

/* Words [nprocs] of a turn, and where they begin among those of all turns or, if packed, of this one. */
static void list_words(const rounds *r, const int counts[], const int turns[], int turn, int factor,
                       bool is_packed, int words[], int first[])
{
  int sum = 0;
  for (int p = 0; p < r->nprocs; p++) {
    const int all = counts[p] * factor;
    words[p] = turns[p] == turn ? all : 0;
    first[p] = sum;
    sum += is_packed ? words[p] : all;
  }
}

/* Answers in the order of the questions that came, which is by rank. */
static void write_answers(rounds *r, int turn)
{
  const dap_query *query = r->query;
  const int64_t *question = r->in;
  int64_t *answer = r->answers;
  for (int p = 0; p < r->nprocs; p++)
    for (int i = 0; i < r->in_count[p] && r->in_turn[p] == turn; i++) {
      query->answer(query->context, p, question, answer);
      question += query->question_words;
      answer += query->answer_words;
    }
}

/* *s becomes how it is here. To whom no questions came answers all the same: zeros, with which the others
 * can go on until they learn of it. */
static void run_turn(rounds *r, int turn, dap_status *s, dap_error *err)
{
  const dap_query *query = r->query;
  list_words(r, r->out_count, r->out_turn, turn, query->question_words, false, r->out_words, r->out_first);
  list_words(r, r->in_count, r->in_turn, turn, query->question_words, true, r->in_words, r->in_first);
  const dap_words asked = {r->out, r->out_words, r->out_first}, got = {r->in, r->in_words, r->in_first};
  dap_status t = dap_alltoall_words(r->comm, &asked, &got, *s ? NULL : err);
  if (!*s) *s = t;
  if (!*s)
    write_answers(r, turn);
  else
    memset(r->answers, 0, (size_t)(r->room * query->answer_words) * sizeof *r->answers);
  if (query->answer_words == 0) return;
  list_words(r, r->out_count, r->out_turn, turn, query->answer_words, false, r->out_words, r->out_first);
  list_words(r, r->in_count, r->in_turn, turn, query->answer_words, true, r->in_words, r->in_first);
  const dap_words answers = {r->answers, r->in_words, r->in_first},
                  back = {r->back, r->out_words, r->out_first};
  t = dap_alltoall_words(r->comm, &answers, &back, *s ? NULL : err);
  if (!*s) *s = t;
}

/* *s becomes how it is here: all learn of it in the next round, or behind the last one. Returns what has been
 * agreed on. */
static dap_status run_round(rounds *r, int64_t begin, dap_status *s, dap_error *err)
{
  const dap_query *query = r->query;
  const int64_t left = query->count - begin, count = left <= 0 ? 0 : dap_smaller(left, r->each);
  write_questions(r, begin, count);
  DAP_TRY(agree_on_turns(r, *s, err));
  for (int turn = 0; turn < r->turns; turn++) run_turn(r, turn, s, err);
  for (int64_t i = 0; i < count && query->take && !*s; i++)
    query->take(query->context, begin + i, r->back + r->slot[i] * query->answer_words);
  return DAP_OK;
}

static dap_status start(rounds *r, dap_error *err)
{
  dap_agreement a = {.least = {-r->query->count}};
  a.status = dap_mpi_check(MPI_Comm_size(r->comm, &r->nprocs), "MPI_Comm_size", err);
  DAP_TRY(dap_agree_all(r->comm, &a, err));
  const int64_t most = -a.least[0];
  r->each = dap_larger(1, dap_smaller(ASKED, most));
  r->count = most / r->each + (most % r->each > 0);
  return dap_agree(r->comm, allocate(r, err), err);
}

dap_status dap_query_all(MPI_Comm comm, const dap_query *query, dap_error *err)
{
  rounds r = {.comm = comm, .query = query};
  dap_status s = start(&r, err), own = DAP_OK;
  for (int64_t i = 0; i < r.count && !s; i++) s = run_round(&r, i * r.each, &own, err);
  if (r.count > 0 && !s) s = dap_agree(comm, own, err);
  release(&r);
  return s;
}

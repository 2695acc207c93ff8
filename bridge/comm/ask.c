/* Questions to other processes and their answers, in rounds, so that memory is bounded however many there are
 * and whomever they are for. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

/* What all processes together may ask one of them in one round, and the least one may ask. */
enum { ROUND_TOTAL = 1 << 16, ROUND_LEAST = 256 };

typedef struct rounds {
  MPI_Comm comm;
  int nprocs;
  const dap_ask *ask;
  int64_t each;     /* questions of a process in a round, at most */
  int64_t count;    /* rounds */
  int *to;          /* [each] rank asked */
  int64_t *slot;    /* [each] place among the questions sent */
  int64_t *out;     /* [each][ask_words] by rank asked; then the answers to them, [each][answer_words] */
  int64_t *in;      /* [nprocs * each][ask_words] by rank asking */
  int64_t *answers; /* [nprocs * each][answer_words] */
  int *out_count, *out_first, *in_count, *in_first; /* [nprocs] words */
} rounds;

static dap_status allocate(rounds *r, dap_error *err)
{
  const size_t procs = (size_t)r->nprocs, each = (size_t)r->each, all = procs * each;
  const size_t ask = (size_t)r->ask->ask_words, answer = (size_t)r->ask->answer_words;
  r->to = malloc(each * sizeof *r->to);
  r->slot = malloc(each * sizeof *r->slot);
  r->out = malloc(each * (ask > answer ? ask : answer) * sizeof *r->out);
  r->in = malloc(all * ask * sizeof *r->in);
  r->answers = malloc((all * answer + 1) * sizeof *r->answers);
  r->out_count = malloc(4 * procs * sizeof *r->out_count);
  DAP_REQUIRE(r->to && r->slot && r->out && r->in && r->answers && r->out_count, err, DAP_ERR_NOMEM,
              "no memory to ask %d processes", r->nprocs);
  r->out_first = r->out_count + procs;
  r->in_count = r->out_first + procs;
  r->in_first = r->in_count + procs;
  return DAP_OK;
}

static void release(rounds *r)
{
  free(r->to);
  free(r->slot);
  free(r->out);
  free(r->in);
  free(r->answers);
  free(r->out_count);
}

/* Offsets of counts; returns the total. */
static int sum_up(int nprocs, const int counts[], int first[])
{
  int total = 0;
  for (int p = 0; p < nprocs; p++) {
    first[p] = total;
    total += counts[p];
  }
  return total;
}

/* Questions [begin, begin + count) sorted by the rank they are for; counts are in questions. */
static void write_questions(rounds *r, int64_t begin, int64_t count)
{
  const dap_ask *ask = r->ask;
  memset(r->out_count, 0, (size_t)r->nprocs * sizeof *r->out_count);
  for (int64_t i = 0; i < count; i++) {
    int64_t question[DAP_ASK_WORDS];
    r->to[i] = ask->ask(ask->context, begin + i, question);
    r->out_count[r->to[i]]++;
  }
  (void)sum_up(r->nprocs, r->out_count, r->out_first);
  for (int64_t i = 0; i < count; i++) {
    r->slot[i] = r->out_first[r->to[i]]++;
    (void)ask->ask(ask->context, begin + i, r->out + r->slot[i] * ask->ask_words);
  }
}

static void scale(int nprocs, int counts[], int factor)
{
  for (int p = 0; p < nprocs; p++) counts[p] *= factor;
}

static dap_status exchange(rounds *r, const int64_t *out, const int out_count[], int out_first[], int64_t *in,
                           const int in_count[], int in_first[], dap_error *err)
{
  (void)sum_up(r->nprocs, out_count, out_first);
  (void)sum_up(r->nprocs, in_count, in_first);
  return dap_mpi_check(
      MPI_Alltoallv(out, out_count, out_first, MPI_INT64_T, in, in_count, in_first, MPI_INT64_T, r->comm),
      "MPI_Alltoallv", err);
}

/* Answers in the order of the questions that came, which is by rank. */
static void write_answers(rounds *r)
{
  const dap_ask *ask = r->ask;
  const int64_t *question = r->in;
  int64_t *answer = r->answers;
  for (int p = 0; p < r->nprocs; p++)
    for (int i = 0; i < r->in_count[p] / ask->ask_words; i++) {
      ask->answer(ask->context, p, question, answer);
      question += ask->ask_words;
      answer += ask->answer_words;
    }
}

/* How many questions come from whom. *s: how it is with the rounds before; agreed, as who does not know these
 * numbers could take no part in what follows. */
static dap_status announce(rounds *r, dap_status s, int64_t begin, int64_t count, dap_error *err)
{
  write_questions(r, begin, count);
  scale(r->nprocs, r->out_count, r->ask->ask_words);
  const int code = MPI_Alltoall(r->out_count, 1, MPI_INT, r->in_count, 1, MPI_INT, r->comm);
  if (!s) s = dap_mpi_check(code, "MPI_Alltoall", err);
  return dap_agree(r->comm, s, err);
}

/* To whom no questions came answers all the same: zeros, with which the others can go on until they learn of
 * it. */
static dap_status answer(rounds *r, dap_status s, dap_error *err)
{
  const dap_ask *ask = r->ask;
  if (!s) write_answers(r);
  if (ask->answer_words == 0) return s;
  if (s)
    memset(r->answers, 0,
           (size_t)r->nprocs * (size_t)r->each * (size_t)ask->answer_words * sizeof *r->answers);
  for (int p = 0; p < r->nprocs; p++) {
    r->out_count[p] = r->out_count[p] / ask->ask_words * ask->answer_words;
    r->in_count[p] = r->in_count[p] / ask->ask_words * ask->answer_words;
  }
  const dap_status t =
      exchange(r, r->answers, r->in_count, r->in_first, r->out, r->out_count, r->out_first, s ? NULL : err);
  return s ? s : t;
}

/* *s becomes how it is here: all learn of it in the next round, or behind the last one. Returns what has been
 * agreed on. */
static dap_status run_round(rounds *r, int64_t begin, dap_status *s, dap_error *err)
{
  const dap_ask *ask = r->ask;
  const int64_t left = ask->count - begin, count = left <= 0 ? 0 : dap_smaller(left, r->each);
  DAP_TRY(announce(r, *s, begin, count, err));
  *s = exchange(r, r->out, r->out_count, r->out_first, r->in, r->in_count, r->in_first, err);
  *s = answer(r, *s, err);
  for (int64_t i = 0; i < count && ask->take && !*s; i++)
    ask->take(ask->context, begin + i, r->out + r->slot[i] * ask->answer_words);
  return DAP_OK;
}

static dap_status start(rounds *r, dap_error *err)
{
  dap_agreement a = {.least = {-r->ask->count}};
  a.status = dap_mpi_check(MPI_Comm_size(r->comm, &r->nprocs), "MPI_Comm_size", err);
  DAP_TRY(dap_agree_all(r->comm, &a, err));
  const int64_t most = -a.least[0];
  r->each = dap_larger(ROUND_LEAST, ROUND_TOTAL / r->nprocs);
  r->each = dap_larger(1, dap_smaller(r->each, most));
  r->count = most / r->each + (most % r->each > 0);
  return dap_agree(r->comm, allocate(r, err), err);
}

dap_status dap_ask_all(MPI_Comm comm, const dap_ask *ask, dap_error *err)
{
  rounds r = {.comm = comm, .ask = ask};
  dap_status s = start(&r, err), own = DAP_OK;
  for (int64_t i = 0; i < r.count && !s; i++) s = run_round(&r, i * r.each, &own, err);
  if (r.count > 0 && !s) s = dap_agree(comm, own, err);
  release(&r);
  return s;
}

/* dap_query_all(): each question gets its own answer, in the order promised, whomever they are all for. */
#include "comm_impl.h"
#include "mpi_test.h"

enum { MANY = 40000 /* more than a process puts in a round, and six put more than one answers in a turn */ };

/* How this process's questions are spread over the others. */
typedef int (*chooser)(int64_t i);

static int all_ask_first(int64_t i)
{
  (void)i;
  return 0;
}

static int all_ask_last(int64_t i)
{
  (void)i;
  return test_nprocs() - 1;
}

static int spread(int64_t i)
{
  return (int)((i * 7 + test_rank()) % test_nprocs());
}

/* Most for one, the rest for all. */
static int mostly_one(int64_t i)
{
  return i % 16 ? test_nprocs() / 2 : spread(i / 16);
}

typedef struct script {
  chooser whom;
  int64_t count, answered, taken; /* taken: also the next one */
  int64_t heard[64];              /* [nprocs] the last question of each, + 1 */
} script;

static int ask(void *context, int64_t i, int64_t question[])
{
  const script *s = context;
  question[0] = i;
  question[1] = test_rank() * 1000003 + i;
  return s->whom(i);
}

static void answer(void *context, int from, const int64_t question[], int64_t reply[])
{
  script *s = context;
  s->answered++;
  EXPECT(question[0] >= s->heard[from]); /* in the order of their i */
  s->heard[from] = question[0] + 1;
  EXPECT_INT(question[1], from * 1000003 + question[0]);
  for (int k = 0; k < 3; k++) reply[k] = question[1] * (k + 2) + test_rank();
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a dap_query's answer, which here is empty */
static void hear(void *context, int from, const int64_t question[], int64_t reply[])
{
  script *s = context;
  (void)reply;
  s->answered++;
  EXPECT_INT(question[1], from * 1000003 + question[0]);
}

static void take(void *context, int64_t i, const int64_t reply[])
{
  script *s = context;
  EXPECT_INT(i, s->taken++);
  for (int k = 0; k < 3; k++) EXPECT_INT(reply[k], (test_rank() * 1000003 + i) * (k + 2) + s->whom(i));
}

static void check(chooser whom, int64_t count, bool is_answered)
{
  script s = {.whom = whom, .count = count};
  dap_error err = {0};
  const dap_query all = {.count = count,
                         .question_words = 2,
                         .answer_words = is_answered ? 3 : 0,
                         .context = &s,
                         .question = ask,
                         .answer = is_answered ? answer : hear,
                         .take = is_answered ? take : NULL};
  expect_same_error(MPI_COMM_WORLD, dap_query_all(MPI_COMM_WORLD, &all, &err), &err, DAP_OK, NULL);
  EXPECT_INT(s.taken, is_answered ? count : 0);
  int64_t sums[] = {count, s.answered};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(sums[1], sums[0]);
}

static void every_answer(void **state)
{
  static const struct {
    const char *why;
    chooser whom;
  } rows[] = {{"the first is asked all", all_ask_first},
              {"the last is asked all", all_ask_last},
              {"even", spread},
              {"one is asked most", mostly_one}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int is_answered = 0; is_answered < 2; is_answered++) {
      const int64_t different = test_rank() % 2 ? MANY : test_rank() * INT64_C(9000);
      TEST_CASE("%s, %s answers", rows[i].why, is_answered ? "with" : "without");
      check(rows[i].whom, MANY, is_answered);
      check(rows[i].whom, different, is_answered); /* some are done before others, some ask nothing */
      check(rows[i].whom, 5, is_answered);
      check(rows[i].whom, 0, is_answered);
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(every_answer)};

MPI_TEST_MAIN(tests)

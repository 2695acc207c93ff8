/* Tests wrong arguments. Every process calls PXERBLA with the argument's number, nothing is moved, no
 * process waits for ever, and the next call is right. */
#include "gemr2d.h"

/* This function replaces ScaLAPACK's. */
static struct {
  int calls, info;
  char routine[16];
} heard;

void pxerbla_(const dap_scalapack_int *context, const char *routine, const dap_scalapack_int *info,
              size_t length)
{
  (void)context;
  heard.calls++;
  heard.info = (int)*info;
  (void)snprintf(heard.routine, sizeof heard.routine, "%.*s", (int)length, routine);
}

/* MPI fails once. */
static bool refuses;

int MPI_Comm_set_attr(MPI_Comm comm, int key, void *attribute)
{
  const bool no = refuses;
  refuses = false;
  return no ? MPI_ERR_OTHER : PMPI_Comm_set_attr(comm, key, attribute);
}

/* Each process appears to be on a node of its own, so elements are sent as messages. The next wait for
 * them fails. */
static bool are_apart, waits_fail;

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
  return are_apart ? PMPI_Comm_split(comm, test_rank(), key, made)
                   : PMPI_Comm_split_type(comm, type, key, info, made);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
  const int code = PMPI_Testall(count, requests, flag, statuses);
  const bool no = waits_fail && *flag;
  if (no) waits_fail = false;
  return no ? MPI_ERR_OTHER : code;
}

enum {
  M,
  N,
  IA,
  JA,
  IB,
  JB,
  ARGUMENTS,
  DESCA = 10,
  DESCB = 20 /* + entry, 1-based */,
  CONTEXT = 30,
  DATA_A,
  DATA_B
};
enum { EVERYONE = -1, LAST = -2, NONE = 0 };

static const struct row {
  const char *why;
  int least_ranks, rank; /* the process whose argument is wrong */
  int what, value, info;
} rows[] = {
    {"negative M", 1, EVERYONE, M, -1, 1},
    {"negative N", 1, EVERYONE, N, -3, 2},
    {"M differs", 2, LAST, M, 4, 1},
    {"N differs", 2, 0, N, 4, 2},
    {"IA is 0", 1, EVERYONE, IA, 0, 4},
    {"IA differs", 2, LAST, IA, 2, 4},
    {"JA is 0", 1, EVERYONE, JA, 0, 5},
    {"IA beyond the last row", 1, EVERYONE, IA, 5, 603},
    {"JA beyond the last column", 1, EVERYONE, JA, INT32_MAX, 604},
    {"M_A too small", 1, EVERYONE, DESCA + 3, 7, 603},
    {"M_A negative", 1, EVERYONE, DESCA + 3, -1, 603},
    {"N_A differs", 2, 0, DESCA + 4, 20, 604},
    {"MB_A is 0", 1, EVERYONE, DESCA + 5, 0, 605},
    {"NB_A negative", 1, EVERYONE, DESCA + 6, -2, 606},
    {"NB_A differs", 2, LAST, DESCA + 6, 5, 606},
    {"RSRC_A outside the grid", 1, EVERYONE, DESCA + 7, 99, 607},
    {"CSRC_A negative", 1, EVERYONE, DESCA + 8, -1, 608},
    {"LLD_A too small on one process", 1, 0, DESCA + 9, 1, 609},
    {"nobody has A", 1, EVERYONE, DESCA + 2, -1, 602},
    {"one process of A's grid does not say so", 2, LAST, DESCA + 2, -1, 602},
    {"IB is negative", 1, EVERYONE, IB, -1, 8},
    {"JB is 0 on one process", 2, LAST, JB, 0, 9},
    {"nobody has B", 1, EVERYONE, DESCB + 2, -1, 1002},
    {"M_B too small", 1, EVERYONE, DESCB + 3, 7, 1003},
    {"N_B too small", 1, EVERYONE, DESCB + 4, 5, 1004},
    {"MB_B is 0", 1, EVERYONE, DESCB + 5, 0, 1005},
    {"NB_B is 0", 1, EVERYONE, DESCB + 6, 0, 1006},
    {"RSRC_B outside the grid", 1, EVERYONE, DESCB + 7, 99, 1007},
    {"CSRC_B outside the grid", 1, EVERYONE, DESCB + 8, 99, 1008},
    {"LLD_B negative on one process", 1, LAST, DESCB + 9, -4, 1009},
    {"A is NULL on the first process", 1, 0, DATA_A, NONE, 3},
    {"B is NULL on the last process", 1, LAST, DATA_B, NONE, 7},
    {"in A's grid, but not in the context's", 1, EVERYONE, CONTEXT, -1, 11},
};

typedef struct call {
  dap_scalapack_int arguments[ARGUMENTS], desc[2][9], context;
  const void *a;
  void *b;
} call;

static dap_pgemr2d *gemr2d;

static void apply(const struct row *row, call *c)
{
  const int rank = row->rank == LAST ? test_nprocs() - 1 : row->rank;
  if (rank != EVERYONE && rank != test_rank()) return;
  if (row->what < ARGUMENTS)
    c->arguments[row->what] = row->value;
  else if (row->what == CONTEXT)
    c->context = row->value;
  else if (row->what == DATA_A)
    c->a = NULL;
  else if (row->what == DATA_B)
    c->b = NULL;
  else
    c->desc[row->what / 10 - 1][row->what % 10 - 1] = row->value;
}

static void run(const call *c)
{
  const dap_scalapack_int *x = c->arguments;
  gemr2d(&x[M], &x[N], c->a, &x[IA], &x[JA], c->desc[0], c->b, &x[IB], &x[JB], c->desc[1], &c->context);
}

/* 8 x 6 elements that begin at (0, 0) of both. */
static setting start(call *c)
{
  matrix a = {.grid = grid_from(test_nprocs(), 1, 0), .size = {8, 6}, .block = {2, 2}};
  matrix b = {.grid = grid_from(1, test_nprocs(), 0), .size = {8, 6}, .block = {3, 1}};
  for (int i = 0; i < test_nprocs(); i++) b.grid.ranks[i] = test_nprocs() - 1 - i;
  setting s = setting_start(a, b, TYPE_D);
  matrix_fill(&s.a, 1);
  *c = (call){.arguments = {8, 6, 1, 1, 1, 1}, .context = s.all.context, .a = s.a.data, .b = s.b.data};
  memcpy(c->desc[0], s.a.desc, sizeof s.a.desc);
  memcpy(c->desc[1], s.b.desc, sizeof s.b.desc);
  return s;
}

static void check_right_call(const call *c, setting *s)
{
  unsigned char *model = matrix_model(&s->b, &s->a, (const int[]){8, 6}, 1);
  heard.calls = 0;
  run(c);
  EXPECT_INT(heard.calls, 0);
  matrix_holds(&s->b, model, "the right call after it");
  free(model);
}

static void check_fault(const call *wrong, int info, matrix *b)
{
  matrix_clear(b);
  unsigned char *before = matrix_copy(b);
  memset(&heard, 0, sizeof heard);
  run(wrong);
  EXPECT_INT(heard.calls, 1);
  EXPECT_INT(heard.info, info);
  EXPECT_MSG(!strcmp(heard.routine, "PDGEMR2D"), "told of %s", heard.routine);
  matrix_holds(b, before, "elements that may not move");
  free(before);
}

static void faults_are_told(void **state)
{
  (void)state;
  call right;
  gemr2d = calls_load() ? dropin[TYPE_D].fortran : NULL;
  SETTLE();
  setting s = start(&right);
  for (int warm = 0; warm < 2; warm++) /* when the right call has not been made, and when it has */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      if (test_nprocs() < rows[i].least_ranks) continue;
      TEST_CASE("%s", rows[i].why);
      call wrong = right;
      apply(&rows[i], &wrong);
      check_fault(&wrong, rows[i].info, &s.b);
      if (warm) check_right_call(&right, &s);
      SETTLE();
    }
  setting_stop(&s);
}

/* The context has one process, and A's grid has all processes. */
static void a_context_that_is_too_small(void **state)
{
  (void)state;
  grid one = {.nprow = 1, .npcol = 1};
  call wrong;
  setting s = start(&wrong);
  grid_start(&one);
  wrong.context = one.context;
  if (test_nprocs() > 1) check_fault(&wrong, 11, &s.b);
  grid_stop(&one);
  setting_stop(&s);
  SETTLE();
}

/* If one process cannot keep a plan, no process keeps it. All report the failure, and may call again. */
static void mpi_fails_on_one_process(void **state)
{
  (void)state;
  for (int rank = 0; rank < test_nprocs(); rank++) {
    TEST_CASE("rank %d", rank);
    call right;
    setting s = start(&right);
    refuses = test_rank() == rank;
    check_fault(&right, 0, &s.b);
    EXPECT(!refuses);
    for (int turn = 0; turn < 3; turn++) check_right_call(&right, &s);
    setting_stop(&s);
    SETTLE();
  }
}

/* All processes make the plan again, though all except one believe that it is complete. */
static void a_broken_plan_is_not_run_again(void **state)
{
  (void)state;
  call right;
  setting s = start(&right);
  are_apart = true;
  check_right_call(&right, &s);
  are_apart = false;
  for (int rank = 0; rank < test_nprocs() && test_nprocs() > 1; rank++) {
    TEST_CASE("rank %d", rank);
    memset(&heard, 0, sizeof heard);
    waits_fail = test_rank() == rank;
    run(&right);
    EXPECT(!waits_fail);
    EXPECT(heard.calls == 1 || (heard.calls == 0 && test_rank() != rank)); /* who still waits hears of it */
    EXPECT_INT(heard.info, 0);
    for (int turn = 0; turn < 3; turn++) check_right_call(&right, &s);
    SETTLE();
  }
  setting_stop(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(faults_are_told),
    cmocka_unit_test(a_context_that_is_too_small),
    cmocka_unit_test(mpi_fails_on_one_process),
    cmocka_unit_test(a_broken_plan_is_not_run_again),
};
MPI_TEST_MAIN(tests)

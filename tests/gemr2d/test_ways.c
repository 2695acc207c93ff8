/* Which calls go to ScaLAPACK's own p?gemr2d, and which by plans, where the program does not ask for plans
 * only. What MPI is asked for shows it: a plan begins with one long reduction, and the first on a
 * communicator with a communicator for each node. Elements are right either way. */
#include "calls.h"

enum {
  FIRST = 16 /* calls of a context that are ScaLAPACK's */,
  KEPT = 32 /* calls that are remembered */,
  LONG = 40
};

static struct {
  int plans, nodes;
} counted;

int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  counted.plans += count > LONG && type == MPI_INT64_T;
  return PMPI_Allreduce(mine, all, count, type, op, comm);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
  counted.nodes++;
  return PMPI_Comm_split_type(comm, type, key, info, made);
}

/* ---- moves -------------------------------------------------------------------------------------------- */

typedef struct setting {
  grid all;
  matrix a, b;
} setting;

static grid line(int nprow, int npcol)
{
  grid g = {.nprow = nprow, .npcol = npcol};
  for (int i = 0; i < nprow * npcol; i++) g.ranks[i] = i;
  return g;
}

/* Columns become rows; with fewer processes than all on one side. */
static setting set_up(int size)
{
  const int P = test_nprocs(), fewer = P > 2 ? P - 1 : P;
  setting s = {.all = line(1, P)};
  s.a = (matrix){.grid = line(1, P), .size = {size, size}, .block = {size, (size + P - 1) / P}};
  s.b = (matrix){.grid = line(fewer, 1), .size = {size, size}, .block = {3, 5}, .gap = 2};
  grid_start(&s.all);
  matrix_start(&s.a, TYPE_D);
  matrix_start(&s.b, TYPE_D);
  counted.plans = counted.nodes = 0;
  return s;
}

static void tear_down(setting *s)
{
  matrix_stop(&s->a);
  matrix_stop(&s->b);
  grid_stop(&s->all);
}

static void check_move(setting *s, int rows, int columns, int salt)
{
  const int part[] = {rows, columns};
  matrix_fill(&s->a, salt);
  matrix_clear(&s->b);
  matrix_expect(&s->b, &s->a, part, salt);
  unsigned char *model = matrix_copy(&s->b);
  matrix_clear(&s->b);
  call_dropin(FORM_FORTRAN, &s->a, &s->b, part, &s->all);
  EXPECT_MSG(!memcmp(s->b.memory, model, (size_t)s->b.bytes), "the elements are not right");
  free(model);
}

static void expect_plans(int plans)
{
  EXPECT_INT(counted.plans, plans);
  EXPECT_INT(counted.nodes > 0, plans > 0);
}

/* ---- tests -------------------------------------------------------------------------------------------- */

/* Plans of a context that is made for one call would never be used again. */
static void contexts_around_each_call(void **state)
{
  (void)state;
  calls_load();
  SETTLE();
  calls_take_plans_only(false);
  for (int i = 0; i < 60; i++) {
    TEST_CASE("context %d", i);
    setting s = set_up(30);
    check_move(&s, 30 - i % 20, 30, i);
    expect_plans(0);
    tear_down(&s);
    SETTLE();
  }
}

/* The call after the first ones is remembered, and gets its plan when it comes again. */
static void the_same_call_comes_again(void **state)
{
  (void)state;
  setting s = set_up(30);
  for (int i = 0; i < FIRST + 6; i++) {
    TEST_CASE("call %d", i);
    check_move(&s, 30, 20, i);
    EXPECT_INT(counted.plans, i > FIRST);
    SETTLE();
  }
  tear_down(&s);
}

/* More kinds of calls than are remembered, in turn: none would find its plan. */
static void many_kinds_in_turn(void **state)
{
  (void)state;
  setting s = set_up(KEPT + 8);
  for (int i = 0; i < 3 * (KEPT + 8); i++) {
    TEST_CASE("call %d", i);
    check_move(&s, 1 + i % (KEPT + 8), 7, i);
    EXPECT_INT(counted.plans, 0);
    SETTLE();
  }
  tear_down(&s);
}

/* 5 MB are moved faster by a plan, even a new one. */
static void a_large_move(void **state)
{
  (void)state;
  setting s = set_up(800);
  check_move(&s, 800, 800, 1);
  expect_plans(1);
  check_move(&s, 800, 800, 2);
  EXPECT_INT(counted.plans, 1);
  tear_down(&s);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(contexts_around_each_call),
    cmocka_unit_test(the_same_call_comes_again),
    cmocka_unit_test(many_kinds_in_turn),
    cmocka_unit_test(a_large_move),
};

MPI_TEST_MAIN(tests)

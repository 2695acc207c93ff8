/* Tests the cache of plans. A plan is found again only by calls that are the same on every process, and is
 * freed with its context. The test counts reductions, communicators and attributes. */
#include "gemr2d.h"
#include "reductions.h"

enum { KEPT = 32 /* plans of a context */ };

/* ---- MPI, counted ------------------------------------------------------------------------------------ */

static struct {
  int plans, live;      /* communicators made and not freed */
  int left;             /* BLACS' communicators among them, which stay */
  int keys, attributes; /* made and not freed */
} counted;

static int count_made(int code, const MPI_Comm *made)
{
  counted.live += code == MPI_SUCCESS && *made != MPI_COMM_NULL;
  return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
  return count_made(PMPI_Comm_dup(comm, made), made);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made)
{
  return count_made(PMPI_Comm_dup_with_info(comm, info, made), made);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
  return count_made(PMPI_Comm_create(comm, group, made), made);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
  return count_made(PMPI_Comm_split(comm, color, key, made), made);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
  return count_made(PMPI_Comm_split_type(comm, type, key, info, made), made);
}

static void count_reduction(int count, MPI_Datatype type)
{
  counted.plans += count > LONG && type == MPI_INT64_T;
}

int MPI_Comm_free(MPI_Comm *comm)
{
  const int code = PMPI_Comm_free(comm);
  counted.live -= code == MPI_SUCCESS;
  return code;
}

static int count_end(MPI_Comm comm, int key, void *attribute, void *end)
{
  MPI_Comm_delete_attr_function *theirs = *(MPI_Comm_delete_attr_function **)end;
  counted.attributes--;
  return theirs ? theirs(comm, key, attribute, NULL) : MPI_SUCCESS;
}

/* Nobody here passes `extra`, so count_end() gets the address of `end` by it. */
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *end, int *key,
                           void *extra)
{
  static MPI_Comm_delete_attr_function *ends[16];
  static int count;
  if (extra || count == sizeof ends / sizeof ends[0]) return MPI_ERR_OTHER;
  ends[count] = end;
  const int code = PMPI_Comm_create_keyval(copy, count_end, key, &ends[count++]);
  counted.keys += code == MPI_SUCCESS;
  return code;
}

int MPI_Comm_free_keyval(int *key)
{
  const int code = PMPI_Comm_free_keyval(key);
  counted.keys -= code == MPI_SUCCESS;
  return code;
}

int MPI_Comm_set_attr(MPI_Comm comm, int key, void *attribute)
{
  const int code = PMPI_Comm_set_attr(comm, key, attribute);
  counted.attributes += code == MPI_SUCCESS;
  return code;
}

/* Callbacks of attributes run under MPI's locks, if it has any. */
int MPI_Init(int *argc, char ***argv)
{
  int provided;
  return PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
}

/* Communicators that the last test left must be gone now, except those of BLACS. So must all attributes. */
int MPI_Finalize(void)
{
  const int code = PMPI_Finalize();
  if (counted.live == counted.left && counted.keys == 0 && counted.attributes == 0) return code;
  (void)fprintf(
      stderr, "after MPI_Finalize there are %d communicators, not %d, and %d keys and %d attributes, not 0\n",
      counted.live, counted.left, counted.keys, counted.attributes);
  exit(EXIT_FAILURE);
}

/* ---- moves ------------------------------------------------------------------------------------------- */

/* A on all processes, B on all but the last if there are several. */
static setting set_up(int first_a, int first_b)
{
  const int P = test_nprocs(), fewer = P > 1 ? P - 1 : 1;
  const matrix a = {.grid = grid_from(P, 1, first_a), .size = {40, 30}, .block = {3, 4}};
  const matrix b = {.grid = grid_from(1, fewer, first_b), .size = {40, 30}, .block = {5, 2}, .gap = 1};
  return setting_start(a, b, TYPE_D);
}

/* ---- tests ------------------------------------------------------------------------------------------- */

static void the_same_call_makes_one_plan(void **state)
{
  (void)state;
  calls_load();
  SETTLE();
  setting s = set_up(0, 0);
  const int before = counted.plans;
  const int part[] = {40, 30};
  check_move(&s, part, 1);
  EXPECT_INT(counted.plans, before + 1);
  const int live = counted.live;
  for (int i = 0; i < 3000; i++) call_gemr2d(dropin, CALL_FORTRAN, &s.a, &s.b, part, &s.all);
  check_move(&s, part, 2);
  EXPECT_INT(counted.plans, before + 1);
  EXPECT_INT(counted.live, live);
  setting_stop(&s);
  SETTLE();
}

/* Two more calls than the cache keeps are made in turns, so each plan is gone when its turn comes again.
 * Then fewer calls are made, and all plans are found. */
static void the_least_used_goes_first(void **state)
{
  (void)state;
  setting s = set_up(0, 0);
  int live = 0;
  for (int i = 0; i < 2 * (KEPT + 2); i++) {
    for (int turn = 0; turn < 2; turn++) check_move(&s, (const int[]){1 + i % (KEPT + 2), 7}, i + turn);
    if (i == KEPT - 1) live = counted.live;
  }
  EXPECT_INT(counted.live, live);
  const int plans = counted.plans;
  for (int i = 0; i < KEPT; i++) check_move(&s, (const int[]){KEPT + 2 - i, 7}, i);
  EXPECT_INT(counted.plans, plans);
  setting_stop(&s);
  SETTLE();
}

/* BLACS reuses the numbers of contexts, so plans must not be found by these numbers. */
static void a_number_may_mean_another_grid(void **state)
{
  (void)state;
  const int part[] = {40, 30}, P = test_nprocs();
  setting s = set_up(0, 0);
  const int live = counted.live, plans = counted.plans;
  int made = 0;
  for (int i = 0; i < 60; i++) {
    const int kind = i % (2 * P);
    TEST_CASE("grids %d", kind);
    setting other = s;
    other.a.grid = grid_from(P, 1, kind % P);
    other.b.grid = grid_from(1, s.b.grid.npcol, kind / P);
    matrix_start(&other.a, TYPE_D);
    matrix_start(&other.b, TYPE_D);
    for (int turn = 0; turn < 2; turn++) check_move(&other, part, i + turn);
    matrix_stop(&other.a);
    matrix_stop(&other.b);
    made = i < 2 * P && (P > 1 || i == 0) ? made + 1 : made;
    SETTLE();
  }
  EXPECT_INT(counted.plans - plans, made); /* found again, on grids made anew */
  setting_stop(&s);
  EXPECT_MSG(counted.live < live, "%d communicators, and the context that had them is gone", counted.live);
  SETTLE();
}

/* Communicators of a context are freed with it, also the one that keeps the plans. */
static void plans_go_with_the_context(void **state)
{
  (void)state;
  const int live = counted.live;
  for (int i = 0; i < 100; i++) {
    TEST_CASE("context %d", i);
    setting s = set_up(i % test_nprocs(), (i / 2) % test_nprocs());
    const int part[] = {40 - i % 5, 30};
    for (int turn = 0; turn < 3; turn++) check_move(&s, part, i + turn);
    setting_stop(&s);
    EXPECT_INT(counted.live, live);
    SETTLE();
  }
}

/* Another type, another leading dimension or another first element needs another plan. */
static void what_is_local_counts_too(void **state)
{
  (void)state;
  setting s = set_up(0, 0);
  const int part[] = {20, 10};
  for (int round = 0; round < 3; round++)
    for (int i = 0; i < 6; i++) {
      TEST_CASE("variant %d", i);
      setting other = s;
      other.a.gap = i == 1 && test_rank() == 0 ? 3 : 0;
      other.b.gap = i == 2 && test_rank() == test_nprocs() - 1 ? 5 : 1;
      other.a.start[0] = i == 3 ? 20 : 0;
      other.b.start[1] = i == 4 ? 20 : 0;
      matrix_start(&other.a, i == 5 ? TYPE_S : TYPE_D);
      matrix_start(&other.b, i == 5 ? TYPE_S : TYPE_D);
      check_move(&other, part, i);
      matrix_stop(&other.a);
      matrix_stop(&other.b);
    }
  setting_stop(&s);
  SETTLE();
}

/* Element (0, 0) is on process 0. Other processes may pass their parts or NULL, and use the same plan. */
static void null_is_right_where_nothing_moves(void **state)
{
  (void)state;
  setting s = set_up(0, 0);
  const int plans = counted.plans;
  for (int turn = 0; turn < 4; turn++) {
    setting told = s;
    if (turn % 2 && test_rank() > 0) told.a.data = NULL;
    if (turn / 2 && test_rank() > 0) told.b.data = NULL;
    check_move(&told, (const int[]){1, 1}, turn);
  }
  EXPECT_INT(counted.plans, plans + 1);
  setting_stop(&s);
  SETTLE();
}

/* Programs may leave contexts to MPI_Finalize, and call routines without a context. Then MPI_Finalize
 * frees the plans and the histories of small calls, even if the program has unloaded the library. */
static void contexts_may_be_left(void **state)
{
  (void)state;
  setting s = set_up(0, 0), small = set_up(0, 0);
  const int part[] = {40, 30};
  calls_take_plans_only(false);
  check_move(&small, part, 0);
  calls_take_plans_only(true);
  counted.left = counted.live;
  for (int turn = 0; turn < 2; turn++) {
    check_move(&s, part, turn);
    call_gemr2d(dropin, CALL_C_OLD, &s.a, &s.b, part, &s.all);
  }
  for (int i = 0; i < 2; i++) {
    const setting *of = i ? &small : &s;
    free(of->a.memory);
    free(of->b.memory);
  }
  EXPECT(counted.live > counted.left);
  calls_unload();
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_same_call_makes_one_plan),   cmocka_unit_test(the_least_used_goes_first),
    cmocka_unit_test(a_number_may_mean_another_grid), cmocka_unit_test(plans_go_with_the_context),
    cmocka_unit_test(what_is_local_counts_too),       cmocka_unit_test(null_is_right_where_nothing_moves),
    cmocka_unit_test(contexts_may_be_left),
};

MPI_TEST_MAIN(tests)

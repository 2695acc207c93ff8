/* Plans that combine, on arrays of given kinds: elements in the other byte order, layouts on some of the
 * processes, direct copies alone, several nodes; each by itself. */
#include "alloc_side.h"
#include "case.h"
#include "combine.h"
#include "mpi_test.h"
#include "placements.h"

#include <inttypes.h>

enum { AXES = 2, MOST = 750 /* elements */ };

static random_array arrays[2];
static double model[MOST]; /* by element */

/* Which processes have the array, and in which order. */
typedef enum members { ALL, BACK_TO_FRONT, ALL_BUT_FIRST, LAST, LOWER, UPPER } members;

/* Which of them have their elements in the other byte order. */
typedef enum swapping { NONE, ODD, EVERY } swapping;

typedef struct row {
  const char *why;
  case_cut axes[AXES];
  int64_t size[AXES];
  members on;
  swapping swapped;
  combine_kind kind;
  dap_padding padding;
  unsigned transports;
  int place;
  int64_t message_bytes;
} row;

/* ---- arrays ------------------------------------------------------------------------------------------- */

static int list_ranks(members on, int ranks[])
{
  const int P = test_nprocs(), half = (P + 1) / 2;
  int count = 0;
  for (int r = 0; r < P; r++) {
    const int rank = on == BACK_TO_FRONT ? P - 1 - r : r;
    const bool is_in = on == ALL_BUT_FIRST ? P == 1 || rank > 0
                       : on == LAST        ? rank == P - 1
                       : on == LOWER       ? rank < half
                       : on == UPPER       ? rank >= P - half
                                           : true;
    if (is_in) ranks[count++] = rank;
  }
  return count;
}

static test_side make_side(const case_cut axes[], const int64_t size[], members on, dap_dtype dtype,
                           random_array *array)
{
  test_random random = test_random_init(95);
  int ranks[BRUTE_PROCS], grid[AXES];
  dap_dist dists[AXES];
  random_grid(&random, list_ranks(on, ranks), AXES, grid);
  for (int k = 0; k < AXES; k++)
    dists[k] = cut_axis(axes[k], size[k], grid[k], 1, &random, &array->memory[k]);
  (void)array_deal(AXES, dists, NULL, array);
  return side_make(array, CREATED, ranks, dap_dtype_size(dtype), FORM_C, &random);
}

/* Whether the model has room for the elements. A failure is recorded. */
static bool has_room(const int64_t size[])
{
  int64_t count = 1;
  for (int k = 0; k < AXES; k++) count *= size[k];
  return EXPECT_MSG(count <= MOST, "%" PRId64 " elements, more than %d", count, (int)MOST);
}

static bool is_swapped(swapping swapped)
{
  return swapped == EVERY || (swapped == ODD && test_rank() % 2);
}

/* ---- reverse halo updates ----------------------------------------------------------------------------- */

/* clang-format off */
static const row updates[] = {
  {"ghosts and padding", {CUT_GHOSTS, CUT_PADDED}, {24, 12}, .kind = {DAP_F8, DAP_COMBINE_SUM}},
  {"other bytes on odd ranks", {CUT_GHOSTS, CUT_PADDED}, {24, 12}, .swapped = ODD,
   .kind = {DAP_F8, DAP_COMBINE_SUM}},
  {"other bytes on odd ranks, refreshed", {CUT_PADDED, CUT_RING}, {24, 12}, .swapped = ODD,
   .kind = {DAP_F8, DAP_COMBINE_SUM}, .padding = DAP_PADDING_REFRESH},
  {"other bytes everywhere", {CUT_GHOSTS_BEHIND, CUT_RING}, {24, 12}, .swapped = EVERY,
   .kind = {DAP_C16, DAP_COMBINE_SUM}, .padding = DAP_PADDING_CLEAR},
  {"other bytes, the largest of integers", {CUT_GHOSTS, CUT_RING}, {24, 12}, .swapped = ODD,
   .kind = {DAP_I4, DAP_COMBINE_MAX}},
  {"other bytes in short messages", {CUT_RING, CUT_GHOSTS}, {12, 24}, .swapped = ODD,
   .kind = {DAP_I2, DAP_COMBINE_SUM}, .message_bytes = 6, .transports = DAP_TRANSPORT_MESSAGES},
  {"other bytes, direct copies alone", {CUT_PADDED, CUT_GHOSTS}, {12, 24}, .swapped = ODD,
   .kind = {DAP_F8, DAP_COMBINE_SUM}, .transports = DAP_TRANSPORT_DIRECT},
  {"ranks from the last to the first", {CUT_GHOSTS, CUT_RING}, {24, 12}, .on = BACK_TO_FRONT,
   .kind = {DAP_F8, DAP_COMBINE_SUM}, .padding = DAP_PADDING_REFRESH},
  {"rank 0 has no part", {CUT_PADDED, CUT_RING}, {24, 12}, .on = ALL_BUT_FIRST,
   .kind = {DAP_F8, DAP_COMBINE_SUM},
   .padding = DAP_PADDING_CLEAR},
  {"rank 0 has no part, ghosts, other bytes", {CUT_GHOSTS, CUT_EVEN}, {24, 12}, .on = ALL_BUT_FIRST,
   .swapped = ODD,
   .kind = {DAP_F4, DAP_COMBINE_SUM}, .padding = DAP_PADDING_REFRESH},
  {"rank 0 has no part, direct copies alone", {CUT_RING, CUT_GHOSTS}, {12, 24}, .on = ALL_BUT_FIRST,
   .kind = {DAP_F8, DAP_COMBINE_SUM}, .padding = DAP_PADDING_CLEAR, .transports = DAP_TRANSPORT_DIRECT},
  {"one process has all, which wraps round", {CUT_RING, CUT_RING}, {5, 7}, .on = LAST,
   .kind = {DAP_F8, DAP_COMBINE_SUM}},
  {"one process, both ends of whose padding hold the same", {CUT_RING, CUT_RING}, {1, 1}, .on = LAST,
   .kind = {DAP_F8, DAP_COMBINE_SUM}, .padding = DAP_PADDING_REFRESH},
  {"direct copies alone, kept", {CUT_RING, CUT_PADDED}, {12, 18}, .kind = {DAP_F8, DAP_COMBINE_SUM},
   .transports = DAP_TRANSPORT_DIRECT},
  {"direct copies alone, cleared", {CUT_GHOSTS, CUT_PADDED}, {24, 12}, .kind = {DAP_I8, DAP_COMBINE_MIN},
   .padding = DAP_PADDING_CLEAR, .transports = DAP_TRANSPORT_DIRECT},
  {"direct copies alone, refreshed", {CUT_GHOSTS, CUT_RING}, {24, 12}, .kind = {DAP_F8, DAP_COMBINE_SUM},
   .padding = DAP_PADDING_REFRESH, .transports = DAP_TRANSPORT_DIRECT},
  {"copies along a replicated axis, each updated on its own", {CUT_PADDED, CUT_COPIES}, {24, 5},
   .kind = {DAP_F8, DAP_COMBINE_SUM}},
  {"copies along a replicated axis, before a ring, cleared", {CUT_COPIES, CUT_RING}, {5, 24},
   .kind = {DAP_F8, DAP_COMBINE_SUM}, .padding = DAP_PADDING_CLEAR},
  {"copies along a replicated axis, beside ghosts, refreshed", {CUT_GHOSTS, CUT_COPIES}, {24, 5},
   .kind = {DAP_I4, DAP_COMBINE_MAX}, .padding = DAP_PADDING_REFRESH},
  {"copies along a replicated axis, refreshed in messages", {CUT_COPIES, CUT_PADDED}, {5, 24}, .swapped = ODD,
   .kind = {DAP_F8, DAP_COMBINE_SUM}, .padding = DAP_PADDING_REFRESH, .transports = DAP_TRANSPORT_MESSAGES},
  {"nothing but copies: there is nothing to add", {CUT_COPIES, CUT_EVEN}, {5, 12},
   .kind = {DAP_F8, DAP_COMBINE_SUM},
   .padding = DAP_PADDING_CLEAR},
  {"slots alone", {CUT_GHOSTS, CUT_RING}, {24, 12}, .kind = {DAP_F8, DAP_COMBINE_SUM},
   .transports = DAP_TRANSPORT_STAGED},
  {"slots of an element", {CUT_GHOSTS, CUT_RING}, {24, 12}, .kind = {DAP_F8, DAP_COMBINE_SUM},
   .transports = DAP_TRANSPORT_STAGED, .message_bytes = 8},
  {"short runs of ghosts, and components", {CUT_GHOST_RUNS, CUT_EVEN}, {130, 3},
   .kind = {DAP_F8, DAP_COMBINE_SUM}},
  {"short runs of ghosts of one component", {CUT_GHOST_RUNS, CUT_EVEN}, {130, 1},
   .kind = {DAP_C16, DAP_COMBINE_SUM}},
  {"components of short runs of ghosts", {CUT_EVEN, CUT_GHOST_RUNS}, {3, 130},
   .kind = {DAP_I8, DAP_COMBINE_MAX},
   .padding = DAP_PADDING_REFRESH},
  {"parts of short runs of ghosts", {CUT_GHOST_RUNS, CUT_EVEN}, {130, 3}, .kind = {DAP_F4, DAP_COMBINE_SUM},
   .transports = DAP_TRANSPORT_STAGED, .message_bytes = 60},
  {"parts of short runs of ghosts of one component", {CUT_GHOST_RUNS, CUT_EVEN}, {130, 1},
   .kind = {DAP_I4, DAP_COMBINE_MIN}, .transports = DAP_TRANSPORT_MESSAGES, .message_bytes = 20},
  {"ghosts at even distances", {CUT_GHOST_STRIDES, CUT_EVEN}, {250, 3}, .kind = {DAP_F8, DAP_COMBINE_SUM}},
  {"parts of ghosts at even distances", {CUT_GHOST_STRIDES, CUT_EVEN}, {250, 3},
   .kind = {DAP_F4, DAP_COMBINE_SUM},
   .transports = DAP_TRANSPORT_STAGED, .message_bytes = 60},
  {"components of ghosts at even distances, in short messages", {CUT_EVEN, CUT_GHOST_STRIDES}, {3, 250},
   .kind = {DAP_I8, DAP_COMBINE_MAX}, .transports = DAP_TRANSPORT_MESSAGES, .message_bytes = 72},
  {"short runs of ghosts, of a type that is converted", {CUT_GHOST_RUNS, CUT_EVEN}, {130, 3},
   .kind = {DAP_I2, DAP_COMBINE_SUM}},
  {"short runs of ghosts, other bytes", {CUT_GHOST_RUNS, CUT_EVEN}, {130, 3}, .swapped = ODD,
   .kind = {DAP_F8, DAP_COMBINE_SUM}},
  {"short runs of ghosts, direct copies alone", {CUT_GHOST_RUNS, CUT_EVEN}, {130, 3},
   .kind = {DAP_F8, DAP_COMBINE_SUM}, .transports = DAP_TRANSPORT_DIRECT},
  {"messages alone", {CUT_GHOSTS, CUT_RING}, {24, 12}, .kind = {DAP_F8, DAP_COMBINE_SUM},
   .transports = DAP_TRANSPORT_MESSAGES},
  {"two processes a node", {CUT_GHOSTS, CUT_RING}, {24, 12}, .kind = {DAP_F8, DAP_COMBINE_SUM}, .place = 1},
  {"two nodes in turn, other bytes", {CUT_RING, CUT_GHOSTS}, {12, 24}, .swapped = ODD,
   .kind = {DAP_F8, DAP_COMBINE_SUM}, .place = 2, .padding = DAP_PADDING_REFRESH},
  {"a process alone on its node", {CUT_GHOSTS, CUT_RING}, {24, 12}, .on = BACK_TO_FRONT,
   .kind = {DAP_C16, DAP_COMBINE_SUM}, .place = 3, .padding = DAP_PADDING_CLEAR},
  {"each on its own node, in short messages", {CUT_RING, CUT_GHOSTS}, {12, 24},
   .kind = {DAP_F8, DAP_COMBINE_SUM},
   .place = 4, .message_bytes = 24},
  {"several nodes, and rank 0 has no part", {CUT_GHOSTS, CUT_RING}, {24, 12}, .on = ALL_BUT_FIRST,
   .kind = {DAP_F8, DAP_COMBINE_SUM}, .place = 2},
};
/* clang-format on */
enum { UPDATES = sizeof updates / sizeof updates[0] };

static dap_plan_options options_of(const row *r)
{
  return (dap_plan_options){.combine = r->kind.how,
                            .padding = r->padding,
                            .allow_empty = true,
                            .transports = test_joining(r->transports),
                            .message_bytes = r->message_bytes};
}

/* In shared memory and, where that is not demanded, in private memory. */
static void check_update(const row *r)
{
  const dap_plan_options o = options_of(r);
  const dap_dtype dtype = r->kind.dtype;
  const bool swapped = is_swapped(r->swapped);
  const combine_outcome others = combine_outcome_of(r->padding);
  if (!has_room(r->size)) return;
  test_side s = make_side(r->axes, r->size, r->on, dtype, &arrays[0]);
  alloc_side alloc = alloc_side_make(placed_comms[r->place], &s);
  const dap_side side = combine_side(&s, dtype, swapped);
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_create_halo_reverse(placed_comms[r->place], &side, 0, &o, &plan, &err), &err))
    for (int run = 0; run < 3; run++) {
      const test_side *in = run == 1 && r->transports != DAP_TRANSPORT_DIRECT ? &s : &alloc.side;
      combine_fill(in, dtype, swapped, EXACT, run);
      combine_all(in, r->kind.how, IN_PLACE, EXACT, run, model);
      if (EXPECT_OK(dap_plan_run(plan, side_data(in), side_data(in), &err), &err))
        combine_check(in, dtype, swapped, EXACT, run, others, others, model);
    }
  dap_plan_destroy(&plan);
  alloc_side_free(&alloc);
  side_free(&s);
}

static void updates_by_each_way(void **state)
{
  (void)state;
  for (int i = 0; i < UPDATES; i++) {
    TEST_CASE("%s", updates[i].why);
    check_update(&updates[i]);
    SETTLE();
  }
}

/* ---- moves -------------------------------------------------------------------------------------------- */

typedef struct receiver {
  case_cut axes[AXES];
  members on;
} receiver;

typedef struct move_row {
  row from;
  receiver to;
} move_row;

/* clang-format off */
static const move_row moves[] = {
  {{"copies to blocks", {CUT_EVERYWHERE, CUT_EVEN}, {24, 12}, .kind = {DAP_F8, DAP_COMBINE_SUM}},
   {{CUT_EVEN, CUT_CYCLIC}, ALL}},
  {{"other bytes on odd ranks", {CUT_GHOSTS, CUT_TWO_HOLDERS}, {24, 12}, .swapped = ODD,
    .kind = {DAP_F8, DAP_COMBINE_SUM}}, {{CUT_CYCLIC, CUT_EVEN}, BACK_TO_FRONT}},
  {{"other bytes, the smallest of integers", {CUT_TWO_HOLDERS, CUT_EVEN}, {24, 12}, .swapped = EVERY,
    .kind = {DAP_I4, DAP_COMBINE_MIN}}, {{CUT_EVEN, CUT_EVEN}, ALL}},
  {{"from some processes to others", {CUT_GHOSTS, CUT_EVERYWHERE}, {24, 12}, .on = LOWER, .swapped = ODD,
    .kind = {DAP_F8, DAP_COMBINE_SUM}}, {{CUT_EVEN, CUT_EVEN}, UPPER}},
  {{"from some processes to one", {CUT_TWO_HOLDERS, CUT_GHOSTS}, {24, 12}, .on = UPPER,
    .kind = {DAP_C16, DAP_COMBINE_SUM}}, {{CUT_EVEN, CUT_EVEN}, LAST}},
  {{"to copies, which all get the sum", {CUT_GHOSTS, CUT_EVEN}, {24, 12}, .on = ALL_BUT_FIRST,
    .kind = {DAP_F8, DAP_COMBINE_SUM}}, {{CUT_TWO_HOLDERS, CUT_EVEN}, BACK_TO_FRONT}},
  {{"direct copies alone", {CUT_EVERYWHERE, CUT_GHOSTS}, {24, 12}, .kind = {DAP_F8, DAP_COMBINE_SUM},
    .transports = DAP_TRANSPORT_DIRECT}, {{CUT_EVEN, CUT_GHOSTS}, ALL}},
  {{"slots of two elements", {CUT_EVERYWHERE, CUT_EVEN}, {24, 12}, .kind = {DAP_F8, DAP_COMBINE_SUM},
    .transports = DAP_TRANSPORT_STAGED, .message_bytes = 16}, {{CUT_CYCLIC, CUT_EVEN}, ALL}},
  {{"two processes a node", {CUT_EVERYWHERE, CUT_GHOSTS}, {24, 12}, .kind = {DAP_F8, DAP_COMBINE_SUM},
   .place = 1},
   {{CUT_EVEN, CUT_CYCLIC}, BACK_TO_FRONT}},
  {{"two nodes in turn, from some processes to others", {CUT_TWO_HOLDERS, CUT_EVEN}, {24, 12}, .on = LOWER,
    .kind = {DAP_F4, DAP_COMBINE_MAX}, .place = 2}, {{CUT_CYCLIC, CUT_EVEN}, UPPER}},
  {{"each on its own node, other bytes", {CUT_GHOSTS, CUT_GHOSTS}, {24, 12}, .swapped = ODD,
    .kind = {DAP_F8, DAP_COMBINE_SUM}, .place = 4, .message_bytes = 40}, {{CUT_EVEN, CUT_EVEN}, ALL}},
};
/* clang-format on */
enum { MOVES = sizeof moves / sizeof moves[0] };

static void check_move(const move_row *m)
{
  const row *r = &m->from;
  const dap_plan_options o = options_of(r);
  const dap_dtype dtype = r->kind.dtype;
  const bool swapped = is_swapped(r->swapped);
  if (!has_room(r->size)) return;
  test_side from = make_side(r->axes, r->size, r->on, dtype, &arrays[0]);
  test_side to = make_side(m->to.axes, r->size, m->to.on, dtype, &arrays[1]);
  alloc_side a = alloc_side_make(placed_comms[r->place], &from),
             b = alloc_side_make(placed_comms[r->place], &to);
  const dap_side source = combine_side(&from, dtype, swapped), destination = combine_side(&to, dtype, false);
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_create(placed_comms[r->place], &source, &destination, 0, &o, &plan, &err), &err))
    for (int run = 0; run < 4; run++) {
      const bool only = r->transports == DAP_TRANSPORT_DIRECT;
      const test_side *x = only || run % 2 ? &a.side : &from, *y = only || run / 2 ? &b.side : &to;
      combine_fill(x, dtype, swapped, EXACT, run);
      combine_fill(y, dtype, false, EXACT, 100 + run);
      combine_all(x, r->kind.how, OF_HOLDERS, EXACT, run, model);
      if (EXPECT_OK(dap_plan_run(plan, side_data(x), side_data(y), &err), &err))
        combine_check(y, dtype, false, EXACT, 100 + run, OWNERS, AS_BEFORE, model);
    }
  dap_plan_destroy(&plan);
  alloc_side_free(&a);
  alloc_side_free(&b);
  side_free(&from);
  side_free(&to);
}

static void moves_by_each_way(void **state)
{
  (void)state;
  for (int i = 0; i < MOVES; i++) {
    TEST_CASE("%s", moves[i].from.why);
    check_move(&moves[i]);
    SETTLE();
  }
}

/* ---- direct copies alone ------------------------------------------------------------------------------ */

/* Private arrays are refused in the run, on each process that exchanges with another. */
static void needs_shared_arrays(void **state)
{
  (void)state;
  if (test_nodes() > 1) return; /* that needs one node */
  const row *r = &(const row){"",
                              {CUT_GHOSTS, CUT_PADDED},
                              {24, 12},
                              .kind = {DAP_F8, DAP_COMBINE_SUM},
                              .padding = DAP_PADDING_CLEAR,
                              .transports = DAP_TRANSPORT_DIRECT};
  const dap_plan_options o = options_of(r);
  if (!has_room(r->size)) return;
  test_side s = make_side(r->axes, r->size, r->on, DAP_F8, &arrays[0]);
  const dap_side side = combine_side(&s, DAP_F8, false);
  dap_plan *plan = NULL;
  dap_error err = {0};
  combine_fill(&s, DAP_F8, false, EXACT, 1);
  combine_all(&s, DAP_COMBINE_SUM, OF_OWNERS, EXACT, 1, model); /* owners' own */
  if (EXPECT_OK(dap_plan_create_halo_reverse(MPI_COMM_WORLD, &side, 0, &o, &plan, &err), &err) &&
      test_nprocs() > 1) {
    const dap_status status = dap_plan_run(plan, side_data(&s), side_data(&s), &err);
    EXPECT_FAIL(status, DAP_ERR_ARG, &err, "only direct copies|sources, which");
  }
  dap_plan_destroy(&plan);
  side_free(&s);
  SETTLE();
}

/* Between nodes no memory is shared. */
static void needs_one_node(void **state)
{
  (void)state;
  test_side s =
      make_side((const case_cut[]){CUT_GHOSTS, CUT_RING}, (const int64_t[]){24, 12}, ALL, DAP_F8, &arrays[0]);
  const dap_side side = combine_side(&s, DAP_F8, false);
  const dap_plan_options o = {.transports = DAP_TRANSPORT_DIRECT};
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_status status =
      dap_plan_create_halo_reverse(placed_comms[PLACEMENTS - 1], &side, 0, &o, &plan, &err);
  const bool is_one = test_nprocs() == 1;
  expect_same_error(MPI_COMM_WORLD, status, &err, is_one ? DAP_OK : DAP_ERR_UNSUPPORTED,
                    is_one ? "" : "share no memory");
  dap_plan_destroy(&plan);
  side_free(&s);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes),   cmocka_unit_test(updates_by_each_way),
    cmocka_unit_test(moves_by_each_way), cmocka_unit_test(needs_shared_arrays),
    cmocka_unit_test(needs_one_node),    cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)

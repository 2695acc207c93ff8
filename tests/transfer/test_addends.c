/* Random moves from sources that are replicated or partial along some axes, to destinations of all kinds:
 * every position against a serial model, and the bytes against the closed formula. The seed is printed, and
 * DAP_TEST_SEED repeats a run. */
#include "addends.h"
#include "alloc_side.h"
#include "mpi_test.h"
#include "placements.h"
#include "problem_impl.h"

#include <inttypes.h>

enum { CASES = 160, MOST = 900 /* elements */ };

static random_array arrays[2];
static unsigned holders[2][MOST + 1]; /* bits of ranks that have it: an addend of it; that get it */

/* ---- bytes -------------------------------------------------------------------------------------------- */

static void find_holders(const test_side *from, const test_side *to)
{
  memset(holders, 0, sizeof holders);
  for (int p = 0; p < from->array->nprocs; p++)
    for (brute_walk w = brute_walk_start(&from->array->model, p); !w.done; brute_walk_next(&w))
      if (w.part == BRUTE_OWNED || (w.part == BRUTE_COPY && w.alike))
        holders[0][w.flat] |= 1U << from->ranks[p];
  for (int p = 0; p < to->array->nprocs; p++)
    for (brute_walk w = brute_walk_start(&to->array->model, p); !w.done; brute_walk_next(&w))
      if (w.part != BRUTE_PADDING) holders[1][w.flat] |= 1U << to->ranks[p];
}

static int count_bits(unsigned bits)
{
  int count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

static int64_t formula(const test_side *from, const test_side *to)
{
  const int addends = addends_count(from->array);
  int64_t moved = 0;
  find_holders(from, to);
  for (int64_t i = 0; i < from->array->model.count; i++) {
    const unsigned have = holders[0][i], want = holders[1][i];
    moved +=
        addends == 1 ? count_bits(want & ~have) : addends - 1 + count_bits(want) - 1 + ((have & want) == 0);
  }
  return moved;
}

static bool has_listed_copies(const random_array *array)
{
  for (int k = 0; k < array->ndim; k++) {
    const brute_axis *axis = &array->model.axes[k];
    for (int c = 0; c < axis->procs && axis->kind == 'u' && !axis->whole; c++)
      if (axis->owned[c] < axis->extent[c]) return true;
  }
  return false;
}

static void check_sent(const test_side *from, const test_side *to, const dap_plan *plan,
                       const dap_plan_options *o, int64_t itemsize)
{
  const bool sums = addends_count(from->array) > 1;
  if (o->fill_halos || o->beta || (sums && has_listed_copies(to->array))) return;
  const dap_plan_stats stats = dap_plan_summarize(plan);
  int64_t all[2] = {stats.bytes_sent, stats.bytes_received};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(all[0], itemsize * formula(from, to));
  EXPECT_INT(all[1], all[0]);
}

/* ---- drawn -------------------------------------------------------------------------------------------- */

static const unsigned ways[] = {0, DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES, DAP_TRANSPORT_MESSAGES,
                                DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_MESSAGES};
enum { WAYS = sizeof ways / sizeof ways[0] };

static const double two[] = {2, 0};

static dap_plan_options draw_options(test_random *random)
{
  dap_plan_options o = {.transports = DAP_FORCED_FAN_OUT * (unsigned)test_random_int(random, 0, 2) |
                                      ways[test_random_int(random, 0, WAYS - 1)],
                        .fill_halos = test_random_one_in(random, 4),
                        .combine = (dap_combine)test_random_int(random, 0, 3)};
  if (test_random_one_in(random, 3)) o.message_bytes = test_random_int(random, 9, 99);
  if (o.combine > DAP_COMBINE_SUM) return o;
  if (test_random_one_in(random, 4)) o.alpha = two;
  if (test_random_one_in(random, 4)) o.beta = two;
  return o;
}

static void move(MPI_Comm comm, const test_side *from, const test_side *to, const dap_plan_options *o,
                 const dap_dtype dtypes[2], bool swapped)
{
  alloc_side alloc[2] = {alloc_side_make(comm, from), alloc_side_make(comm, to)};
  dap_side a = side_of(from), b = side_of(to);
  dap_plan *plan = NULL;
  dap_error err = {0};
  a.dtype = dtypes[0];
  b.dtype = dtypes[1];
  a.swapped = swapped;
  if (EXPECT_OK(dap_plan_create(comm, &a, &b, 0, o, &plan, &err), &err)) {
    if (from->itemsize == to->itemsize) check_sent(from, to, plan, o, from->itemsize);
    for (int i = 0; i < 4; i++) {
      const test_side *x = i & 1 ? &alloc[0].side : from, *y = i & 2 ? &alloc[1].side : to;
      addends_fill_source(x, dtypes[0], swapped, i);
      addends_fill_target(y, dtypes[1], i);
      if (EXPECT_OK(dap_plan_run(plan, side_data(x), side_data(y), &err), &err))
        addends_check(y, dtypes[1], addends_count(from->array), o, i);
    }
  }
  dap_plan_destroy(&plan);
  alloc_side_free(&alloc[0]);
  alloc_side_free(&alloc[1]);
}

/* combine without a partial source adds up copies: another test's. */
static void random_moves(void **state)
{
  (void)state;
  test_random random = test_random_init(110);
  static const dap_dtype kinds[][2] = {{DAP_F8, DAP_F8}, {DAP_I4, DAP_I4}, {DAP_I4, DAP_F8}};
  for (int i = 0; i < CASES; i++) {
    const dap_dtype *dtypes = kinds[test_random_int(&random, 0, 2)];
    const int ndim = (int)test_random_int(&random, 1, 4),
              where = (int)test_random_int(&random, 0, PLACEMENTS - 1);
    int64_t size[DAP_MAX_NDIM];
    random_shape(&random, ndim, MOST, size);
    test_side from = addends_draw(&random, ndim, size, true, dap_dtype_size(dtypes[0]), &arrays[0]);
    test_side to = addends_draw(&random, ndim, size, false, dap_dtype_size(dtypes[1]), &arrays[1]);
    dap_plan_options o = draw_options(&random);
    char text[240];
    (void)snprintf(text, sizeof text, "%s", random_array_text(&arrays[0]));
    TEST_CASE("seed %" PRIu64 ", case %d, combine %d, transports %#x, halos %d, alpha %d, beta %d, %s: "
              "%s; to %s",
              test_seed(), i, (int)o.combine, o.transports, o.fill_halos, o.alpha != NULL, o.beta != NULL,
              placements[where].why, text, random_array_text(&arrays[1]));
    bool is_partial = false;
    for (int k = 0; k < ndim; k++) is_partial = is_partial || arrays[0].dists[k].kind == DAP_DIST_PARTIAL;
    if (!is_partial) o.combine = DAP_COMBINE_NONE;
    move(placed_comms[where], &from, &to, &o, dtypes, test_random_one_in(&random, 3));
    side_free(&from);
    side_free(&to);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes),
    cmocka_unit_test(random_moves),
    cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)

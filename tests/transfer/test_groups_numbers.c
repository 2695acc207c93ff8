/* Plans over intercommunicators that change what they move: parts with permuted axes, casts, alpha and beta,
 * values combined. A serial model goes through the positions of all processes. The seed is printed, and
 * DAP_TEST_SEED repeats a run. */
#include "mpi_test.h"
#include "two_groups.h"

#include <inttypes.h>

enum { CASES = 24, MOST = 400 /* elements */, PADDING = 7777 };

typedef struct task {
  random_array arrays[2];
  test_side from, to;
  bool is_transposed;
  int64_t start[2][2], shape[2][2]; /* [side][axis] */
  dap_dtype dtype;                  /* of the source */
  dap_plan_options options;
  double beta[2];
} task;

static task drawn;
static const double two[2] = {2, 0};
static const int both_axes[2][2] = {{0, 1}, {1, 0}};

/* ---- numbers ------------------------------------------------------------------------------------------ */

/* Of position `n` of process `p` of the source: small integers, whose sums are exact. */
static double number_at(int p, int64_t n, int salt)
{
  test_random random = {.state = (uint64_t)p * 7919 + (uint64_t)n * 104729 + (uint64_t)salt * 1299709};
  return (double)test_random_int(&random, -20, 20);
}

/* Where nothing is combined, copies along replicated axes have what their owner has. */
static double number_of(const task *t, const brute_walk *w, int p, int64_t n, int salt)
{
  const bool is_read = w->part == BRUTE_OWNED || (w->part == BRUTE_COPY && w->alike);
  return is_read && !t->options.combine ? number_at(0, w->flat, salt) : number_at(p, n, salt);
}

static double before(const brute_walk *w)
{
  return w->part == BRUTE_PADDING ? PADDING : (double)(w->flat % 17);
}

/* What the source says of each element. */
static void find_values(const task *t, int salt, double whole[])
{
  const brute_array *array = &t->arrays[0].model;
  for (int others = 0; others < 2; others++)
    for (int p = 0; p < array->nprocs; p++) {
      int64_t n = 0;
      for (brute_walk w = brute_walk_start(array, p); !w.done; brute_walk_next(&w), n++) {
        if (!others && w.part == BRUTE_OWNED) whole[w.flat] = number_of(t, &w, p, n, salt);
        if (others && w.part == BRUTE_COPY && t->options.combine)
          whole[w.flat] += number_of(t, &w, p, n, salt);
      }
    }
}

/* The source's element for one of the destination's; -1: it is outside the part. */
static int64_t source_of(const task *t, const int64_t global[])
{
  int64_t index[2];
  for (int k = 0; k < 2; k++) {
    const int axis = t->is_transposed ? 1 - k : k;
    const int64_t i = global[axis] - t->start[1][axis];
    if (i < 0 || i >= t->shape[1][axis]) return -1;
    index[k] = t->start[0][k] + i;
  }
  return index[0] * t->arrays[0].dists[1].size + index[1];
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

static void fill(const task *t, int salt)
{
  int64_t n = 0;
  side_poison(&t->from);
  side_poison(&t->to);
  if (t->from.process >= 0)
    for (brute_walk w = brute_walk_start(&t->arrays[0].model, t->from.process); !w.done;
         brute_walk_next(&w), n++) {
      const double x = number_of(t, &w, t->from.process, n, salt);
      const float narrow = (float)x;
      const void *value = t->dtype == DAP_F4 ? (const void *)&narrow : &x;
      memcpy(side_place(&t->from, &w), value, (size_t)t->from.itemsize);
    }
  if (t->to.process >= 0)
    for (brute_walk w = brute_walk_start(&t->arrays[1].model, t->to.process); !w.done; brute_walk_next(&w)) {
      const double x = before(&w);
      memcpy(side_place(&t->to, &w), &x, sizeof x);
    }
}

static void check(const task *t, const double whole[])
{
  if (t->to.process < 0) return;
  for (brute_walk w = brute_walk_start(&t->arrays[1].model, t->to.process); !w.done; brute_walk_next(&w)) {
    const int64_t source = source_of(t, w.global);
    const bool moves = source >= 0 && w.part != BRUTE_PADDING;
    const double old = before(&w);
    const double want = moves ? 2 * whole[source] + t->beta[0] * old : old;
    double got;
    memcpy(&got, side_place(&t->to, &w), sizeof got);
    if (got != want) {
      EXPECT_MSG(false, "element %" PRId64 " of process %d, of kind %d, is %g, not %g", w.flat, t->to.process,
                 (int)w.part, got, want);
      return;
    }
  }
  check_gaps(&t->to.buffer);
}

/* ---- drawn -------------------------------------------------------------------------------------------- */

static test_side draw_side(test_random *random, const two_groups *g, int holder, const int64_t size[],
                           int64_t itemsize, random_array *array)
{
  const int nprocs = (int)test_random_int(random, 1, g->size[holder]);
  random_array_draw(random, nprocs, 2, size, array);
  return side_make(array, (side_origin)test_random_int(random, CREATED, MIXED), g->members[holder], itemsize,
                   (test_form)test_random_int(random, 0, FORM_COUNT - 1), random);
}

static void draw(test_random *random, const two_groups *g, int sender, task *t)
{
  int64_t sizes[2][2];
  t->is_transposed = test_random_one_in(random, 2);
  for (int k = 0; k < 2; k++) {
    const int axis = t->is_transposed ? 1 - k : k;
    const int64_t length = test_random_int(random, 0, 12);
    for (int side = 0; side < 2; side++) {
      const int a = side ? axis : k;
      t->start[side][a] = test_random_int(random, 0, 3);
      t->shape[side][a] = length;
      sizes[side][a] = t->start[side][a] + length + test_random_int(random, 0, 3);
    }
  }
  t->dtype = test_random_one_in(random, 2) ? DAP_F4 : DAP_F8;
  t->from = draw_side(random, g, sender, sizes[0], dap_dtype_size(t->dtype), &t->arrays[0]);
  t->to = draw_side(random, g, 1 - sender, sizes[1], 8, &t->arrays[1]);
  t->beta[0] = (double)test_random_int(random, 0, 1);
  t->beta[1] = 0;
  t->options = (dap_plan_options){
      .alpha = two,
      .beta = t->beta,
      .combine = test_random_one_in(random, 2) ? DAP_COMBINE_SUM : DAP_COMBINE_NONE,
      .message_bytes = test_random_one_in(random, 3) ? 24 : 0,
      .transports = test_random_one_in(random, 2) ? 0 : ways[test_random_int(random, 1, WAYS - 1)]};
  if (t->options.transports == DAP_TRANSPORT_DIRECT) t->options.transports = 0;
  t->options.transports = test_joining(t->options.transports);
}

/* ---- moved -------------------------------------------------------------------------------------------- */

static dap_status create(const two_groups *g, int sender, const task *t, dap_plan **plan, dap_error *err)
{
  test_random own = test_random_init(950 + (uint64_t)test_rank());
  dap_side from, to;
  int ranks[2][BRUTE_PROCS];
  (void)side_in_group(g, sender, &t->from, false, &own, &from, ranks[0]);
  (void)side_in_group(g, 1 - sender, &t->to, false, &own, &to, ranks[1]);
  if (from.layout) from.dtype = t->dtype;
  if (to.layout) to.dtype = DAP_F8;
  if (from.layout)
    from.part = (dap_part){
        .naxes = 2, .axes = both_axes[t->is_transposed], .start = t->start[0], .shape = t->shape[0]};
  if (to.layout) to.part = (dap_part){.start = t->start[1], .shape = t->shape[1]};
  return dap_plan_create(g->inter, &from, &to, 0, &t->options, plan, err);
}

static void move(const two_groups *g, int sender, const task *t)
{
  static double whole[MOST + 1];
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(create(g, sender, t, &plan, &err), &err))
    for (int salt = 0; salt < 2; salt++) {
      fill(t, salt);
      find_values(t, salt, whole);
      EXPECT_OK(dap_plan_run(plan, side_data(&t->from), side_data(&t->to), &err), &err);
      check(t, whole);
    }
  dap_plan_destroy(&plan);
}

static void parts_casts_and_sums(void **state)
{
  (void)state;
  test_random random = test_random_init(933);
  for (int first = 1; first < test_nprocs(); first++) {
    two_groups g = two_groups_make(first, (group_order)(first % GROUP_ORDERS));
    for (int i = 0; i < CASES; i++) {
      char from[200];
      task *t = &drawn;
      draw(&random, &g, i % 2, t);
      (void)snprintf(from, sizeof from, "%s", random_array_text(&t->arrays[0]));
      TEST_CASE("seed %" PRIu64
                ", group 0 of %d, case %d, %s, transports %#x, beta %g, combine %d%s: %s; to %s",
                test_seed(), first, i, dap_dtype_name(t->dtype), t->options.transports, t->beta[0],
                (int)t->options.combine, t->is_transposed ? ", transposed" : "", from,
                random_array_text(&t->arrays[1]));
      move(&g, i % 2, t);
      side_free(&t->from);
      side_free(&t->to);
      SETTLE();
    }
    two_groups_free(&g);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(parts_casts_and_sums)};
MPI_TEST_MAIN(tests)

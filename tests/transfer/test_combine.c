/* Values that several processes have for one element, combined on its owner: the reverse halo update, and
 * moves with options.combine, of random arrays. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "alloc_side.h"
#include "combine.h"
#include "mpi_test.h"
#include "placements.h"

#include <inttypes.h>

enum { CASES = 120, MOST = 900 /* elements */ };

static random_array arrays[2];
static double model[2][MOST + 1]; /* by element */

static void label(int number, const combine_kind *k, const dap_plan_options *o)
{
  char from[240];
  (void)snprintf(from, sizeof from, "%s", random_array_text(&arrays[0]));
  TEST_CASE("seed %" PRIu64 ", case %d, %s, combine %d, padding %d, transports %#x, message_bytes %" PRId64
            ": %s; to %s",
            test_seed(), number, dap_dtype_name(k->dtype), (int)o->combine, (int)o->padding, o->transports,
            o->message_bytes, from, random_array_text(&arrays[1]));
}

/* ---- reverse halo updates ----------------------------------------------------------------------------- */

static void update(MPI_Comm comm, const test_side *s, const dap_plan_options *o, const combine_kind *k,
                   bool swapped, int runs)
{
  alloc_side alloc = alloc_side_make(comm, s);
  const dap_side side = combine_side(s, k->dtype, swapped);
  const combine_outcome others = combine_outcome_of(o->padding);
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_create_halo_reverse(comm, &side, 0, o, &plan, &err), &err))
    for (int i = 0; i < runs; i++) {
      const bool is_private = i % 2 && o->transports != DAP_TRANSPORT_DIRECT;
      const test_side *in = is_private ? s : &alloc.side;
      combine_fill(in, k->dtype, swapped, EXACT, i);
      combine_all(s, k->how, IN_PLACE, EXACT, i, model[0]);
      if (EXPECT_OK(dap_plan_run(plan, side_data(in), side_data(in), &err), &err))
        combine_check(in, k->dtype, swapped, EXACT, i, others, others, model[0]);
    }
  dap_plan_destroy(&plan);
  alloc_side_free(&alloc);
}

static void random_updates(void **state)
{
  (void)state;
  test_random random = test_random_init(90);
  for (int i = 0; i < test_cases(CASES); i++) {
    const combine_kind *k = &combine_kinds[test_random_int(&random, 0, COMBINE_KINDS - 1)];
    const int ndim = (int)test_random_int(&random, 1, i % 4 == 0 ? 5 : 3);
    int64_t size[DAP_MAX_NDIM];
    random_shape(&random, ndim, ndim > 4 ? MOST / 8 : MOST, size);
    test_side s = side_draw(&random, ndim, size, dap_dtype_size(k->dtype), &arrays[0]);
    arrays[1] = arrays[0];
    const int swaps = (int)test_random_int(&random, 0, 63) * (int)test_random_int(&random, 0, 1);
    const bool cut = test_random_one_in(&random, 3);
    const dap_plan_options o = {
        .combine = k->how == DAP_COMBINE_SUM && i % 2 ? DAP_COMBINE_NONE : k->how,
        .padding = (dap_padding)test_random_int(&random, DAP_PADDING_KEEP, DAP_PADDING_REFRESH),
        .allow_empty = true,
        .transports = combine_way(i % PLACEMENTS, i),
        .message_bytes = cut ? test_random_int(&random, 9, 99) : 0};
    label(i, k, &o);
    update(placed_comms[i % PLACEMENTS], &s, &o, k, (swaps >> test_rank()) & 1, 3);
    side_free(&s);
    SETTLE();
  }
}

/* ---- moves -------------------------------------------------------------------------------------------- */

static void move(MPI_Comm comm, const test_side *from, const test_side *to, const dap_plan_options *o,
                 const combine_kind *k, bool swapped)
{
  alloc_side a = alloc_side_make(comm, from), b = alloc_side_make(comm, to);
  const dap_side source = combine_side(from, k->dtype, swapped),
                 destination = combine_side(to, k->dtype, false);
  const combine_outcome padding = o->fill_halos ? OWNERS : AS_BEFORE;
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_create(comm, &source, &destination, 0, o, &plan, &err), &err))
    for (int i = 0; i < 4; i++) {
      const bool only = o->transports == DAP_TRANSPORT_DIRECT;
      const test_side *x = only || i % 2 ? &a.side : from, *y = only || i / 2 ? &b.side : to;
      combine_fill(x, k->dtype, swapped, EXACT, i);
      combine_fill(y, k->dtype, false, EXACT, 100 + i);
      combine_all(from, k->how, OF_HOLDERS, EXACT, i, model[0]);
      combine_all(to, k->how, OF_OWNERS, EXACT, 100 + i, model[1]);
      for (int64_t e = 0; e < to->array->model.count; e++)
        model[0][e] = (o->alpha ? o->alpha[0] : 1) * model[0][e] + (o->beta ? o->beta[0] : 0) * model[1][e];
      if (EXPECT_OK(dap_plan_run(plan, side_data(x), side_data(y), &err), &err))
        combine_check(y, k->dtype, false, EXACT, 100 + i, OWNERS, padding, model[0]);
    }
  dap_plan_destroy(&plan);
  alloc_side_free(&a);
  alloc_side_free(&b);
}

static void random_moves(void **state)
{
  (void)state;
  static const double two[] = {2, 0}, three[] = {3, 0};
  test_random random = test_random_init(91);
  for (int i = 0; i < test_cases(CASES); i++) {
    const combine_kind *k = &combine_kinds[test_random_int(&random, 0, COMBINE_KINDS - 1)];
    const int ndim = (int)test_random_int(&random, 1, i % 4 == 0 ? 5 : 3);
    int64_t size[DAP_MAX_NDIM];
    random_shape(&random, ndim, ndim > 4 ? MOST / 8 : MOST, size);
    test_side from = side_draw(&random, ndim, size, dap_dtype_size(k->dtype), &arrays[0]);
    test_side to = side_draw(&random, ndim, size, dap_dtype_size(k->dtype), &arrays[1]);
    const int swaps = (int)test_random_int(&random, 0, 63) * (int)test_random_int(&random, 0, 1);
    const bool cut = test_random_one_in(&random, 3), sums = k->how == DAP_COMBINE_SUM;
    const dap_plan_options o = {.combine = k->how,
                                .fill_halos = test_random_one_in(&random, 2),
                                .alpha = sums && test_random_one_in(&random, 2) ? two : NULL,
                                .beta = sums && test_random_one_in(&random, 2) ? three : NULL,
                                .transports = combine_way(i % PLACEMENTS, i),
                                .message_bytes = cut ? test_random_int(&random, 9, 99) : 0};
    label(i, k, &o);
    move(placed_comms[i % PLACEMENTS], &from, &to, &o, k, (swaps >> test_rank()) & 1);
    side_free(&from);
    side_free(&to);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes),
    cmocka_unit_test(random_updates),
    cmocka_unit_test(random_moves),
    cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)

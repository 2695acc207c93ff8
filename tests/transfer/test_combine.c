/* Values that several processes have for one element, combined on its owner: the reverse halo update, and
 * moves with options.combine. Every position holds a number of its own, and a serial model goes through the
 * positions of all processes. The seed is printed, and DAP_TEST_SEED repeats a run. */
#include "alloc_side.h"
#include "mpi_test.h"
#include "placements.h"

#include <inttypes.h>

enum { CASES = 120, MOST = 900 /* elements */ };

static random_array arrays[2];
static double model[2][MOST + 1];  /* by element */
static MPI_Comm comms[PLACEMENTS]; /* processes on one host, and on several that are pretended */

/* ---- numbers ------------------------------------------------------------------------------------------ */

typedef struct kind {
  dap_dtype dtype;
  dap_combine combine;
} kind;

static const kind kinds[] = {{DAP_F8, DAP_COMBINE_SUM}, {DAP_I4, DAP_COMBINE_SUM}, {DAP_C16, DAP_COMBINE_SUM},
                             {DAP_F4, DAP_COMBINE_SUM}, {DAP_F8, DAP_COMBINE_MAX}, {DAP_I8, DAP_COMBINE_MIN},
                             {DAP_I2, DAP_COMBINE_MAX}, {DAP_F4, DAP_COMBINE_MIN}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Of position `n` of process `p`: small integers, whose sums are exact. */
static double number_at(int p, int64_t n, int salt)
{
  test_random random = {.state = (uint64_t)p * 7919 + (uint64_t)n * 104729 + (uint64_t)salt * 1299709};
  return (double)test_random_int(&random, -20, 20);
}

static double combine(dap_combine how, double a, double b)
{
  if (how == DAP_COMBINE_SUM) return a + b;
  return (how == DAP_COMBINE_MAX) == (a > b) ? a : b;
}

/* The element that says `x`; of a complex one both parts do. */
static void element_of(dap_dtype dtype, bool swapped, double x, unsigned char *at)
{
  const double complex_x[2] = {x, 2 * x};
  const float f4 = (float)x;
  const int16_t i2 = (int16_t)x;
  const int32_t i4 = (int32_t)x;
  const int64_t i8 = (int64_t)x, size = dap_dtype_size(dtype), width = dtype == DAP_C16 ? 8 : size;
  const void *value = dtype == DAP_F4   ? (const void *)&f4
                      : dtype == DAP_I2 ? (const void *)&i2
                      : dtype == DAP_I4 ? (const void *)&i4
                      : dtype == DAP_I8 ? (const void *)&i8
                                        : complex_x;
  memcpy(at, value, (size_t)size);
  for (int64_t i = 0; i < size && swapped; i += width)
    for (int64_t j = 0; j < width / 2; j++) {
      const unsigned char kept = at[i + j];
      at[i + j] = at[i + width - 1 - j];
      at[i + width - 1 - j] = kept;
    }
}

/* ---- the model ---------------------------------------------------------------------------------------- */

/* What becomes of each element: owners' numbers, and those of copies and padding. */
static void combine_all(const brute_array *array, dap_combine how, bool copies, bool padding, int salt,
                        double whole[])
{
  for (int others = 0; others < 2; others++)
    for (int p = 0; p < array->nprocs; p++) {
      int64_t n = 0;
      for (brute_walk w = brute_walk_start(array, p); !w.done; brute_walk_next(&w), n++) {
        const bool counts = w.part == BRUTE_COPY ? copies : w.part == BRUTE_PADDING && padding;
        if (!others && w.part == BRUTE_OWNED) whole[w.flat] = number_at(p, n, salt);
        if (others && counts) whole[w.flat] = combine(how, whole[w.flat], number_at(p, n, salt));
      }
    }
}

static unsigned char *place_of(const test_side *s, const brute_walk *w)
{
  unsigned char *place = s->buffer.data;
  for (int k = 0; k < s->array->ndim; k++) place += w->local[k] * s->buffer.strides[k];
  return place;
}

static void fill(const test_side *s, dap_dtype dtype, bool swapped, int salt)
{
  int64_t n = 0;
  side_poison(s);
  if (s->process < 0) return;
  for (brute_walk w = brute_walk_start(&s->array->model, s->process); !w.done; brute_walk_next(&w), n++)
    element_of(dtype, swapped, number_at(s->process, n, salt), place_of(s, &w));
}

/* What a position holds after a run. */
typedef enum outcome { AS_BEFORE, ZERO, OWNERS } outcome;

static bool check(const test_side *s, dap_dtype dtype, bool swapped, int salt, outcome copies,
                  outcome padding, const double whole[])
{
  int64_t n = 0;
  unsigned char want[16];
  if (s->process < 0) return true;
  for (brute_walk w = brute_walk_start(&s->array->model, s->process); !w.done; brute_walk_next(&w), n++) {
    const outcome o = w.part == BRUTE_COPY ? copies : w.part == BRUTE_PADDING ? padding : OWNERS;
    const double x = o == OWNERS ? whole[w.flat] : o == ZERO ? 0 : number_at(s->process, n, salt);
    element_of(dtype, swapped, x, want);
    if (!memcmp(place_of(s, &w), want, (size_t)dap_dtype_size(dtype))) continue;
    return EXPECT_MSG(false, "position %" PRId64 " of process %d, of kind %d, is not %g", n, s->process,
                      (int)w.part, x);
  }
  return check_gaps(&s->buffer);
}

/* ---- drawn -------------------------------------------------------------------------------------------- */

static test_side draw(test_random *random, int ndim, const int64_t size[], dap_dtype dtype, random_array *to)
{
  const int P = test_nprocs();
  const int nprocs = test_random_one_in(random, 3) ? (int)test_random_int(random, 1, P) : P;
  int ranks[BRUTE_PROCS];
  random_array_draw(random, nprocs, ndim, size, to);
  const int *given = random_part(random, nprocs, ranks);
  const side_origin origin = (side_origin)test_random_int(random, CREATED, MIXED);
  return side_make(to, origin, given, dap_dtype_size(dtype), (test_form)test_random_int(random, 0, 4),
                   random);
}

static const unsigned ways[] = {0,
                                DAP_TRANSPORT_DIRECT,
                                DAP_TRANSPORT_STAGED,
                                DAP_TRANSPORT_MESSAGES,
                                DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED | DAP_TRANSPORT_FETCHED,
                                DAP_TRANSPORT_STAGED | DAP_TRANSPORT_FETCHED};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* Between hosts there are messages only. */
static unsigned way_at(int place, unsigned way)
{
  return place > 0 && way ? way | DAP_TRANSPORT_MESSAGES : way;
}

static dap_side typed(const test_side *s, dap_dtype dtype, bool swapped)
{
  dap_side side = side_of(s);
  side.dtype = dtype;
  side.swapped = swapped;
  if (s->process < 0 && swapped) side.layout = NULL; /* others tell it */
  return side;
}

static void label(int number, const kind *k, const dap_plan_options *o)
{
  char from[240];
  (void)snprintf(from, sizeof from, "%s", random_array_text(&arrays[0]));
  TEST_CASE("seed %" PRIu64 ", case %d, %s, combine %d, padding %d, transports %#x, message_bytes %" PRId64
            ": %s; to %s",
            test_seed(), number, dap_dtype_name(k->dtype), (int)o->combine, (int)o->padding, o->transports,
            o->message_bytes, from, random_array_text(&arrays[1]));
}

/* ---- reverse halo updates ----------------------------------------------------------------------------- */

static void update(MPI_Comm comm, const test_side *s, const dap_plan_options *o, const kind *k, bool swapped,
                   int runs)
{
  alloc_side alloc = alloc_side_make(comm, s);
  const dap_side side = typed(s, k->dtype, swapped);
  const outcome others = o->padding == DAP_PADDING_KEEP    ? AS_BEFORE
                         : o->padding == DAP_PADDING_CLEAR ? ZERO
                                                           : OWNERS;
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_create_halo_reverse(comm, &side, 0, o, &plan, &err), &err))
    for (int i = 0; i < runs; i++) {
      const bool is_private = i % 2 && o->transports != DAP_TRANSPORT_DIRECT;
      const test_side *in = is_private ? s : &alloc.side;
      fill(in, k->dtype, swapped, i);
      combine_all(&s->array->model, k->combine, true, true, i, model[0]);
      if (EXPECT_OK(dap_plan_run(plan, side_data(in), side_data(in), &err), &err))
        check(in, k->dtype, swapped, i, others, others, model[0]);
    }
  dap_plan_destroy(&plan);
  alloc_side_free(&alloc);
}

static void random_updates(void **state)
{
  (void)state;
  test_random random = test_random_init(90);
  for (int i = 0; i < CASES; i++) {
    const kind *k = &kinds[test_random_int(&random, 0, KINDS - 1)];
    const int ndim = (int)test_random_int(&random, 1, i % 4 == 0 ? 5 : 3);
    int64_t size[DAP_MAX_NDIM];
    random_shape(&random, ndim, ndim > 4 ? MOST / 8 : MOST, size);
    test_side s = draw(&random, ndim, size, k->dtype, &arrays[0]);
    arrays[1] = arrays[0];
    const int swaps = (int)test_random_int(&random, 0, 63) * (int)test_random_int(&random, 0, 1);
    const bool cut = test_random_one_in(&random, 3);
    const dap_plan_options o = {
        .combine = k->combine == DAP_COMBINE_SUM && i % 2 ? DAP_COMBINE_NONE : k->combine,
        .padding = (dap_padding)test_random_int(&random, DAP_PADDING_KEEP, DAP_PADDING_REFRESH),
        .allow_empty = true,
        .transports = way_at(i % PLACEMENTS, ways[i % WAYS]),
        .message_bytes = cut ? test_random_int(&random, 9, 99) : 0};
    label(i, k, &o);
    update(comms[i % PLACEMENTS], &s, &o, k, (swaps >> test_rank()) & 1, 3);
    side_free(&s);
    SETTLE();
  }
}

/* ---- moves -------------------------------------------------------------------------------------------- */

static void move(MPI_Comm comm, const test_side *from, const test_side *to, const dap_plan_options *o,
                 const kind *k, bool swapped)
{
  alloc_side a = alloc_side_make(comm, from), b = alloc_side_make(comm, to);
  const dap_side source = typed(from, k->dtype, swapped), destination = typed(to, k->dtype, false);
  const outcome padding = o->fill_halos ? OWNERS : AS_BEFORE;
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_plan_create(comm, &source, &destination, 0, o, &plan, &err), &err))
    for (int i = 0; i < 4; i++) {
      const bool only = o->transports == DAP_TRANSPORT_DIRECT;
      const test_side *x = only || i % 2 ? &a.side : from, *y = only || i / 2 ? &b.side : to;
      fill(x, k->dtype, swapped, i);
      fill(y, k->dtype, false, 100 + i);
      combine_all(&from->array->model, k->combine, true, false, i, model[0]);
      combine_all(&to->array->model, k->combine, false, false, 100 + i, model[1]);
      for (int64_t e = 0; e < to->array->model.count; e++)
        model[0][e] = (o->alpha ? o->alpha[0] : 1) * model[0][e] + (o->beta ? o->beta[0] : 0) * model[1][e];
      if (EXPECT_OK(dap_plan_run(plan, side_data(x), side_data(y), &err), &err))
        check(y, k->dtype, false, 100 + i, OWNERS, padding, model[0]);
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
  for (int i = 0; i < CASES; i++) {
    const kind *k = &kinds[test_random_int(&random, 0, KINDS - 1)];
    const int ndim = (int)test_random_int(&random, 1, i % 4 == 0 ? 5 : 3);
    int64_t size[DAP_MAX_NDIM];
    random_shape(&random, ndim, ndim > 4 ? MOST / 8 : MOST, size);
    test_side from = draw(&random, ndim, size, k->dtype, &arrays[0]);
    test_side to = draw(&random, ndim, size, k->dtype, &arrays[1]);
    const int swaps = (int)test_random_int(&random, 0, 63) * (int)test_random_int(&random, 0, 1);
    const bool cut = test_random_one_in(&random, 3), sums = k->combine == DAP_COMBINE_SUM;
    const dap_plan_options o = {.combine = k->combine,
                                .fill_halos = test_random_one_in(&random, 2),
                                .alpha = sums && test_random_one_in(&random, 2) ? two : NULL,
                                .beta = sums && test_random_one_in(&random, 2) ? three : NULL,
                                .transports = way_at(i % PLACEMENTS, ways[i % WAYS]),
                                .message_bytes = cut ? test_random_int(&random, 9, 99) : 0};
    label(i, k, &o);
    move(comms[i % PLACEMENTS], &from, &to, &o, k, (swaps >> test_rank()) & 1);
    side_free(&from);
    side_free(&to);
    SETTLE();
  }
}

/* ---- the same bits ------------------------------------------------------------------------------------ */

static void fill_thirds(const test_side *s)
{
  int64_t n = 0;
  if (s->process < 0) return;
  for (brute_walk w = brute_walk_start(&s->array->model, s->process); !w.done; brute_walk_next(&w), n++) {
    const double x = number_at(s->process, n, 7) / 3 * (n % 5 ? 1 : 1e7);
    memcpy(place_of(s, &w), &x, sizeof x);
  }
}

/* Sums of numbers that have to be rounded, by all ways and in messages of any length. */
static void same_bits_by_every_way(void **state)
{
  (void)state;
  test_random random = test_random_init(92);
  for (int i = 0; i < CASES / 4; i++) {
    int64_t size[DAP_MAX_NDIM];
    const int ndim = (int)test_random_int(&random, 1, 3);
    random_shape(&random, ndim, MOST, size);
    test_side s = draw(&random, ndim, size, DAP_F8, &arrays[0]);
    arrays[1] = arrays[0];
    MPI_Comm comm = comms[0], far = comms[1 + i % (PLACEMENTS - 1)];
    alloc_side alloc = alloc_side_make(comm, &s);
    const dap_side side = typed(&s, DAP_F8, false);
    unsigned char *first = malloc((size_t)s.buffer.bytes + 1);
    for (int way = 0; way < 2 * WAYS + 2 && EXPECT(first); way++) {
      const dap_plan_options o = {.allow_empty = true,
                                  .transports = way < 2 * WAYS ? ways[way / 2] : 0,
                                  .message_bytes = way % 2 ? 16 : 0};
      dap_plan *plan = NULL;
      dap_error err = {0};
      label(i, &kinds[0], &o);
      side_poison(&alloc.side);
      fill_thirds(&alloc.side);
      if (EXPECT_OK(dap_plan_create_halo_reverse(way < 2 * WAYS ? comm : far, &side, 0, &o, &plan, &err),
                    &err))
        EXPECT_OK(dap_plan_run(plan, side_data(&alloc.side), side_data(&alloc.side), &err), &err);
      if (way == 0) memcpy(first, alloc.side.buffer.memory, (size_t)s.buffer.bytes);
      EXPECT(!memcmp(first, alloc.side.buffer.memory, (size_t)s.buffer.bytes));
      dap_plan_destroy(&plan);
    }
    free(first);
    alloc_side_free(&alloc);
    side_free(&s);
    SETTLE();
  }
}

static void place_processes(void **state)
{
  int hosts[BRUTE_PROCS];
  (void)state;
  for (int i = 0; i < PLACEMENTS; i++) comms[i] = comm_at(&placements[i], hosts);
  SETTLE();
}

static void free_places(void **state)
{
  (void)state;
  for (int i = 0; i < PLACEMENTS; i++) MPI_Comm_free(&comms[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes), cmocka_unit_test(random_updates),
    cmocka_unit_test(random_moves),    cmocka_unit_test(same_bits_by_every_way),
    cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)

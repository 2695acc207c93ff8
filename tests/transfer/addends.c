#include "addends.h"

#include "mpi_test.h"

#include <inttypes.h>

/* ---- drawn -------------------------------------------------------------------------------------------- */

test_side addends_draw(test_random *random, int ndim, const int64_t size[], bool is_source, int64_t itemsize,
                       random_array *array)
{
  const int nprocs =
      test_random_one_in(random, 3) ? (int)test_random_int(random, 1, test_nprocs()) : test_nprocs();
  int procs[DAP_MAX_NDIM], order[BRUTE_PROCS], ranks[BRUTE_PROCS];
  dap_dist dists[DAP_MAX_NDIM];
  random_grid(random, nprocs, ndim, procs);
  random_ranks(random, nprocs, order);
  for (int k = 0; k < ndim; k++) {
    const int64_t kind = test_random_int(random, 0, 3);
    dists[k] = kind == 0                ? dap_dist_replicated(size[k], procs[k])
               : kind == 1 && is_source ? dap_dist_partial(size[k], procs[k])
                                        : random_any_dist(random, procs[k], size[k], &array->memory[k]);
  }
  (void)array_deal(ndim, dists, order, array);
  const int *given = random_part(random, nprocs, ranks);
  return side_make(array, (side_origin)test_random_int(random, CREATED, MIXED), given, itemsize,
                   (test_form)test_random_int(random, 0, 4), random);
}

/* ---- numbers ------------------------------------------------------------------------------------------ */

static double number_at(int64_t element, int addend, int salt)
{
  test_random random = {.state =
                            (uint64_t)element * 7919 + (uint64_t)addend * 104729 + (uint64_t)salt * 1299709};
  return (double)test_random_int(&random, -20, 20);
}

static void write_number(dap_dtype dtype, bool swapped, double x, unsigned char *at)
{
  const int32_t i4 = (int32_t)x;
  const int64_t size = dap_dtype_size(dtype);
  const unsigned char *value = dtype == DAP_I4 ? (const unsigned char *)&i4 : (const unsigned char *)&x;
  for (int64_t i = 0; i < size; i++) at[i] = value[swapped ? size - 1 - i : i];
}

/* ---- the model ---------------------------------------------------------------------------------------- */

int addends_count(const random_array *array)
{
  int addends = 1;
  for (int k = 0; k < array->ndim; k++)
    if (array->dists[k].kind == DAP_DIST_PARTIAL) addends *= array->dists[k].procs;
  return addends;
}

/* Which of the addends a process of the array has. */
static int addend_of(const random_array *array, int process)
{
  int coords[DAP_MAX_NDIM], addend = 0;
  brute_coords(&array->model, process, coords);
  for (int k = 0; k < array->ndim; k++)
    if (array->dists[k].kind == DAP_DIST_PARTIAL) addend = addend * array->dists[k].procs + coords[k];
  return addend;
}

static double combine(dap_combine how, double a, double b)
{
  if (how == DAP_COMBINE_MAX) return a > b ? a : b;
  if (how == DAP_COMBINE_MIN) return a < b ? a : b;
  return a + b;
}

static double element_at(int64_t element, int addends, const dap_plan_options *o, int salt)
{
  double x = number_at(element, 0, salt);
  for (int t = 1; t < addends; t++) x = combine(o->combine, x, number_at(element, t, salt));
  if (o->alpha) x *= o->alpha[0];
  return o->beta ? x + o->beta[0] * number_at(element, 99, salt) : x;
}

void addends_fill_source(const test_side *s, dap_dtype dtype, bool swapped, int salt)
{
  side_poison(s);
  if (s->process < 0) return;
  for (brute_walk w = brute_walk_start(&s->array->model, s->process); !w.done; brute_walk_next(&w)) {
    const bool counts = w.part == BRUTE_OWNED || (w.part == BRUTE_COPY && w.alike);
    if (w.part == BRUTE_PADDING) continue;
    const double x = counts ? number_at(w.flat, addend_of(s->array, s->process), salt) : -999;
    write_number(dtype, swapped, x, side_place(s, &w));
  }
}

void addends_fill_target(const test_side *s, dap_dtype dtype, int salt)
{
  side_poison(s);
  if (s->process < 0) return;
  for (brute_walk w = brute_walk_start(&s->array->model, s->process); !w.done; brute_walk_next(&w))
    if (w.part != BRUTE_PADDING) write_number(dtype, false, number_at(w.flat, 99, salt), side_place(s, &w));
}

bool addends_check(const test_side *s, dap_dtype dtype, int addends, const dap_plan_options *o, int salt)
{
  unsigned char want[8];
  if (s->process < 0) return true;
  for (brute_walk w = brute_walk_start(&s->array->model, s->process); !w.done; brute_walk_next(&w)) {
    memset(want, TEST_POISON, sizeof want);
    const double x = element_at(w.flat, addends, o, salt);
    if (w.part != BRUTE_PADDING || o->fill_halos) write_number(dtype, false, x, want);
    if (!memcmp(side_place(s, &w), want, (size_t)dap_dtype_size(dtype))) continue;
    return EXPECT_MSG(false, "element %" PRId64 " on process %d, of kind %d, is not %g", w.flat, s->process,
                      (int)w.part, x);
  }
  return check_gaps(&s->buffer);
}

/* ---- bytes -------------------------------------------------------------------------------------------- */

static unsigned holders[2][ADDENDS_MOST]; /* bits of ranks that have it: an addend of it; that get it */

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

void addends_check_sent(const test_side *from, const test_side *to, const dap_plan *plan,
                        const dap_plan_options *o)
{
  const dap_plan_stats stats = dap_plan_summarize(plan);
  const bool sums = addends_count(from->array) > 1;
  if (o->fill_halos || o->beta || from->itemsize != to->itemsize || stats.phases > 1) return;
  if (sums && has_listed_copies(to->array)) return;
  int64_t all[2] = {stats.bytes_sent, stats.bytes_received};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(all[0], from->itemsize * (o->arrays ? o->arrays : 1) * formula(from, to));
  EXPECT_INT(all[1], all[0]);
}

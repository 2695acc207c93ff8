/* Thousands of random slices, element by element: of layouts of every kind, in buffers of every form, the
 * windows of all processes together are the slice, with as much padding as can stay. */
#include "brute.h"
#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"

#include "ranges.h"
#include <dapbridge/join.h>
#include <inttypes.h>

enum { CASES = 6000, AXES = 3, SIZE = 14, PROCS = 6 };

/* A random axis, with the memory that its dap_dist points to. */
typedef struct random_axis {
  dap_dist dist;
  int64_t lengths[BRUTE_PROCS];
  int64_t list[PROCS][SIZE];
  const int64_t *lists[PROCS];
  int64_t lo, hi;
} random_axis;

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static void swap(int64_t *a, int64_t *b)
{
  const int64_t kept = *a;
  *a = *b;
  *b = kept;
}

/* In ascending order, or backwards, or the odd ones behind the even ones, or in none. */
static void arrange(test_random *random, int64_t list[], int64_t count)
{
  const int64_t order = test_random_int(random, 0, 3);
  int64_t even = 0, sorted[SIZE];
  for (int64_t i = 0; i < count && order == 1; i++) sorted[i] = list[count - 1 - i];
  for (int64_t i = 0; i < count && order == 2; i++) sorted[i % 2 ? (count + i) / 2 : even++] = list[i];
  if (order == 1 || order == 2) memcpy(list, sorted, (size_t)count * sizeof *list);
  if (order == 3) test_shuffle_long(random, count, list);
}

static void deal_lists(test_random *random, random_axis *a)
{
  const bool one_to_one = test_random_one_in(random, 2), in_turns = test_random_one_in(random, 2);
  const int procs = a->dist.procs;
  memset(a->lengths, 0, sizeof a->lengths);
  for (int64_t i = 0; i < a->dist.size; i++) {
    const int64_t holder = in_turns ? i % procs : test_random_int(random, 0, procs - 1);
    for (int p = 0; p < procs; p++)
      if (p == holder || (!one_to_one && test_random_one_in(random, 4))) a->list[p][a->lengths[p]++] = i;
  }
  for (int p = 0; p < procs; p++) arrange(random, a->list[p], a->lengths[p]);
  for (int p = 0; p < procs; p++) a->lists[p] = a->list[p];
  a->dist = dap_dist_unstructured(a->dist.size, procs, a->lengths, a->lists);
  a->dist.one_to_one = one_to_one && test_random_one_in(random, 2);
}

static void random_range(test_random *random, random_axis *a)
{
  const int64_t size = a->dist.size;
  a->lo = test_random_int(random, 0, size);
  a->hi = test_random_int(random, 0, size);
  if (a->lo > a->hi) swap(&a->lo, &a->hi);
  if (test_random_one_in(random, 3)) a->lo = 0;
  if (test_random_one_in(random, 3)) a->hi = size;
}

static void random_cut(test_random *random, int procs, random_axis *a)
{
  a->dist = random_dist(random, procs, SIZE, true, a->lengths);
  const int64_t kind = test_random_int(random, 0, 5);
  if (kind < 2) deal_lists(random, a);
  if (kind == 2) a->dist = dap_dist_replicated(a->dist.size, procs);
  if (kind == 3 && a->dist.kind < DAP_DIST_CYCLIC && a->dist.size >= a->dist.halo)
    a->dist.periodic = a->dist.wraps = a->dist.boundary[0] == 0 && a->dist.boundary[1] == 0;
  random_range(random, a);
}

/* ---- whether a slice is possible, from the elements alone ---------------------------------------------- */

/* Stretches of one owner after the other: ranges that ascend, or blocks of one size in turns. */
static bool can_be_cyclic(const dap_layout *one, const random_axis *a)
{
  int owner[SIZE] = {0}, count = 0;
  int64_t length[SIZE] = {0}, local;
  for (int64_t i = a->lo; i < a->hi; i++) {
    int rank = -1;
    EXPECT_OK(dap_layout_locate(one, &i, &rank, &local, NULL), NULL);
    if (count == 0 || owner[count - 1] != rank) owner[count++] = rank;
    length[count - 1]++;
  }
  bool ascend = true, alike = true;
  for (int i = 1; i < count; i++) {
    ascend = ascend && owner[i] > owner[i - 1];
    alike = alike && (i == count - 1 ? length[i] <= length[0] : length[i] == length[0]);
  }
  return ascend || alike;
}

static bool can_be_stepped(const random_axis *a)
{
  for (int p = 0; p < a->dist.procs; p++) {
    int64_t count = 0, at[SIZE];
    for (int64_t i = 0; i < a->lengths[p]; i++)
      if (a->list[p][i] >= a->lo && a->list[p][i] < a->hi) at[count++] = i;
    for (int64_t i = 2; i < count; i++)
      if (at[i] - at[i - 1] != at[1] - at[0]) return false;
  }
  return true;
}

static bool is_possible(const random_axis *a)
{
  dap_layout *one = NULL;
  if (a->dist.kind == DAP_DIST_UNSTRUCTURED) return can_be_stepped(a);
  if (a->dist.kind != DAP_DIST_CYCLIC) return true;
  EXPECT_OK(dap_layout_create(1, &a->dist, &one, NULL), NULL);
  const bool can = can_be_cyclic(one, a);
  dap_layout_destroy(&one);
  return can;
}

/* ---- one random case ----------------------------------------------------------------------------------- */

typedef struct trial {
  int ndim;
  random_axis axes[AXES];
  int64_t lo[AXES], hi[AXES];
  dap_layout *whole, *part;
  dap_array wholes[PROCS], parts[PROCS];
  test_buffer buffers[PROCS];
} trial;

static bool next_position(int ndim, const int64_t shape[], int64_t position[])
{
  int k = ndim - 1;
  while (k >= 0 && ++position[k] == shape[k]) position[k--] = 0;
  return k >= 0;
}

static int64_t *element_at(const dap_array *array, const int64_t position[])
{
  int64_t offset = 0;
  for (int k = 0; k < array->ndim; k++) offset += position[k] * array->strides[k];
  return (int64_t *)(void *)((char *)array->data + offset);
}

/* The number of a global element, shifted by `lo`. */
static int64_t number_of(const trial *t, const int64_t global[], const int64_t lo[])
{
  int64_t number = 0;
  for (int k = 0; k < t->ndim; k++) number = number * (SIZE + 1) + global[k] + (lo ? lo[k] : 0);
  return number;
}

/* A buffer in any form, every element of which, halo included, says its number. */
static void fill_buffer(trial *t, int rank, test_form form, test_random *random)
{
  dap_array *a = &t->wholes[rank];
  test_buffer *b = &t->buffers[rank];
  *b = test_buffer_make(t->whole, rank, sizeof(int64_t), form, random);
  *a = (dap_array){.ndim = b->ndim, .dtype = DAP_I8, .data = b->data};
  memcpy(a->shape, b->shape, sizeof a->shape);
  memcpy(a->strides, b->strides, sizeof a->strides);
  int64_t position[DAP_MAX_NDIM] = {0}, global[DAP_MAX_NDIM];
  if (!b->data) return;
  do {
    EXPECT_OK(dap_layout_globalize(t->whole, rank, position, global, NULL, NULL), NULL);
    *element_at(a, position) = number_of(t, global, NULL);
  } while (next_position(b->ndim, b->shape, position));
}

/* Every element of the window is the one that the part's layout says. */
static void check_window(const trial *t, int rank)
{
  const dap_array *a = &t->parts[rank];
  int64_t position[DAP_MAX_NDIM] = {0}, global[DAP_MAX_NDIM];
  int coords[DAP_MAX_NDIM];
  dap_error err = {0};
  dap_layout_coords(t->part, rank, coords);
  EXPECT_OK(dap_array_check(a, &err), &err);
  for (int k = 0; k < t->ndim; k++) EXPECT_INT(a->shape[k], dap_layout_extent(t->part, k, coords[k]));
  if (dap_array_count(a) == 0) return;
  do {
    EXPECT_OK(dap_layout_globalize(t->part, rank, position, global, NULL, &err), &err);
    EXPECT_INT(*element_at(a, position), number_of(t, global, t->lo));
  } while (next_position(t->ndim, a->shape, position));
}

/* Every element of the slice is owned by the process that owned it, once. */
static void check_owners(const trial *t)
{
  int64_t global[DAP_MAX_NDIM] = {0}, before[DAP_MAX_NDIM], local[DAP_MAX_NDIM], old[DAP_MAX_NDIM];
  int64_t shape[DAP_MAX_NDIM], owned = 0;
  for (int k = 0; k < t->ndim; k++) shape[k] = t->hi[k] - t->lo[k];
  for (int rank = 0; rank < dap_layout_nprocs(t->part); rank++) {
    int coords[DAP_MAX_NDIM];
    int64_t mine = 1;
    dap_layout_coords(t->part, rank, coords);
    for (int k = 0; k < t->ndim; k++) mine *= dap_layout_owned(t->part, k, coords[k]);
    owned += mine;
  }
  EXPECT_INT(owned, dap_layout_count(t->part));
  if (dap_layout_count(t->part) == 0) return;
  do {
    int rank = -1, old_rank = -1;
    for (int k = 0; k < t->ndim; k++) before[k] = global[k] + t->lo[k];
    EXPECT_OK(dap_layout_locate(t->part, global, &rank, local, NULL), NULL);
    EXPECT_OK(dap_layout_locate(t->whole, before, &old_rank, old, NULL), NULL);
    EXPECT_INT(rank, old_rank);
    EXPECT_INT(*element_at(&t->parts[rank], local), number_of(t, before, NULL));
    EXPECT(element_at(&t->parts[rank], local) == element_at(&t->wholes[rank], old));
  } while (next_position(t->ndim, shape, global));
}

/* No more padding is dropped than has to be. */
static void check_padding(const trial *t, int k)
{
  const random_axis *a = &t->axes[k];
  const dap_axis axis = dap_layout_axis(t->part, k);
  const bool full = a->lo == 0 && a->hi == a->dist.size;
  if (a->dist.kind >= DAP_DIST_CYCLIC) return;
  EXPECT(axis.dist_type == 'b' && axis.periodic == (full && a->dist.periodic));
  int64_t boundary[2] = {0, 0}, halo[2], next[2];
  for (int64_t i = a->lo; i < a->hi; i++) {
    boundary[0] += i < a->dist.boundary[0];
    boundary[1] += i >= a->dist.size - a->dist.boundary[1];
  }
  EXPECT(axis.boundary[0] == boundary[0] && axis.boundary[1] == boundary[1]);
  for (int c = 0; c + 1 < axis.procs; c++) {
    const int64_t both = smaller(dap_layout_owned(t->part, k, c), dap_layout_owned(t->part, k, c + 1));
    dap_layout_halo(t->part, k, c, halo);
    dap_layout_halo(t->part, k, c + 1, next);
    EXPECT_INT(halo[1], smaller(a->dist.halo, both));
    EXPECT_INT(next[0], halo[1]);
  }
}

static dap_status part_of(void *context, int rank, dap_array *array, dap_error *err)
{
  const trial *t = context;
  (void)err;
  *array = t->parts[rank];
  array->release = NULL;
  return DAP_OK;
}

/* The dictionaries of all parts say the same as the layout. */
static void check_dictionaries(trial *t)
{
  const dap_join join = {.nprocs = dap_layout_nprocs(t->part), .context = t, .part = part_of};
  dap_layout *joined = NULL;
  dap_error err = {0};
  if (EXPECT_OK(dap_layout_join(&join, &joined, &err), &err) && !is_as_read(joined, t->part)) {
    char texts[2][512];
    dap_layout_describe(joined, texts[0], sizeof texts[0]);
    dap_layout_describe(t->part, texts[1], sizeof texts[1]);
    EXPECT_MSG(false, "the dictionaries say\n%sthe part is\n%s", texts[0], texts[1]);
  }
  dap_layout_destroy(&joined);
}

static bool make_whole(test_random *random, trial *t)
{
  int procs[AXES], ranks[PROCS];
  dap_dist dists[AXES];
  dap_layout *straight = NULL;
  const int nprocs = (int)test_random_int(random, 1, PROCS);
  t->ndim = nprocs == 1 ? (int)test_random_int(random, 0, AXES) : (int)test_random_int(random, 1, AXES);
  random_grid(random, nprocs, t->ndim, procs);
  for (int k = 0; k < t->ndim; k++) {
    random_cut(random, procs[k], &t->axes[k]);
    t->lo[k] = t->axes[k].lo;
    t->hi[k] = t->axes[k].hi;
    dists[k] = t->axes[k].dist;
  }
  if (dap_layout_create(t->ndim, dists, &straight, NULL)) return false;
  for (int i = 0; i < nprocs; i++) ranks[i] = (i + 1) % nprocs;
  if (!test_random_one_in(random, 3)) t->whole = dap_layout_retain(straight);
  if (!t->whole) EXPECT_OK(dap_layout_reorder(straight, ranks, &t->whole, NULL), NULL);
  dap_layout_destroy(&straight);
  return true;
}

static void label(const trial *t, int number)
{
  char text[256];
  size_t used = 0;
  for (int k = 0; k < t->ndim; k++)
    used += (size_t)snprintf(text + used, sizeof text - used, " %" PRId64 ":%" PRId64, t->lo[k], t->hi[k]);
  char summary[256];
  dap_layout_summary(t->whole, summary, sizeof summary);
  TEST_CASE("case %d: %s,%s", number, summary, t->ndim ? text : "");
}

/* True: sliced. 0.9 has no word for boundary padding of a periodic axis, nor 0.10 for padding that wraps. */
static bool slice_all(trial *t, test_random *random)
{
  dap_error err = {0};
  bool possible = true, sayable = true;
  for (int k = 0; k < t->ndim; k++) possible = possible && is_possible(&t->axes[k]);
  const dap_status want = possible ? DAP_OK : DAP_ERR_SHARE;
  EXPECT_STATUS(part_of_layout(t->whole, t->lo, t->hi, &t->part, &err), want, &err);
  const test_form form = (test_form)test_random_int(random, 0, FORM_COUNT - 1);
  for (int rank = 0; rank < dap_layout_nprocs(t->whole); rank++) {
    fill_buffer(t, rank, form, random);
    const dap_status s = part_of_array(&t->wholes[rank], t->whole, rank, t->lo, t->hi, &t->parts[rank], &err);
    EXPECT_MSG(s == want || (possible && s == DAP_ERR_UNSUPPORTED), "%s", err.text);
    sayable = sayable && s != DAP_ERR_UNSUPPORTED;
  }
  return possible && sayable && t->part;
}

static void random_slices(void **state)
{
  (void)state;
  test_random random = test_random_init(71);
  int sliced = 0, refused = 0;
  for (int i = 0; i < CASES; i++) {
    trial t = {0};
    if (!make_whole(&random, &t)) continue;
    label(&t, i);
    const bool good = slice_all(&t, &random);
    if (good) {
      for (int rank = 0; rank < dap_layout_nprocs(t.part); rank++) check_window(&t, rank);
      check_owners(&t);
      for (int k = 0; k < t.ndim; k++) check_padding(&t, k);
      check_dictionaries(&t);
    }
    *(good ? &sliced : &refused) += 1;
    for (int rank = 0; rank < dap_layout_nprocs(t.whole); rank++) {
      dap_array_release(&t.parts[rank]);
      test_buffer_free(&t.buffers[rank]);
    }
    dap_layout_destroy(&t.part);
    dap_layout_destroy(&t.whole);
  }
  TEST_CASE("all cases");
  EXPECT_MSG(sliced > CASES / 2 && refused > CASES / 50, "%d sliced, %d refused", sliced, refused);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_slices),
};

MPI_TEST_MAIN(tests)

/* Compares random parts of random arrays with the brute-force model, element by element: ranges, sections
 * and both at once, in buffers of every form. */
#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/join.h>
#include <dapbridge/part.h>
#include <inttypes.h>

enum { CASES = 6000, AXES = 4, PROCS = 8, COUNT = 400 };

/* ---- one random part -------------------------------------------------------------------------------- */

typedef struct trial {
  random_array whole;
  bool has_axes;
  int naxes, axes[2 * AXES];        /* all in order without has_axes */
  int64_t start[AXES], shape[AXES]; /* the shape of omitted axes does not matter */
  dap_part choice;
  dap_layout *layout, *part;
  int ranks[PROCS];
  test_buffer buffers[PROCS];
  dap_array wholes[PROCS], parts[PROCS];
} trial;

static bool is_kept(const trial *t, int axis)
{
  for (int j = 0; j < t->naxes; j++)
    if (t->axes[j] == axis) return true;
  return false;
}

static bool is_full(const trial *t, int axis)
{
  return t->start[axis] == 0 && t->shape[axis] == t->whole.model.axes[axis].size;
}

/* Draws some of the axes in any order, with new ones between them. */
static void draw_axes(test_random *random, trial *t)
{
  int order[AXES], count = t->whole.ndim;
  for (int k = 0; k < count; k++) order[k] = k;
  t->has_axes = !test_random_one_in(random, 3);
  if (t->has_axes) test_shuffle(random, count, order);
  const int kept = t->has_axes ? (int)test_random_int(random, 0, count) : count;
  for (int i = 0; i <= kept; i++) {
    const bool has_room = t->has_axes && t->naxes + kept - i < DAP_MAX_NDIM;
    if (has_room && test_random_one_in(random, 4)) t->axes[t->naxes++] = -1;
    if (i < kept) t->axes[t->naxes++] = order[i];
  }
}

/* Draws ranges. Returns false if an omitted axis has no elements, so that no index can be taken. */
static bool draw_ranges(test_random *random, trial *t)
{
  const bool is_whole = test_random_one_in(random, 4);
  for (int k = 0; k < t->whole.ndim; k++) {
    const int64_t size = t->whole.model.axes[k].size;
    const bool kept = is_kept(t, k);
    if (!kept && size == 0) return false;
    t->start[k] =
        kept && (is_whole || test_random_one_in(random, 3)) ? 0 : test_random_int(random, 0, size - !kept);
    t->shape[k] = size - t->start[k];
    if (kept && !is_whole && !test_random_one_in(random, 3))
      t->shape[k] = test_random_int(random, 0, t->shape[k]);
    if (!kept) t->shape[k] = -7;
  }
  t->choice = (dap_part){t->naxes, t->has_axes ? t->axes : NULL, t->start, t->shape};
  if (!t->has_axes) t->choice.naxes = 0;
  return true;
}

static void label(const trial *t, int number)
{
  char text[160] = "";
  size_t used = 0;
  for (int j = 0; j < t->naxes; j++)
    used += (size_t)snprintf(text + used, sizeof text - used, " %d", t->axes[j]);
  for (int k = 0; k < t->whole.ndim; k++)
    used += (size_t)snprintf(text + used, sizeof text - used, ", %d from %" PRId64 ": %" PRId64, k,
                             t->start[k], t->shape[k]);
  TEST_CASE("case %d: %s: axes%s", number, random_array_text(&t->whole), text);
}

static bool draw(test_random *random, int number, trial *t)
{
  int64_t size[AXES];
  const int nprocs = (int)test_random_int(random, 1, PROCS);
  const int ndim = (int)test_random_int(random, 1, AXES);
  random_shape(random, ndim, COUNT, size);
  random_array_draw(random, nprocs, ndim, size, &t->whole);
  draw_axes(random, t);
  if (!draw_ranges(random, t)) return false;
  label(t, number);
  t->layout = random_array_layout(&t->whole);
  return t->layout != NULL;
}

/* ---- whether a part in place is possible, from the elements only -------------------------------------- */

/* Returns whether stretches of one owner follow each other, as ascending ranges or as blocks of one size
 * in turns. */
static bool can_be_cyclic(const brute_axis *axis, int64_t lo, int64_t hi)
{
  int count = 0;
  int64_t length[BRUTE_SIZE] = {0};
  bool ascend = true, alike = true;
  for (int64_t i = lo; i < hi; i++) {
    const bool begins = i == lo || axis->owner[i] != axis->owner[i - 1];
    if (begins && i > lo) ascend = ascend && axis->owner[i] > axis->owner[i - 1];
    if (begins) count++;
    length[count - 1]++;
  }
  for (int i = 1; i < count; i++)
    alike = alike && (i == count - 1 ? length[i] <= length[0] : length[i] == length[0]);
  return ascend || alike;
}

/* Returns whether the elements of the range are equidistant in each process's buffer. */
static bool can_be_stepped(const brute_axis *axis, int64_t lo, int64_t hi)
{
  for (int p = 0; p < axis->procs; p++) {
    int64_t count = 0, at[BRUTE_SIZE];
    for (int64_t i = 0; i < axis->extent[p]; i++)
      if (axis->held[p][i] >= lo && axis->held[p][i] < hi) at[count++] = i;
    for (int64_t i = 2; i < count; i++)
      if (at[i] - at[i - 1] != at[1] - at[0]) return false;
  }
  return true;
}

static bool is_possible(const trial *t)
{
  for (int k = 0; k < t->whole.ndim; k++) {
    const brute_axis *axis = &t->whole.model.axes[k];
    const int64_t lo = t->start[k], hi = t->start[k] + t->shape[k];
    if (!is_kept(t, k) || is_full(t, k) || axis->whole || axis->kind == 'b') continue;
    if (axis->kind == 'c' ? !can_be_cyclic(axis, lo, hi) : !can_be_stepped(axis, lo, hi)) return false;
  }
  return true;
}

/* ---- checks ---------------------------------------------------------------------------------------- */

static bool is_in_part(const trial *t, const int64_t global[])
{
  for (int k = 0; k < t->whole.ndim; k++) {
    const int64_t i = global[k] - t->start[k];
    if (is_kept(t, k) ? i < 0 || i >= t->shape[k] : i != 0) return false;
  }
  return true;
}

/* Returns the process of the part that is rank `rank` of the whole, or -1. */
static int process_of(const trial *t, int rank)
{
  for (int i = 0; i < dap_layout_nprocs(t->part); i++)
    if (t->ranks[i] == rank) return i;
  return -1;
}

/* Checks that every element of the part is where it was in the whole, and that the part has no others. */
static void check_elements(const trial *t)
{
  int64_t found = 0, global[DAP_MAX_NDIM], local[DAP_MAX_NDIM];
  dap_error err = {0};
  for (brute_walk w = brute_walk_start(&t->whole.model, -1); !w.done; brute_walk_next(&w)) {
    int process = -1;
    if (!is_in_part(t, w.global)) continue;
    found++;
    for (int j = 0; j < t->naxes; j++)
      global[j] = t->axes[j] < 0 ? 0 : w.global[t->axes[j]] - t->start[t->axes[j]];
    if (!EXPECT_OK(dap_layout_locate(t->part, global, &process, local, &err), &err)) return;
    EXPECT_INT(t->ranks[process], w.owner);
    EXPECT(array_element(&t->parts[w.owner], local) == array_element(&t->wholes[w.owner], w.local));
  }
  EXPECT_INT(dap_layout_count(t->part), found);
}

static bool owns_index(const trial *t, int rank)
{
  int coords[DAP_MAX_NDIM];
  brute_coords(&t->whole.model, rank, coords);
  for (int k = 0; k < t->whole.ndim; k++)
    if (!is_kept(t, k) && t->whole.model.axes[k].owner[t->start[k]] != coords[k]) return false;
  return true;
}

/* Checks that every position of a process's window, padding included, has the element that the part's
 * layout gives. */
static void check_window(const trial *t, int rank, int process)
{
  const dap_array *part = &t->parts[rank];
  const brute_array *model = &t->whole.model;
  int64_t position[DAP_MAX_NDIM] = {0}, global[DAP_MAX_NDIM];
  int coords[DAP_MAX_NDIM];
  dap_error err = {0};
  EXPECT_OK(dap_array_check(part, &err), &err);
  EXPECT_OK(dap_array_match((dap_darray){t->part, part}, process, &err), &err);
  if (dap_array_count(part) == 0) return;
  brute_coords(model, rank, coords);
  do {
    int64_t index[AXES], flat = 0, value = 0, got;
    bool owned = false, want = true;
    if (!EXPECT_OK(dap_layout_globalize(t->part, process, position, global, &owned, &err), &err)) return;
    memcpy(index, t->start, sizeof index);
    for (int j = 0; j < t->naxes; j++)
      if (t->axes[j] >= 0) index[t->axes[j]] += global[j];
    for (int i = 0; i < t->whole.ndim; i++) flat = flat * model->axes[i].size + index[i];
    value_of(DAP_I8, flat, &value);
    memcpy(&got, array_element(part, position), sizeof got);
    EXPECT_INT(got, value);
    for (int j = 0; j < t->naxes; j++)
      if (t->axes[j] >= 0)
        want = want && model->axes[t->axes[j]].owner[index[t->axes[j]]] == coords[t->axes[j]];
    EXPECT(!owned || want);
  } while (next_position(t->naxes, part->shape, position));
}

/* Checks that the part keeps all padding that it can keep, and all copies within the range. */
static void check_extents(const trial *t, int j)
{
  const int k = t->axes[j];
  const brute_axis *axis = &t->whole.model.axes[k];
  const int64_t lo = t->start[k], hi = lo + t->shape[k], halo = t->whole.dists[k].halo;
  int64_t owned[BRUTE_PROCS] = {0};
  for (int64_t i = lo; i < hi; i++) owned[axis->owner[i]]++;
  for (int c = 0; c < axis->procs; c++) {
    int64_t want = axis->kind == 'u' ? 0 : owned[c];
    for (int64_t i = 0; i < axis->extent[c] && axis->kind == 'u'; i++)
      want += axis->held[c][i] >= lo && axis->held[c][i] < hi;
    for (int next = c - 1; next <= c + 1 && axis->kind == 'b' && halo > 0; next += 2) {
      const bool inside = next >= 0 && next < axis->procs;
      const int64_t both = inside && owned[next] < owned[c] ? owned[next] : owned[c];
      if (inside) want += both < halo ? both : halo;
      if (!inside && is_full(t, k)) want += axis->halo[c][next > c]; /* it wraps around */
    }
    if (dap_layout_procs(t->part, j) == axis->procs) EXPECT_INT(dap_layout_extent(t->part, j, c), want);
  }
  const dap_axis got = dap_layout_axis(t->part, j);
  EXPECT(got.procs == axis->procs && got.size == t->shape[k]);
  if (axis->kind != 'b') return;
  EXPECT_INT(got.periodic, is_full(t, k) && t->whole.dists[k].periodic);
  int64_t boundary[2] = {0, 0};
  for (int64_t i = lo; i < hi; i++) {
    boundary[0] += i < t->whole.dists[k].boundary[0];
    boundary[1] += i >= axis->size - t->whole.dists[k].boundary[1];
  }
  EXPECT(got.boundary[0] == boundary[0] && got.boundary[1] == boundary[1]);
}

static dap_status part_of(void *context, int process, dap_array *array, dap_error *err)
{
  const trial *t = context;
  (void)err;
  *array = t->parts[t->ranks[process]];
  array->release = NULL;
  return DAP_OK;
}

/* Checks that the dictionaries of all processes give the part's layout. */
static void check_dictionaries(trial *t)
{
  const dap_join join = {.nprocs = dap_layout_nprocs(t->part), .context = t, .part = part_of};
  dap_layout *joined = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_join(&join, &joined, &err), &err);
  EXPECT(is_as_read(joined, t->part) ||
         !random_array_lowest_own(&t->whole)); /* otherwise a part may differ */
  dap_layout_destroy(&joined);
}

/* Takes the part of every process from buffers of any form. Returns false if no version of the protocol
 * can describe one of them. */
static bool take_parts(test_random *random, trial *t, dap_status want)
{
  const test_form form = (test_form)test_random_int(random, 0, FORM_COUNT - 1);
  dap_error err = {0};
  bool is_sayable = true;
  for (int rank = 0; rank < t->whole.nprocs; rank++) {
    dap_array *a = &t->wholes[rank];
    t->buffers[rank] = test_buffer_make(t->layout, rank, sizeof(int64_t), form, random);
    *a = test_buffer_array(&t->buffers[rank], DAP_I8);
    for (brute_walk w = brute_walk_start(&t->whole.model, rank); !w.done; brute_walk_next(&w))
      value_of(DAP_I8, w.flat, array_element(a, w.local));
    const dap_status s = dap_array_part((dap_darray){t->layout, a}, rank, &t->choice, &t->parts[rank], &err);
    EXPECT_MSG(s == want || (!want && s == DAP_ERR_UNSUPPORTED), "rank %d: %s", rank, err.text);
    is_sayable = is_sayable && s == DAP_OK;
    if (s || !owns_index(t, rank))
      EXPECT(t->parts[rank].abi == 0 && !t->parts[rank].data && !t->parts[rank].release);
  }
  return is_sayable;
}

static void check_part(test_random *random, trial *t)
{
  const dap_status want = is_possible(t) ? DAP_OK : DAP_ERR_SHARE;
  dap_error err = {0};
  EXPECT_STATUS(dap_layout_part(t->layout, &t->choice, &t->part, t->ranks, &err), want, &err);
  if (!take_parts(random, t, want) || !t->part) return;
  EXPECT_INT(dap_layout_ndim(t->part), t->naxes);
  EXPECT_INT(dap_layout_is_row_major(t->part), t->has_axes || dap_layout_is_row_major(t->layout));
  check_elements(t);
  for (int j = 0; j < t->naxes; j++)
    if (t->axes[j] >= 0) check_extents(t, j);
  for (int rank = 0; rank < t->whole.nprocs; rank++) {
    const int process = process_of(t, rank);
    EXPECT((process >= 0) == owns_index(t, rank));
    if (process >= 0) check_window(t, rank, process);
  }
  check_dictionaries(t);
}

static void random_parts(void **state)
{
  (void)state;
  test_random random = test_random_init(92);
  trial *t = calloc(1, sizeof *t);
  int taken = 0, refused = 0, smaller = 0;
  for (int i = 0; i < CASES && EXPECT(t); i++) {
    memset(t, 0, sizeof *t);
    if (!draw(&random, i, t)) continue;
    check_part(&random, t);
    *(t->part ? &taken : &refused) += 1;
    smaller += t->part && dap_layout_nprocs(t->part) < t->whole.nprocs;
    for (int rank = 0; rank < t->whole.nprocs; rank++) {
      dap_array_release(&t->parts[rank]);
      test_buffer_free(&t->buffers[rank]);
    }
    dap_layout_destroy(&t->part);
    dap_layout_destroy(&t->layout);
  }
  free(t);
  TEST_CASE("all cases");
  EXPECT_MSG(taken > CASES / 2 && refused > CASES / 50 && smaller > CASES / 8,
             "%d taken, %d refused, %d on fewer processes", taken, refused, smaller);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_parts),
};

MPI_TEST_MAIN(tests)

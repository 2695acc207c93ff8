/* Sections: random ones against the brute-force model, element by element; what is refused and why; what an
 * array keeps; what is known of lists. */
#include "buffers.h"
#include "forget.h"
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/join.h>
#include <dapbridge/slice.h>
#include <inttypes.h>

enum { CASES = 4000, AXES = 4, PROCS = 8, COUNT = 400 };

/* ---- one random section ----------------------------------------------------------------------------- */

typedef struct trial {
  random_array whole;
  dap_layout *layout, *section;
  int ndim, axes[2 * AXES], ranks[PROCS];
  int64_t index[AXES]; /* of the axes left out; others must not be looked at */
  test_buffer buffers[PROCS];
  dap_array wholes[PROCS], parts[PROCS];
} trial;

static bool is_named(const trial *t, int axis)
{
  for (int j = 0; j < t->ndim; j++)
    if (t->axes[j] == axis) return true;
  return false;
}

/* Some of the axes in any order, with new ones between. */
static void draw_axes(test_random *random, trial *t)
{
  int order[AXES], count = t->whole.ndim;
  for (int k = 0; k < count; k++) order[k] = k;
  for (int k = count - 1; k > 0; k--) {
    const int other = (int)test_random_int(random, 0, k), kept = order[k];
    order[k] = order[other];
    order[other] = kept;
  }
  const int named = (int)test_random_int(random, 0, count);
  for (int i = 0; i <= named; i++) {
    if (t->ndim + named - i < DAP_MAX_NDIM && test_random_one_in(random, 4)) t->axes[t->ndim++] = -1;
    if (i < named) t->axes[t->ndim++] = order[i];
  }
}

static bool draw_index(test_random *random, trial *t)
{
  for (int k = 0; k < t->whole.ndim; k++) {
    const int64_t size = t->whole.model.axes[k].size;
    t->index[k] = is_named(t, k) ? INT64_MIN : test_random_int(random, 0, size ? size - 1 : 0);
    if (!is_named(t, k) && size == 0) return false;
  }
  return true;
}

static void label(const trial *t, int number)
{
  char text[128] = "";
  size_t used = 0;
  for (int j = 0; j < t->ndim; j++)
    used += (size_t)snprintf(text + used, sizeof text - used, " %d", t->axes[j]);
  for (int k = 0; k < t->whole.ndim; k++)
    if (!is_named(t, k))
      used += (size_t)snprintf(text + used, sizeof text - used, ", %d at %" PRId64, k, t->index[k]);
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
  if (!draw_index(random, t)) return false;
  label(t, number);
  t->layout = random_array_layout(&t->whole);
  return t->layout != NULL;
}

/* ---- looked at ------------------------------------------------------------------------------------- */

static char *element_at(const dap_array *array, const int64_t position[])
{
  char *at = array->data;
  for (int k = 0; k < array->ndim; k++) at += position[k] * array->strides[k];
  return at;
}

/* What is of the whole's axes, by those of the section. */
static void choose(const trial *t, const int64_t of_whole[], int64_t of_section[])
{
  for (int j = 0; j < t->ndim; j++) of_section[j] = t->axes[j] < 0 ? 0 : of_whole[t->axes[j]];
}

static bool is_in_section(const trial *t, const int64_t global[])
{
  for (int k = 0; k < t->whole.ndim; k++)
    if (!is_named(t, k) && global[k] != t->index[k]) return false;
  return true;
}

/* The process of the section that is rank `rank` of the whole, or -1. */
static int process_of(const trial *t, int rank)
{
  for (int i = 0; i < dap_layout_nprocs(t->section); i++)
    if (t->ranks[i] == rank) return i;
  return -1;
}

/* Every element of the whole that is in the section is where it was, and the section has no others. */
static void check_elements(const trial *t)
{
  int64_t found = 0, global[DAP_MAX_NDIM], local[DAP_MAX_NDIM], want[DAP_MAX_NDIM];
  dap_error err = {0};
  for (brute_walk w = brute_walk_start(&t->whole.model, -1); !w.done; brute_walk_next(&w)) {
    int process = -1;
    if (!is_in_section(t, w.global)) continue;
    found++;
    choose(t, w.global, global);
    choose(t, w.local, want);
    if (!EXPECT_OK(dap_layout_locate(t->section, global, &process, local, &err), &err)) return;
    EXPECT_INT(t->ranks[process], w.owner);
    EXPECT(memcmp(local, want, (size_t)t->ndim * sizeof *local) == 0);
    EXPECT(element_at(&t->parts[w.owner], local) == element_at(&t->wholes[w.owner], w.local));
  }
  EXPECT_INT(dap_layout_count(t->section), found);
}

static bool owns_index(const trial *t, int rank)
{
  int coords[DAP_MAX_NDIM];
  brute_coords(&t->whole.model, rank, coords);
  for (int k = 0; k < t->whole.ndim; k++)
    if (!is_named(t, k) && t->whole.model.axes[k].owner[t->index[k]] != coords[k]) return false;
  return true;
}

/* Every position of a process' window, padding and all, is the position of the whole's buffer that has the same
 * element, and there are as many. */
static void check_window(const trial *t, int rank, int process)
{
  const dap_array *part = &t->parts[rank];
  const brute_array *model = &t->whole.model;
  int64_t positions = 0, position[DAP_MAX_NDIM], global[DAP_MAX_NDIM], want[DAP_MAX_NDIM];
  int coords[DAP_MAX_NDIM];
  dap_error err = {0};
  brute_coords(model, rank, coords);
  EXPECT_OK(dap_array_check(part, &err), &err);
  for (brute_walk w = brute_walk_start(model, rank); !w.done; brute_walk_next(&w)) {
    bool is_here = is_in_section(t, w.global), owned = false, want_owned = true;
    for (int k = 0; k < t->whole.ndim; k++) { /* the padding of an axis left out may show the index again */
      const bool owns = brute_owns(&model->axes[k], coords[k], w.local[k]);
      if (is_named(t, k)) want_owned = want_owned && owns;
      if (!is_named(t, k)) is_here = is_here && owns;
    }
    if (!is_here) continue;
    positions++;
    choose(t, w.local, position);
    choose(t, w.global, want);
    if (!EXPECT_OK(dap_layout_globalize(t->section, process, position, global, &owned, &err), &err)) return;
    EXPECT(memcmp(global, want, (size_t)t->ndim * sizeof *global) == 0);
    EXPECT(owned == want_owned);
    int64_t value = 0, flat;
    memcpy(&flat, element_at(part, position), sizeof flat);
    value_of(DAP_I8, w.flat, &value);
    EXPECT_INT(flat, value);
  }
  EXPECT_INT(dap_array_count(part), positions);
}

static dap_status part_of(void *context, int process, dap_array *array, dap_error *err)
{
  const trial *t = context;
  (void)err;
  *array = t->parts[t->ranks[process]];
  array->release = NULL;
  return DAP_OK;
}

/* The dictionaries of all its processes say the same as the section's layout. */
static void check_dictionaries(trial *t)
{
  const dap_join join = {.nprocs = dap_layout_nprocs(t->section), .context = t, .part = part_of};
  dap_layout *joined = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_join(&join, &joined, &err), &err);
  EXPECT(dap_layout_is_equal(joined, t->section));
  dap_layout_destroy(&joined);
}

/* Every process takes its part of a buffer in any form. False: no version of the protocol can say one. */
static bool take_parts(test_random *random, trial *t)
{
  const test_form form = (test_form)test_random_int(random, 0, FORM_COUNT - 1);
  dap_error err = {0};
  bool is_sayable = true;
  for (int rank = 0; rank < t->whole.nprocs; rank++) {
    dap_array *a = &t->wholes[rank];
    test_buffer *b = &t->buffers[rank];
    *b = test_buffer_make(t->layout, rank, sizeof(int64_t), form, random);
    *a = (dap_array){.ndim = b->ndim, .dtype = DAP_I8, .data = b->data};
    memcpy(a->shape, b->shape, sizeof a->shape);
    memcpy(a->strides, b->strides, sizeof a->strides);
    for (brute_walk w = brute_walk_start(&t->whole.model, rank); !w.done; brute_walk_next(&w))
      value_of(DAP_I8, w.flat, element_at(a, w.local));
    const dap_status s =
        dap_array_section(a, t->layout, rank, t->ndim, t->axes, t->index, &t->parts[rank], &err);
    if (s != DAP_ERR_UNSUPPORTED) EXPECT_OK(s, &err);
    is_sayable = is_sayable && s == DAP_OK;
  }
  return is_sayable;
}

static void check_all(test_random *random, trial *t)
{
  dap_error err = {0};
  EXPECT_OK(dap_layout_section(t->layout, t->ndim, t->axes, t->index, &t->section, t->ranks, &err), &err);
  if (!t->section) return;
  EXPECT_INT(dap_layout_ndim(t->section), t->ndim);
  EXPECT(dap_layout_is_row_major(t->section));
  if (!take_parts(random, t)) return;
  check_elements(t);
  for (int rank = 0; rank < t->whole.nprocs; rank++) {
    const int process = process_of(t, rank);
    EXPECT((process >= 0) == owns_index(t, rank));
    if (process >= 0) check_window(t, rank, process);
    if (process < 0) EXPECT(t->parts[rank].abi == 0 && !t->parts[rank].data && !t->parts[rank].release);
  }
  check_dictionaries(t);
}

static void random_sections(void **state)
{
  (void)state;
  test_random random = test_random_init(92);
  trial *t = calloc(1, sizeof *t);
  int checked = 0, smaller = 0;
  for (int i = 0; i < CASES && EXPECT(t); i++) {
    memset(t, 0, sizeof *t);
    if (!draw(&random, i, t)) continue;
    check_all(&random, t);
    checked++;
    smaller += t->section && dap_layout_nprocs(t->section) < t->whole.nprocs;
    for (int rank = 0; rank < t->whole.nprocs; rank++) {
      dap_array_release(&t->parts[rank]);
      test_buffer_free(&t->buffers[rank]);
    }
    dap_layout_destroy(&t->section);
    dap_layout_destroy(&t->layout);
  }
  free(t);
  TEST_CASE("all cases");
  EXPECT_MSG(checked > CASES / 2 && smaller > CASES / 4, "%d checked, %d on fewer processes", checked,
             smaller);
  SETTLE();
}

/* ---- by hand --------------------------------------------------------------------------------------- */

static const int64_t list_0[] = {5, 0, 3}, list_1[] = {3, 1}, list_2[] = {4, 2, 1};
static const int64_t *const lists[] = {list_0, list_1, list_2};
static const int64_t lists_lengths[] = {3, 2, 3};

/* 6 x 8 x 9 x 5 over 3 x 2 x 3 x 1: lists with 1 and 3 held twice, cyclic, halos, one process. */
static dap_layout *make_mixed(void)
{
  const dap_dist dists[] = {dap_dist_unstructured(6, 3, lists_lengths, lists), dap_dist_cyclic(8, 2, 2),
                            dap_dist_padded(9, 3, 1), dap_dist_even(5, 1)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(4, dists, &layout, &err), &err);
  return layout;
}

static const struct {
  const char *why;
  int ndim, axes[4];
  int64_t index[4];
  const char *section; /* in the words of dap_layout_summary() */
  int nprocs, ranks[18];
} rows[] = {
    {"everything",
     4,
     {0, 1, 2, 3},
     {9, 9, 9, 9},
     "6 x 8 x 9 x 5 over 3 x 2 x 3 x 1: unstructured(duplicates), cyclic(2), block(halo 1), block",
     18,
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}},
    {"a row of blocks", 1, {1}, {5, 0, 0, 0}, "8 over 2: cyclic(2)", 2, {0, 3}},
    {"the owner of a list's index, not the other who holds it",
     1,
     {1},
     {3, 0, 8, 4},
     "8 over 2: cyclic(2)",
     2,
     {2, 5}},
    {"the other order, a new axis between",
     3,
     {2, -1, 1},
     {4, 0, 0, 0},
     "9 x 1 x 8 over 3 x 1 x 2: block(halo 1), block, cyclic(2)",
     6,
     {12, 15, 13, 16, 14, 17}},
    {"an index that neighbours have as padding",
     2,
     {3, 0},
     {0, 2, 3, 0},
     "5 x 6 over 1 x 3: block, unstructured(duplicates)",
     3,
     {4, 10, 16}},
    {"one element", 0, {0}, {1, 6, 5, 4}, "scalar", 1, {10}},
    {"new axes alone", 2, {-1, -1}, {2, 1, 0, 0}, "1 x 1 over 1 x 1: block, block", 1, {12}},
};

static void sections_by_hand(void **state)
{
  (void)state;
  dap_layout *layout = make_mixed(), *section = NULL;
  dap_error err = {0};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int ranks[18];
    char text[256] = "";
    TEST_CASE("%s", rows[i].why);
    for (int p = 0; p < 18; p++) ranks[p] = -7;
    EXPECT_OK(dap_layout_section(layout, rows[i].ndim, rows[i].axes, rows[i].index, &section, ranks, &err),
              &err);
    if (!section) continue;
    dap_layout_summary(section, text, sizeof text);
    EXPECT_MSG(!strcmp(text, rows[i].section), "the section is %s", text);
    EXPECT_INT(dap_layout_nprocs(section), rows[i].nprocs);
    for (int p = 0; p < 18; p++) EXPECT_INT(ranks[p], p < rows[i].nprocs ? rows[i].ranks[p] : -7);
    dap_layout_destroy(&section);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct {
  const char *why;
  int ndim, axes[4];
  int64_t index[4];
  const char *parts;
} refusals[] = {
    {"fewer than none", -1, {0}, {0}, "ndim -1|0 .. 8"},
    {"too many", DAP_MAX_NDIM + 1, {0}, {0}, "ndim 9|0 .. 8"},
    {"an axis behind the last", 2, {0, 4}, {0}, "axes[1] = 4|-1 .. 3"},
    {"an axis before what makes a new one", 2, {-2, 0}, {0}, "axes[0] = -2|-1 .. 3"},
    {"an axis twice", 3, {2, -1, 2}, {0}, "axes[2] = 2|axes[0]"},
    {"an index behind the last", 2, {0, 1}, {0, 0, 9, 0}, "dim 2|index 9|size - 1 = 8"},
    {"a negative index", 2, {2, 1}, {0, 0, 0, -1}, "dim 3|index -1|size - 1 = 4"},
};

static void what_is_refused(void **state)
{
  (void)state;
  dap_layout *layout = make_mixed();
  dap_array whole, part;
  dap_error err = {0};
  EXPECT_OK(dap_array_init(&whole, layout, 7, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const int n = refusals[i].ndim, *axes = refusals[i].axes;
    const int64_t *index = refusals[i].index;
    dap_layout *section = (dap_layout *)&err; /* anything but NULL */
    int ranks[18];
    TEST_CASE("%s", refusals[i].why);
    EXPECT_FAIL(dap_layout_section(layout, n, axes, index, &section, ranks, &err), DAP_ERR_ARG, &err,
                refusals[i].parts);
    EXPECT(section == NULL);
    memset(&part, 1, sizeof part);
    EXPECT_FAIL(dap_array_section(&whole, layout, 7, n, axes, index, &part, &err), DAP_ERR_ARG, &err,
                refusals[i].parts);
    EXPECT(part.abi == 0 && part.data == NULL && part.release == NULL);
    EXPECT_INT(dap_layout_section(layout, n, axes, index, &section, ranks, NULL), DAP_ERR_ARG);
  }
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

static void an_empty_axis_has_no_index(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(4, 2), dap_dist_even(0, 1)};
  dap_layout *layout = NULL, *section = NULL;
  dap_array whole, part;
  dap_error err = {0};
  int ranks[2];
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_FAIL(dap_layout_section(layout, 1, (int[]){0}, NULL, &section, ranks, &err), DAP_ERR_ARG, &err,
              "dim 1|index 0|-1");
  EXPECT_OK(dap_layout_section(layout, 1, (int[]){1}, (int64_t[]){3, 0}, &section, ranks, &err), &err);
  EXPECT(ranks[0] == 1 && dap_layout_count(section) == 0);
  EXPECT_OK(dap_array_init(&whole, layout, 1, DAP_I4, DAP_ORDER_C, NULL, &err), &err);
  whole.strides[0] = INT64_MAX; /* of no element */
  EXPECT_OK(dap_array_section(&whole, layout, 1, 1, (int[]){1}, (int64_t[]){3, 0}, &part, &err), &err);
  EXPECT(part.abi == DAP_ARRAY_ABI && part.data == NULL && part.ndim == 1 && part.shape[0] == 0);
  dap_array_release(&part);
  dap_array_release(&whole);
  dap_layout_destroy(&section);
  dap_layout_destroy(&layout);
  SETTLE();
}

static void arguments_are_checked(void **state)
{
  (void)state;
  const int axes[] = {0, 2};
  int ranks[18];
  dap_layout *layout = make_mixed(), *section = NULL;
  dap_array whole, wrong, part;
  dap_error err = {0};
  EXPECT_OK(dap_array_init(&whole, layout, 2, DAP_F8, DAP_ORDER_F, NULL, &err), &err);
  EXPECT_FAIL(dap_layout_section(NULL, 2, axes, NULL, &section, ranks, &err), DAP_ERR_ARG, &err,
              "layout|NULL");
  EXPECT_FAIL(dap_layout_section(layout, 2, NULL, NULL, &section, ranks, &err), DAP_ERR_ARG, &err,
              "axes|NULL");
  EXPECT_FAIL(dap_layout_section(layout, 2, axes, NULL, NULL, ranks, &err), DAP_ERR_ARG, &err,
              "section|NULL");
  EXPECT_FAIL(dap_layout_section(layout, 2, axes, NULL, &section, NULL, &err), DAP_ERR_ARG, &err,
              "ranks|NULL");
  EXPECT_FAIL(dap_array_section(NULL, layout, 2, 2, axes, NULL, &part, &err), DAP_ERR_ARG, &err,
              "whole|NULL");
  EXPECT_FAIL(dap_array_section(&whole, NULL, 2, 2, axes, NULL, &part, &err), DAP_ERR_ARG, &err,
              "layout|NULL");
  EXPECT_FAIL(dap_array_section(&whole, layout, 2, 2, axes, NULL, NULL, &err), DAP_ERR_ARG, &err,
              "section|NULL");
  EXPECT_FAIL(dap_array_section(&whole, layout, 18, 2, axes, NULL, &part, &err), DAP_ERR_ARG, &err,
              "rank 18|17");
  EXPECT_FAIL(dap_array_section(&whole, layout, 1, 2, axes, NULL, &part, &err), DAP_ERR_ARG, &err,
              "dim 2|extent 4|the 5|rank 1");
  wrong = whole;
  wrong.data = NULL;
  EXPECT_FAIL(dap_array_section(&wrong, layout, 2, 2, axes, NULL, &part, &err), DAP_ERR_ARG, &err,
              "data is NULL|240");
  wrong = whole;
  wrong.strides[1] = INT64_MAX / 2;
  EXPECT_FAIL(dap_array_section(&wrong, layout, 2, 2, axes, (int64_t[]){0, 5, 0, 0}, &part, &err),
              DAP_ERR_RANGE, &err, "dim 1|stride");
  EXPECT(part.abi == 0);
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* What is not of the section stays as it is: type, access, byte order, strides; new axes are as in C order. */
static void what_stays(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(6, 2), dap_dist_padded(6, 2, 1), dap_dist_even(3, 1)};
  const int axes[] = {2, -1, 0};
  int16_t memory[64] = {0};
  dap_layout *layout = NULL;
  dap_array whole, part;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(3, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&whole, layout, 1, DAP_I2, DAP_ORDER_C, memory, &err), &err);
  whole.strides[0] = 0; /* one plane, three times */
  whole.strides[1] = -10;
  whole.strides[2] = 2;
  whole.data = &memory[40];
  whole.readonly = whole.swapped = true;
  if (EXPECT_OK(dap_array_section(&whole, layout, 1, 3, axes, (int64_t[]){0, 5, 0}, &part, &err), &err)) {
    EXPECT(part.readonly && part.swapped && part.dtype == DAP_I2);
    EXPECT(part.data == &memory[25]); /* behind the one element of padding: position 3 */
    EXPECT(part.shape[0] == 3 && part.shape[1] == 1 && part.shape[2] == 3);
    EXPECT(part.strides[0] == 2 && part.strides[1] == 6 && part.strides[2] == 0);
    EXPECT(!strcmp(part.version, "0.10.0"));
    EXPECT_OK(dap_array_check(&part, &err), &err);
  }
  dap_array_release(&part);
  EXPECT_OK(dap_array_section(&whole, layout, 1, 3, axes, NULL, &part, &err), &err);
  EXPECT_INT(part.abi, 0); /* it shows index 2 of axis 1, but does not own 0 */
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Only 0.9 can say what wraps round; without that axis 0.10 can say the rest. */
static void the_version_that_can_say_it(void **state)
{
  (void)state;
  const dap_dist dists[] = {{.procs = 2, .size = 6, .halo = 1, .periodic = true, .wraps = true},
                            {.procs = 1, .size = 4, .boundary = {1, 1}, .periodic = true},
                            dap_dist_padded(8, 2, 2)};
  const struct {
    int axis;
    dap_status want;
    const char *version;
  } cases[] = {{0, DAP_OK, "0.9.0"}, {1, DAP_OK, "0.10.0"}, {2, DAP_OK, "0.10.0"}};
  dap_layout *layout = NULL;
  dap_error err = {0};
  double memory[5 * 4 * 6] = {0};
  EXPECT_OK(dap_layout_create(3, dists, &layout, &err), &err);
  dap_array part,
      whole = {.ndim = 3, .dtype = DAP_F8, .data = memory, .shape = {5, 4, 6}, .strides = {192, 48, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    EXPECT_STATUS(dap_array_section(&whole, layout, 0, 1, &cases[i].axis, NULL, &part, &err), cases[i].want,
                  &err);
    EXPECT(!strcmp(part.version, cases[i].version) && part.dims[0].periodic == (cases[i].axis < 2));
    dap_array_release(&part);
  }
  EXPECT_FAIL(dap_array_section(&whole, layout, 0, 2, (int[]){1, 0}, NULL, &part, &err), DAP_ERR_UNSUPPORTED,
              &err, "");
  EXPECT_INT(part.abi, 0);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- lists that others know -------------------------------------------------------------------------- */

/* Of 6 x 4 over 3 x 1 the process at coordinate 1 keeps its list (3, 1) and the owners of 2 and 3. */
static void what_a_process_knows(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_unstructured(6, 3, lists_lengths, lists), dap_dist_even(4, 1)};
  const int column = 1, row = 0;
  int ranks[3];
  dap_layout *layout = NULL, *section = NULL;
  dap_array other, whole, part;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&other, layout, 2, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  forget(layout, 0, 1);
  EXPECT_OK(dap_array_init(&whole, layout, 1, DAP_F8, DAP_ORDER_C, NULL, &err), &err);

  TEST_CASE("a named axis knows what it did");
  if (EXPECT_OK(dap_layout_section(layout, 1, &row, (int64_t[]){0, 2}, &section, ranks, &err), &err)) {
    EXPECT(dap_layout_knows(section, 0, 1) && !dap_layout_knows(section, 0, 0));
    EXPECT_OK(dap_layout_check_own(section, 1, &err), &err);
    EXPECT(ranks[0] == 0 && ranks[1] == 1 && ranks[2] == 2);
  }
  dap_layout_destroy(&section);

  TEST_CASE("the owner, from the slice of the table that is kept here");
  EXPECT_OK(dap_layout_section(layout, 1, &column, (int64_t[]){2, 0}, &section, ranks, &err), &err);
  EXPECT_INT(ranks[0], 2);
  dap_layout_destroy(&section);

  TEST_CASE("an owner that others know");
  EXPECT_FAIL(dap_layout_section(layout, 1, &column, (int64_t[]){1, 0}, &section, ranks, &err),
              DAP_ERR_REMOTE, &err, "dim 0|index 1");
  EXPECT(section == NULL);
  EXPECT_FAIL(dap_array_section(&other, layout, 2, 1, &column, NULL, &part, &err), DAP_ERR_REMOTE, &err,
              "dim 0|proc_grid_rank 2");
  EXPECT_INT(part.abi, 0);

  const struct {
    const char *why;
    int64_t index, position; /* -1: not here */
  } own[] = {{"owned by the table", 2, -1},
             {"held, but a lower one owns it, by the table", 3, -1},
             {"owned, by its own list", 1, 1},
             {"not in its own list", 5, -1}};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    TEST_CASE("%s", own[i].why);
    EXPECT_OK(dap_array_section(&whole, layout, 1, 1, &column, (int64_t[]){own[i].index, 0}, &part, &err),
              &err);
    if (own[i].position < 0) EXPECT_INT(part.abi, 0);
    if (own[i].position >= 0) EXPECT(part.data == (double *)whole.data + 4 * own[i].position);
    dap_array_release(&part);
  }
  TEST_CASE("lists outlive the layout");
  EXPECT_OK(dap_array_section(&whole, layout, 1, 1, &row, (int64_t[]){0, 3}, &part, &err), &err);
  dap_array_release(&other);
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  EXPECT(part.dims[0].index_count == 2 && dap_dim_index(&part.dims[0], 0) == 3);
  dap_array_release(&part);
  SETTLE();
}

/* Of 6 over 3 the process at coordinate 2 has 1 in its list (4, 2, 1), but keeps the owners of 4 and 5 only: that
 * the process at coordinate 1 owns it, the flags of its own list say. */
static void a_copy_whose_owner_others_know(void **state)
{
  (void)state;
  const dap_dist dist = dap_dist_unstructured(6, 3, lists_lengths, lists);
  dap_layout *layout = NULL;
  dap_array whole, part;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  forget(layout, 0, 2);
  EXPECT_OK(dap_array_init(&whole, layout, 2, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_section(&whole, layout, 2, 0, NULL, (int64_t[]){1}, &part, &err), &err);
  EXPECT_INT(part.abi, 0);
  EXPECT_OK(dap_array_section(&whole, layout, 2, 0, NULL, (int64_t[]){2}, &part, &err), &err);
  EXPECT(part.abi == DAP_ARRAY_ABI && part.ndim == 0 && part.data == (double *)whole.data + 1);
  dap_array_release(&part);
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_sections),
    cmocka_unit_test(sections_by_hand),
    cmocka_unit_test(what_is_refused),
    cmocka_unit_test(an_empty_axis_has_no_index),
    cmocka_unit_test(arguments_are_checked),
    cmocka_unit_test(what_stays),
    cmocka_unit_test(the_version_that_can_say_it),
    cmocka_unit_test(what_a_process_knows),
    cmocka_unit_test(a_copy_whose_owner_others_know),
};

MPI_TEST_MAIN(tests)

/* Random sections of random arrays against the brute-force model, element by element. */
#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/join.h>
#include <dapbridge/part.h>
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
  test_shuffle(random, count, order);
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
    t->index[k] = is_named(t, k) ? 0 : test_random_int(random, 0, size ? size - 1 : 0);
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

/* Every position of a process's window, padding and all, is the position of the whole's buffer that has the
 * same element, and there are as many. */
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
  EXPECT(is_as_read(joined, t->section) || !random_array_lowest_own(&t->whole)); /* a part's may be so */
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
    const dap_status s = dap_array_part((dap_darray){t->layout, a}, rank,
                                        &(dap_part){.naxes = t->ndim, .axes = t->axes, .start = t->index},
                                        &t->parts[rank], &err);
    if (s != DAP_ERR_UNSUPPORTED) EXPECT_OK(s, &err);
    is_sayable = is_sayable && s == DAP_OK;
  }
  return is_sayable;
}

static void check_all(test_random *random, trial *t)
{
  dap_error err = {0};
  EXPECT_OK(dap_layout_part(t->layout, &(dap_part){.naxes = t->ndim, .axes = t->axes, .start = t->index},
                            &t->section, t->ranks, &err),
            &err);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_sections),
};

MPI_TEST_MAIN(tests)

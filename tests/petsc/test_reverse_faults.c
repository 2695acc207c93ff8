/* Tests reverse halo updates that fail, because an allocation is refused on one process, each in turn, or
 * because arguments are wrong or differ. All processes must get the same text. The buffer must not
 * change. */
#include "live.h"
#include "refuse.h"

#include <inttypes.h>

/* clang-format off */
static const struct {
  any_kind kind;
  live_row row;
} views[] = {
  {FIELD, .row = {.layout = {"padding", 2, {11, 13}, .halo = {1, 1}}}},
  {FIELD, .row = {{"stripped", 2, {15, 17}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}},
   .periodic = {true, true}}, .options = {.strip_periodic = true}}},
  {VECTOR, .row = {.layout = {"nodes with ghosts", 1, {41}, .cut = {CUT_LOTS_BEHIND}}}},
  {VECTOR, .row = {.layout = {"ghosts among nodes: a copy", 1, {41}, .cut = {CUT_GHOSTS}}}},
};
/* clang-format on */
enum { VIEWS = sizeof views / sizeof views[0], STRIPPED = 1, FIELDS = 2 };

typedef struct trial {
  live a;
  any_view view;
  void *before; /* [a.buffer.bytes] */
} trial;

/* Makes a live view with a number in every position. */
static bool begin(trial *t, int i, dap_access access)
{
  dap_error err;
  *t = (trial){.view = {.kind = views[i].kind, .of_field = views[i].row.options}};
  live_make_row(&t->a, &views[i].row);
  const dap_darray array = {t->a.layout, &t->a.array};
  const bool is_got = EXPECT_OK(any_get(MPI_COMM_WORLD, &t->view, array, access, &err), &err);
  LIVE_EACH(&t->a, p)
  {
    const PetscScalar number = (PetscReal)(p.walk.flat + 1);
    memcpy(p.at, &number, sizeof number);
  }
  t->before = malloc((size_t)t->a.buffer.bytes);
  memcpy(t->before, t->a.buffer.memory, (size_t)t->a.buffer.bytes);
  return is_got;
}

static void check_untouched(const trial *t)
{
  EXPECT_MSG(!memcmp(t->before, t->a.buffer.memory, (size_t)t->a.buffer.bytes), "the buffer has changed");
}

static void end(trial *t)
{
  EXPECT_OK(any_do(&t->view, DISCARD, NULL), NULL);
  free(t->before);
  live_free(&t->a);
}

/* ---- memory ------------------------------------------------------------------------------------------- */

typedef struct attempt {
  int view;
  dap_padding padding;
} attempt;

static bool refuse_one(const void *what, const fault *f, int64_t number)
{
  const attempt *a = what;
  trial t;
  dap_error err = {.rank = -1};
  bool was_met = false;
  if (begin(&t, a->view, DAP_READ_WRITE)) {
    fault_start(f, number);
    const dap_status s = any_halo_reverse(&t.view, DAP_COMBINE_SUM, a->padding, &err);
    was_met = refuse_was_met(f, number, s, &err);
    if (s) check_untouched(&t);
  }
  end(&t);
  return was_met;
}

static void memory_is_refused(void **state)
{
  (void)state;
  for (int i = 0; i < FIELDS * 3; i++) {
    const attempt a = {i / 3, (dap_padding)(i % 3)};
    char why[100];
    (void)snprintf(why, sizeof why, "%s, padding %d", views[i / 3].row.layout.why, i % 3);
    const int64_t count = refuse_all(why, &refused_allocations, refuse_one, &a);
    EXPECT_MSG(count > 5, "only %" PRId64 " allocations", count);
    SETTLE();
  }
}

/* ---- arguments ---------------------------------------------------------------------------------------- */

typedef struct argument {
  dap_combine combine;
  dap_padding padding;
} argument;

/* The first or the last process passes other arguments. */
static void arguments_differ(void **state)
{
  (void)state;
  static const struct {
    argument one, others;
    const char *parts;
  } pairs[] = {
      {{DAP_COMBINE_SUM, DAP_PADDING_KEEP}, {DAP_COMBINE_SUM, DAP_PADDING_CLEAR}, "padding|not the same"},
      {{DAP_COMBINE_SUM, DAP_PADDING_REFRESH}, {DAP_COMBINE_SUM, DAP_PADDING_KEEP}, "padding|not the same"},
      {{DAP_COMBINE_NONE, DAP_PADDING_CLEAR},
       {DAP_COMBINE_NONE, DAP_PADDING_REFRESH},
       "padding|not the same"},
      {{DAP_COMBINE_MAX, DAP_PADDING_KEEP}, {DAP_COMBINE_SUM, DAP_PADDING_KEEP}, "combine|not the same"},
      {{(dap_combine)9, DAP_PADDING_KEEP}, {DAP_COMBINE_SUM, DAP_PADDING_KEEP}, "combine 9"},
      {{DAP_COMBINE_SUM, (dap_padding)-1}, {DAP_COMBINE_SUM, DAP_PADDING_KEEP}, "padding -1"}};
  enum { PAIRS = sizeof pairs / sizeof pairs[0] };
  for (int i = 0; i < VIEWS; i++) {
    trial t;
    dap_error err = {0};
    if (!begin(&t, i, DAP_READ_WRITE)) return;
    for (int p = 0; p < 2 * PAIRS; p++) {
      const bool is_one = test_rank() == (p % 2 ? test_nprocs() - 1 : 0);
      const argument a = is_one ? pairs[p / 2].one : pairs[p / 2].others;
      TEST_CASE("%s: pair %d", views[i].row.layout.why, p);
      if (test_nprocs() == 1 && p < 8) continue;
      const dap_status s = any_halo_reverse(&t.view, a.combine, a.padding, &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, pairs[p / 2].parts);
      check_untouched(&t);
    }
    EXPECT_OK(any_halo_reverse(&t.view, DAP_COMBINE_SUM, DAP_PADDING_CLEAR, &err), &err);
    end(&t);
    SETTLE();
  }
}

/* ---- refusals ----------------------------------------------------------------------------------------- */

static void refuses(void **state)
{
  (void)state;
  trial t;
  dap_error err;
  dap_petsc_field none = {0};
  EXPECT_FAIL(dap_petsc_field_halo_reverse(NULL, 0, 0, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_petsc_field_halo_reverse(&none, 0, 0, &err), DAP_ERR_ARG, &err, "not a live view");
  if (begin(&t, 0, DAP_READ))
    EXPECT_FAIL(any_halo_reverse(&t.view, 0, 0, &err), DAP_ERR_ARG, &err, "DAP_WRITE");
  end(&t);
  if (begin(&t, STRIPPED, DAP_READ_WRITE)) {
    const dap_status s = any_halo_reverse(&t.view, DAP_COMBINE_MAX, DAP_PADDING_KEEP, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "stripped");
  }
  end(&t);
  if (PetscDefined(USE_COMPLEX) && begin(&t, 0, DAP_READ_WRITE)) {
    const dap_status s = any_halo_reverse(&t.view, DAP_COMBINE_MIN, DAP_PADDING_KEEP, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "no smallest");
    end(&t);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts), cmocka_unit_test(memory_is_refused), cmocka_unit_test(arguments_differ),
    cmocka_unit_test(refuses),      cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)

/* Parts of arrays as vectors that live on: loaded, stored, discarded, their padding filled, described. */
#include "live_axes.h"
#include "vector_check.h"

/* clang-format off */
static const live_row rows[] = {
  {"all of one axis, padded", 1, {PAD(37, 1)}, .want = {.global = SHARED}},
  {"all of one cyclic axis", 1, {ROUND(37, 2)}, .want = {.global = MOVED}},
  {"rows", 2, {PAD(24, 1), ONE(5)}, .want = {.global = SHARED}},
  {"a range of rows", 2, {PAD(24, 1), ONE(5)}, .index = {3, 0}, .shape = {17, 5}, .want = {.global = SHARED}},
  {"a range of columns", 2, {ALL(24), ONE(5)}, .index = {0, 1}, .shape = {24, 3}, .want = {.global = MOVED}},
  {"a column in F order", 2, {PAD(24, 1), ONE(5)}, 1, {0}, {0, 2}, .form = FORM_F,
   .want = {.global = SHARED}},
  {"a column in C order", 2, {PAD(24, 1), ONE(5)}, 1, {0}, {0, 2}, .want = {.global = MOVED}},
  {"a row, which one process has", 2, {PAD(24, 1), ONE(5)}, 1, {1}, {23, 0}, .want = {.global = SHARED}},
  {"a column of a grid of processes", 2, {PAD(18, 1), PAD(14, 1)}, 1, {0}, {0, 9}, .form = FORM_F,
   .want = {.global = SHARED}},
  {"a column of a grid of processes in C order", 2, {PAD(18, 1), PAD(14, 1)}, 1, {0}, {0, 9},
   .want = {.global = MOVED}},
  {"axes swapped, F order of entries", 2, {ALL(24), ONE(5)}, 2, {1, 0}, .options = {.order = DAP_ORDER_F},
   .want = {.global = SHARED}},
  {"axes swapped, C order of entries", 2, {ALL(24), ONE(5)}, 2, {1, 0}, .want = {.global = MOVED}},
  {"a new axis", 2, {PAD(24, 1), ONE(5)}, 3, {0, -1, 1}, .want = {.global = SHARED}},
  {"two of three axes", 3, {PAD(12, 1), ONE(4), ONE(3)}, 2, {0, 2}, {0, 1, 0}, .want = {.global = MOVED}},
  {"a plane of three axes", 3, {ONE(3), PAD(14, 1), ONE(4)}, 2, {1, 2}, {2, 0, 0},
   .want = {.global = SHARED}},
  {"lists along a column", 2, {LIST(24), ONE(5)}, 1, {0}, {0, 3}, .form = FORM_F, .want = {.global = SHARED}},
  {"a range of lists", 1, {LIST(24)}, .index = {3}, .shape = {17}, .want = {.global = MOVED}},
  {"a range of blocks dealt", 1, {ROUND(40, 2)}, .index = {3}, .shape = {20}, .want = {.global = MOVED}},
  {"a range of two axes of a grid", 2, {PAD(18, 1), PAD(14, 1)}, .index = {2, 3}, .shape = {11, 9},
   .want = {.global = DEPENDS}},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

static void check_words(const live *a, const dap_petsc_vector *v)
{
  char text[1024], head[64];
  int64_t count = 1;
  for (int j = 0; j < live_ndim(a); j++) count *= live_size(a, j);
  (void)snprintf(head, sizeof head, "vector of %d entries; %s", (int)count, v->shared ? "shared" : "moved");
  EXPECT(dap_petsc_vector_describe(v, text, sizeof text) == strlen(text));
  EXPECT_MSG(strncmp(text, head, strlen(head)) == 0 && strstr(text, v->reason), "%s", text);
}

static void live_on(const live_row *row, dap_sharing sharing)
{
  enum { FIRST = 1000, SECOND = 2000, THIRD = 3000, LAST = 4000 };
  live a;
  dap_petsc_vector v;
  dap_error err = {.rank = -1};
  live_make_row(&a, row);
  const dap_petsc_vector_options o = {.sharing = sharing, .part = live_part(&a), .order = row->options.order};
  const dap_darray array = {a.layout, &a.array};
  if (EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, &o, &v, &err), &err)) {
    if (sharing == DAP_SHARE_NEVER) EXPECT(!v.shared);
    if (sharing != DAP_SHARE_NEVER && row->want.global != DEPENDS && test_nprocs() > 2)
      EXPECT_MSG(v.shared == (row->want.global == SHARED), "shared %d: %s", v.shared, v.reason);
    EXPECT(!v.shared || v.moved_bytes == 0);
    vector_visit(&a, &v, CHECK, 0);
    vector_check_norm(&v);
    check_words(&a, &v);

    live_fill(&a, FIRST);
    EXPECT_OK(dap_petsc_vector_load(&v, &err), &err);
    vector_visit(&a, &v, CHECK, FIRST);
    vector_check_norm(&v);
    EXPECT_OK(dap_petsc_vector_halo(&v, &err), &err);
    live_check(&a, FIRST, BEFORE, BEFORE, PADDING_FILLED);

    vector_visit(&a, &v, WRITE, SECOND);
    EXPECT_OK(dap_petsc_vector_store(&v, &err), &err);
    live_check(&a, SECOND, BEFORE, BEFORE, PADDING_FILLED);
    EXPECT(v.shared == (v.moved_bytes == 0) || !v.vec || row->want.global != SHARED);

    dap_petsc_vector copy = v;
    EXPECT_FAIL(dap_petsc_vector_store(&copy, &err), DAP_ERR_ARG, &err, "a copy of a live view");

    vector_visit(&a, &v, WRITE, THIRD);
    const bool is_shared = v.shared;
    EXPECT_OK(dap_petsc_vector_discard(&v, &err), &err);
    EXPECT(!v.vec && !v.ao && v.shared == is_shared);
    live_check(&a, is_shared ? THIRD : SECOND, BEFORE, BEFORE, PADDING_ANY);
    EXPECT_FAIL(dap_petsc_vector_load(&v, &err), DAP_ERR_ARG, &err, "not a live view");

    EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, array, DAP_WRITE, &o, &v, &err), &err);
    vector_visit(&a, &v, WRITE, LAST);
    EXPECT_OK(dap_petsc_vector_restore(&v, &err), &err);
    live_check(&a, LAST, BEFORE, BEFORE, PADDING_FILLED);
  }
  live_free(&a);
}

static void check_rows(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++)
    for (int never = 0; never < 2; never++) {
      TEST_CASE("%s%s", rows[i].why, never ? ", moved" : "");
      live_on(&rows[i], never ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE);
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(check_rows),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)

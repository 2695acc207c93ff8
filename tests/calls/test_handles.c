/* Checks that every function that returns a status refuses a layout, plan or view that is invalid or
 * destroyed, and does not change a byte of it. */
#include "calls.h"
#include "mpi_test.h"
#include "sanitizer.h"

/* Memory that is not a layout or a plan. If a function took it for one, its pointers would be wild. */
static unsigned char foreign[4096];
enum { BYTE = 0x5a };

static void end(const call *row, dap_status s, const dap_error *err, const char *parts)
{
  if (row->needs_mpi && row->handle == NO_HANDLE)
    expect_same_error(MPI_COMM_WORLD, s, err, DAP_ERR_ARG, parts);
  else
    EXPECT_FAIL(s, DAP_ERR_ARG, err, parts);
  for (size_t i = 0; i < sizeof foreign; i++)
    if (!EXPECT_INT(foreign[i], BYTE)) break;
  SETTLE();
}

/* Checks that no call with valid arguments is refused. So the wrong argument causes the refusals in the
 * tests below. */
static void right_arguments(void **state)
{
  (void)state;
  for (const call *row = calls_first; row; row = row->next) {
    call_arguments g;
    dap_scalapack_matrix matrix;
    toy_matrix toy;
    dap_error err = {.rank = -1};
    TEST_CASE("%s", row->name);
    calls_begin(&g, test_nprocs(), test_rank(), DAP_ORDER_C);
    EXPECT_OK(calls_open(&g, &matrix, &toy, &err), &err);
    const dap_status s = row->run(&g, &err);
    EXPECT_MSG(s == DAP_OK || s == DAP_ERR_NUMERIC, "%d: %s", (int)s, err.text);
    EXPECT_OK(calls_close(&g, &err), &err);
    calls_end(&g);
    SETTLE();
  }
}

/* Replaces each layout that a function takes by a wrong one. */
static void refuse(const call_arguments *right, const dap_layout *wrong)
{
  memset(foreign, BYTE, sizeof foreign);
  for (const call *row = calls_first; row; row = row->next)
    for (int i = 0; i < ARRAYS; i++) {
      if (!(row->takes & 1U << i)) continue;
      TEST_CASE("%s, layout %d", row->name, i);
      dap_error err = {.rank = -1};
      call_arguments g = *right;
      g.array[i].layout = wrong;
      end(row, row->run(&g, &err), &err, "layout is not a layout|destroyed");
    }
}

static void foreign_layouts(void **state)
{
  (void)state;
  call_arguments g;
  calls_begin(&g, test_nprocs(), test_rank(), DAP_ORDER_C);
  refuse(&g, (const dap_layout *)(const void *)foreign);
  dap_layout *destroyed = (dap_layout *)(void *)foreign;
  dap_layout_destroy(&destroyed);
  EXPECT(destroyed == NULL);
  calls_end(&g);
}

/* Uses a second reference after the layout was destroyed. Not run with sanitizers, because they report
 * reads of freed memory. */
static void destroyed_layouts(void **state)
{
  (void)state;
#if !UNDER_SANITIZER
  call_arguments g;
  const dap_dist dists[2] = {dap_dist_even(8, test_nprocs()), dap_dist_local(8)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  calls_begin(&g, test_nprocs(), test_rank(), DAP_ORDER_C);
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  dap_layout *volatile stale = layout;
  dap_layout_destroy(&layout);
  refuse(&g, stale);
  layout = stale;
  dap_layout_destroy(&layout);
  calls_end(&g);
#endif
  SETTLE();
}

static void foreign_plans(void **state)
{
  (void)state;
  call_arguments g;
  memset(foreign, BYTE, sizeof foreign);
  calls_begin(&g, test_nprocs(), test_rank(), DAP_ORDER_C);
  g.plan = (dap_plan *)(void *)foreign;
  g.factors = (dap_linalg_factors *)(void *)foreign;
  for (const call *row = calls_first; row; row = row->next) {
    if (row->handle != PLAN && row->handle != FACTORS) continue;
    TEST_CASE("%s", row->name);
    dap_error err = {.rank = -1};
    end(row, row->run(&g, &err), &err,
        row->handle == PLAN ? "plan is not a plan|destroyed" : "factors are not factors|destroyed");
  }
  calls_end(&g);
}

/* Uses a copy of a live view. The view itself stays valid. */
static void copied_views(void **state)
{
  (void)state;
  call_arguments g;
  dap_error err = {.rank = -1};
  dap_scalapack_matrix matrix, other_matrix;
  toy_matrix toy, other_toy;
  memset(foreign, BYTE, sizeof foreign);
  calls_begin(&g, test_nprocs(), test_rank(), DAP_ORDER_C);
  EXPECT_OK(dap_scalapack_get(g.comm, g.array[A], DAP_READ_WRITE, NULL, &matrix, &err), &err);
  EXPECT_OK(toy_get(g.comm, g.array[B], DAP_READ_WRITE, NULL, &toy, &err), &err);
  other_matrix = matrix;
  other_toy = toy;
  g.matrix = &other_matrix;
  g.toy = &other_toy;
  for (const call *row = calls_first; row; row = row->next) {
    if (row->handle != MATRIX && row->handle != TOY) continue;
    TEST_CASE("%s", row->name);
    err = (dap_error){.rank = -1};
    end(row, row->run(&g, &err), &err, "a copy of a live view");
  }
  EXPECT_OK(dap_scalapack_restore(&matrix, &err), &err);
  EXPECT_OK(toy_restore(&toy, &err), &err);
  calls_end(&g);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(right_arguments), cmocka_unit_test(foreign_layouts), cmocka_unit_test(destroyed_layouts),
    cmocka_unit_test(foreign_plans),   cmocka_unit_test(copied_views),
};
MPI_TEST_MAIN(tests)

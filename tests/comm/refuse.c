#include "refuse.h"

void make_base(base which, dap_layout **layout, dap_array *array)
{
  const int P = test_nprocs(), columns = P % 2 == 0 ? 2 : 1, rows = P / columns;
  const dap_dist padded = {.procs = P, .size = 4 * P, .halo = 1};
  const dap_dist plain = dap_dist_even(P, P), cyclic = dap_dist_cyclic(4 * P, P, 2);
  const dap_dist grid[] = {dap_dist_even(4 * rows, rows), dap_dist_cyclic(4 * columns, columns, 2)};
  const dap_dist *const dists[] = {[PADDED] = &padded, [PLAIN] = &plain, [CYCLIC] = &cyclic, [GRID] = grid};
  EXPECT_OK(dap_layout_create(which == GRID ? 2 : 1, dists[which], layout, NULL), NULL);
  EXPECT_OK(dap_array_init(array, *layout, test_rank(), DAP_F8, DAP_ORDER_C, NULL, NULL), NULL);
}

static bool is_applicable(const row *r)
{
  return test_nprocs() >= r->least && (r->base != GRID || test_nprocs() % 2 == 0);
}

void check_row(const row *r)
{
  if (!is_applicable(r)) return;
  const int me = test_rank(), last = test_nprocs() - 1;
  dap_layout *layout = NULL;
  dap_array right;
  make_base(r->base, &layout, &right);
  dap_array array = right;
  if (r->who == EVERY || r->who == me || (r->who == LAST && me == last)) apply_changes(&array, r->changes);
  if (r->whose > 0 && r->whose == me) apply_changes(&array, r->more);
  for (int odd_err = 0; odd_err < 2; odd_err++) { /* the second time only even ranks want the text */
    dap_error err = {0};
    dap_layout *got = layout; /* anything but NULL */
    TEST_CASE("%s", r->why);
    const dap_status s = dap_layout_assemble(MPI_COMM_WORLD, &array, &got, odd_err && me % 2 ? NULL : &err);
    if (odd_err)
      EXPECT_INT(s, r->want);
    else
      expect_same_error(MPI_COMM_WORLD, s, &err, r->want, r->parts);
    if (!odd_err || me % 2 == 0) expect_rule(&err, r->rule);
    EXPECT((got == NULL) == (r->want != DAP_OK));
    if (got != layout) dap_layout_destroy(&got);
  }
  dap_layout_destroy(&layout);
  dap_array_release(&right);
  SETTLE();
}

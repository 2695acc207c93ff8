/* The predicate against a search: an axis is block-cyclic iff some block size and some first owner put every
 * element where the brute-force model has it. */
#include "operand.h"

/* True iff block size `block` fits, with some first owner. */
static bool fits(const brute_axis *axis, int64_t block)
{
  for (int source = 0; source < axis->procs; source++) {
    int64_t i = 0;
    while (i < axis->size && axis->owner[i] == (int)((i / block + source) % axis->procs)) i++;
    if (i == axis->size) return true;
  }
  return false;
}

/* True iff both axes fit, with equal block sizes if they must be square. */
static bool is_cyclic(const brute_axis axis[2], bool square)
{
  const int64_t most = (axis[0].size > axis[1].size ? axis[0].size : axis[1].size) + 1;
  bool one[2] = {false, false}, both = false;
  for (int64_t block = 1; block <= most; block++) {
    const bool fit[2] = {fits(&axis[0], block), fits(&axis[1], block)};
    for (int k = 0; k < 2; k++) one[k] = one[k] || fit[k];
    both = both || (fit[0] && fit[1]);
  }
  return square ? both : one[0] && one[1];
}

static bool run_case(test_random *random, int shared[2])
{
  static brute_axis axis[2];
  int64_t lengths[2][BRUTE_PROCS];
  int procs[2];
  dap_dist dists[2];
  random_grid(random, test_nprocs(), 2, procs);
  for (int k = 0; k < 2; k++) {
    dists[k] = random_dist(random, procs[k], 12, true, lengths[k]);
    if (!EXPECT(brute_deal(&dists[k], &axis[k]))) return false;
  }
  const bool square = test_random_one_in(random, 3), f_order = test_random_one_in(random, 2);
  TEST_CASE("[%s] [%s] %s%s", dist_text(&dists[0]), dist_text(&dists[1]), square ? "square " : "",
            f_order ? "F" : "C");
  operand o = operand_make(MPI_COMM_WORLD, dists, DAP_F4, f_order ? OPERAND_F : OPERAND_C);
  dap_scalapack_matrix m;
  dap_error err = {0};
  EXPECT_OK(dap_scalapack_get(o.comm, (dap_darray){o.layout, &o.array}, DAP_READ_WRITE,
                              &(dap_scalapack_options){.needs.square_blocks = square}, &m, &err),
            &err);
  if (m.view.view) {
    EXPECT_MSG(m.shared == is_cyclic(axis, square), "%s: %s", m.shared ? "shared" : "moved", m.reason);
    EXPECT(!square || m.desc[4] == m.desc[5]);
    EXPECT(!m.shared || operand_holds(&o, &m));
    EXPECT_INT(matrix_moved(&o, &m), m.shared ? 0 : dap_layout_count(o.layout) * 4);
    matrix_check(&m, &o);
    matrix_write(&m, &o);
    shared[m.shared]++;
  }
  EXPECT_OK(dap_scalapack_restore(&m, &err), &err);
  check_global(o.layout, o.rank, &o.array, PADDING_POISON);
  check_gaps(&o.buffer);
  operand_free(&o);
  return true;
}

static void the_predicate_agrees_with_a_search(void **state)
{
  (void)state;
  test_random random = test_random_init(31);
  int shared[2] = {0};
  for (int i = 0; i < 400; i++) {
    run_case(&random, shared);
    SETTLE();
  }
  EXPECT_MSG(shared[1] > 50 && (test_nprocs() == 1 || shared[0] > 10), "%d moved, %d shared", shared[0],
             shared[1]);
  SETTLE();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_predicate_agrees_with_a_search)};
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}

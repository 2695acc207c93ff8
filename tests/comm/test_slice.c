/* Takes slices of an assembled array. No process knows all lists, but each can cut its own part, and the
 * parts must make the same layout as a slice of the whole array. tests/model checks where the elements
 * are. */
#include "mpi_test.h"

#include <dapbridge/part.h>

enum { EACH = 4 /* indices of a process */, MOST = 64 };

/* Makes descending lists of EACH indices, process after process, and a padded axis that every process has
 * whole. */
static dap_layout *create(int64_t indices[MOST][EACH])
{
  const int64_t *lists[MOST];
  int64_t lengths[MOST];
  const int procs = test_nprocs();
  for (int p = 0; p < procs; p++) {
    lists[p] = indices[p];
    lengths[p] = EACH;
    for (int i = 0; i < EACH; i++) indices[p][i] = (int64_t)EACH * (p + 1) - 1 - i;
  }
  dap_dist dists[] = {dap_dist_unstructured((int64_t)EACH * procs, procs, lengths, lists),
                      dap_dist_even(6, 1)};
  dap_layout *layout = NULL;
  EXPECT_OK(dap_layout_create(2, dists, &layout, NULL), NULL);
  return layout;
}

static void parts_are_assembled(void **state)
{
  (void)state;
  int64_t indices[MOST][EACH];
  dap_layout *created = create(indices), *whole = NULL, *cut = NULL, *again = NULL;
  dap_array array = {0}, part = {0};
  dap_error err = {0};
  const int64_t lo[] = {1, 2}, shape[] = {(int64_t)EACH * test_nprocs() - 2, 3};
  const dap_part range = {.start = lo, .shape = shape};
  EXPECT_OK(dap_array_init(&array, created, test_rank(), DAP_I8, DAP_ORDER_F, NULL, &err), &err);
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &array, &whole, &err), &err);
  const dap_status want = test_nprocs() > 1 ? DAP_ERR_REMOTE : DAP_OK;
  EXPECT_STATUS(dap_layout_part(whole, &range, &cut, NULL, &err), want, &err);
  dap_layout_destroy(&cut);
  EXPECT_OK(dap_layout_part(created, &range, &cut, NULL, &err), &err);
  EXPECT_OK(dap_array_part((dap_darray){whole, &array}, test_rank(), &range, &part, &err), &err);
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &part, &again, &err), &err);
  EXPECT(dap_layout_is_equal(cut, again) && dap_layout_hash(cut) == dap_layout_hash(again));
  dap_array_release(&part);
  dap_array_release(&array);
  dap_layout_destroy(&again);
  dap_layout_destroy(&cut);
  dap_layout_destroy(&whole);
  dap_layout_destroy(&created);
  SETTLE();
}

/* Only rank 0 has a list in which a range lies at unequal distances. No other process sees this list, but
 * all must refuse the slice. */
static void all_processes_refuse(void **state)
{
  (void)state;
  int64_t indices[MOST][EACH];
  dap_layout *created = create(indices), *whole = NULL;
  dap_array array = {0}, part = {0};
  dap_error err = {0};
  const dap_part range = {.start = (int64_t[]){0, 0}, .shape = (int64_t[]){EACH - 1, 6}};
  EXPECT_OK(dap_array_init(&array, created, test_rank(), DAP_I8, DAP_ORDER_C, NULL, &err), &err);
  int64_t own[EACH]; /* 0 1 3 2: 0, 1 and 2 are at positions 0, 1 and 3 */
  for (int i = 0; i < EACH; i++) own[i] = (int64_t)EACH * test_rank() + (i < 2 ? i : EACH + 1 - i);
  for (int i = 0; i < EACH && test_rank() > 0; i++) own[i] = indices[test_rank()][i];
  array.dims[0].indices = own;
  array.dims[0].indices_dtype = DAP_I8;
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &array, &whole, &err), &err);
  EXPECT_FAIL(dap_array_part((dap_darray){whole, &array}, test_rank(), &range, &part, &err), DAP_ERR_SHARE,
              &err, "axis 0");
  dap_array_release(&array);
  dap_layout_destroy(&whole);
  dap_layout_destroy(&created);
  SETTLE();
}

/* Takes a part of the last process's row, in an array whose columns are listed at one coordinate. The
 * other processes, which have nothing of the part, must refuse it as well. */
static void processes_without_a_part_refuse(void **state)
{
  (void)state;
  const int procs = test_nprocs();
  const int64_t six = 6, mixed[] = {5, 1, 2, 0, 4, 3}, *const lists[] = {mixed};
  const dap_dist dists[] = {dap_dist_even(procs, procs), dap_dist_unstructured(6, 1, &six, lists)};
  dap_layout *created = NULL, *whole = NULL;
  dap_array array = {0}, part = {0};
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &created, &err), &err);
  EXPECT_OK(dap_array_init(&array, created, test_rank(), DAP_I8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &array, &whole, &err), &err);
  const dap_part row = {
      .naxes = 1, .axes = (int[]){1}, .start = (int64_t[]){procs - 1, 1}, .shape = (int64_t[]){0, 5}};
  EXPECT_FAIL(dap_array_part((dap_darray){whole, &array}, test_rank(), &row, &part, &err), DAP_ERR_SHARE,
              &err, "axis 1");
  dap_array_release(&array);
  dap_layout_destroy(&whole);
  dap_layout_destroy(&created);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_assembled),
                                          cmocka_unit_test(all_processes_refuse),
                                          cmocka_unit_test(processes_without_a_part_refuse)};

MPI_TEST_MAIN(tests)

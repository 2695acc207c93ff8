/* Checks which memory remains after arrays of dap_array_alloc() are released, and for arrays that still
 * exist when MPI ends. */
#include "buffers.h"
#include "mpi_test.h"
#include "shared_memory.h"

/* Returns the highest number of a few new communicators. MPI gives each the lowest free number, or has
 * none left. */
static int number_communicators(void)
{
  MPI_Comm comms[8];
  int highest = 0;
  for (int i = 0; i < 8; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    const int number = (int)MPI_Comm_c2f(comms[i]);
    highest = number > highest ? number : highest;
  }
  for (int i = 0; i < 8; i++) MPI_Comm_free(&comms[i]);
  return highest;
}

/* Checks that mappings, file handles and communicators are returned. */
static void nothing_is_left(void **state)
{
  (void)state;
  const int cycles = test_nprocs() <= 2 ? 1000 : 300;
  const int file = lowest_file(), number = number_communicators();
  dap_layout *layout = make_usual_layout();
  for (int i = 0; i < cycles; i++) {
    dap_array array = make_array(layout, NULL);
    if (i % 100 == 99) EXPECT(count_mappings() <= test_nprocs());
    dap_array_release(&array);
  }
  const int now = number_communicators();
  EXPECT_MSG(now < number + 20, "the highest communicator had number %d, now %d", number, now);
  EXPECT_MSG(test_same_files(file, lowest_file()), "the lowest free file was %d, now %d", file,
             lowest_file());
  EXPECT(count_mappings() <= 0);
  dap_layout_destroy(&layout);
  SETTLE();
}

static dap_array left; /* still exists when MPI ends */
static dap_segment left_segment;
static int32_t left_element;

static void one_is_left(void **state)
{
  (void)state;
  dap_layout *layout = make_usual_layout();
  left = make_array(layout, NULL);
  left_segment = segment_of(left.data);
  fill_global(layout, test_rank(), &left);
  left_element = ((const int32_t *)left.data)[1];
  EXPECT(left_element != 0);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Checks that MPI_Finalize keeps the array's memory, and that the list is empty. */
static int check_left(void)
{
  const int32_t *data = left.data;
  const bool good = data[1] == left_element && segment_of(data).id == 0 && !segment_at(&left_segment) &&
                    !dap_self_lock(false);
  dap_self_unlock();
  dap_array_release(&left);
  return good && count_mappings() <= 0 ? 0 : 1;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_is_left),
    cmocka_unit_test(one_is_left),
};

int main(int argc, char **argv)
{
  const int failed = mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
  return failed ? failed : check_left();
}

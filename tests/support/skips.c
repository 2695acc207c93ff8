/* One test is skipped, and another one runs. The program's exit status must say that a test was skipped. */
#include "mpi_test.h"

static void is_not_tried(void **state)
{
  (void)state;
  test_skip("because");
  EXPECT_MSG(false, "it is left");
}

static void is_tried(void **state)
{
  (void)state;
  EXPECT(true);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(is_not_tried), cmocka_unit_test(is_tried)};

MPI_TEST_MAIN(tests)

/* Tridiagonal matrices, of vectors in every layout. What else holds of bands is in test_banded.c,
 * test_banded_fails.c and test_banded_refused.c, also for them. */
#include "banded.h"

static void tridiagonal(void **state)
{
  (void)state;
  bands_everywhere(THREE);
  bands_everywhere(POSITIVE_THREE);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(tridiagonal)};
LINALG_TEST_MAIN(tests)

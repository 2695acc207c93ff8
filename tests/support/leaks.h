/* What the leak sanitizer, if there is one, overlooks. */
#ifndef DAP_TEST_LEAKS_H
#define DAP_TEST_LEAKS_H

#include <stdbool.h>

/* Whether it overlooks what this thread allocates from here on: for what other libraries lose. */
void test_ignore_leaks(bool ignore);

#endif

/* Tells the leak sanitizer, if there is one, which memory it must ignore. */
#ifndef DAP_TEST_LEAKS_H
#define DAP_TEST_LEAKS_H

#include <stdbool.h>

/* Whether it overlooks what this thread allocates from here on: for what other libraries lose. */
void test_ignore_leaks(bool ignore);

#endif

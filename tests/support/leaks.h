/* What the leak sanitizer, if there is one, overlooks. */
#ifndef DAP_TEST_LEAKS_H
#define DAP_TEST_LEAKS_H

#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif

/* Whether it overlooks what this thread allocates from here on: for what other libraries lose. */
void test_ignore_leaks(bool ignore);

#endif

/* Defines whether the program is compiled with the address sanitizer of gcc or clang, and tells the leak
 * sanitizer, if there is one, which memory it must ignore. */
#ifndef DAP_TEST_SANITIZER_H
#define DAP_TEST_SANITIZER_H

#include <stdbool.h>

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER 0
#endif

/* Sets whether the leak sanitizer ignores what this thread allocates from now on. Other libraries lose
 * memory. */
void test_ignore_leaks(bool ignore);

#endif

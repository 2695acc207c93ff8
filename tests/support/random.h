/* Generates random numbers for tests from a seed. */
#ifndef DAP_TEST_RANDOM_H
#define DAP_TEST_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). The same
 * seed gives the same numbers on every process, so that all draw the same cases without talking. */
typedef struct test_random {
  uint64_t state;
} test_random;

/* The seed of this run: DAP_TEST_SEED from the environment, else a fixed number, so that a run can be
 * repeated. Printed by mpi_test_main(). */
uint64_t test_seed(void);

/* Of loops over thousands of cases the default tier of tests/run.sh does one in so many: DAP_TEST_SCALE
 * from the environment, else 1. */
int test_scale(void);

/* How many cases are drawn: DAP_TEST_CASES from the environment, else one in test_scale() of the usual ones,
 * and six at least. */
int test_cases(int usual);

/* A generator for one test: `stream` keeps the tests of a program apart. */
test_random test_random_init(uint64_t stream);

uint64_t test_random_bits(test_random *random);

/* Evenly from low..high, both included. */
int64_t test_random_int(test_random *random, int64_t low, int64_t high);

/* True with probability 1 / n. */
bool test_random_one_in(test_random *random, int64_t n);

/* Puts a list of numbers into a random order (Durstenfeld, "Algorithm 235: random permutation", CACM 7,
 * 1964). */
#define test_shuffle(random, count, list) test_shuffle_any((random), (count), sizeof *(list), (list))
void test_shuffle_any(test_random *random, int64_t count, size_t size, void *list);

#endif

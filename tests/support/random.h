/* Generates random numbers for tests from a seed. */
#ifndef DAP_TEST_RANDOM_H
#define DAP_TEST_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). The same seed
 * gives the same numbers on every process, so all processes draw the same cases. */
typedef struct test_random {
  uint64_t state;
} test_random;

/* Returns the seed of this run: DAP_TEST_SEED from the environment, or a fixed number. mpi_test_main() prints
 * it, so that a run can be repeated. */
uint64_t test_seed(void);

/* Returns DAP_TEST_SCALE from the environment, or 1. Loops over thousands of cases try one case in this
 * number. The default tier of tests/run.sh sets it. */
int test_scale(void);

/* Returns how many cases are drawn: DAP_TEST_CASES from the environment, or usual / test_scale(), but at
 * least six. */
int test_cases(int usual);

/* Makes a generator for one test. Tests of a program use different streams. */
test_random test_random_init(uint64_t stream);

uint64_t test_random_bits(test_random *random);

/* Draws a number from low .. high evenly. Both ends are included. */
int64_t test_random_int(test_random *random, int64_t low, int64_t high);

/* Returns true with probability 1 / n. */
bool test_random_one_in(test_random *random, int64_t n);

/* The most elements along an axis that random_shape() draws. test_each() (mpi_test.h) lowers it to find a
 * small case that fails. */
extern int64_t test_most;

/* Puts a list of numbers into a random order (Durstenfeld, "Algorithm 235: random permutation", CACM 7,
 * 1964). */
#define test_shuffle(random, count, list) test_shuffle_any((random), (count), sizeof *(list), (list))
void test_shuffle_any(test_random *random, int64_t count, size_t size, void *list);

#endif

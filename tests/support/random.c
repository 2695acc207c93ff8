#include "random.h"

#include <stdlib.h>
#include <string.h>

int64_t test_most = INT64_MAX;

uint64_t test_seed(void)
{
  const char *text = getenv("DAP_TEST_SEED");
  return text ? strtoull(text, NULL, 0) : 20240229u;
}

int test_scale(void)
{
  const char *text = getenv("DAP_TEST_SCALE");
  const long scale = text ? strtol(text, NULL, 10) : 1;
  return scale > 1 && scale < 1000 ? (int)scale : 1;
}

int test_cases(int usual)
{
  enum { FEWEST = 6 };
  const char *text = getenv("DAP_TEST_CASES");
  if (text) return (int)strtol(text, NULL, 10);
  const int fewer = usual / test_scale(), least = usual < FEWEST ? usual : FEWEST;
  return fewer > least ? fewer : least;
}

test_random test_random_init(uint64_t stream)
{
  test_random random = {test_seed() ^ (stream * 0xD1B54A32D192ED03u)};
  (void)test_random_bits(&random);
  return random;
}

uint64_t test_random_bits(test_random *random)
{
  uint64_t z = random->state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* The remainder has a bias below 2^-40 for the small ranges that tests draw. */
int64_t test_random_int(test_random *random, int64_t low, int64_t high)
{
  return low + (int64_t)(test_random_bits(random) % ((uint64_t)(high - low) + 1));
}

bool test_random_one_in(test_random *random, int64_t n)
{
  return test_random_int(random, 1, n) == 1;
}

void test_shuffle_any(test_random *random, int64_t count, size_t size, void *list)
{
  unsigned char *const first = list, kept[sizeof(int64_t)];
  for (int64_t i = count - 1; i > 0; i--) {
    unsigned char *const one = first + (size_t)i * size;
    unsigned char *const other = first + (size_t)test_random_int(random, 0, i) * size;
    memcpy(kept, one, size);
    memmove(one, other, size);
    memcpy(other, kept, size);
  }
}

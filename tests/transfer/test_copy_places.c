/* Compares copies from and to listed places with copies that are made one by one. Nothing around the
 * destination's elements may change. Private: plans reach few of these cases. */
#include "buffers.h"
#include "mpi_test.h"
#include "transfer_impl.h"

enum { PLACES = 61, MOST_BYTES = 140 /* at a place */, MOST_STEP = MOST_BYTES + 10 };

/* Elements at one end: one after the other, at equal steps with gaps, or listed with a number of bytes for
 * each position. */
static const struct list {
  const char *why;
  int width;
  bool has_gaps;
} lists[] = {
    {"together", 0, false}, {"with gaps", 0, true}, {"in 4 bytes", 4, false}, {"in 8 bytes", 8, true}};
enum { LISTS = sizeof(lists) / sizeof(lists[0]), FIRST = 3 };

/* The places of all elements, from number FIRST on, are a permutation. */
static dap_places places_of(const struct list *list, int64_t bytes, int64_t multiplier, void *positions)
{
  for (int64_t i = 0; i < PLACES; i++) {
    const int64_t at = i * multiplier % PLACES;
    if (list->width == 4) ((uint32_t *)positions)[FIRST + i] = (uint32_t)at;
    if (list->width == 8) ((int64_t *)positions)[FIRST + i] = at;
  }
  return (dap_places){.at = {.data = list->width > 0 ? positions : NULL, .width = list->width},
                      .first = FIRST,
                      .step = bytes + (list->has_gaps ? 9 : 0)};
}

static int64_t place_at(const dap_places *p, int64_t i)
{
  if (!p->at.data) return i * p->step;
  return p->step * (p->at.width == 4 ? (int64_t)((const uint32_t *)p->at.data)[FIRST + i]
                                     : ((const int64_t *)p->at.data)[FIRST + i]);
}

static void check_pairs(const struct list *a, const struct list *b, int64_t each, int64_t itemsize)
{
  int64_t positions[2][FIRST + PLACES];
  const int64_t bytes = each * itemsize;
  const dap_places source = places_of(a, bytes, 17, positions[0]);
  const dap_places destination = places_of(b, bytes, 23, positions[1]);
  const size_t size = (size_t)((PLACES - 1) * source.step + bytes);
  static unsigned char got[PLACES * MOST_STEP], want[PLACES * MOST_STEP];
  unsigned char *from = malloc(size); /* so that a sanitizer sees reads beyond the end */
  if (!from) abort();
  for (size_t i = 0; i < size; i++) from[i] = (unsigned char)(i * 397 / 3);
  memset(got, TEST_POISON, sizeof got);
  memset(want, TEST_POISON, sizeof want);
  for (int64_t i = 0; i < PLACES; i++)
    memcpy(want + 1 + place_at(&destination, i), from + place_at(&source, i), (size_t)bytes);
  dap_copy_pairs(&(dap_pairs){.from = (const char *)from,
                              .to = (char *)got + 1,
                              .source = source,
                              .destination = destination,
                              .count = PLACES,
                              .each = each},
                 itemsize);
  EXPECT(!memcmp(got, want, sizeof got));
  free(from);
}

/* Tries every number of bytes that is copied in its own way, and the numbers around it. */
static void copies_listed_places(void **state)
{
  (void)state;
  for (int a = 0; a < LISTS; a++)
    for (int b = 0; b < LISTS; b++)
      for (int64_t bytes = 1; bytes <= MOST_BYTES; bytes++) {
        const int64_t each = bytes % 3 == 0 ? 3 : 1;
        TEST_CASE("%d bytes at each place, from %s to %s", (int)bytes, lists[a].why, lists[b].why);
        check_pairs(&lists[a], &lists[b], each, bytes / each);
      }
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(copies_listed_places)};
MPI_TEST_MAIN(tests)

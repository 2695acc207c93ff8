/* Notes which variable, by its address, holds which object, in a hash table with open addressing for all
 * threads. */
#include "fortran_impl.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct holder {
  void **variable; /* NULL: a free place */
  void *object;
} holder;

static struct {
  atomic_flag locked;
  holder *places; /* [capacity] */
  size_t capacity, count;
} table = {.locked = ATOMIC_FLAG_INIT};

enum { LEAST = 64 }; /* places; always a power of two; at most three quarters are in use */

static size_t first_place(void **variable, size_t capacity)
{
  return (size_t)(((uint64_t)(uintptr_t)variable >> 3) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (capacity - 1);
}

/* Returns the place where the variable is, or would be. */
static size_t find(const holder *places, size_t capacity, void **variable)
{
  size_t i = first_place(variable, capacity);
  while (places[i].variable && places[i].variable != variable) i = (i + 1) & (capacity - 1);
  return i;
}

/* Makes room for one more entry. Returns false if there is no memory. */
static bool grow(void)
{
  if (4 * (table.count + 1) <= 3 * table.capacity) return true;
  const size_t capacity = table.capacity ? 2 * table.capacity : LEAST;
  holder *places = calloc(capacity, sizeof *places);
  if (!places) return false;
  for (size_t i = 0; i < table.capacity; i++)
    if (table.places[i].variable) places[find(places, capacity, table.places[i].variable)] = table.places[i];
  free(table.places);
  table.places = places;
  table.capacity = capacity;
  return true;
}

/* Closes the gap, so that no entry behind it is lost. */
static void take_out(size_t gap)
{
  holder *places = table.places;
  const size_t mask = table.capacity - 1;
  for (size_t i = (gap + 1) & mask; places[i].variable; i = (i + 1) & mask) {
    const size_t first = first_place(places[i].variable, table.capacity);
    if (((i - first) & mask) < ((i - gap) & mask)) continue; /* it begins behind the gap */
    places[gap] = places[i];
    gap = i;
  }
  places[gap] = (holder){0};
  if (--table.count > 0) return;
  free(table.places);
  table.places = NULL;
  table.capacity = 0;
}

/* Sets what the variable holds, and returns what it held. */
static void *exchange(void **variable, void *object)
{
  if (object ? !grow() : table.count == 0) return NULL;
  const size_t i = find(table.places, table.capacity, variable);
  void *old = table.places[i].object;
  if (object) {
    table.count += !table.places[i].variable;
    table.places[i] = (holder){variable, object};
  } else if (table.places[i].variable) {
    take_out(i);
  }
  return old;
}

/* Without memory for the table the object has a holder that is not known, so it is never freed. The object
 * that the variable held before is not freed either. */
void *dap_f_hold(void **variable, void *object)
{
  while (atomic_flag_test_and_set_explicit(&table.locked, memory_order_acquire)) {
  }
  void *old = exchange(variable, object);
  atomic_flag_clear_explicit(&table.locked, memory_order_release);
  return old;
}

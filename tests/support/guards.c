#include "guards.h"

#include "mpi_test.h"

enum { GUARD = 1 << 16 /* bytes on either side: more than a window of blocks */, MARK = 0xA5 };

/* Before the first guard. */
typedef struct block {
  struct block *next;
  size_t bytes;
} block;

enum { HEAD = 64 /* bytes, so that what is guarded is as aligned as any memory */ };

static block *blocks; /* that are guarded now; one thread alone uses them */
static bool is_on;

/* Since guards_start(): pieces that were freed, those that were written outside, and the first of these. */
static int freed, broken;
static struct {
  size_t bytes;
  int before, behind; /* how far it was written on either side */
} first;

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
void *__real_calloc(size_t items, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_calloc(size_t items, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);
/* NOLINTEND(bugprone-reserved-identifier) */

static unsigned char *memory_of(block *b)
{
  return (unsigned char *)b + HEAD + GUARD;
}

/* Takes the block with that memory off the list; NULL: it has no guards. */
static block *take(const void *memory)
{
  block **at = &blocks;
  while (*at && memory_of(*at) != memory) at = &(*at)->next;
  block *b = *at;
  if (b) *at = b->next;
  return b;
}

/* ---- looked at ------------------------------------------------------------------------------------- */

/* Bytes from the memory to the furthest that was written. */
static int reach_before(const unsigned char *guard)
{
  int i = 0;
  while (i < GUARD && guard[i] == MARK) i++;
  return GUARD - i;
}

static int reach_behind(const unsigned char *guard)
{
  int i = GUARD;
  while (i > 0 && guard[i - 1] == MARK) i--;
  return i;
}

static void look(block *b)
{
  const int before = reach_before(memory_of(b) - GUARD), behind = reach_behind(memory_of(b) + b->bytes);
  freed++;
  if (before + behind == 0 || broken++ > 0) return;
  first.bytes = b->bytes;
  first.before = before;
  first.behind = behind;
}

/* ---- the functions ----------------------------------------------------------------------------------- */

void *__wrap_calloc(size_t items, size_t size)
{
  if (!is_on || (size > 0 && items > (SIZE_MAX / 2) / size)) return __real_calloc(items, size);
  const size_t bytes = items * size;
  block *b = malloc(HEAD + 2 * (size_t)GUARD + bytes);
  if (!b) return NULL;
  b->bytes = bytes;
  memset(memory_of(b) - GUARD, MARK, GUARD);
  memset(memory_of(b), 0, bytes);
  memset(memory_of(b) + bytes, MARK, GUARD);
  b->next = blocks;
  blocks = b;
  return memory_of(b);
}

void __wrap_free(void *memory)
{
  block *b = memory ? take(memory) : NULL;
  if (!b) {
    __real_free(memory);
    return;
  }
  look(b);
  __real_free(b);
}

/* What changes its size has no guards any more. */
void *__wrap_realloc(void *memory, size_t size)
{
  block *b = memory ? take(memory) : NULL;
  if (!b) return __real_realloc(memory, size);
  void *other = malloc(size > 0 ? size : 1);
  if (!other) { /* as it was */
    b->next = blocks;
    blocks = b;
    return NULL;
  }
  memcpy(other, memory, b->bytes < size ? b->bytes : size);
  look(b);
  __real_free(b);
  return other;
}

void guards_start(void)
{
  freed = broken = 0;
  is_on = true;
}

bool guards_stop(void)
{
  is_on = false;
  return EXPECT(freed > 0) && EXPECT_MSG(broken == 0, "%d pieces: %d bytes before and %d behind one of %zu",
                                         broken, first.before, first.behind, first.bytes);
}

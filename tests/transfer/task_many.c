#include "task_many.h"

#include "mpi_test.h"

enum { SALT = 11 /* from one array's values to the next one's */ };

/* What a task has of its own while it is that of one array after the other. */
typedef struct kept {
  test_buffer from, to;
  unsigned char *before;
} kept;

static kept keep(const task *t)
{
  return (kept){.from = t->from.buffer, .to = t->to.buffer, .before = t->before};
}

static void give_back(task *t, const kept *own)
{
  t->from.buffer = own->from;
  t->to.buffer = own->to;
  t->before = own->before;
}

static void take_array(task *t, const many_sides *from, const many_sides *to, int array, int run,
                       unsigned char *before)
{
  t->from.buffer = from->sides[array].buffer;
  t->to.buffer = to->sides[array].buffer;
  t->before = before + array * t->to.buffer.bytes;
  t->salt = array * SALT + run;
}

void task_many_fill(task *t, const many_sides *from, const many_sides *to, int run, unsigned char *before)
{
  const kept own = keep(t);
  for (int a = 0; a < to->count; a++) {
    take_array(t, from, to, a, run, before);
    task_fill(t);
  }
  give_back(t, &own);
}

bool task_many_check(task *t, const many_sides *from, const many_sides *to, int run, unsigned char *before)
{
  const kept own = keep(t);
  bool good = true;
  for (int a = 0; a < to->count && good; a++) {
    take_array(t, from, to, a, run, before);
    good = task_check(t);
    if (!good) EXPECT_MSG(false, "array %d of %d, run %d", a, to->count, run);
  }
  give_back(t, &own);
  return good;
}

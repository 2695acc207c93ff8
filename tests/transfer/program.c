#include "program.h"

#include "mpi_test.h"
#include "placements.h"
#include "problem_impl.h"

#include <inttypes.h>

/* ---- made ---------------------------------------------------------------------------------------------- */

/* Draws the options that every kind of plan has. */
static void draw_options(program_plan *p, int place, test_random *random)
{
  static const int64_t lengths[] = {0, 0, 1, 9, 64, 4096};
  static const unsigned phases[] = {0, DAP_FORCED_ONE_PHASE, DAP_FORCED_TWO_PHASES};
  dap_plan_options *o = &p->options;
  static const int64_t counts[] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 5, 16, MANY_MOST};
  const int64_t count = counts[test_random_int(random, 0, p->to->itemsize < 100 ? 11 : 8)];
  o->allow_empty = true;
  o->arrays = count == 1 && test_random_one_in(random, 2) ? 0 : count;
  o->transports = combine_way(place, (int)test_random_int(random, 0, COMBINE_WAYS - 1));
  o->message_bytes = lengths[test_random_int(random, 0, 5)];
  if (test_random_one_in(random, 2))
    o->transports |= DAP_FORCED_FAN_OUT * (unsigned)test_random_int(random, 1, 3);
  if (test_random_one_in(random, 3) && p->to->itemsize < 100) o->memory_bytes = 30000;
  o->transports |= phases[test_random_int(random, 0, 2)];
}

static void drop_sides(program_plan *p)
{
  if (p->from == &p->task.from) {
    task_free(&p->task);
    return;
  }
  side_free(&p->sides[0]);
  if (p->to != p->from) side_free(&p->sides[1]);
}

int program_phased, program_ended[PROGRAM_KINDS];

bool program_create(program_plan *p, int nth, MPI_Comm comm, int place, test_random *random)
{
  dap_error err = {0};
  memset(&p->options, 0, sizeof p->options);
  p->kind = &program_kinds[test_random_int(random, 0, PROGRAM_KINDS - 1)];
  p->nth = nth;
  p->comm = comm;
  p->is_under_way = false;
  p->runs = 0;
  p->kind->draw(p, random);
  draw_options(p, place, random);
  TEST_CASE("%s", program_text(p));
  if (EXPECT_OK(p->kind->create(p, comm, &p->plan, &err), &err)) {
    const int64_t most = p->options.memory_bytes ? p->options.memory_bytes : INT64_C(64) << 20;
    const dap_plan_stats stats = dap_plan_summarize(p->plan);
    EXPECT(stats.bytes_buffer <= most);
    program_phased += stats.phases > 1;
    return true;
  }
  drop_sides(p);
  p->kind = NULL;
  return false;
}

void program_destroy(program_plan *p)
{
  if (!p->kind) return;
  dap_plan_destroy(&p->plan);
  drop_sides(p);
  p->kind = NULL;
}

/* ---- run ----------------------------------------------------------------------------------------------- */

static bool is_in_place(const program_plan *p)
{
  return p->from == p->to;
}

static many_sides *destinations_of(program_plan *p)
{
  return is_in_place(p) ? &p->sources : &p->destinations;
}

/* Where nothing but direct copies is allowed all must be shared. */
static many_memory draw_memory(const program_plan *p, test_random *random)
{
  const many_memory drawn = (many_memory)test_random_int(random, 0, MANY_KINDS - 1);
  return (p->options.transports & DAP_TRANSPORTS) == DAP_TRANSPORT_DIRECT ? MANY_SHARED : drawn;
}

static unsigned char *copy_of(const many_sides *many)
{
  const int64_t bytes = many->sides[0].buffer.bytes;
  unsigned char *copy = malloc((size_t)(many->count * bytes) + 1);
  if (!copy) abort();
  for (int a = 0; a < many->count; a++) memcpy(copy + a * bytes, many->sides[a].buffer.memory, (size_t)bytes);
  return copy;
}

void program_begin(program_plan *p, test_random *random)
{
  const int count = p->options.arrays ? (int)p->options.arrays : 1;
  many_sides *to = destinations_of(p);
  dap_error err = {0};
  TEST_CASE("%s", program_text(p));
  many_make(p->comm, p->from, count, draw_memory(p, random), &p->sources);
  if (!is_in_place(p)) many_make(p->comm, p->to, count, draw_memory(p, random), to);
  p->before = copy_of(to); /* as long as it will be */
  p->kind->fill(p);
  p->given = copy_of(&p->sources);
  const bool needs_from = p->from->process >= 0 || p->runs % 3, needs_to = p->to->process >= 0 || p->runs % 3;
  if (p->options.arrays || p->runs % 2)
    EXPECT_OK(dap_plan_begin_many(p->plan, needs_from ? (const void *const *)p->sources.data : NULL,
                                  needs_to ? to->data : NULL, &err),
              &err);
  else
    EXPECT_OK(dap_plan_begin(p->plan, p->sources.data[0], to->data[0], &err), &err);
  p->is_under_way = true;
}

static void check_sources(const program_plan *p)
{
  const int64_t bytes = p->from->buffer.bytes;
  for (int a = 0; a < p->sources.count; a++)
    EXPECT_MSG(!memcmp(p->sources.sides[a].buffer.memory, p->given + a * bytes, (size_t)bytes),
               "source %d has been changed", a);
}

void program_end(program_plan *p)
{
  dap_error err = {0};
  TEST_CASE("%s", program_text(p));
  if (EXPECT_OK(dap_plan_end(p->plan, &err), &err) && p->kind->check(p) && !is_in_place(p)) check_sources(p);
  many_free(&p->sources);
  if (!is_in_place(p)) many_free(&p->destinations);
  free(p->before);
  free(p->given);
  p->is_under_way = false;
  p->runs++;
  program_ended[p->kind - program_kinds]++;
}

/* ---- in words ------------------------------------------------------------------------------------------ */

static const char *sides_text(const program_plan *p)
{
  static char text[800];
  if (p->from == &p->task.from) return task_text(&p->task);
  const int used = snprintf(text, sizeof text, "%.380s", random_array_text(p->from->array));
  if (!is_in_place(p))
    (void)snprintf(text + used, sizeof text - (size_t)used, "; to %.380s", random_array_text(p->to->array));
  return text;
}

const char *program_text(const program_plan *p)
{
  static char text[1200];
  const dap_plan_options *o = &p->options;
  (void)snprintf(text, sizeof text,
                 "seed %" PRIu64 ", program %d, %s, run %d, %" PRId64 " arrays of %" PRId64
                 " bytes, transports %#x, message_bytes %" PRId64 ", memory_bytes %" PRId64
                 ", combine %d, padding %d, halos %d: %s",
                 test_seed(), p->nth, p->kind->name, p->runs, o->arrays, p->to->itemsize, o->transports,
                 o->message_bytes, o->memory_bytes, (int)o->combine, (int)o->padding, o->fill_halos,
                 sides_text(p));
  return text;
}

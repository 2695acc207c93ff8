#include "pair.h"

#include "mpi_test.h"

#include <inttypes.h>

enum { MOST = 500 /* elements */ };

const unsigned ways[WAYS] = {DAP_TRANSPORT_DIRECT,
                             DAP_TRANSPORT_STAGED,
                             DAP_TRANSPORT_MESSAGES,
                             DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED,
                             DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_MESSAGES,
                             DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES,
                             0};

/* ---- drawn ------------------------------------------------------------------------------------------ */

void draw_pair(test_random *random, MPI_Comm comm, pair *c)
{
  /* one of the last is a stretch that is worth a call of the kernel's */
  static const int64_t itemsizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 4096, 5000};
  const int ndim = (int)test_random_int(random, 1, 3);
  const int64_t itemsize = itemsizes[test_random_int(random, 0, 9)];
  int64_t size[DAP_MAX_NDIM];
  random_shape(random, ndim, MOST, size);
  c->from = side_draw(random, ndim, size, itemsize, &c->arrays[0]);
  c->to = side_draw(random, ndim, size, itemsize, &c->arrays[1]);
  c->alloc_from = alloc_side_make(comm, &c->from);
  c->alloc_to = alloc_side_make(comm, &c->to);
  c->tells = test_random_one_in(random, 2);
}

void deal_pair(int ndim, const dap_dist from[], const dap_dist to[], test_random *random, pair *c)
{
  (void)array_deal(ndim, from, NULL, &c->arrays[0]);
  (void)array_deal(ndim, to, NULL, &c->arrays[1]);
  c->from = side_make(&c->arrays[0], CREATED, NULL, 8, FORM_C, random);
  c->to = side_make(&c->arrays[1], CREATED, NULL, 8, FORM_C, random);
  c->alloc_from = alloc_side_make(MPI_COMM_WORLD, &c->from);
  c->alloc_to = alloc_side_make(MPI_COMM_WORLD, &c->to);
  c->tells = false;
}

void free_pair(pair *c)
{
  alloc_side_free(&c->alloc_from);
  alloc_side_free(&c->alloc_to);
  side_free(&c->from);
  side_free(&c->to);
}

dap_side as_given(const pair *c, const test_side *s)
{
  dap_side side = side_of(s);
  if (c->tells && s->process < 0) side = (dap_side){0};
  return side;
}

dap_plan_options draw_options(test_random *random)
{
  static const int64_t lengths[] = {0, 1, 7, 64, 4096};
  return (dap_plan_options){.fill_halos = test_random_one_in(random, 2),
                            .allow_empty = true,
                            .message_bytes = lengths[test_random_int(random, 0, 4)],
                            .transports = ways[test_random_int(random, 0, WAYS - 1)]};
}

void label(const char *what, int number, const pair *c, const dap_plan_options *o)
{
  char from[200];
  (void)snprintf(from, sizeof from, "%s", random_array_text(&c->arrays[0]));
  TEST_CASE("seed %" PRIu64 ", %s, case %d, transports %#x, message_bytes %" PRId64 ", memory_bytes %" PRId64
            ", %" PRId64 " bytes: %s; to %s",
            test_seed(), what, number, o->transports, o->message_bytes, o->memory_bytes, c->from.itemsize,
            from, random_array_text(&c->arrays[1]));
}

/* ---- run -------------------------------------------------------------------------------------------- */

const memory memories[MEMORIES] = {
    {"none", false, false},
    {"the source: others read it", true, false},
    {"none again: nothing is remembered of where buffers were", false, false},
    {"the destination: others write it", false, true},
    {"both", true, true},
};

/* With nothing but direct copies private memory is refused where elements cross. */
static bool is_refused(const dap_plan_options *o, const memory *m, const traffic *t)
{
  return o->transports == DAP_TRANSPORT_DIRECT && !m->from && !m->to && t->crosses;
}

void check_run(const pair *c, const dap_plan_options *o, const memory *m, int64_t shift)
{
  const test_side *from = m->from ? &c->alloc_from.side : &c->from, *to = m->to ? &c->alloc_to.side : &c->to;
  bool good = side_check(to, shift, COPIES_RIGHT, o->fill_halos ? PADDING_FILLED : PADDING_POISON);
  good = good && side_check(from, shift, COPIES_WRONG, PADDING_POISON);
  if (!good) EXPECT_MSG(false, "memory of the library's: %s", m->why);
}

void run_in(const pair *c, dap_plan *plan, const dap_plan_options *o, const memory *m, const traffic *t,
            int64_t shift)
{
  const test_side *from = m->from ? &c->alloc_from.side : &c->from, *to = m->to ? &c->alloc_to.side : &c->to;
  dap_error err = {0};
  side_fill(from, shift, COPIES_WRONG);
  side_poison(to);
  EXPECT_OK(dap_plan_begin(plan, side_data(from), side_data(to), &err), &err);
  const dap_status s = dap_plan_end(plan, &err);
  if (is_refused(o, m, t) && (s || t->received > 0)) /* a process that only sends may not be waited for */
    EXPECT_FAIL(s, DAP_ERR_ARG, &err, "rank |only direct|dap_array_alloc()");
  else if (EXPECT_OK(s, &err))
    check_run(c, o, m, shift);
}

void check_stats(const pair *c, const dap_plan *plan, const dap_plan_options *o, const traffic *t)
{
  const dap_plan_stats stats = dap_plan_summarize(plan);
  const int64_t item = c->from.itemsize, most = o->message_bytes > item ? o->message_bytes : item;
  EXPECT_INT(stats.bytes_local, t->kept * item);
  EXPECT_INT(stats.bytes_received, t->received * item);
  int64_t sums[] = {stats.bytes_sent, stats.bytes_received, stats.messages_sent, stats.messages_received};
  MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(sums[0], sums[1]);
  EXPECT_INT(sums[2], sums[3]);
  if (o->message_bytes > 0)
    EXPECT_MSG(stats.messages_received * most >= stats.bytes_received,
               "%" PRId64 " messages of at most %" PRId64 " bytes for %" PRId64, stats.messages_received,
               most, stats.bytes_received);
  EXPECT(stats.bytes_buffer <= (o->memory_bytes ? o->memory_bytes : INT64_C(64) << 20));
}

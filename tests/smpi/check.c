#include "check.h"

#include "allocations.h"
#include "transfer_impl.h"
#include "wire.h"

#include <inttypes.h>
#include <stdio.h>

enum { UNTOUCHED = -2 /* what is no element's number */ };

int my_rank, nprocs;
const char *test_name;
MPI_Comm everyone;
static int failures;

void expect(const char *which, int64_t got, int64_t want)
{
  if (got == want || failures++ >= 3) return;
  (void)fprintf(stderr, "rank %d of %d: %s: %s is %" PRId64 ", not %" PRId64 "\n", my_rank, nprocs, test_name,
                which, got, want);
}

void expect_most(const char *which, int64_t got, int64_t most)
{
  if (got > most) expect(which, got, most);
}

int finish(void)
{
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, everyone);
  if (my_rank == 0 && all > 0) (void)printf("%d FAILED\n", all);
  if (my_rank == 0 && all == 0) (void)printf("all right\n");
  return all > 0;
}

void must(dap_status s, const dap_error *err)
{
  if (!s) return;
  (void)fprintf(stderr, "rank %d of %d: %s: %s\n", my_rank, nprocs, test_name, err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int64_t largest(int64_t value)
{
  int64_t most = 0;
  MPI_Allreduce(&value, &most, 1, MPI_INT64_T, MPI_MAX, everyone);
  return most;
}

/* ---- elements ---------------------------------------------------------------------------- */

/* The number of the element at a position of this rank's buffer, in the whole array; *owned as the map has
 * it. */
static int64_t number_at(const dap_layout *layout, const dap_array *array, int64_t position, bool *owned)
{
  int64_t local[DAP_MAX_NDIM], global[DAP_MAX_NDIM], number = 0;
  dap_error err;
  for (int k = array->ndim - 1; k >= 0; k--) {
    local[k] = position % array->shape[k];
    position /= array->shape[k];
  }
  must(dap_layout_globalize(layout, my_rank, local, global, owned, &err), &err);
  for (int k = 0; k < array->ndim; k++) number = number * dap_layout_size(layout, k) + global[k];
  return number;
}

static void fill(const dap_layout *layout, dap_array *array, bool with_copies)
{
  int64_t *elements = array->data;
  for (int64_t i = 0; i < dap_array_count(array); i++) {
    bool owned = false;
    const int64_t number = number_at(layout, array, i, &owned);
    elements[i] = owned || with_copies ? number : -1;
  }
}

static void check(const dap_layout *layout, const dap_array *array, bool with_copies)
{
  const int64_t *elements = array->data;
  for (int64_t i = 0; i < dap_array_count(array); i++) {
    bool owned = false;
    const int64_t number = number_at(layout, array, i, &owned);
    expect("an element", elements[i], owned || with_copies ? number : UNTOUCHED);
  }
}

/* ---- one plan ---------------------------------------------------------------------------- */

static int count_peers(const dap_plan *plan, unsigned transports)
{
  int peers = 0;
  for (int x = 0; x < plan->schedule.exchange_count; x++)
    for (int i = 0; i < plan->schedule.exchanges[x].send.count; i++) {
      const dap_channel *channel = &plan->schedule.exchanges[x].send.channels[i];
      peers += channel->rank != my_rank && (channel->transport & transports);
    }
  return peers;
}

static bool has_lists(const dap_layout *layout)
{
  bool lists = false;
  for (int k = 0; k < layout->ndim; k++) lists = lists || layout->maps[k].lists;
  return lists;
}

/* With the same figures but for memory, which a plan with MPI has some more of. Of two phases, not where a
 * preview guesses: what is handed on of lists, and which processes share a host. */
static void compare_preview(const dap_plan *plan, const dap_plan *alone, bool lists)
{
  const dap_plan_stats a = dap_plan_summarize(plan), b = dap_plan_summarize(alone);
  const bool shares = plan->window.node->size > 1;
  expect("peers", count_peers(plan, ~0U), count_peers(alone, ~0U));
  if ((a.phases == 2 || b.phases == 2) && (lists || shares)) return;
  expect("bytes sent", a.bytes_sent, b.bytes_sent);
  expect("bytes received", a.bytes_received, b.bytes_received);
  expect("bytes that stay", a.bytes_local, b.bytes_local);
  expect("messages sent", a.messages_sent, b.messages_sent);
  expect("messages received", a.messages_received, b.messages_received);
}

static void preview(const dap_plan *plan, const dap_layout *from, const dap_layout *to, bool fills)
{
  const dap_side a = {.layout = from, .dtype = DAP_I8, .contiguous = true};
  const dap_plan_options options = {.fill_halos = fills};
  const dap_side b = {.layout = to, .dtype = DAP_I8, .contiguous = true};
  dap_plan *alone = NULL;
  dap_error err;
  must(dap_plan_create_alone(nprocs, my_rank, &a, &b, 8, &options, &alone, &err), &err);
  compare_preview(plan, alone, has_lists(from) || has_lists(to));
  dap_plan_destroy(&alone);
}

/* Returns the most peers of any rank. What goes over the wire is what the plan says of its messages: all it
 * sends, where no host has two ranks. */
static int64_t run(dap_plan *plan, const void *from, void *to)
{
  const dap_plan_stats stats = dap_plan_summarize(plan);
  const int peers = count_peers(plan, ~0U), remote = count_peers(plan, DAP_TRANSPORT_MESSAGES);
  dap_error err;
  wire_start(nprocs);
  must(dap_plan_run(plan, from, to, &err), &err);
  const wire sent = wire_end();
  /* In two phases each message is another process's. */
  if (stats.phases == 1 || peers == remote)
    expect("peers on the wire", sent.peers, stats.phases == 2 ? stats.messages_sent : remote);
  if (peers == remote) expect("messages on the wire", sent.messages, stats.messages_sent);
  if (peers == remote) expect("bytes on the wire", sent.bytes, stats.bytes_sent);
  const int64_t figures[] = {
      largest(peers),        largest(stats.messages_sent), largest(sent.messages),
      largest(sent.numbers), largest(stats.bytes_plan),    largest(stats.bytes_buffer)};
  if (my_rank == 0)
    (void)printf("%-24s %5" PRId64 " %8" PRId64 " %6" PRId64 " %7" PRId64 " %8" PRId64 " %8" PRId64,
                 test_name, figures[0], figures[1], figures[2], figures[3], figures[4], figures[5]);
  return figures[0];
}

/* The memory that making a plan took and left held, which must not grow with the number of ranks. */
static void report_memory(int64_t peers, int64_t held, int64_t peak)
{
  const int64_t most_held = largest(held), most_peak = largest(peak);
  if (my_rank == 0) (void)printf(" %8" PRId64 " %8" PRId64 "\n", most_held, most_peak);
  if (my_rank == 0) expect_most("memory of a plan", most_held, MOST_PLAN + peers * MOST_PEER);
}

static void poison(dap_array *array)
{
  int64_t *elements = array->data;
  for (int64_t i = 0; i < dap_array_count(array); i++) elements[i] = UNTOUCHED;
}

void move(made *from, made *to, bool fills, const dap_layout *known)
{
  const dap_side a = dap_side_of((dap_darray){from->layout, &from->array});
  const dap_side b = dap_side_of((dap_darray){to->layout, &to->array});
  const dap_plan_options options = {.fill_halos = fills};
  dap_plan *plan = NULL;
  dap_error err;
  fill(from->layout, &from->array, false);
  poison(&to->array);
  allocations_start(0);
  must(dap_plan_create(everyone, &a, &b, 8, &options, &plan, &err), &err);
  const int64_t held = allocations_held(), peak = allocations_peak();
  if (known) preview(plan, from->layout, known, fills);
  const int64_t peers = run(plan, from->array.data, to->array.data);
  check(to->layout, &to->array, fills);
  report_memory(peers, held, peak);
  dap_plan_destroy(&plan);
}

void update(made *a)
{
  const dap_side side = dap_side_of((dap_darray){a->layout, &a->array});
  dap_plan *plan = NULL;
  dap_error err;
  fill(a->layout, &a->array, false);
  allocations_start(0);
  must(dap_plan_create_halo(everyone, &side, 8, NULL, &plan, &err), &err);
  const int64_t held = allocations_held(), peak = allocations_peak();
  const int64_t peers = run(plan, a->array.data, a->array.data);
  check(a->layout, &a->array, true);
  report_memory(peers, held, peak);
  dap_plan_destroy(&plan);
}

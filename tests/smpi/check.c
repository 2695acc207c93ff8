/* Checks plans on simulated ranks. Private: no public function tells the exchanges of a plan, or its maps. */
#include "check.h"

#include "allocations.h"
#include "transfer_impl.h"

#include <inttypes.h>
#include <stdio.h>

enum { UNTOUCHED = -2 /* not the number of an element */ };

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

/* Returns the number, in the whole array, of the element at a position of this rank's buffer. *owned comes
 * from the map. */
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

/* Checks that each element is the sum of `addends` equal addends. Returns how many of the elements are
 * copies. */
static int64_t check(const dap_layout *layout, const dap_array *array, bool with_copies, int64_t addends)
{
  int64_t copies = 0;
  const int64_t *elements = array->data;
  for (int64_t i = 0; i < dap_array_count(array); i++) {
    bool owned = false;
    const int64_t number = number_at(layout, array, i, &owned);
    expect("an element", elements[i], owned || with_copies ? addends * number : UNTOUCHED);
    copies += !owned;
  }
  return copies;
}

static bool has_whole(const dap_layout *layout)
{
  bool whole = false;
  for (int k = 0; k < layout->ndim; k++) whole = whole || dap_map_is_whole(&layout->maps[k]);
  return whole;
}

/* Returns how many addends of an element all processes have together. */
static int64_t count_addends(const dap_layout *layout)
{
  int64_t addends = 1;
  for (int k = 0; k < layout->ndim; k++)
    if (layout->maps[k].axis.partial) addends *= layout->maps[k].axis.procs;
  return addends;
}

/* ---- one plan ---------------------------------------------------------------------------- */

/* Returns how many processes this one sends to, or receives from, by any of these transports. A plan in
 * several passes counts each pass. */
static int count_ends(const dap_plan *plan, bool is_send, unsigned transports)
{
  int ends = plan->next_pass ? count_ends(plan->next_pass, is_send, transports) : 0;
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    const dap_exchange *exchange = &plan->schedule.exchanges[x];
    const dap_direction *direction = is_send ? &exchange->send : &exchange->receive;
    for (int i = 0; i < direction->count; i++) {
      const dap_channel *channel = &direction->channels[i];
      ends += channel->rank != my_rank && (channel->transport & transports);
    }
  }
  return ends;
}

static bool has_lists(const dap_layout *layout)
{
  bool lists = false;
  for (int k = 0; k < layout->ndim; k++) lists = lists || layout->maps[k].lists;
  return lists;
}

/* Compares the plan's figures with those of a preview. Memory is not compared, because a plan with MPI
 * uses more. Figures that a preview guesses are not compared either. It guesses which processes share a
 * host, and so which of them send copies. In two phases it also guesses the forwarded elements of lists. */
static void compare_preview(const dap_plan *plan, const dap_plan *alone, bool lists)
{
  const dap_plan_stats a = dap_plan_summarize(plan), b = dap_plan_summarize(alone);
  const bool shares = plan->window.node->size > 1;
  if (shares && plan->problem.copies) return;
  expect("peers", count_ends(plan, true, ~0U), count_ends(alone, true, ~0U));
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
  const dap_plan_arguments arguments = {.from = &a, .to = &b, .itemsize = 8, .options = &options};
  must(dap_plan_create_alone(nprocs, my_rank, &arguments, &alone, &err), &err);
  compare_preview(plan, alone, has_lists(from) || has_lists(to));
  dap_plan_destroy(&alone);
}

/* Compares the messages on the wire with the plan's figures. Sent messages are compared if this rank sends
 * only by messages, and none to processes of its host. The same holds for received messages. */
static void compare_wire(const dap_plan *plan, const wire *counted)
{
  const dap_plan_stats stats = dap_plan_summarize(plan);
  const int peers = count_ends(plan, true, ~0U), remote = count_ends(plan, true, DAP_TRANSPORT_MESSAGES);
  const int senders = count_ends(plan, false, ~0U), far = count_ends(plan, false, DAP_TRANSPORT_MESSAGES);
  /* In two phases each message goes to a different process. In two passes one process may receive two. */
  if (!plan->next_pass && (stats.phases == 1 || peers == remote))
    expect("peers on the wire", counted->peers, stats.phases == 2 ? stats.messages_sent : remote);
  if (peers == remote) expect("messages on the wire", counted->messages, stats.messages_sent);
  if (peers == remote) expect("bytes on the wire", counted->bytes, stats.bytes_sent);
  if (senders == far) expect("messages received", counted->received, stats.messages_received);
}

/* If no host has two ranks, all bytes that were sent must be those that all plans receive, and all messages
 * that were sent must have their receives. */
static void compare_all(const dap_plan *plan, const wire *counted)
{
  const int64_t mine[] = {counted->bytes, counted->messages, dap_plan_summarize(plan).bytes_received,
                          counted->received};
  int64_t all[4];
  if (largest(plan->window.node->size) > 1) return;
  MPI_Allreduce(mine, all, 4, MPI_INT64_T, MPI_SUM, everyone);
  expect("bytes received by all", all[2], all[0]);
  expect("messages received by all", all[3], all[1]);
}

/* Returns the bytes of overlaps that the plan keeps although they are empty. With replicated and partial
 * axes it keeps two for each process along each axis, in each pass. */
static int64_t count_empty(const dap_plan *plan)
{
  int64_t bytes = 0;
  for (const dap_plan *pass = plan; pass && plan->problem.copies; pass = pass->next_pass)
    for (int k = 0; k < plan->problem.ndim; k++)
      bytes += INT64_C(2) * MOST_EMPTY *
               dap_larger(dap_problem_from_map(&plan->problem, k)->axis.procs,
                          dap_problem_to_map(&plan->problem, k)->axis.procs);
  return bytes;
}

/* Runs a plan that has just been made, and reports its figures. The memory that it holds must not grow with
 * the number of ranks, except for empty overlaps. */
static void run(dap_plan *plan, const void *from, void *to)
{
  const int64_t held = allocations_held(), peak = allocations_peak();
  const dap_plan_stats stats = dap_plan_summarize(plan);
  dap_error err;
  wire_start();
  must(dap_plan_run(plan, from, to, &err), &err);
  const wire sent = wire_end();
  compare_wire(plan, &sent);
  compare_all(plan, &sent);
  const int64_t figures[] = {largest(count_ends(plan, true, ~0U)),
                             largest(stats.messages_sent),
                             largest(sent.messages),
                             largest(sent.numbers),
                             largest(stats.bytes_plan),
                             largest(stats.bytes_buffer),
                             largest(held),
                             largest(peak)};
  if (my_rank > 0) return;
  (void)printf("%-24s %5" PRId64 " %8" PRId64 " %6" PRId64 " %7" PRId64 " %8" PRId64 " %8" PRId64 " %8" PRId64
               " %8" PRId64 "\n",
               test_name, figures[0], figures[1], figures[2], figures[3], figures[4], figures[5], figures[6],
               figures[7]);
  expect_most("memory of a plan", figures[6], MOST_PLAN + figures[0] * MOST_PEER + count_empty(plan));
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
  fill(from->layout, &from->array, has_whole(from->layout));
  poison(&to->array);
  allocations_start(0);
  must(dap_plan_create(everyone, &a, &b, 8, &options, &plan, &err), &err);
  run(plan, from->array.data, to->array.data);
  if (known) preview(plan, from->layout, known, fills);
  (void)check(to->layout, &to->array, fills, count_addends(from->layout));
  dap_plan_destroy(&plan);
}

void update(made *a, int neighbours)
{
  const dap_side side = dap_side_of((dap_darray){a->layout, &a->array});
  dap_plan *plan = NULL;
  dap_error err;
  fill(a->layout, &a->array, false);
  allocations_start(0);
  must(dap_plan_create_halo(everyone, &side, 8, NULL, &plan, &err), &err);
  run(plan, a->array.data, a->array.data);
  const int64_t copies = check(a->layout, &a->array, true, 1);
  const dap_plan_stats stats = dap_plan_summarize(plan);
  expect("peers", count_ends(plan, true, ~0U), neighbours);
  expect("messages sent", stats.messages_sent, neighbours);
  expect("messages received", stats.messages_received, neighbours);
  expect("bytes sent", stats.bytes_sent, 8 * copies); /* all have blocks of one size */
  expect("bytes received", stats.bytes_received, 8 * copies);
  dap_plan_destroy(&plan);
}

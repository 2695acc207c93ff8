/* Long stretches that the receiver has the kernel copy from the sender's private memory: once, where slots
 * copy twice. The kernel looks up every page and copies more slowly, so this is done only where the options
 * name it: bridge/docs/model.md has figures.
 *
 * The receiver knows the form of both buffers, so it finds the stretches, when the plan is made, and says
 * so in the channel's ring. In a run it needs to know only where the sender's buffers are. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): process_vm_readv() */
#include "transport_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Stretches of a channel, at most; and bytes of one on average, at least: of shorter ones the kernel's work
 * for each counts more than its copy. */
enum { STRETCHES = 64, LONG = 4096 };

/* ---- the kernel's copy ------------------------------------------------------------------------------ */

#ifdef __linux__
/* How many stretches have been read with so many bytes; the next one begins where these end. */
static int skip(struct iovec from[], struct iovec to[], size_t bytes)
{
  int done = 0;
  for (; bytes > 0 && bytes >= to[done].iov_len; done++) bytes -= to[done].iov_len;
  if (bytes == 0) return done;
  from[done].iov_base = (char *)from[done].iov_base + bytes;
  to[done].iov_base = (char *)to[done].iov_base + bytes;
  from[done].iov_len -= bytes;
  to[done].iov_len -= bytes;
  return done;
}
#endif

/* All the bytes, or false and errno. What is beyond 2^31 bytes, even of a stretch, a call leaves to the next
 * one. */
static bool read_from(int64_t process, struct iovec from[], struct iovec to[], int count)
{
#ifdef __linux__
  errno = 0;
  for (int done = 0; done < count;) {
    const unsigned long left = (unsigned long)(count - done);
    const ssize_t bytes = process_vm_readv((pid_t)process, &to[done], left, &from[done], left, 0);
    if (bytes <= 0) return false;
    done += skip(&from[done], &to[done], (size_t)bytes);
  }
  return true;
#else
  (void)process, (void)from, (void)to, (void)count;
  errno = ENOSYS;
  return false;
#endif
}

static void *address(uint64_t at)
{
  return (void *)(uintptr_t)at; /* NOLINT(performance-no-int-to-ptr): of another process */
}

/* What others try to read before they rely on it: a word that they know. All of this is stored when the plan
 * is made, before a reduction, and read behind it. */
void dap_fetch_offer(const dap_plan *plan)
{
  const dap_node *node = plan->window.node;
  dap_control *control = dap_node_window_control(&plan->window, node->rank);
  control->process = getpid();
  control->word = (uint64_t)(uintptr_t)&node->ids[node->rank];
}

/* Security modules and namespaces of processes can be in the way. */
static bool can_read(const dap_plan *plan, int node_rank)
{
  const dap_control *control = dap_node_window_control(&plan->window, node_rank);
  uint64_t word = 0;
  struct iovec from = {.iov_base = address(control->word), .iov_len = sizeof word};
  struct iovec to = {.iov_base = &word, .iov_len = sizeof word};
  return read_from(control->process, &from, &to, 1) && word == plan->window.node->ids[node_rank];
}

/* ---- stretches -------------------------------------------------------------------------------------- */

typedef struct finder {
  const dap_channel *channel;
  const int64_t *from_strides, *to_strides; /* [ndim] bytes */
  int64_t whole[DAP_MAX_NDIM + 1]; /* bytes of the axes from this one on, if they are without gaps; else 0 */
  int64_t first[DAP_MAX_NDIM + 1][2]; /* of those: where they begin in the source, and in the destination */
  dap_stretch list[STRETCHES];
  int count;
} finder;

/* By position in the exchange's order. */
static void set_whole(finder *f)
{
  const dap_exchange *exchange = f->channel->exchange;
  const int ndim = exchange->problem->ndim;
  f->whole[ndim] = exchange->problem->from_item;
  for (int level = ndim - 1; level >= 0; level--) {
    const int k = exchange->order[level];
    const dap_overlap *o = f->channel->axes[k];
    const int64_t step = f->whole[level + 1];
    const bool steps = f->from_strides[k] == step && f->to_strides[k] == step;
    const bool joined = o->size == 1 && o->runs[0].count == 1;
    f->whole[level] = joined && (steps || o->elements == 1) ? step * o->elements : 0;
    if (f->whole[level] == 0) continue;
    f->first[level][0] = f->first[level + 1][0] + o->runs[0].from * f->from_strides[k];
    f->first[level][1] = f->first[level + 1][1] + o->runs[0].to * f->to_strides[k];
  }
}

/* False: there are too many. */
static bool add(finder *f, int64_t from, int64_t to, int64_t bytes)
{
  dap_stretch *last = f->count > 0 ? &f->list[f->count - 1] : NULL;
  if (last && last->from + last->bytes == from && last->to + last->bytes == to) {
    last->bytes += bytes;
    return true;
  }
  if (f->count == STRETCHES) return false;
  f->list[f->count++] = (dap_stretch){.from = from, .to = to, .bytes = bytes};
  return true;
}

static bool find_level(finder *f, int level, int64_t from, int64_t to)
{
  const dap_exchange *exchange = f->channel->exchange;
  if (level == exchange->problem->ndim) return add(f, from, to, f->whole[level]);
  const int k = exchange->order[level];
  const int64_t fs = f->from_strides[k], ts = f->to_strides[k], step = f->whole[level + 1];
  const bool joined = step > 0 && fs == step && ts == step;
  const int64_t *first = f->first[level + 1];
  dap_pieces pieces = dap_pieces_of(f->channel->axes[k], 0, f->channel->axes[k]->elements);
  for (dap_strided_run c; dap_pieces_next(&pieces, &c);)
    for (int64_t i = 0; i < c.count; i++) {
      const int64_t a = from + (c.from + i * c.from_step) * fs, b = to + (c.to + i * c.to_step) * ts;
      if (joined && !add(f, a + first[0], b + first[1], c.length * step)) return false;
      for (int64_t j = 0; j < c.length && !joined; j++)
        if (!find_level(f, level + 1, a + j * fs, b + j * ts)) return false;
    }
  return true;
}

static bool has_points(const dap_channel *channel)
{
  for (int k = 0; k < channel->exchange->problem->ndim; k++)
    if (dap_overlap_is_points(channel->axes[k])) return true;
  return false;
}

static bool is_long(const finder *f)
{
  return f->count > 0 && f->channel->bytes >= (int64_t)LONG * f->count;
}

/* Large moves go through slots as well: past the caches two copies are as good as the kernel's. */
static bool may_be_fetched(const dap_plan *plan, const dap_channel *channel)
{
  const dap_exchange *exchange = channel->exchange;
  return (plan->schedule.transports & DAP_TRANSPORT_FETCHED) && channel->transport == DAP_TRANSPORT_STAGED &&
         channel->bytes >= LONG && !exchange->combines && !exchange->is_interleaved && !exchange->is_large &&
         !exchange->problem->transforms && !exchange->problem->to_swapped && !has_points(channel);
}

static dap_status decide(const dap_plan *plan, dap_channel *channel, dap_error *err)
{
  const dap_buffer_form *theirs = dap_node_window_form(&plan->window, channel->node_rank);
  finder f = {.channel = channel,
              .from_strides = theirs->strides[0],
              .to_strides = channel->exchange->problem->to_strides};
  if (theirs->swapped[0]) return DAP_OK;
  set_whole(&f);
  if (!find_level(&f, 0, 0, 0) || !is_long(&f) || !can_read(plan, channel->node_rank)) return DAP_OK;
  channel->stretches = malloc((size_t)f.count * sizeof *channel->stretches);
  DAP_REQUIRE(channel->stretches, err, DAP_ERR_NOMEM, "no memory for %d stretches", f.count);
  memcpy(channel->stretches, f.list, (size_t)f.count * sizeof *channel->stretches);
  channel->stretch_count = f.count;
  channel->ring->is_fetched = true;
  return DAP_OK;
}

dap_status dap_fetch_decide(const dap_plan *plan, dap_error *err)
{
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    dap_direction *receive = &plan->schedule.exchanges[x].receive;
    for (int i = 0; i < receive->count; i++)
      if (may_be_fetched(plan, &receive->channels[i])) DAP_TRY(decide(plan, &receive->channels[i], err));
  }
  return DAP_OK;
}

bool dap_fetch_may(const dap_plan *plan)
{
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    const dap_direction *receive = &plan->schedule.exchanges[x].receive;
    for (int i = 0; i < receive->count; i++)
      if (may_be_fetched(plan, &receive->channels[i])) return true;
  }
  return false;
}

/* ---- a run ------------------------------------------------------------------------------------------ */

void dap_fetch_start(dap_channel *channel)
{
  if (channel->transport != DAP_TRANSPORT_STAGED || !channel->ring->is_fetched) return;
  dap_channel_start(channel, &channel->tile, channel->is_send ? 0 : 1);
  channel->state.is_fetched = true;
}

/* Of all arrays, as many at a time as a call takes. False: errno says why. */
static bool read_all(const dap_plan *plan, const dap_channel *channel)
{
  struct iovec from[STRETCHES], to[STRETCHES];
  int count = 0;
  const int64_t process = dap_node_window_control(&plan->window, channel->node_rank)->process;
  const dap_buffer_address *theirs = dap_node_window_addresses(&plan->window, channel->node_rank);
  for (int64_t a = 0; a < plan->problem.arrays; a++)
    for (int i = 0; i < channel->stretch_count; i++) {
      const dap_stretch *s = &channel->stretches[i];
      from[count] = (struct iovec){address(theirs[a].source + (uint64_t)s->from), (size_t)s->bytes};
      to[count] = (struct iovec){plan->destinations[a] + s->to, (size_t)s->bytes};
      if (++count < STRETCHES) continue;
      if (!read_from(process, from, to, count)) return false;
      count = 0;
    }
  return count == 0 || read_from(process, from, to, count);
}

/* What cannot be read, such as memory of a device, keeps nobody waiting: all else goes on, and the end
 * reports it. */
void dap_fetch_all(const dap_plan *plan, dap_channel *channel)
{
  channel->state.moved = channel->state.chunks;
  if (!read_all(plan, channel)) channel->state.fault = errno ? errno : EIO;
}

dap_status dap_fetch_check(const dap_plan *plan, dap_error *err)
{
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    const dap_direction *receive = &plan->schedule.exchanges[x].receive;
    for (int i = 0; i < receive->count; i++)
      DAP_REQUIRE(receive->channels[i].state.fault == 0, err, DAP_ERR_LIBRARY,
                  "process_vm_readv from rank %d: error %d", receive->channels[i].rank,
                  receive->channels[i].state.fault);
  }
  return DAP_OK;
}

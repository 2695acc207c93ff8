/* Connects this machine's network namespaces, for kernels without sch_netem. It delivers each frame to the
 * namespace of its address, with a delay, a limited rate and losses.
 *
 *     hosts_wire <delay> <rate> <loss> <namespace> <namespace>...
 *     hosts_wire 100us 1gbit 0.1% /run/netns/a /run/netns/b
 *
 * A rate or a loss of 0 means none. Each namespace has a tap device net0, which is a port of this switch. A
 * frame waits until earlier ones have left its host, then for its bytes at this rate, and then for the delay.
 * Frames have up to 64 KiB, as the kernel's TCP passes them before it cuts them. This saves time
 * of the processor, on which the measured program runs, too. It sleeps between frames, and runs until it is
 * killed. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): setns(), ppoll() */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
  HEADER = sizeof(struct virtio_net_hdr), /* before each frame: tells the kernel how to cut it */
  LONGEST = HEADER + 65536 + 64,
  ADDRESS = 6, /* bytes of an address; a frame begins with its destination, then its source */
  PORTS = 16,
  FRAMES = 1024,          /* most frames of a port */
  BYTES = 8 * 1024 * 1024 /* most bytes of them; beyond these limits the kernel drops frames */
};

/* ---- arguments ----------------------------------------------------------------------------------------- */

_Noreturn static void fail(const char *what)
{
  (void)fprintf(stderr, "hosts_wire: %s: %s\n", what, errno ? strerror(errno) : "not understood");
  exit(1);
}

typedef struct unit {
  const char *name;
  double is;
} unit;
static const unit times[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}}; /* ns */
static const unit rates[] = {{"mbit", 1e6 / 8}, {"gbit", 1e9 / 8}, {NULL, 0}}; /* bytes a second */
static const unit parts[] = {{"%", 0.01}, {NULL, 0}};

static double parse(const char *text, const unit units[])
{
  char *end;
  errno = 0;
  const double number = strtod(text, &end);
  if (strcmp(text, "0") == 0) return 0;
  for (const unit *u = units; u->name && number > 0; u++)
    if (strcmp(end, u->name) == 0) return number * u->is;
  fail(text);
}

/* ---- one port ------------------------------------------------------------------------------------------ */

typedef struct frame {
  int64_t due; /* ns */
  size_t bytes;
  char *data;
} frame;

typedef struct port {
  int device;
  char address[ADDRESS]; /* address of its host: the source of its last frame */
  frame frames[FRAMES];  /* frames that the host has sent: a ring that begins at `first` */
  int first, count;
  size_t bytes; /* of all frames */
  int64_t free; /* time when the last frame has left */
} port;

typedef struct network {
  double delay, rate, loss;
  int count;
  port ports[PORTS];
} network;

static int64_t now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool has_room(const port *p)
{
  return p->count < FRAMES && p->bytes + LONGEST <= BYTES;
}

/* Returns whether to lose a frame. Losses are the same in each run. */
static bool is_lost(double loss)
{
  static uint64_t state = 1;
  state = state * 6364136223846793005U + 1442695040888963407U; /* Knuth, MMIX */
  return (double)(state >> 11) < loss * 9007199254740992.0;    /* 2^53 */
}

/* Takes all frames that have arrived. */
static void take(const network *net, port *p)
{
  static char buffer[LONGEST];
  while (has_room(p)) {
    const ssize_t bytes = read(p->device, buffer, sizeof buffer);
    if (bytes < HEADER + 2 * ADDRESS) return;
    memcpy(p->address, buffer + HEADER + ADDRESS, ADDRESS);
    const int64_t start = now();
    if (p->free < start) p->free = start;
    if (net->rate > 0) p->free += (int64_t)(1e9 * (double)(bytes - HEADER) / net->rate);
    if (is_lost(net->loss)) continue;
    frame *f = &p->frames[(p->first + p->count) % FRAMES];
    *f = (frame){.due = p->free + (int64_t)net->delay, .bytes = (size_t)bytes, .data = malloc((size_t)bytes)};
    if (!f->data) fail("a frame");
    memcpy(f->data, buffer, f->bytes);
    p->count++;
    p->bytes += f->bytes;
  }
}

/* Delivers a frame to the host with its address, or to all hosts if it is a broadcast or the address is
 * unknown. */
static void deliver(const network *net, const port *from, const frame *f)
{
  const char *address = f->data + HEADER;
  const port *to = net->ports, *end = net->ports + net->count;
  while (to < end && memcmp(to->address, address, ADDRESS) != 0) to++;
  for (const port *p = to < end ? to : net->ports; p < end && (p == to || to == end); p++)
    if (p != from && write(p->device, f->data, f->bytes) < 0 && errno != EAGAIN && errno != EIO)
      fail("write");
}

/* Delivers all frames that are due. */
static void give(const network *net, port *p)
{
  while (p->count > 0 && p->frames[p->first].due <= now()) {
    frame *f = &p->frames[p->first];
    deliver(net, p, f);
    free(f->data);
    p->bytes -= f->bytes;
    p->first = (p->first + 1) % FRAMES;
    p->count--;
  }
}

/* ---- the whole network --------------------------------------------------------------------------------- */

static int open_device(const char *netns)
{
  struct ifreq request = {.ifr_name = "net0", .ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};
  const int space = open(netns, O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET)) fail(netns);
  (void)close(space);
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) fail("/dev/net/tun");
  if (ioctl(device, TUNSETIFF, &request)) fail("net0");
  if (ioctl(device, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4)) fail("TUNSETOFFLOAD");
  return device;
}

/* Sleeps until frames arrive or one is due. */
static void rest(const network *net)
{
  struct pollfd ready[PORTS];
  int64_t due = INT64_MAX;
  for (int i = 0; i < net->count; i++) {
    const port *p = &net->ports[i];
    ready[i] = (struct pollfd){.fd = p->device, .events = has_room(p) ? POLLIN : 0};
    if (p->count > 0 && p->frames[p->first].due < due) due = p->frames[p->first].due;
  }
  const int64_t left = due == INT64_MAX ? 0 : due - now();
  const struct timespec wait = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  if (left >= 0 && ppoll(ready, (nfds_t)net->count, due == INT64_MAX ? NULL : &wait, NULL) < 0 &&
      errno != EINTR)
    fail("ppoll");
}

int main(int argc, char **argv)
{
  static network net;
  if (argc < 6 || argc - 4 > PORTS) {
    (void)fputs("hosts_wire <delay> <rate> <loss> <namespace> <namespace>...\n", stderr);
    return 2;
  }
  net.delay = parse(argv[1], times);
  net.rate = parse(argv[2], rates);
  net.loss = parse(argv[3], parts);
  while (net.count < argc - 4) {
    net.ports[net.count].device = open_device(argv[4 + net.count]);
    net.count++;
  }
  (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* ns */
  for (;;) {
    for (int i = 0; i < net.count; i++) take(&net, &net.ports[i]);
    for (int i = 0; i < net.count; i++) give(&net, &net.ports[i]);
    rest(&net);
  }
}

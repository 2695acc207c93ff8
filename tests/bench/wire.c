/* A wire between two network namespaces of this machine, for kernels without sch_netem: frames from the one
 * come out of the other so late and so slow.
 *
 *     wire <namespace> <namespace> <delay> [<rate>]     such as: wire /run/netns/a /run/netns/b 100us 1gbit
 *
 * Each namespace has a tap device net0, which this program is the other end of. In each direction a frame
 * waits until those before it have left, then as long as its bytes take at that rate, then the delay. Frames
 * are as long as the kernel's TCP has them before it cuts them, up to 64 KiB: so the program takes less of
 * the processor, which it shares with what is measured. It sleeps between frames. Ends when it is killed. */
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
  HEADER = sizeof(struct virtio_net_hdr), /* before each frame: how the kernel is to cut it */
  LONGEST = HEADER + 65536 + 64,
  FRAMES = 1024,          /* under way in a direction, at most; */
  BYTES = 8 * 1024 * 1024 /* then no more are taken, and the kernel drops what does not fit the device */
};

/* ---- arguments ----------------------------------------------------------------------------------------- */

_Noreturn static void fail(const char *what)
{
  (void)fprintf(stderr, "wire: %s: %s\n", what, errno ? strerror(errno) : "not understood");
  exit(1);
}

typedef struct unit {
  const char *name;
  double is;
} unit;
static const unit times[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}}; /* ns */
static const unit rates[] = {{"mbit", 1e6 / 8}, {"gbit", 1e9 / 8}, {NULL, 0}}; /* bytes a second */

static double parse(const char *text, const unit units[])
{
  char *end;
  errno = 0;
  const double number = strtod(text, &end);
  for (const unit *u = units; u->name && number > 0; u++)
    if (strcmp(end, u->name) == 0) return number * u->is;
  fail(text);
}

/* ---- one direction ------------------------------------------------------------------------------------- */

typedef struct frame {
  int64_t due; /* ns */
  size_t bytes;
  char *data;
} frame;

typedef struct direction {
  int from, to;
  frame frames[FRAMES]; /* from `first` on, round and round */
  int first, count;
  size_t bytes; /* of all */
  int64_t free; /* when the last one has left */
} direction;

static int64_t now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool has_room(const direction *d)
{
  return d->count < FRAMES && d->bytes + LONGEST <= BYTES;
}

/* All frames that are there. */
static void take(direction *d, double delay, double rate)
{
  static char buffer[LONGEST];
  while (has_room(d)) {
    const ssize_t bytes = read(d->from, buffer, sizeof buffer);
    if (bytes <= 0) return;
    frame *f = &d->frames[(d->first + d->count) % FRAMES];
    const int64_t start = now();
    if (d->free < start) d->free = start;
    if (rate > 0) d->free += (int64_t)(1e9 * (double)(bytes - HEADER) / rate);
    *f = (frame){.due = d->free + (int64_t)delay, .bytes = (size_t)bytes, .data = malloc((size_t)bytes)};
    if (!f->data) fail("a frame");
    memcpy(f->data, buffer, f->bytes);
    d->count++;
    d->bytes += f->bytes;
  }
}

/* All that are due. */
static void give(direction *d)
{
  while (d->count > 0 && d->frames[d->first].due <= now()) {
    frame *f = &d->frames[d->first];
    if (write(d->to, f->data, f->bytes) < 0 && errno != EAGAIN && errno != EIO) fail("write");
    free(f->data);
    d->bytes -= f->bytes;
    d->first = (d->first + 1) % FRAMES;
    d->count--;
  }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

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

/* Until there are frames to take, or one is due. */
static void rest(const direction both[2])
{
  struct pollfd ready[2];
  int64_t due = INT64_MAX;
  for (int i = 0; i < 2; i++) {
    const direction *d = &both[i];
    ready[i] = (struct pollfd){.fd = d->from, .events = has_room(d) ? POLLIN : 0};
    if (d->count > 0 && d->frames[d->first].due < due) due = d->frames[d->first].due;
  }
  const int64_t left = due == INT64_MAX ? 0 : due - now();
  const struct timespec wait = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
  if (left >= 0 && ppoll(ready, 2, due == INT64_MAX ? NULL : &wait, NULL) < 0 && errno != EINTR)
    fail("ppoll");
}

int main(int argc, char **argv)
{
  static direction both[2];
  if (argc < 4 || argc > 5) {
    (void)fputs("wire <namespace> <namespace> <delay> [<rate>]\n", stderr);
    return 2;
  }
  const double delay = parse(argv[3], times), rate = argc > 4 ? parse(argv[4], rates) : 0;
  both[0].from = both[1].to = open_device(argv[1]);
  both[1].from = both[0].to = open_device(argv[2]);
  (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* ns */
  for (;;) {
    for (int i = 0; i < 2; i++) take(&both[i], delay, rate);
    for (int i = 0; i < 2; i++) give(&both[i]);
    rest(both);
  }
}

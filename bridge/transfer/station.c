/* The processes of a plan that are on this node, and the memory they share.
 *
 * At every run each says where its buffers are, and that it is there; and in the end, that it is through with the
 * buffers of the others. Posts are kept for two runs: who begins a run has ended the last one, in which it saw the
 * posts of all, and so all have ended the one before that. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier) */
#include "transfer_impl.h"

#include <sched.h>

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "atomics are shared between processes: they must not need locks");

/* What a process tells of one move. */
typedef struct told {
  int64_t strides[2][DAP_MAX_NDIM]; /* source, destination; bytes, by destination axis */
  dap_post post[2];                 /* by the run's parity */
} told;

int64_t dap_station_bytes(int moves)
{
  const int64_t bytes = (int64_t)sizeof(dap_control) + moves * (int64_t)sizeof(told);
  return (bytes + 63) / 64 * 64;
}

dap_control *dap_station_control(const dap_station *station, int place)
{
  return (dap_control *)(void *)station->memory.parts[place];
}

static told *told_of(const dap_station *station, int place, int move)
{
  return (told *)(void *)(station->memory.parts[place] + sizeof(dap_control)) + move;
}

dap_post *dap_station_post(const dap_station *station, int place, int move)
{
  return &told_of(station, place, move)->post[station->run % 2];
}

int64_t *dap_station_strides(const dap_station *station, int place, int move, bool of_to)
{
  return told_of(station, place, move)->strides[of_to];
}

/* Turns of waiting before MPI, and then other processes, get the processor: who is waited for may itself wait for
 * messages of this process', which go on in calls of MPI only. More patience has no use: where nobody else wants the
 * processor it comes back at once, and where somebody does, that may be the one who is waited for. */
enum { PATIENCE = 20, SELDOM = 16 /* turns from one look into MPI to the next */ };

void dap_station_relax(const dap_station *station, int *turns)
{
  if (++*turns < PATIENCE) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    return;
  }
  int flag = 0;
  if (*turns % SELDOM == 0)
    (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, station->node.comm, &flag, MPI_STATUS_IGNORE);
  (void)sched_yield();
}

/* Waits for other processes. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier) */
#include "comm_impl.h"

#include <sched.h>

/* Spins between two calls of MPI. The process that this one waits for may wait for its messages, which make
 * progress only in calls of MPI. */
enum { SELDOM = 16 };

/* Lets other processes run, because this process may wait for one of them. If none wants the core, the call
 * returns at once. `is_away` is a hint, so it needs no memory order. */
static void give_core_away(_Atomic bool *is_away)
{
  if (is_away) atomic_store_explicit(is_away, true, memory_order_relaxed);
  (void)sched_yield();
  if (is_away) atomic_store_explicit(is_away, false, memory_order_relaxed);
}

bool dap_wait_step(dap_wait *wait)
{
  int flag = 0;
  if (++wait->spins < DAP_PATIENCE) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
    return false;
  }
  const bool is_long = wait->spins >= DAP_PATIENCE + SELDOM;
  if (is_long) wait->spins = DAP_PATIENCE; /* so that it never overflows */
  give_core_away(wait->is_away);
  if (is_long && wait->node)
    (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, wait->node->comm, &flag, MPI_STATUS_IGNORE);
  return is_long;
}

/* Returns the seconds since the first call for this wait. */
static double elapsed(dap_wait *wait)
{
  const double now = MPI_Wtime();
  if (wait->since <= 0) wait->since = now;
  return now - wait->since;
}

bool dap_wait_is_over(dap_wait *wait)
{
  return wait->seconds > 0 && elapsed(wait) >= wait->seconds;
}

bool dap_wait_is_long(dap_wait *wait)
{
  const double delay = dap_report_delay();
  return !wait->is_told && delay > 0 && elapsed(wait) >= delay;
}

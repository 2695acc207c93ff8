/* Waits. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier) */
#include "comm_impl.h"

#include <sched.h>

/* Turns of waiting before MPI, and then other processes, get the processor: who is waited for may itself wait
 * for messages of this process, which go on in calls of MPI only. More patience has no use: where nobody else
 * wants the processor it comes back at once, and where somebody does, that may be the one who is waited for.
 */
enum { SELDOM = 16 /* spins between two calls of MPI */ };

bool dap_relax(int *spins)
{
  if (++*spins < DAP_PATIENCE) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
    return false;
  }
  const bool is_long = *spins >= DAP_PATIENCE + SELDOM;
  if (is_long) *spins = DAP_PATIENCE; /* however long it takes, nothing overflows */
  (void)sched_yield();
  return is_long;
}

bool dap_node_relax(const dap_node *node, int *spins)
{
  int flag = 0;
  const bool is_long = dap_relax(spins);
  if (is_long) (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, node->comm, &flag, MPI_STATUS_IGNORE);
  return is_long;
}

bool dap_wait_goes_on(double seconds, double *since)
{
  if (seconds <= 0) return true;
  const double now = MPI_Wtime();
  if (*since <= 0) *since = now;
  return now - *since < seconds;
}

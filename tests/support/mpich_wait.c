/* Makes MPICH's processes sleep while they wait for messages, because they otherwise keep their core, which
 * is slow if there are more processes than cores. The file is preloaded, and MPICH on UCX calls this
 * function whenever it looks for messages. sched_yield() would be slower: under Linux it returns although
 * other processes want the core. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): RTLD_NEXT */

#include <dlfcn.h>
#include <string.h>
#include <time.h>

enum { PATIENCE = 50 /* looks in vain before it sleeps, because most messages come at once */ };

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
  static _Thread_local unsigned (*next)(void *);
  static _Thread_local int in_vain;
  if (!next) {
    void *const found = dlsym(RTLD_NEXT, "ucp_worker_progress"); /* the function of UCX */
    memcpy(&next, &found, sizeof next);
  }
  const unsigned events = next(worker);
  in_vain = events ? 0 : in_vain + 1;
  if (in_vain < PATIENCE) return events;
  in_vain = PATIENCE;
  (void)nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
  return events;
}

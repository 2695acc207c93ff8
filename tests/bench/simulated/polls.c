/* Polls without cost. The library calls MPI_Test() until a message arrives.
 *
 * In the simulator each call would take either a guessed time, or none, so that time would stand still.
 * Here calls take no time, and a process waits in MPI_Waitany() for the messages that it tested. Private:
 * it replaces dap_wait_step(). */
#include "comm_impl.h"

#include <mpi.h>
#include <stdlib.h>

/* Number of tested messages that it waits for. More of them make the simulator slow. */
enum { WINDOW = 64 };

static MPI_Request *asked[WINDOW];
static int count;

static void ask(MPI_Request *request)
{
  for (int i = 0; i < count; i++)
    if (asked[i] == request) return;
  if (count < WINDOW) asked[count++] = request;
}

/* The linker requires these names. NOLINTBEGIN(bugprone-reserved-identifier) */
int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int __wrap_MPI_Testall(int requests, MPI_Request all[], int *flag, MPI_Status statuses[]);
bool __wrap_dap_wait_step(dap_wait *wait);

int __wrap_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  *flag = *request == MPI_REQUEST_NULL;
  if (!*flag) ask(request);
  if (status != MPI_STATUS_IGNORE) status->count = 1; /* no message here is empty */
  return MPI_SUCCESS;
}

int __wrap_MPI_Testall(int requests, MPI_Request all[], int *flag, MPI_Status statuses[])
{
  (void)statuses;
  *flag = 1;
  for (int i = 0; i < requests; i++) {
    if (all[i] == MPI_REQUEST_NULL) continue;
    *flag = 0;
    ask(&all[i]);
  }
  return MPI_SUCCESS;
}

bool __wrap_dap_wait_step(dap_wait *wait)
{
  MPI_Request requests[WINDOW];
  int i = 0;
  (void)wait;
  for (int k = 0; k < count; k++) requests[k] = *asked[k];
  if (count > 0) MPI_Waitany(count, requests, &i, MPI_STATUS_IGNORE);
  if (count > 0 && i != MPI_UNDEFINED) *asked[i] = MPI_REQUEST_NULL;
  count = 0;
  return false;
}

/* NOLINTEND(bugprone-reserved-identifier) */

/* Calls that go to ScaLAPACK's own p?gemr2d, because a plan for them would cost more than it saves. */
#define _GNU_SOURCE /* RTLD_NEXT; NOLINT(bugprone-reserved-identifier) */
#include "gemr2d_impl.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* A context's first FIRST calls go there: the plans of contexts that are made for one call are never used
 * again. More than SMALL bytes in all are faster by a plan, even if that is made for them. */
enum { FIRST = 16, SMALL = 1 << 22 };

static bool is_small(const dap_gemr2d_arguments *arguments)
{
  const int64_t m = arguments->m, n = arguments->n;
  return m > 0 && n > 0 && m <= SMALL && n <= SMALL && m * n <= SMALL / arguments->itemsize;
}

/* The next library's Cp?gemr2d, which calls none of the names that this one has; NULL: there is none. */
static dap_Cpgemr2d *find(const dap_gemr2d_arguments *arguments)
{
  char name[] = "Cp?gemr2d";
  name[2] = (char)tolower((unsigned char)arguments->routine[1]);
  void *symbol = dlsym(RTLD_NEXT, name);
  dap_Cpgemr2d *function = NULL;
  memcpy(&function, &symbol, sizeof symbol);
  return function;
}

static dap_Cpgemr2d *find_for(const dap_gemr2d_arguments *arguments)
{
  const bool may_be = arguments->has_context && is_small(arguments) && !dap_gemr2d_takes_plans_only();
  return may_be ? find(arguments) : NULL;
}

bool dap_gemr2d_call_netlib(const dap_gemr2d_arguments *arguments)
{
  dap_Cpgemr2d *netlib = find_for(arguments);
  if (!netlib) return false;
  netlib(arguments->m, arguments->n, arguments->a, arguments->start[0][0], arguments->start[0][1],
         arguments->descs[0], arguments->b, arguments->start[1][0], arguments->start[1][1],
         arguments->descs[1], arguments->context);
  return true;
}

/* Counts a call. How many there were is an attribute of the communicator that BLACS made for the context. */
static int count(MPI_Comm comm, bool *is_first)
{
  static int key = MPI_KEYVAL_INVALID;
  void *found = NULL;
  int is_there = 0, code = MPI_SUCCESS;
  if (key == MPI_KEYVAL_INVALID)
    code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  if (code == MPI_SUCCESS) code = MPI_Comm_get_attr(comm, key, &found, &is_there);
  if (code != MPI_SUCCESS) return code;
  const intptr_t calls = is_there ? (intptr_t)found : 0;
  *is_first = calls < FIRST;
  if (!*is_first) return code;
  return MPI_Comm_set_attr(comm, key, (void *)(calls + 1)); /* NOLINT(performance-no-int-to-ptr) */
}

bool dap_gemr2d_call_netlib_first(const dap_gemr2d_arguments *arguments, MPI_Comm comm)
{
  bool is_first = false;
  if (!find_for(arguments)) return false;
  if (count(comm, &is_first) != MPI_SUCCESS) dap_gemr2d_report(arguments, DAP_GEMR2D_FAILED);
  return is_first && dap_gemr2d_call_netlib(arguments);
}

/* Calls ScaLAPACK's own p?gemr2d. */
#define _GNU_SOURCE /* RTLD_NEXT; NOLINT(bugprone-reserved-identifier) */
#include "gemr2d_impl.h"

#include <ctype.h>
#include <dlfcn.h>
#include <string.h>

/* Bytes in all. More are faster by a plan, even if it is made for this call. */
enum { SMALL = 1 << 22 };

static bool is_small(const dap_gemr2d_arguments *arguments)
{
  const int64_t m = arguments->m, n = arguments->n;
  return m > 0 && n > 0 && m <= SMALL && n <= SMALL && m * n <= SMALL / arguments->itemsize;
}

/* Returns the next library's Cp?gemr2d, which calls none of this library's names; NULL: there is none. The
 * linker searches once for each type, because a search takes longer than the rest of the call here. */
static dap_Cpgemr2d *find(const dap_gemr2d_arguments *arguments)
{
  static void *found['z' - 'a' + 1];
  const int letter = tolower((unsigned char)arguments->routine[1]);
  char name[] = "Cp?gemr2d";
  name[2] = (char)letter;
  void **symbol = &found[letter - 'a'];
  if (!*symbol) *symbol = dlsym(RTLD_NEXT, name);
  dap_Cpgemr2d *function = NULL;
  memcpy(&function, symbol, sizeof function);
  return function;
}

bool dap_gemr2d_may_call_netlib(const dap_gemr2d_arguments *arguments)
{
  return arguments->has_context && is_small(arguments) && find(arguments);
}

void dap_gemr2d_call_netlib(const dap_gemr2d_arguments *arguments)
{
  dap_Cpgemr2d *netlib = find(arguments);
  netlib(arguments->m, arguments->n, arguments->a, arguments->start[0][0], arguments->start[0][1],
         arguments->descs[0], arguments->b, arguments->start[1][0], arguments->start[1][1],
         arguments->descs[1], arguments->context);
}

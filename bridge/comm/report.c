/* Reports a wait that takes long, such as for a process that does not make a collective call. */
#include "comm_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double USUAL_DELAY = 10; /* seconds */

static dap_call_site *find_site;
static void *site_context;

void dap_call_site_set(dap_call_site *find, void *context)
{
  find_site = find;
  site_context = context;
}

dap_status dap_environment_seconds(const char *name, double otherwise, double *seconds, dap_error *err)
{
  const char *text = getenv(name);
  char *end = NULL;
  *seconds = otherwise;
  if (!text || !text[0]) return DAP_OK;
  const double found = strtod(text, &end);
  DAP_REQUIRE(end != text && !*end && isfinite(found) && found >= 0, err, DAP_ERR_ARG,
              "%s is '%.40s', not a number of seconds", name, text);
  *seconds = found;
  return DAP_OK;
}

/* The variable is read once. A wrong value is an error of the first agreement (dap_limit_by_environment). */
double dap_report_delay(void)
{
  static _Atomic double known = -1;
  double delay = atomic_load_explicit(&known, memory_order_relaxed);
  if (delay >= 0) return delay;
  if (dap_environment_seconds("DAPBRIDGE_WAIT_REPORT", USUAL_DELAY, &delay, NULL)) delay = USUAL_DELAY;
  atomic_store_explicit(&known, delay, memory_order_relaxed);
  return delay;
}

void dap_wait_report(dap_wait *wait, const char *function, const char *self, const char *who)
{
  char site[512] = "", line[1024];
  wait->is_told = true;
  if (find_site) find_site(site_context, site, sizeof site);
  site[sizeof site - 1] = '\0';
  (void)snprintf(line, sizeof line, "dapbridge: %.48s has waited for %g s in %.500s: %.320s", self,
                 dap_report_delay(), site[0] ? site : function, who);
  dap_log_say(line);
}

/* Names statuses and writes error texts. */
#include "model_impl.h"

#include <ctype.h>
#include <dapbridge/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* check.h defines these for analyzers. */
#undef dap_fail
#undef dap_fail_rule

#define TEXT_(number) #number
#define TEXT(number) TEXT_(number)

const char *dap_version(void)
{
  return TEXT(DAPBRIDGE_VERSION_MAJOR) "." TEXT(DAPBRIDGE_VERSION_MINOR) "." TEXT(DAPBRIDGE_VERSION_PATCH);
}

const char *dap_status_name(dap_status status)
{
  static const char *const names[] = {
      [DAP_OK] = "OK",
      [DAP_ERR_ARG] = "ARG",
      [DAP_ERR_NOMEM] = "NOMEM",
      [DAP_ERR_VERSION] = "VERSION",
      [DAP_ERR_DIM] = "DIM",
      [DAP_ERR_LAYOUT] = "LAYOUT",
      [DAP_ERR_BUFFER] = "BUFFER",
      [DAP_ERR_RANGE] = "RANGE",
      [DAP_ERR_UNSUPPORTED] = "UNSUPPORTED",
      [DAP_ERR_SHARE] = "SHARE",
      [DAP_ERR_REMOTE] = "REMOTE",
      [DAP_ERR_LIBRARY] = "LIBRARY",
      [DAP_ERR_NUMERIC] = "NUMERIC",
      [DAP_ERR_FILE] = "FILE",
  };
  const unsigned index = (unsigned)status;
  return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}

/* Fills *err, unless it is NULL. The text is one line, even if it quotes a foreign array or another library.
 * If `rule` is not 0, the text ends with it. */
static void fill(dap_error *err, int rule, const char *format, va_list arguments)
{
  char suffix[32] = "";
  if (!err) return;
  const int length = rule ? snprintf(suffix, sizeof suffix, " (rule %d)", rule) : 0;
  err->rank = -1;
  err->rule = rule;
  if (vsnprintf(err->text, sizeof err->text - (size_t)length, format, arguments) < 0) err->text[0] = '\0';
  for (char *at = err->text; *at; at++)
    if (iscntrl((unsigned char)*at)) *at = isspace((unsigned char)*at) ? ' ' : '?';
  memcpy(err->text + strlen(err->text), suffix, (size_t)length + 1);
}

dap_status dap_fail(dap_error *err, dap_status status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fill(err, 0, format, arguments);
  va_end(arguments);
  return status;
}

dap_status dap_fail_rule(dap_error *err, int rule, dap_status status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fill(err, rule, format, arguments);
  va_end(arguments);
  return status;
}

dap_status dap_fail_remote(int axis, int coord, dap_error *err)
{
  return dap_fail(err, DAP_ERR_REMOTE,
                  "axis %d: the indices of proc_grid_rank %d are known on the processes there only", axis,
                  coord);
}

void dap_error_name_rank(int rank, dap_error *err)
{
  char prefix[32], suffix[32] = "";
  const size_t length = (size_t)snprintf(prefix, sizeof prefix, "rank %d: ", rank);
  size_t tail = err->rule ? (size_t)snprintf(suffix, sizeof suffix, " (rule %d)", err->rule) : 0;
  size_t kept = strlen(err->text);
  if (kept < tail || strcmp(err->text + kept - tail, suffix) != 0) tail = 0;
  const size_t room = sizeof err->text - 1 - length - tail;
  kept = kept - tail < room ? kept - tail : room;
  memmove(err->text + length, err->text, kept);
  memcpy(err->text, prefix, length);
  memcpy(err->text + length + kept, suffix, tail);
  err->text[length + kept + tail] = '\0';
  err->rank = rank;
}

/* Passes the decisions of the library to a listener. */
#include <dapbridge/log.h>

#include <stdarg.h>
#include <stdio.h>

static dap_log_function *listener;
static void *listener_context;

void dap_log_set(dap_log_function *function, void *context)
{
  listener = function;
  listener_context = context;
}

bool dap_log_is_on(void)
{
  return listener != NULL;
}

void dap_log(const char *format, ...)
{
  char line[1024];
  if (!listener) return;
  va_list arguments;
  va_start(arguments, format);
  if (vsnprintf(line, sizeof line, format, arguments) < 0) line[0] = '\0';
  va_end(arguments);
  listener(listener_context, line);
}

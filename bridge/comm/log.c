/* Who is told what the library decides. */
#include <dapbridge/log.h>

#include <stdarg.h>
#include <stdio.h>

static dap_log_function *tell;
static void *tell_context;

void dap_log_set(dap_log_function *function, void *context)
{
  tell = function;
  tell_context = context;
}

bool dap_log_is_on(void)
{
  return tell != NULL;
}

void dap_log(const char *format, ...)
{
  char line[1024];
  if (!tell) return;
  va_list arguments;
  va_start(arguments, format);
  if (vsnprintf(line, sizeof line, format, arguments) < 0) line[0] = '\0';
  va_end(arguments);
  tell(tell_context, line);
}

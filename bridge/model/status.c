/* Statuses and error texts. */
#include "model_impl.h"

#include <stdarg.h>
#include <stdio.h>

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
      [DAP_ERR_LIBRARY] = "LIBRARY",
  };
  const unsigned index = (unsigned)status;
  return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}

dap_status dap_fail(dap_error *err, dap_status status, const char *format, ...)
{
  if (!err) return status;
  err->rank = -1;
  va_list arguments;
  va_start(arguments, format);
  if (vsnprintf(err->text, sizeof err->text, format, arguments) < 0) err->text[0] = '\0';
  va_end(arguments);
  return status;
}

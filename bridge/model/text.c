/* Appends pieces to a text of bounded size. */
#include "model_impl.h"

#include <stdarg.h>
#include <stdio.h>

dap_text dap_text_start(char *out, size_t capacity)
{
  if (capacity > 0) out[0] = '\0';
  return (dap_text){.out = out, .capacity = capacity, .length = 0};
}

void dap_text_add(dap_text *text, const char *format, ...)
{
  const bool full = text->length >= text->capacity;
  va_list arguments;
  va_start(arguments, format);
  const int added = vsnprintf(full ? NULL : text->out + text->length,
                              full ? 0 : text->capacity - text->length, format, arguments);
  va_end(arguments);
  if (added > 0) text->length += (size_t)added;
}

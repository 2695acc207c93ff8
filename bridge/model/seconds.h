/* Writes times for the log. */
#ifndef DAP_SECONDS_H
#define DAP_SECONDS_H

#include <stdio.h>

typedef struct dap_seconds_text {
  char text[32];
} dap_seconds_text;

/* Returns a time in us, ms or s, such as "12 us" or "3.4 ms". It has no exponent. */
static inline dap_seconds_text dap_say_seconds(double seconds)
{
  dap_seconds_text said;
  const char *unit = seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
  const double value = seconds * (seconds < 1e-3 ? 1e6 : seconds < 1 ? 1e3 : 1);
  (void)snprintf(said.text, sizeof said.text, "%.*f %s", value < 9.95 ? 1 : 0, value, unit);
  return said;
}

#endif

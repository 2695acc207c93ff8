/* Writes times for the log. */
#ifndef DAP_SECONDS_H
#define DAP_SECONDS_H

#include <stdio.h>

typedef struct dap_seconds_text {
  char text[32];
} dap_seconds_text;

/* Returns a time in us, ms or s, such as "12 us" or "3.4 ms". It has no exponent. The rounded number decides
 * the unit: 999.5 us is "1.0 ms", not "1000 us". */
static inline dap_seconds_text dap_say_seconds(double seconds)
{
  dap_seconds_text said;
  const char *unit = "us";
  double value = seconds * 1e6;
  if (value >= 999.5) {
    unit = "ms";
    value = seconds * 1e3;
  }
  if (value >= 999.5) {
    unit = "s";
    value = seconds;
  }
  (void)snprintf(said.text, sizeof said.text, "%.*f %s", value < 9.95 ? 1 : 0, value, unit);
  return said;
}

#endif

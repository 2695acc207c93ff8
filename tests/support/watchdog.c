#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): alarm(), write() */
#include "watchdog.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char at[512];

static void bark(int number)
{
  (void)number;
  if (write(STDOUT_FILENO, at, strlen(at)) < 0) _exit(2);
  _exit(1);
}

void watchdog(unsigned seconds, const char *format, ...)
{
  va_list args;
  int length = snprintf(at, sizeof at, "watchdog: still at ");
  va_start(args, format);
  length += vsnprintf(at + length, sizeof at - (size_t)length - 1, format, args);
  va_end(args);
  if (length > (int)sizeof at - 2) length = (int)sizeof at - 2;
  at[length] = '\n';
  at[length + 1] = 0;
  (void)signal(SIGALRM, bark);
  (void)alarm(seconds);
}

void watchdog_end(void)
{
  (void)alarm(0);
}

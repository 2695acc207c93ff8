/* Calls of the system that fail: a program that is linked with system_calls.c, and its --wrap options, has
 * these functions in the place of the system's. */
#ifndef DAP_TEST_SYSTEM_CALLS_H
#define DAP_TEST_SYSTEM_CALLS_H

#include <stdbool.h>

typedef enum system_call {
  CALL_OPEN,
  CALL_STAT,
  CALL_TRUNCATE, /* ftruncate() */
  CALL_READ,     /* pread() */
  CALL_WRITE,    /* pwrite() */
  CALL_SYNC,     /* fsync() */
  CALL_CLOSE,
  CALL_RENAME,
  SYSTEM_CALLS
} system_call;

/* Calls on this process since they were set to 0. */
extern int system_calls_made[SYSTEM_CALLS];
/* Which call fails on this process, from 1 on; 0: none. It does nothing, or for close() all that it does. */
extern int system_calls_failing[SYSTEM_CALLS];
/* The error of the call that fails: EIO. */
extern int system_calls_error;
/* Reads and writes move so many bytes at most, and every second one is interrupted; 0: they do not. */
extern int system_calls_most;

/* Has call number `number` of one kind, from 1 on, fail on process `rank`, and no other one. */
void system_calls_refuse(int call, int number, int rank);
/* Whether that call came on process `rank`. From now on no call fails. By all processes. */
bool system_calls_met(int call, int number, int rank);

#endif

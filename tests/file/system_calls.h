/* Lets calls of the system fail. A program that is linked with system_calls.c and its --wrap options calls
 * these functions instead of the system's. */
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

/* Number of calls on this process since they were set to 0. */
extern int system_calls_made[SYSTEM_CALLS];
/* Number of the call that fails on this process, from 1 on; 0: none. It does nothing, except that close()
 * still closes. */
extern int system_calls_failing[SYSTEM_CALLS];
/* Error of the call that fails, usually EIO. */
extern int system_calls_error;
/* Limit of bytes that one read or write moves; every second one is interrupted. 0: no limit and no
 * interruption. */
extern int system_calls_most;

/* Lets call number `number` of one kind, counted from 1, fail on process `rank`. No other call fails. */
void system_calls_refuse(int call, int number, int rank);
/* Returns whether this call occurred on process `rank`. After it no call fails. Collective. */
bool system_calls_met(int call, int number, int rank);

#endif

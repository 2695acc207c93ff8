/* Counts the messages of this simulated rank. The linker replaces MPI's functions by counting ones
 * (-Wl,--wrap), because the simulator's functions precede those that a program only defines. */
#ifndef DAP_TEST_WIRE_H
#define DAP_TEST_WIRE_H

#include <stdint.h>

typedef struct wire {
  int64_t messages, bytes; /* messages of elements that were sent, and their bytes */
  int64_t numbers;         /* other messages that the library sends one by one */
  int peers;               /* processes that received elements */
  int64_t received;        /* posted receives of elements */
} wire;

void wire_start(int nprocs); /* restarts counting at 0 */
wire wire_end(void);

#endif

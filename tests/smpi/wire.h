/* What this simulated rank sends and receives: the linker puts counting functions in the place of MPI's
 * (-Wl,--wrap), as the simulator's own come first where a program only defines them. */
#ifndef DAP_TEST_WIRE_H
#define DAP_TEST_WIRE_H

#include <stdint.h>

typedef struct wire {
  int64_t messages, bytes; /* of elements, sent: they are sent as bytes */
  int64_t numbers;         /* other messages that the library sends one by one */
  int peers;               /* processes that got elements */
  int64_t received;        /* messages of elements, for which it has posted receives */
} wire;

void wire_start(int nprocs); /* counts from 0 again */
wire wire_end(void);

#endif

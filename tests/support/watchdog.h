/* Ends the program if processes wait for each other for ever, and prints what they were doing. */
#ifndef DAP_TEST_WATCHDOG_H
#define DAP_TEST_WATCHDOG_H

#include <dapbridge/status.h>

/* From now on this process is at this, for so many seconds at most; 0: as long as it takes. */
void watchdog(unsigned seconds, const char *format, ...) DAP_PRINTF(2, 3);

/* From now on there is no limit. */
void watchdog_end(void);

#endif

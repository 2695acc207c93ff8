/* Puts guard bytes around memory that calloc() returns. The guards show when a foreign library writes
 * outside its memory, which no sanitizer detects. The linker replaces calloc() only in code that is linked
 * statically (-Wl,--wrap). */
#ifndef DAP_TEST_GUARDS_H
#define DAP_TEST_GUARDS_H

#include <stdbool.h>

/* From now on, and until guards_stop(), what is allocated has guards. Not collective. */
void guards_start(void);

/* Stops. Records a failure as EXPECT() does, and returns false, unless some of the memory was freed, whose
 * guards were then looked at, and nothing was written outside. */
bool guards_stop(void);

#endif

/* Puts one wrong value into a correct dap_array, and names the rule that this value breaks. The tables of
 * tests of refusals consist of such rows. */
#ifndef DAP_TEST_MUTATE_H
#define DAP_TEST_MUTATE_H

#include <dapbridge/array.h>

/* Applies changes in words, with commas between: "extent 7", "axis 1 size absent, type {}", "version 0.9.1",
 * "indices 7 0 3", "dtype float32", "no_data". "fit" sets the extent that start and stop, or the number of
 * indices, ask for. A number may be absent, min, max, max-1 or max/2. The other words are in mutate.c. */
void change_array(dap_array *array, const char *changes);

/* The number of the rule that was broken is in the error, and at the end of its text; 0: in neither.
 * Records a failure as EXPECT() does, and returns false, if not. */
bool expect_rule(const dap_error *err, int rule);

#endif

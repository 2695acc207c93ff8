/* Puts one wrong value into a correct dap_array, and names the rule that this value breaks. The tables of
 * tests of refusals consist of such rows. */
#ifndef DAP_TEST_MUTATE_H
#define DAP_TEST_MUTATE_H

#include <dapbridge/array.h>

/* Applies changes that are given in words, separated by commas: "extent 7", "axis 1 size absent, type {}",
 * "version 0.9.1", "indices 7 0 3", "dtype float32", "no_data". "fit" sets the extent that follows from start
 * and stop, or from the number of indices. A number may be absent, min, max, max-1 or max/2. mutate.c has all
 * words. */
void change_array(dap_array *array, const char *changes);

/* Checks that the error has the number of the broken rule, and that its text ends with it. 0: neither has a
 * rule. Records a failure, and returns false, if not. */
bool expect_rule(const dap_error *err, int rule);

#endif

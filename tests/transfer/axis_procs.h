/* How many processes an axis has in a row of a test's table. */
#ifndef DAP_TEST_AXIS_PROCS_H
#define DAP_TEST_AXIS_PROCS_H

typedef enum axis_procs { ONE, ALL, LARGER, SMALLER /* of the two squarest factors of all */ } axis_procs;

int axis_procs_of(axis_procs procs);

#endif

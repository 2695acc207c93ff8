/* A task of several arrays, each with values of its own. */
#ifndef DAP_TEST_TASK_MANY_H
#define DAP_TEST_TASK_MANY_H

#include "many.h"
#include "task.h"

/* Fills the arrays of both sides, for run number `run`; before [to->count of t->to's bytes] keeps what the
 * destinations held. */
void task_many_fill(task *t, const many_sides *from, const many_sides *to, int run, unsigned char *before);

/* Records a failure, and returns false, unless everything is as it should be after the run. */
bool task_many_check(task *t, const many_sides *from, const many_sides *to, int run, unsigned char *before);

#endif

/* Files of tests: in a folder of their own, read and written by stdio. */
#ifndef DAP_TEST_FILES_H
#define DAP_TEST_FILES_H

#include <dapbridge/file.h>

#include "side.h"

/* Makes a folder that all processes see, and removes it with all that is in it. By all processes. */
void files_begin(void);
void files_end(void);

/* Where a file of that name is in the folder. Static memory, overwritten by the fourth call after. */
const char *files_path(const char *name);

/* The number of files in the folder. */
int files_count(void);

/* The bytes of a file, with a closing NUL, for free(); NULL: there is none. */
unsigned char *files_read(const char *path, int64_t *length);
/* Makes a file of these bytes. False: it cannot be made. */
bool files_write(const char *path, const void *bytes, int64_t length);

/* A side of the shape `size` [ndim], which *array becomes, on all processes or some: of any origin and
 * form. */
test_side files_side(test_random *random, int ndim, const int64_t size[], int64_t itemsize,
                     random_array *array);

/* The part of a side's process for files: NULL where it has none. `array` is its memory. */
dap_darray files_array(const test_side *side, dap_dtype dtype, dap_array *array);

/* An array of rows dealt to the processes, by columns in memory, each element its number: it takes plans to
 * save it. */
enum { TRIAL_ROWS = 40, TRIAL_COLUMNS = 30 };
typedef struct trial {
  dap_layout *layout;
  dap_array local;
} trial;
trial trial_make(void);
void trial_free(trial *t);

/* A type of so many bytes. */
dap_dtype files_dtype(int64_t itemsize);

#endif

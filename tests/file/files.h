/* Gives tests a folder of their own, and reads and writes files in it by stdio. */
#ifndef DAP_TEST_FILES_H
#define DAP_TEST_FILES_H

#include <dapbridge/file.h>

#include "buffers.h"
#include "mpi_test.h"
#include "side.h"

/* files_begin() makes a folder that all processes see, and files_end() removes it with its contents. Both
 * are collective. */
void files_begin(void);
void files_end(void);

/* Returns the path of a file of this name in the folder. The memory is static, and the fourth call after
 * overwrites it. */
const char *files_path(const char *name);

/* Returns the number of files in the folder. */
int files_count(void);

/* Returns the bytes of a file, with a NUL at the end; the caller frees them. Returns NULL if the file does
 * not exist. */
unsigned char *files_read(const char *path, int64_t *length);
/* Writes a file with these bytes. Returns false if this fails. */
bool files_write(const char *path, const void *bytes, int64_t length);

/* Returns the part of a side on this process, for calls about files; NULL without a part. `array` is its
 * memory. Elements of 1, 2, 4, 8, 16 or 32 bytes have one type for each size. */
dap_darray files_array(const test_side *side, dap_array *array);

/* Makes an array of 40 x 30 float64 whose rows are dealt to the processes, stored by columns. Saving this
 * array needs plans. */
fixture files_trial(void);

#endif

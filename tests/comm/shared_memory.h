/* What the tests of shared memory look at outside the library: the system's list of names and of mappings,
 * and limits under which there is no more of it. */
#ifndef DAP_TEST_SHARED_MEMORY_H
#define DAP_TEST_SHARED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* A limit that a process runs into, and what it then is told. */
typedef enum test_limit {
  LIMIT_SIZE, /* no file, and no shared memory, of more than LIMIT_BYTES */
  LIMIT_FILES /* no further file may be opened */
} test_limit;

enum { LIMIT_BYTES = 1 << 16 };

/* On this process, until limit_end(). */
void limit_start(test_limit limit);
void limit_end(void);

/* Names of shared memory that this process has made and not forgotten, known from the library's calls of
 * shm_open(), see dap_test_shared_memory. -1: they are not known. */
int count_names(void);
/* Lines in the list of what is mapped here from shared memory that has no name any more, but for what
 * contexts keep; -1: the system has no such list. */
int count_mappings(void);
/* The lowest number that a file opened now would get. */
int lowest_file(void);

#endif

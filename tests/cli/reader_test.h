/* Helps to test the reader of documents: documents in a short notation, and tables of expected findings.
 * Private: the reader of documents is part of the command only. */
#ifndef DAP_READER_TEST_H
#define DAP_READER_TEST_H

#include "document.h"
#include "mpi_test.h"

/* Parses JSON that has ' in place of ". */
json_t *json_from(const char *text);

/* Reads the only part of a document, which must be valid. */
void read_part(const char *text, dap_array *array);

typedef struct reader_row {
  const char *why;
  const char *text; /* part of one process */
  dap_status want;
  int rule;
  long count;        /* number of all findings */
  const char *parts; /* expected parts of the first finding's text, separated by '|' */
} reader_row;

void check_reader_row(const reader_row *row, const char *rules);

#define READER_ROWS(name)                                                                                    \
  static void check_##name(void **state)                                                                     \
  {                                                                                                          \
    (void)state;                                                                                             \
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) check_reader_row(&name[i], NULL);              \
  }

#endif

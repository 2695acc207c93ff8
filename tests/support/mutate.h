/* One wrong word in an otherwise right dap_array: the rows of the tables that test refusals. */
#ifndef DAP_TEST_MUTATE_H
#define DAP_TEST_MUTATE_H

#include <dapbridge/array.h>

/* The word that a change sets. */
typedef enum test_key {
  KEY_END = 0, /* no change: closes a list */
  KEY_ABI,
  KEY_VERSION, /* the text */
  KEY_DIM_COUNT,
  KEY_NDIM,
  KEY_DTYPE,
  KEY_NULL, /* data = NULL */
  /* of the buffer, per axis */
  KEY_EXTENT,
  KEY_FIT, /* the extent that the dictionary's start and stop ask for */
  KEY_STRIDE,
  /* of the dictionary, per axis */
  KEY_TYPE,
  KEY_SIZE,
  KEY_PROCS,
  KEY_RANK,
  KEY_START,
  KEY_STOP,
  KEY_PAD_LOW,
  KEY_PAD_HIGH,
  KEY_BLOCK,
  KEY_PERIODIC,
  KEY_ONE_TO_ONE
} test_key;

enum { TEST_CHANGES = 6 /* in one row, at most; the last is KEY_END */ };

typedef struct test_change {
  test_key key;
  int axis;
  int64_t value;
  const char *text; /* KEY_VERSION */
} test_change;

/* Applies changes[] up to its KEY_END. */
void apply_changes(dap_array *array, const test_change changes[TEST_CHANGES]);

#endif

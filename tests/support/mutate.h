/* One wrong word in an otherwise right dap_array, and the rule that it breaks: the rows of the tables that
 * test refusals. */
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
  KEY_NULL,     /* data = NULL */
  KEY_READONLY, /* 0 or 1 */
  /* of the buffer, per axis */
  KEY_EXTENT,
  KEY_FIT, /* the extent that start and stop, or the number of indices, ask for */
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
  KEY_ONE_TO_ONE,
  KEY_LIST,        /* indices and their number: TEST_LIST() */
  KEY_INDEX_COUNT, /* their number alone */
  KEY_INDEX_DTYPE, /* what the same bytes are said to be */
  KEY_INDICES_NULL /* indices = NULL */
} test_key;

enum { TEST_CHANGES = 6 /* in one row, at most; the last is KEY_END */ };

typedef struct test_change {
  test_key key;
  int axis;
  int64_t value;
  const void *what; /* KEY_VERSION: the text; KEY_LIST: [value] indices, int64_t, which must stay */
} test_change;

/* The change that gives an axis these indices, as int64_t. */
#define TEST_LIST(axis, ...)                                                                                 \
  {                                                                                                          \
    KEY_LIST, axis, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[])              \
    {                                                                                                        \
      __VA_ARGS__                                                                                            \
    }                                                                                                        \
  }

/* Applies changes[] up to its KEY_END. */
void apply_changes(dap_array *array, const test_change changes[TEST_CHANGES]);

/* Applies changes in words, with commas between: "extent 7", "axis 1 size absent, type {}", "version 0.9.1",
 * "indices 7 0 3", "dtype float32". A number may be absent, min, max, max-1 or max/2. */
void change_array(dap_array *array, const char *changes);

/* The number of the rule that was broken is in the error, and at the end of its text; 0: in neither.
 * Records a failure as EXPECT() does, and returns false, if not. */
bool expect_rule(const dap_error *err, int rule);

#endif

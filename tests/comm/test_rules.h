/* Tests every rule of the protocol on four processes. One process breaks the rule and the others do not,
 * or all conform and the rule determines the meaning. */
#ifndef DAP_TEST_RULES_H
#define DAP_TEST_RULES_H

#include "mpi_test.h"
#include "mutate.h"

#include <dapbridge/rules.h>

enum { FOUR = 4 };

/* ---- valid arrays ------------------------------------------------------------------------------- */

/* Names of valid arrays on four processes, 1-D and of protocol 0.10 unless the comment differs. */
typedef enum rule_base {
  PADDED,         /* 'b', 16, halo 1: buffers [0, 5) [3, 9) [7, 13) [11, 16) */
  PLAIN,          /* 'b', 8, 2 each */
  SPARSE,         /* 'b', 8, lengths 5 0 3 0 */
  CEILING,        /* 'b', 5, lengths 2 2 1 0 */
  EDGED,          /* 'b', 16, halo 1, boundary (2, 1), periodic: ranges as PADDED */
  ROUND,          /* 'b', 16, 0.9, periodic: padding (1, 1) outside [0, 4) [4, 8) [8, 12) [12, 16) */
  HOLLOW,         /* 'b', 16, 0.9, periodic: lengths 0 6 5 5, no padding */
  DRAFT,          /* 'b', 16, 0.0.1: padding (0, 1) (1, 1) (1, 1) (1, 0) outside the ranges of ROUND */
  CYCLIC,         /* 'c', 17 in blocks of 3: start 0 3 6 9, extent 6 5 3 3 */
  ROTATED,        /* 'c', the same, the first block on 2: start 6 9 0 3, extent 3 3 6 5 */
  SINGLES,        /* 'c', 8 in blocks of 1 */
  SHORT,          /* 'c', 3 in blocks of 10: all on 0, start 3 on the others */
  HPF,            /* 'c', 5 in blocks of 2: extent 2 2 1 0 */
  LISTS,          /* 'u', 8: 0 1 2 | 2 3 4 | 5 6 7 0 | 7 3 */
  DISJOINT,       /* 'u', 8, one_to_one: 0 4 | 5 1 | 2 6 | 7 3 */
  COPIES,         /* 'u', 3: 0 1 2 on each */
  GRID,           /* 2 x 2: 'b', 8, halo 1: [0, 5) [3, 8); 'c', 8 in blocks of 2: start 0 2, extent 4 4 */
  TURNED,         /* the same, at places (0, 0) .. (1, 1) ranks 2 0 3 1 */
  ROUND_GRID,     /* 2 x 2, 0.9: 'b', 8, periodic, padding (1, 1) outside [0, 4) [4, 8); 'b', 4 */
  SHARED,         /* 2 x 2: 'u', 6: 0 2 4 5 | 1 3 5; 'b', 4: [0, 2) [2, 4) */
  SHARED_TURNED,  /* the same, at places (0, 0) .. (1, 1) ranks 2 0 3 1 */
  ENDED,          /* 2 x 2: 'b', 4, lengths 4 0; 'b', 4: [0, 2) [2, 4) */
  REPEATED,       /* 1 x 4: 'u', 3: 2 0 1; 'b', 8, 2 each */
  DISJOINT_GRID,  /* 2 x 2: 'u', 4, one_to_one: 2 0 | 1 3; 'u', 3, one_to_one: 1 0 | 2 */
  UNCUT,          /* 1 x 4: {}, extent 3; 'c', 16 in blocks of 2 */
  UNCUT_IN_0_9,   /* the same with 'n', 0.9 */
  UNCUT_IN_DRAFT, /* the same with None, 0.0.1 */
  RULE_BASES
} rule_base;

/* The arrays of all four processes of a base, and their common layout. */
typedef struct rule_parts {
  dap_layout *layout;
  dap_array right[FOUR]; /* own the memory that their pointers refer to */
  dap_array given[FOUR]; /* [rank] copies that a row changes */
} rule_parts;

void make_rule_parts(rule_base base, rule_parts *parts);
void release_rule_parts(rule_parts *parts);

/* Returns a communicator of four processes: all four, or the middle four of six in reverse order. Returns
 * MPI_COMM_NULL outside. */
MPI_Comm rules_comm(void);
void rules_end(void); /* frees that communicator */
int rules_rank(void); /* rank in it; -1 outside */

/* ---- rows --------------------------------------------------------------------------------------- */

enum { EACH = -1, EVERY = -2 }; /* for `who` */
enum { NO_RULE = -1 };          /* for `broken` */
#define RANK(rank) ((rank) + 1) /* for `blamed` and `also`, where 0 means none */

typedef struct rule_row {
  const char *name;
  int rule; /* rule that the row tests */
  rule_base base;
  int who;             /* rank that makes the change, EACH in turn, or EVERY one at once */
  const char *changes; /* in the words of change_array() */
  int also;            /* RANK() of a second process that makes a change */
  const char *more;    /* change of the second process */
  dap_status want;     /* DAP_OK: legal, and the layout is the base's */
  bool moved;          /* legal, but gives another layout */
  int broken;          /* rule in the error, if not `rule`; NO_RULE: none */
  int blamed;          /* RANK() in the error, if not `who` */
  const char *parts;   /* parts of the message, separated by '|' */
  bool other_witness;  /* dap_layout_join() names another rank for the difference */
} rule_row;

/* A row; its name has no quotes. By default the process that makes the change breaks the rule `rule`.
 * Members after the text override this. */
#define BROKEN(rule_, name_, base_, who_, changes_, want_, ...)                                              \
  {                                                                                                          \
    .name = #name_, .rule = (rule_), .base = (base_), .who = (who_), .changes = changes_, .want = (want_),   \
    .parts = __VA_ARGS__                                                                                     \
  }
/* A legal row: the change, and further members. */
#define LEGAL(rule_, name_, base_, who_, ...)                                                                \
  {                                                                                                          \
    .name = #name_, .rule = (rule_), .base = (base_), .who = (who_), .changes = __VA_ARGS__                  \
  }

/* ---- tests without rows -------------------------------------------------------------------------- */

typedef struct rule_test {
  const char *name;
  int rule;
  void (*run)(void); /* collective on all processes; does not call SETTLE() */
} rule_test;

typedef struct rule_table {
  const rule_row *rows;
  size_t row_count;
  const rule_test *tests;
  size_t test_count;
} rule_table;

#define RULE_COUNT(of) (sizeof(of) / sizeof((of)[0]))

extern const rule_table rules_of_keys;   /* 1 .. 7 */
extern const rule_table rules_of_block;  /* 8 .. 12 */
extern const rule_table rules_of_cyclic; /* 13 .. 16 */
extern const rule_table rules_of_lists;  /* 17, 18 */
extern const rule_table rules_of_use;    /* 19 .. 23 */

/* Assembles the row's arrays, changed on each rank in turn if the row says so, and joins them without MPI.
 * Both must give the same result. Settles. Collective on all processes. */
void check_rule_row(const rule_row *row);

#endif

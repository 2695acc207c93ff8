/* Every rule of the protocol on four processes: one of them breaks it and the others are right, or all are,
 * and the rule decides what that means. */
#ifndef DAP_TEST_RULES_H
#define DAP_TEST_RULES_H

#include "mpi_test.h"
#include "mutate.h"

#include <dapbridge/rules.h>

enum { FOUR = 4 };

/* ---- right arrays ------------------------------------------------------------------------------- */

/* On four processes; 1-D and of protocol 0.10 unless it says otherwise. */
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

/* The arrays of all four processes of a base, and the layout that they come from. */
typedef struct rule_parts {
  dap_layout *layout;
  dap_array right[FOUR]; /* own what they point at */
  dap_array given[FOUR]; /* [rank] the same, to be changed */
} rule_parts;

void make_rule_parts(rule_base base, rule_parts *parts);
void release_rule_parts(rule_parts *parts);

/* The four processes: all, or of six those in the middle, in reverse. MPI_COMM_NULL outside. */
MPI_Comm rules_comm(void);
void rules_end(void); /* that communicator is needed no more */
int rules_rank(void); /* in it; -1 outside */

/* ---- rows --------------------------------------------------------------------------------------- */

enum { EACH = -1, EVERY = -2 }; /* for `who` */
enum { NO_RULE = -1 };          /* for `broken` */
#define RANK(rank) ((rank) + 1) /* for `blamed` and `also`, where 0 is none */

typedef struct rule_row {
  const char *name;
  int rule; /* that it shows */
  rule_base base;
  int who;             /* the rank that says it, EACH of them in turn, or EVERY one at once */
  const char *changes; /* in the words of change_array() */
  int also;            /* RANK() of a second one */
  const char *more;    /* of that one */
  dap_status want;     /* DAP_OK: it is legal, and the layout is the base's */
  bool moved;          /* legal, but another layout */
  int broken;          /* rule in the error, if it is not `rule`; NO_RULE: none */
  int blamed;          /* RANK() in the error, if it is not `who` */
  const char *parts;   /* of the message, '|' between them */
  bool other_witness;  /* dap_layout_join() names another rank that it differs from */
} rule_row;

/* A row, whose name is not in quotes. What is broken is the rule itself, by the one who says it, unless
 * members behind the text say otherwise. */
#define BROKEN(rule_, name_, base_, who_, changes_, want_, ...)                                              \
  {                                                                                                          \
    .name = #name_, .rule = (rule_), .base = (base_), .who = (who_), .changes = changes_, .want = (want_),   \
    .parts = __VA_ARGS__                                                                                     \
  }
/* A legal one: what is said, and members behind it. */
#define LEGAL(rule_, name_, base_, who_, ...)                                                                \
  {                                                                                                          \
    .name = #name_, .rule = (rule_), .base = (base_), .who = (who_), .changes = __VA_ARGS__                  \
  }

/* ---- tests that are no rows ---------------------------------------------------------------------- */

typedef struct rule_test {
  const char *name;
  int rule;
  void (*run)(void); /* collective on all processes; without SETTLE() */
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

/* Assembles with the row's changes, by every rank in turn if it is for each; and joins them without MPI,
 * which must say the same. Settles. Collective on all processes. */
void check_rule_row(const rule_row *row);

#endif

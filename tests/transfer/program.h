/* The plans of a random program: what each moves, in what memory, and the serial model of it. */
#ifndef DAP_TEST_PROGRAM_H
#define DAP_TEST_PROGRAM_H

#include "combine.h"
#include "task_many.h"

typedef struct program_plan program_plan;

/* What a plan does. Functions for one array, or a task for all. */
typedef struct program_kind {
  const char *name;
  /* Draws sides, options and types. */
  void (*draw)(program_plan *p, test_random *random);
  dap_status (*create)(const program_plan *p, MPI_Comm comm, dap_plan **plan, dap_error *err);
  void (*fill)(program_plan *p);
  bool (*check)(program_plan *p);
} program_kind;

/* program_kinds.c */
enum { PROGRAM_KINDS = 8 };
extern const program_kind program_kinds[PROGRAM_KINDS];

struct program_plan {
  const program_kind *kind; /* NULL: there is no plan */
  int nth;                  /* the program's number */
  dap_plan *plan;
  MPI_Comm comm;
  dap_plan_options options;
  bool is_under_way;
  int runs;
  /* What moves. */
  task task;              /* of "moves" */
  random_array arrays[2]; /* of the others */
  test_side sides[2];
  const test_side *from, *to;  /* among these; the same: in place */
  const combine_kind *combine; /* of sums; */
  dap_dtype types[2];          /* the types of both sides of addends */
  bool is_swapped;             /* this process's source */
  /* Of the run that is under way. */
  many_sides sources, destinations; /* in place only `sources` */
  unsigned char *before, *given;    /* bytes of the destinations, of the sources when it began */
};

/* Plans of several phases so far; runs of each kind that have ended. */
extern int program_phased, program_ended[PROGRAM_KINDS];

/* Draws a plan of the nth program and creates it, on `comm`, which is placed as placements[place]. False if
 * that failed, which is recorded; then there is none. Collective on MPI_COMM_WORLD, as the next two are. */
bool program_create(program_plan *p, int nth, MPI_Comm comm, int place, test_random *random);

/* Begins a run on buffers in memory of any kind; and ends it: every byte of the destinations is checked, and
 * that the sources are as they were. */
void program_begin(program_plan *p, test_random *random);
void program_end(program_plan *p);

/* Each process in its own time. Nothing where there is no plan. */
void program_destroy(program_plan *p);

/* In words, for a test's label. Static memory. */
const char *program_text(const program_plan *p);

#endif

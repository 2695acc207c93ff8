/* Describes the parts of arrays that applications send to a neighbour, and their destinations. See
 * README.md. */
#ifndef DAP_BENCH_PATTERNS_H
#define DAP_BENCH_PATTERNS_H

#include <dapbridge/array.h>
#include <dapbridge/plan.h>
#include <mpi.h>

enum { PATTERN_NDIM = 4, PATTERN_GROUPS = 3, PATTERN_ARRAYS = 5 /* most arrays of a group */ };

/* Equal arrays, in C order, and the box of each that is sent: `count` elements, from index `from` of the
 * sender to index `to` of the receiver. */
typedef struct pattern_group {
  int arrays, ndim;
  int64_t shape[PATTERN_NDIM], count[PATTERN_NDIM], from[PATTERN_NDIM], to[PATTERN_NDIM];
  /* Along axis 0 the box has random indices of the first `among`, which differ between processes. */
  bool scattered_from, scattered_to;
  int64_t among;
} pattern_group;

typedef struct pattern {
  const char *name, *about;
  int itemsize;
  pattern_group groups[PATTERN_GROUPS]; /* ends with one without arrays */
} pattern;

/* Returns the name of the pattern at this place in the table, or NULL at the end. */
const char *pattern_name(int row);
pattern pattern_make(int row);

/* Return the bytes of a group that are sent, and the bytes of each of its arrays. */
int64_t pattern_sent(const pattern *p, const pattern_group *g);
int64_t pattern_bytes(const pattern *p, const pattern_group *g);

/* ---- patterns_data.c: each process sends to the next, the last to the first ----------------------- */

typedef struct pattern_data {
  MPI_Comm comm;
  int rank, nprocs;
  const pattern *pattern;
  int groups;
  dap_layout *from_layouts[PATTERN_GROUPS], *to_layouts[PATTERN_GROUPS];
  int *next; /* [nprocs] destination of process i */
  /* [count of axis 0] for a scattered group: indices in this process's arrays that are sent, and that are
   * received; otherwise NULL. */
  int64_t *from_places[PATTERN_GROUPS], *to_places[PATTERN_GROUPS];
  char *from[PATTERN_GROUPS][PATTERN_ARRAYS], *to[PATTERN_GROUPS][PATTERN_ARRAYS];
  dap_array shared[PATTERN_GROUPS][PATTERN_ARRAYS]; /* destinations, in library memory */
} pattern_data;

void pattern_data_make(MPI_Comm comm, const pattern *p, pattern_data *data);
void pattern_data_free(pattern_data *data);

/* Returns the memory that receives `array` of a group, in library memory or not. */
char *pattern_destination(const pattern_data *data, int group, int array, bool shared);
void pattern_spoil(const pattern_data *data, bool shared);
/* Returns how many elements of the destinations, sent or not, are wrong. */
int64_t pattern_count_wrong(const pattern_data *data, bool shared);

/* ---- the methods: patterns_plan.c, patterns_types.c, patterns_hand.c -------------------------------- */

typedef struct pattern_job {
  const pattern_data *data;
  bool shared; /* whether it receives in library memory */
  void *state;
} pattern_job;

typedef struct pattern_method {
  const char *name;
  bool ours, shared;
  bool (*applies)(const pattern *p); /* NULL: always */
  void (*create)(pattern_job *job);
  void (*run)(pattern_job *job);
  void (*destroy)(pattern_job *job);
} pattern_method;

void pattern_plan_create(pattern_job *job);
void pattern_plan_run(pattern_job *job);
void pattern_plan_destroy(pattern_job *job);

void pattern_vectors_create(pattern_job *job);
bool pattern_subarrays_applies(const pattern *p);
void pattern_subarrays_create(pattern_job *job);
void pattern_types_run(pattern_job *job);
void pattern_types_destroy(pattern_job *job);

void pattern_hand_create(pattern_job *job);
void pattern_hand_run(pattern_job *job);
void pattern_hand_destroy(pattern_job *job);

#endif

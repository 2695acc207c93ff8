/* Moves patterns by hand, as the applications do: loops pack all arrays into one message, and unpack it. */
#include "fail.h"
#include "patterns.h"

#include <stdlib.h>
#include <string.h>

typedef struct state {
  char *out, *in;
  int bytes;
} state;

/* ---- loops --------------------------------------------------------------------------------------------- */

/* Copies rows. A memcpy of constant size is a few loads and stores. `at` is the offset of row i in the
 * array. */
#define ROWS(size, at)                                                                                       \
  for (int64_t i = 0; i < count; i++)                                                                        \
    memcpy(packs ? message + i *(size) : array + (at), packs ? array + (at) : message + i * (size),          \
           (size_t)(size));
#define BY_SIZE(size, at)                                                                                    \
  switch (size) {                                                                                            \
  case 4:                                                                                                    \
    ROWS(4, at) break;                                                                                       \
  case 8:                                                                                                    \
    ROWS(8, at) break;                                                                                       \
  case 12:                                                                                                   \
    ROWS(12, at) break;                                                                                      \
  case 24:                                                                                                   \
    ROWS(24, at) break;                                                                                      \
  case 40:                                                                                                   \
    ROWS(40, at) break;                                                                                      \
  default:                                                                                                   \
    ROWS(size, at) break;                                                                                    \
  }

static void copy_rows(bool packs, int64_t size, int64_t count, char *array, int64_t step, char *message)
{
  BY_SIZE(size, i * step)
}

static void copy_listed(bool packs, int64_t size, int64_t count, char *array, const int64_t *places,
                        char *message)
{
  BY_SIZE(size, places[i] * size)
}

/* A box as three loops over rows that are contiguous in the array. */
enum { LOOPS = PATTERN_NDIM - 1 };
typedef struct box {
  int64_t counts[LOOPS], steps[LOOPS]; /* outermost first; in bytes */
  int64_t row;                         /* in bytes */
} box;

/* Makes a box. Axes that are sent whole are merged with the next slower axis. */
static box make_box(const pattern *p, const pattern_group *g)
{
  int64_t step = p->itemsize;
  int axis = g->ndim - 1;
  box b = {.counts = {1, 1, 1}, .row = step};
  for (; axis >= 0 && b.row == step; axis--) {
    b.row *= g->count[axis];
    step *= g->shape[axis];
  }
  for (int loop = LOOPS - 1; axis >= 0; axis--, loop--) {
    b.counts[loop] = g->count[axis];
    b.steps[loop] = step;
    step *= g->shape[axis];
  }
  return b;
}

static void copy_box(const box *b, bool packs, char *array, char *message)
{
  for (int64_t i = 0; i < b->counts[0]; i++)
    for (int64_t j = 0; j < b->counts[1]; j++, message += b->counts[2] * b->row)
      copy_rows(packs, b->row, b->counts[2], array + i * b->steps[0] + j * b->steps[1], b->steps[2], message);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

static int64_t start_of(const pattern *p, const pattern_group *g, const int64_t start[])
{
  int64_t index = 0;
  for (int k = 0; k < g->ndim; k++) index = index * g->shape[k] + start[k];
  return index * p->itemsize;
}

static void copy_all(const pattern_data *d, bool packs, char *message)
{
  for (int i = 0; i < d->groups; i++) {
    const pattern_group *g = &d->pattern->groups[i];
    const int64_t *places = packs ? d->from_places[i] : d->to_places[i];
    const int64_t bytes = pattern_sent(d->pattern, g) / g->arrays;
    const box b = make_box(d->pattern, g);
    for (int a = 0; a < g->arrays; a++, message += bytes) {
      char *array = packs ? d->from[i][a] : d->to[i][a];
      if (places)
        copy_listed(packs, bytes / g->count[0], g->count[0], array, places, message);
      else
        copy_box(&b, packs, array + start_of(d->pattern, g, packs ? g->from : g->to), message);
    }
  }
}

void pattern_hand_create(pattern_job *job)
{
  const pattern_data *d = job->data;
  int64_t bytes = 0;
  state *s = bench_alloc(sizeof *s);
  for (int i = 0; i < d->groups; i++) bytes += pattern_sent(d->pattern, &d->pattern->groups[i]);
  *s = (state){bench_alloc(bytes), bench_alloc(bytes), (int)bytes};
  job->state = s;
}

void pattern_hand_run(pattern_job *job)
{
  enum { TAG = 1 };
  const pattern_data *d = job->data;
  const state *s = job->state;
  MPI_Request requests[2];
  MPI_Irecv(s->in, s->bytes, MPI_BYTE, (d->rank + d->nprocs - 1) % d->nprocs, TAG, d->comm, &requests[0]);
  copy_all(d, true, s->out);
  MPI_Isend(s->out, s->bytes, MPI_BYTE, d->next[d->rank], TAG, d->comm, &requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  copy_all(d, false, s->in);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

void pattern_hand_destroy(pattern_job *job)
{
  state *s = job->state;
  free(s->out);
  free(s->in);
  free(s);
}

/* Private: the transports that a caller allows are separated from those that tests force. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): fmemopen() */
#include "task.h"

#include "mpi_test.h"
#include "problem_impl.h"

#include <inttypes.h>

enum { SALT = 11 /* from the values of one array to those of the next */ };

void task_of(task *t, task_kind kind, const test_side *from, const test_side *to, dap_dtype from_type,
             dap_dtype to_type)
{
  memset((char *)t + offsetof(task, kind), 0, sizeof *t - offsetof(task, kind));
  t->kind = kind;
  t->from = from;
  t->to = to;
  t->types[0] = from_type;
  t->types[1] = to_type;
  t->naxes = from->array->ndim;
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < t->naxes; k++) {
      t->axes[side][k] = k;
      t->shape[side][k] = from->array->dists[k].size;
    }
}

/* ---- as arguments ----------------------------------------------------------------------------------- */

/* The bits of transports. With 0, all transports are allowed. */
unsigned task_way(int place, int i)
{
  const unsigned way = (unsigned)(i % TASK_WAYS);
  return place > 0 && way ? way | DAP_TRANSPORT_MESSAGES : test_joining(way);
}

dap_side task_side(const task *t, int side)
{
  const test_side *s = side ? t->to : t->from;
  dap_side given = side_of(s);
  if (t->is_told && s->process < 0) given.layout = NULL, given.ranks = NULL, given.strides = NULL;
  given.dtype = t->types[side];
  given.swapped = t->swaps[side] >> test_rank() & 1;
  given.part = (dap_part){.naxes = t->has_axes[side] ? t->naxes : 0,
                          .axes = t->has_axes[side] ? t->axes[side] : NULL,
                          .start = t->has_start[side] ? t->start[side] : NULL,
                          .shape = t->has_shape[side] ? t->shape[side] : NULL};
  return given;
}

dap_status task_create(const task *t, MPI_Comm comm, dap_plan **plan, dap_error *err)
{
  dap_side sides[2] = {task_side(t, 0), task_side(t, 1)};
  const dap_side *given[2] = {&sides[0], &sides[1]};
  const int64_t itemsize = t->types[0] == DAP_NONE ? t->from->itemsize : 0;
  const dap_plan_options *o = &t->options;
  test_random own = test_random_init(900 + (uint64_t)test_rank());
  int ranks[2][BRUTE_PROCS];
  for (int side = 0; side < 2 && t->groups; side++)
    given[side] = side_in_group(t->groups, side ? 1 - t->sender : t->sender, side ? t->to : t->from, &own,
                                &sides[side], ranks[side]);
  const int *root = t->kind == TASK_GATHER ? t->to->ranks : t->from->ranks;
  if (t->kind == TASK_HALO) return dap_plan_create_halo(comm, given[0], itemsize, o, plan, err);
  if (t->kind == TASK_REVERSE) return dap_plan_create_halo_reverse(comm, given[0], itemsize, o, plan, err);
  if (t->kind == TASK_GATHER) return dap_plan_create_gather(comm, given[0], *root, itemsize, o, plan, err);
  if (t->kind == TASK_SCATTER) return dap_plan_create_scatter(comm, *root, given[1], itemsize, o, plan, err);
  return dap_plan_create(comm, given[0], given[1], itemsize, o, plan, err);
}

bool task_is_lossy(const task *t)
{
  return t->types[0] != DAP_NONE && !dap_dtype_holds(t->types[1], t->types[0]);
}

/* ---- in words --------------------------------------------------------------------------------------- */

const char *task_text(const task *t)
{
  static const char *const kinds[] = {"move", "halo update", "reverse halo update", "gather", "scatter"};
  static char text[1600];
  const dap_plan_options *o = &t->options;
  FILE *out = fmemopen(text, sizeof text, "w");
  if (!out) return "a task";
  fprintf(out,
          "%s of %" PRId64 " arrays, %" PRId64 " bytes, transports %#x, message_bytes %" PRId64
          ", memory_bytes %" PRId64 ", combine %d, padding %d%s%s%s",
          kinds[t->kind], o->arrays, t->to->itemsize, o->transports, o->message_bytes, o->memory_bytes,
          (int)o->combine, (int)o->padding, o->conjugate ? ", conjugate" : "", o->fill_halos ? ", halos" : "",
          o->from_owners ? ", from owners" : "");
  if (o->alpha) fprintf(out, ", alpha (%g, %g)", o->alpha[0], o->alpha[1]);
  if (o->beta) fprintf(out, ", beta (%g, %g)", o->beta[0], o->beta[1]);
  for (int side = 0; side < (t->from == t->to ? 1 : 2); side++) {
    fprintf(out, "; %s: %s%s", side ? "to" : "from", dap_dtype_name(t->types[side]),
            t->swaps[side] ? " swapped" : "");
    for (int j = 0; j < t->naxes; j++) {
      const int k = t->axes[side][j];
      fprintf(out, " axis %d %" PRId64 "+%" PRId64, k, k < 0 ? 0 : t->start[side][k],
              k < 0 ? 1 : t->shape[side][k]);
    }
    fprintf(out, " of %.400s", random_array_text((side ? t->to : t->from)->array));
  }
  fclose(out);
  return text;
}

/* ---- bytes -------------------------------------------------------------------------------------------- */

/* Finds the ranks that have an element of the source, or an addend of it, and the ranks that get the element,
 * as bits. Returns whether lists of the destination have copies. */
static bool find_holders(const task *t, unsigned have[], unsigned want[])
{
  bool has_copies = false;
  for (int p = 0; p < t->from->array->nprocs; p++)
    for (brute_walk w = brute_walk_start(&t->from->array->model, p); !w.done; brute_walk_next(&w))
      if (w.part == BRUTE_OWNED || (w.part == BRUTE_COPY && w.alike)) have[w.flat] |= 1U << t->from->ranks[p];
  for (int p = 0; p < t->to->array->nprocs; p++)
    for (brute_walk w = brute_walk_start(&t->to->array->model, p); !w.done; brute_walk_next(&w)) {
      const int64_t source = w.part == BRUTE_PADDING ? -1 : task_source(t, &w);
      if (source >= 0) want[source] |= 1U << t->to->ranks[p];
      has_copies = has_copies || (w.part == BRUTE_COPY && !w.alike);
    }
  return has_copies;
}

/* The number of elements that move in all. If there are no addends, also the number that this process
 * receives, and the number that it keeps. */
typedef struct moved {
  int64_t sent, received, kept;
  bool has_copies; /* lists of the destination have copies */
} moved;

static moved count_moved(const task *t)
{
  const unsigned own = 1U << test_rank();
  const int64_t count = t->from->array->model.count;
  const int addends = task_addends(t);
  unsigned *have = test_must(calloc((size_t)count + 1, sizeof *have)),
           *want = test_must(calloc((size_t)count + 1, sizeof *want));
  moved m = {0};
  m.has_copies = find_holders(t, have, want);
  for (int64_t i = 0; i < count; i++) {
    if (want[i])
      m.sent += addends == 1 ? __builtin_popcount(want[i] & ~have[i])
                             : addends - 1 + __builtin_popcount(want[i]) - 1 + ((have[i] & want[i]) == 0);
    m.received += (want[i] & ~have[i] & own) != 0;
    m.kept += (want[i] & have[i] & own) != 0;
  }
  free(have);
  free(want);
  return m;
}

/* Returns whether there is a formula for the bytes of a plan. There is none if padding is filled, if elements
 * are converted or added to old ones, or if values of all holders are combined. */
static bool has_formula(const task *t, const dap_plan_stats *stats)
{
  const dap_plan_options *o = &t->options;
  if (t->kind != TASK_MOVE || o->fill_halos || o->beta || o->from_owners || stats->phases > 1) return false;
  return t->from->itemsize == t->to->itemsize && (!o->combine || task_addends(t) > 1);
}

void task_check_plan(const task *t, const dap_plan *plan)
{
  const dap_plan_stats s = dap_plan_summarize(plan);
  const dap_plan_options *o = &t->options;
  int64_t all[] = {s.bytes_sent, s.bytes_received, s.messages_sent, s.messages_received, s.phases > 1};
  MPI_Allreduce(MPI_IN_PLACE, all, 5, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_INT(all[0], all[1]);
  EXPECT_INT(all[2], all[3]);
  EXPECT(s.bytes_buffer <= (o->memory_bytes ? o->memory_bytes : INT64_C(64) << 20));
  const int64_t item = t->from->itemsize, bytes = item * (o->arrays ? o->arrays : 1);
  const int64_t longer = t->to->itemsize > item ? t->to->itemsize : item; /* later passes move these */
  const int64_t most = o->message_bytes > longer ? o->message_bytes : longer;
  EXPECT(!o->message_bytes || s.messages_received * most >= s.bytes_received);
  if (!has_formula(t, &s) || all[4] > 0) return;
  const bool has_addends = task_addends(t) > 1;
  const moved m = count_moved(t);
  if (has_addends && m.has_copies) return; /* there is no formula for sums in lists with copies */
  EXPECT_INT(all[0], bytes * m.sent);
  if (has_addends) return;
  EXPECT_INT(s.bytes_received, bytes * m.received);
  EXPECT_INT(s.bytes_local, bytes * m.kept);
}

/* ---- runs --------------------------------------------------------------------------------------------- */

void task_run_make(const task *t, MPI_Comm comm, const many_memory memory[2], task_run *run)
{
  const int count = t->options.arrays ? (int)t->options.arrays : 1;
  many_make(comm, t->from, count, memory[0], &run->from);
  if (t->from == t->to)
    run->to = run->from;
  else
    many_make(comm, t->to, count, memory[1], &run->to);
}

void task_run_free(const task *t, task_run *run)
{
  many_free(&run->from);
  if (t->from != t->to) many_free(&run->to);
}

void task_run_fill(task *t, int64_t salt, const task_run *run)
{
  for (int a = 0; a < run->from.count; a++) {
    t->salt = salt + a * SALT;
    task_fill(t, &run->from.sides[a], &run->to.sides[a]);
  }
  t->salt = salt;
}

bool task_run_check(task *t, const task_run *run)
{
  const int64_t salt = t->salt;
  bool good = true;
  for (int a = 0; a < run->to.count && good; a++) {
    t->salt = salt + a * SALT;
    good = task_check(t, &run->from.sides[a], &run->to.sides[a]);
    if (!good) EXPECT_MSG(false, "array %d of %d, run %" PRId64, a, run->to.count, salt);
  }
  t->salt = salt;
  return good;
}

bool task_begin(task *t, dap_plan *plan, MPI_Comm comm, const many_memory memory[2], task_run *run)
{
  dap_error err = {0};
  task_run_make(t, comm, memory, run);
  task_run_fill(t, t->salt + 1, run);
  const bool gives_from = t->from->process >= 0 || t->salt % 3, gives_to = t->to->process >= 0 || t->salt % 3;
  if (!t->options.arrays && t->salt % 2)
    return EXPECT_OK(dap_plan_begin(plan, run->from.data[0], run->to.data[0], &err), &err);
  return EXPECT_OK(dap_plan_begin_many(plan, gives_from ? (const void *const *)run->from.data : NULL,
                                       gives_to ? run->to.data : NULL, &err),
                   &err);
}

bool task_end(task *t, dap_plan *plan, task_run *run)
{
  dap_error err = {0};
  const bool good = EXPECT_OK(dap_plan_end(plan, &err), &err) && task_run_check(t, run);
  task_run_free(t, run);
  return good;
}

void task_move(task *t, MPI_Comm comm, int runs)
{
  static task_run run;
  const bool is_direct = (t->options.transports & DAP_TRANSPORTS) == DAP_TRANSPORT_DIRECT;
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (!EXPECT_OK(task_create(t, comm, &plan, &err), &err)) return;
  task_check_plan(t, plan);
  for (int i = 0; i < runs; i++) {
    const many_memory shared[2] = {MANY_SHARED, MANY_SHARED},
                      memory[2] = {(many_memory)(i % MANY_KINDS), (many_memory)(i / 2 % MANY_KINDS)};
    task_begin(t, plan, comm, is_direct ? shared : memory, &run);
    task_end(t, plan, &run);
  }
  dap_plan_destroy(&plan);
}

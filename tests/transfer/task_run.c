/* Private: transports that are allowed are told from those that tests force. */
#include "task.h"

#include "mpi_test.h"
#include "number.h"
#include "problem_impl.h"

enum { SALT = 11 /* from one array's values to the next one's */ };

static bool is_in_place(const task *t)
{
  return t->from == t->to;
}

/* ---- bytes -------------------------------------------------------------------------------------------- */

static int count_bits(unsigned bits)
{
  int count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

/* Bits of ranks that have an element of the source, or an addend of it; that get it. */
static void find_holders(const task *t, unsigned have[], unsigned want[])
{
  for (int p = 0; p < t->from->array->nprocs; p++)
    for (brute_walk w = brute_walk_start(&t->from->array->model, p); !w.done; brute_walk_next(&w))
      if (w.part == BRUTE_OWNED || (w.part == BRUTE_COPY && w.alike)) have[w.flat] |= 1U << t->from->ranks[p];
  for (int p = 0; p < t->to->array->nprocs; p++)
    for (brute_walk w = brute_walk_start(&t->to->array->model, p); !w.done; brute_walk_next(&w)) {
      const int64_t source = w.part == BRUTE_PADDING ? -1 : task_source(t, &w);
      if (source >= 0) want[source] |= 1U << t->to->ranks[p];
    }
}

/* Elements that move in all; and, of those without addends, that this process receives and keeps. */
typedef struct moved {
  int64_t sent, received, kept;
} moved;

static moved count_moved(const task *t)
{
  const unsigned own = 1U << test_rank();
  const int64_t count = t->from->array->model.count;
  const int addends = task_addends(t);
  unsigned *have = calloc((size_t)count + 1, sizeof *have), *want = calloc((size_t)count + 1, sizeof *want);
  moved m = {0};
  if (!have || !want) MPI_Abort(MPI_COMM_WORLD, 1);
  find_holders(t, have, want);
  for (int64_t i = 0; i < count; i++) {
    if (want[i])
      m.sent += addends == 1 ? count_bits(want[i] & ~have[i])
                             : addends - 1 + count_bits(want[i]) - 1 + ((have[i] & want[i]) == 0);
    m.received += (want[i] & ~have[i] & own) != 0;
    m.kept += (want[i] & have[i] & own) != 0;
  }
  free(have);
  free(want);
  return m;
}

static bool has_listed_copies(const random_array *array)
{
  for (int k = 0; k < array->ndim; k++) {
    const brute_axis *axis = &array->model.axes[k];
    for (int c = 0; c < axis->procs && axis->kind == 'u' && !axis->whole; c++)
      if (axis->owned[c] < axis->extent[c]) return true;
  }
  return false;
}

/* Not if padding is filled, what is there is added, or elements are converted; nor for values of all holders,
 * nor sums for lists with copies. */
static bool has_formula(const task *t, const dap_plan_stats *stats)
{
  const dap_plan_options *o = &t->options;
  const bool has_addends = task_addends(t) > 1;
  if (t->kind != TASK_MOVE || o->fill_halos || o->beta || o->from_owners || stats->phases > 1) return false;
  if (t->from->itemsize != t->to->itemsize || (o->combine && !has_addends)) return false;
  return !has_addends || !has_listed_copies(t->to->array);
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
  const moved m = count_moved(t);
  EXPECT_INT(all[0], bytes * m.sent);
  if (task_addends(t) > 1) return;
  EXPECT_INT(s.bytes_received, bytes * m.received);
  EXPECT_INT(s.bytes_local, bytes * m.kept);
}

/* ---- runs --------------------------------------------------------------------------------------------- */

/* The values of one array of a run. */
static void set_array(task *t, int64_t salt, int array)
{
  t->salt = salt + array * SALT;
}

bool task_begin(task *t, dap_plan *plan, MPI_Comm comm, const many_memory memory[2], task_run *run)
{
  const int count = t->options.arrays ? (int)t->options.arrays : 1;
  const int64_t salt = ++t->salt;
  many_sides *to = is_in_place(t) ? &run->from : &run->to;
  dap_error err = {0};
  many_make(comm, t->from, count, memory[0], &run->from);
  if (!is_in_place(t)) many_make(comm, t->to, count, memory[1], to);
  for (int a = 0; a < count; a++) {
    set_array(t, salt, a);
    task_fill(t, &run->from.sides[a], &to->sides[a]);
  }
  set_array(t, salt, 0);
  const bool gives_from = t->from->process >= 0 || salt % 3, gives_to = t->to->process >= 0 || salt % 3;
  if (!t->options.arrays && salt % 2)
    return EXPECT_OK(dap_plan_begin(plan, run->from.data[0], to->data[0], &err), &err);
  return EXPECT_OK(dap_plan_begin_many(plan, gives_from ? (const void *const *)run->from.data : NULL,
                                       gives_to ? to->data : NULL, &err),
                   &err);
}

bool task_end(task *t, dap_plan *plan, task_run *run)
{
  const int64_t salt = t->salt;
  many_sides *to = is_in_place(t) ? &run->from : &run->to;
  dap_error err = {0};
  bool good = EXPECT_OK(dap_plan_end(plan, &err), &err);
  for (int a = 0; a < to->count && good; a++) {
    set_array(t, salt, a);
    good = task_check(t, &run->from.sides[a], &to->sides[a]);
    if (!good) EXPECT_MSG(false, "array %d of %d, run %d", a, to->count, (int)salt);
  }
  set_array(t, salt, 0);
  many_free(&run->from);
  if (!is_in_place(t)) many_free(to);
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

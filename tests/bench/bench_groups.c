/* Times moves between two groups with half of the processes each, from rows on one to columns on the other.
 * The methods are a plan over the intercommunicator, a plan over one communicator of all, and one packed
 * message per pair by hand. Also times the making of the plans. */
#include "fail.h"
#include "program.h"
#include "turns.h"

#include <dapbridge/layout.h>
#include <dapbridge/plan.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROCS = 64 };

static struct {
  bench_sizes sizes;
  int reps;
} o;

static const bench_option options[] = {
    {"n", "N[,N...]", "64,512,2048", "extents", bench_read_sizes, &o.sizes, 1 << 14, NULL},
    {"reps", "R", "101", "timed turns", bench_read_count, &o.reps, 1 << 20, NULL},
    {.name = NULL}};

typedef struct task {
  int64_t n;
  int rank, half;        /* processes of each group */
  int ranks[MOST_PROCS]; /* ranks of the receivers */
  MPI_Comm inter;
  dap_layout *rows, *columns;
  dap_plan *between, *within;
  int64_t held;                   /* rows or columns of this process */
  int64_t firsts[MOST_PROCS + 1]; /* [half + 1] first row and column of each process */
  double *buffer, *packed;        /* [held * n] */
  MPI_Request requests[MOST_PROCS];
} task;

static bool sends(const task *t)
{
  return t->rank < t->half;
}

/* ---- methods ----------------------------------------------------------------------------------------- */

static dap_side side_of(const task *t, bool of_sender, bool of_all)
{
  return (dap_side){.layout = of_sender ? t->rows : t->columns,
                    .ranks = of_all && !of_sender ? t->ranks : NULL,
                    .contiguous = true};
}

static void plan_between(task *t, dap_plan **plan)
{
  dap_error err;
  const dap_side mine = side_of(t, sends(t), false);
  bench_require(dap_plan_create(t->inter, sends(t) ? &mine : NULL, sends(t) ? NULL : &mine, sizeof(double),
                                NULL, plan, &err),
                &err);
}

static void plan_within(task *t, dap_plan **plan)
{
  dap_error err;
  const dap_side from = side_of(t, true, true), to = side_of(t, false, true);
  bench_require(dap_plan_create(MPI_COMM_WORLD, &from, &to, sizeof(double), NULL, plan, &err), &err);
}

static void run_plan(const task *t, dap_plan *plan)
{
  dap_error err;
  bench_require(dap_plan_run(plan, sends(t) ? t->buffer : NULL, sends(t) ? NULL : t->buffer, &err), &err);
}

static void run_between(task *t)
{
  run_plan(t, t->between);
}

static void run_within(task *t)
{
  run_plan(t, t->within);
}

/* Packs in the order of the process with the columns, where the rows of its columns are contiguous. */
static void run_by_hand(task *t)
{
  double *part = t->packed;
  const int mine = t->rank % t->half;
  const int64_t held = t->firsts[mine + 1] - t->firsts[mine];
  for (int p = 0; p < t->half; p++) {
    const int64_t others = t->firsts[p + 1] - t->firsts[p], count = held * others;
    for (int64_t i = 0; i < held && sends(t); i++)
      memcpy(part + i * others, t->buffer + i * t->n + t->firsts[p], (size_t)others * sizeof *part);
    if (sends(t))
      MPI_Isend(part, (int)count, MPI_DOUBLE, t->half + p, 1, MPI_COMM_WORLD, &t->requests[p]);
    else /* the rows of one sender are contiguous here */
      MPI_Irecv(t->buffer + t->firsts[p] * held, (int)count, MPI_DOUBLE, p, 1, MPI_COMM_WORLD,
                &t->requests[p]);
    part += count;
  }
  MPI_Waitall(t->half, t->requests, MPI_STATUSES_IGNORE);
}

static void make_between(task *t)
{
  dap_plan *plan;
  plan_between(t, &plan);
  dap_plan_destroy(&plan);
}

static void make_within(task *t)
{
  dap_plan *plan;
  plan_within(t, &plan);
  dap_plan_destroy(&plan);
}

/* ---- measured ---------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  void (*call)(task *t);
  bool moves;
} subjects[] = {{"plan between groups", run_between, true},
                {"plan within one", run_within, true},
                {"by hand", run_by_hand, true},
                {"making: between groups", make_between, false},
                {"making: within one", make_within, false}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static double value(const task *t, int64_t row, int64_t column)
{
  return (double)(row * t->n + column);
}

static void reset(void *context, int subject)
{
  const task *t = context;
  const int64_t first = t->firsts[t->rank % t->half];
  (void)subject;
  for (int64_t i = 0; i < t->held * t->n; i++)
    t->buffer[i] = sends(t) ? value(t, first + i / t->n, i % t->n) : -1;
}

static void call_one(void *context, int subject)
{
  subjects[subject].call(context);
}

static int64_t count_wrong(void *context, int subject)
{
  const task *t = context;
  const int64_t first = t->firsts[t->rank % t->half];
  int64_t wrong = 0;
  for (int64_t i = 0; i < t->held * t->n && !sends(t) && subjects[subject].moves; i++)
    wrong += t->buffer[i] != value(t, i / t->held, first + i % t->held);
  return wrong;
}

static void set_up(int64_t n, int rank, int half, MPI_Comm inter, task *t)
{
  dap_error err;
  *t = (task){.n = n, .rank = rank, .half = half, .inter = inter};
  const dap_dist local = dap_dist_local(n), dealt = dap_dist_even(n, half);
  const dap_dist rows[] = {dealt, local}, columns[] = {local, dealt};
  bench_require(dap_layout_create(2, rows, &t->rows, &err), &err);
  bench_require(dap_layout_create(2, columns, &t->columns, &err), &err);
  for (int p = 0; p < half; p++) {
    t->ranks[p] = half + p;
    t->firsts[p + 1] = t->firsts[p] + dap_layout_extent(t->rows, 0, p);
  }
  t->held = dap_layout_extent(t->rows, 0, rank % half);
  t->buffer = bench_alloc(t->held * n * (int64_t)sizeof *t->buffer);
  t->packed = bench_alloc(t->held * n * (int64_t)sizeof *t->packed);
  plan_between(t, &t->between);
  plan_within(t, &t->within);
}

static void tear_down(task *t)
{
  dap_plan_destroy(&t->between);
  dap_plan_destroy(&t->within);
  dap_layout_destroy(&t->rows);
  dap_layout_destroy(&t->columns);
  free(t->buffer);
  free(t->packed);
}

/* Prints a table of one size. Returns the number of wrong elements. */
static int64_t run_size(int64_t n, int rank, int half, MPI_Comm inter)
{
  static task t;
  bench_time times[SUBJECTS];
  const bench_turns turns = {.comm = MPI_COMM_WORLD,
                             .context = &t,
                             .methods = SUBJECTS,
                             .reps = o.reps,
                             .most = 1,
                             .run = call_one,
                             .fill = reset,
                             .wrong = count_wrong};
  set_up(n, rank, half, inter, &t);
  bench_take_turns(&turns, times);
  for (int s = 0; s < SUBJECTS && rank == 0; s++)
    printf("%-28s %6d %10.1f %10.1f %10.1f%s\n", subjects[s].name, (int)n, times[s].low_us,
           times[s].median_us, times[s].high_us, times[s].wrong ? "   WRONG" : "");
  tear_down(&t);
  return bench_wrong_of(times, SUBJECTS);
}

static int64_t run_all(const bench_launch *l)
{
  int64_t wrong = 0;
  MPI_Comm group, inter;
  const int half = l->nprocs / 2;
  if (l->nprocs % 2 || half > MOST_PROCS) bench_fail("an even number of ranks, at most 128");
  MPI_Comm_split(MPI_COMM_WORLD, l->rank / half, l->rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, l->rank < half ? half : 0, 1, &inter);
  if (l->rank == 0)
    printf("%-28s %6s %10s %10s %10s\n", "us, slowest of the processes", "N", "10 %", "50 %", "90 %");
  for (int i = 0; i < o.sizes.count; i++) wrong += run_size(o.sizes.list[i], l->rank, half, inter);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&group);
  return wrong;
}

const bench_program bench_groups = {
    .about = "Each group has half of the processes. Rows on one become columns on the other. Also times the\n"
             "making of the plans.",
    .options = options,
    .run = run_all,
    .legend = ""};

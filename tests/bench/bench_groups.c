/* Moves between two groups, of half the processes each: rows on one to columns on the other, by a plan over
 * the intercommunicator, by a plan over one communicator of all, and by hand: packed, one message a pair. And
 * what making the plans takes. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime() */
#include <dapbridge/layout.h>
#include <dapbridge/plan.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SAMPLES = 401, MOST_PROCS = 64 };

typedef struct task {
  int64_t n;
  int rank, half;        /* processes of a group */
  int ranks[MOST_PROCS]; /* of the receivers */
  MPI_Comm inter;
  dap_layout *rows, *columns;
  dap_plan *between, *within;
  int64_t held;                   /* rows or columns of this process */
  int64_t firsts[MOST_PROCS + 1]; /* [half + 1] where rows, and columns, of each begin */
  double *buffer, *packed;        /* [held * n] */
  MPI_Request requests[MOST_PROCS];
} task;

static void fail(const char *what, const dap_error *err)
{
  (void)fprintf(stderr, "bench_groups: %s: %s\n", what, err->text);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static bool sends(const task *t)
{
  return t->rank < t->half;
}

/* ---- what is measured -------------------------------------------------------------------------------- */

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
  if (dap_plan_create(t->inter, sends(t) ? &mine : NULL, sends(t) ? NULL : &mine, sizeof(double), NULL, plan,
                      &err))
    fail("plan", &err);
}

static void plan_within(task *t, dap_plan **plan)
{
  dap_error err;
  const dap_side from = side_of(t, true, true), to = side_of(t, false, true);
  if (dap_plan_create(MPI_COMM_WORLD, &from, &to, sizeof(double), NULL, plan, &err)) fail("plan", &err);
}

static void run_plan(const task *t, dap_plan *plan)
{
  dap_error err;
  if (dap_plan_run(plan, sends(t) ? t->buffer : NULL, sends(t) ? NULL : t->buffer, &err)) fail("run", &err);
}

static void run_between(task *t)
{
  run_plan(t, t->between);
}

static void run_within(task *t)
{
  run_plan(t, t->within);
}

/* Packed in the order of the columns' process, whose rows of its columns are contiguous. */
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
    else /* rows of one sender follow each other here */
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

typedef struct subject {
  const char *name;
  void (*call)(task *t);
  bool moves;
  double us[MOST_SAMPLES]; /* slowest process */
} subject;

static subject subjects[] = {{"plan between groups", run_between, true, {0}},
                             {"plan within one", run_within, true, {0}},
                             {"by hand", run_by_hand, true, {0}},
                             {"making: between groups", make_between, false, {0}},
                             {"making: within one", make_within, false, {0}}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static double now_us(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double value(const task *t, int64_t row, int64_t column)
{
  return (double)(row * t->n + column);
}

static void reset(const task *t)
{
  const int64_t first = t->firsts[t->rank % t->half];
  for (int64_t i = 0; i < t->held * t->n; i++)
    t->buffer[i] = sends(t) ? value(t, first + i / t->n, i % t->n) : -1;
}

static void check(const task *t, const char *name)
{
  const int64_t first = t->firsts[t->rank % t->half];
  for (int64_t i = 0; i < t->held * t->n && !sends(t); i++)
    if (t->buffer[i] != value(t, i / t->held, first + i % t->held))
      fail(name, &(dap_error){.text = "an element is wrong"});
}

static void measure(task *t, int samples)
{
  for (int sample = -1; sample < samples; sample++) /* the first is checked and not counted */
    for (int s = 0; s < SUBJECTS; s++) {
      if (sample < 0) reset(t);
      MPI_Barrier(MPI_COMM_WORLD);
      const double begun = now_us();
      subjects[s].call(t);
      double mine = now_us() - begun, slowest = 0;
      MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (sample >= 0) subjects[s].us[sample] = slowest;
      if (sample < 0 && subjects[s].moves) check(t, subjects[s].name);
    }
  for (int s = 0; s < SUBJECTS; s++) qsort(subjects[s].us, (size_t)samples, sizeof(double), compare);
}

static void set_up(int64_t n, int rank, int half, MPI_Comm inter, task *t)
{
  dap_error err;
  *t = (task){.n = n, .rank = rank, .half = half, .inter = inter};
  const dap_dist local = dap_dist_local(n), dealt = dap_dist_even(n, half);
  const dap_dist rows[] = {dealt, local}, columns[] = {local, dealt};
  if (dap_layout_create(2, rows, &t->rows, &err) || dap_layout_create(2, columns, &t->columns, &err))
    fail("layout", &err);
  for (int p = 0; p < half; p++) {
    t->ranks[p] = half + p;
    t->firsts[p + 1] = t->firsts[p] + dap_layout_extent(t->rows, 0, p);
  }
  t->held = dap_layout_extent(t->rows, 0, rank % half);
  t->buffer = malloc((size_t)(t->held * n) * sizeof *t->buffer);
  t->packed = malloc((size_t)(t->held * n) * sizeof *t->packed);
  if (!t->buffer || !t->packed) fail("buffers", &(dap_error){.text = "no memory"});
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

/* bench_groups [samples] */
int main(int argc, char **argv)
{
  static const int64_t sizes[] = {64, 512, 2048};
  static task t;
  int rank, nprocs;
  MPI_Comm group, inter;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  const int half = nprocs / 2, given = argc > 1 ? atoi(argv[1]) : 101;
  const int samples = given < 1 ? 1 : given > MOST_SAMPLES ? MOST_SAMPLES : given;
  if (nprocs % 2 || nprocs < 2 || half > MOST_PROCS)
    fail("ranks", &(dap_error){.text = "an even number of them, at most 128"});
  MPI_Comm_split(MPI_COMM_WORLD, rank / half, rank, &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank < half ? half : 0, 1, &inter);
  if (rank == 0)
    printf("%-28s %6s %10s %10s %10s\n", "us, slowest of the processes", "N", "10 %", "50 %", "90 %");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    set_up(sizes[i], rank, half, inter, &t);
    measure(&t, samples);
    for (int s = 0; s < SUBJECTS && rank == 0; s++)
      printf("%-28s %6d %10.1f %10.1f %10.1f\n", subjects[s].name, (int)sizes[i],
             subjects[s].us[samples / 10], subjects[s].us[samples / 2], subjects[s].us[(samples * 9) / 10]);
    tear_down(&t);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&group);
  MPI_Finalize();
  return 0;
}

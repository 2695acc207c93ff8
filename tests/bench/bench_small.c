/* Times small calls: making a plan, running it, and repeated calls of the drop-in p?gemr2d and of
 * ScaLAPACK's. */
#include "fail.h"
#include "program.h"
#include "turns.h"

#include <dapbridge/layout.h>
#include <dapbridge/plan.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef BENCH_WITH_SCALAPACK
#include "dropin.h"
#endif

enum { PLAN_N = 64, BLOCK = 8, GEMR2D_N = 40, GROUP = 5 /* calls that are timed together */ };

static int reps;

static const bench_option options[] = {
    {"reps", "R", "401", "timed turns", bench_read_count, &reps, 1 << 20, NULL}, {.name = NULL}};

/* One measured call. All of a table take turns. */
typedef struct subject {
  const char *name;
  void (*call)(void *context);
} subject;

typedef struct table {
  const subject *subjects;
  void *context;
} table;

static void call_one(void *context, int s)
{
  const table *t = context;
  t->subjects[s].call(t->context);
}

static void measure(const subject subjects[], int count, void *context, bench_time times[])
{
  table t = {subjects, context};
  const bench_turns turns = {
      .comm = MPI_COMM_WORLD, .context = &t, .methods = count, .reps = reps, .most = GROUP, .run = call_one};
  bench_take_turns(&turns, times);
}

static void print(const subject *s, const bench_time *time)
{
  printf("%-28s %9.1f %9.1f %9.1f\n", s->name, time->low_us, time->median_us, time->high_us);
}

/* ---- plans ------------------------------------------------------------------------------------------- */

typedef struct task {
  dap_side from, to;
  dap_plan *plan;
  double source[PLAN_N * PLAN_N], destination[PLAN_N * PLAN_N];
} task;

static void reduce(void *context)
{
  int mine = 1, all;
  (void)context;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
}

static void duplicate(void *context)
{
  MPI_Comm comm;
  (void)context;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_free(&comm);
}

static void create(void *context)
{
  task *t = context;
  dap_error err;
  dap_plan *plan;
  bench_require(dap_plan_create(MPI_COMM_WORLD, &t->from, &t->to, sizeof(double), NULL, &plan, &err), &err);
  dap_plan_destroy(&plan);
}

static void run(void *context)
{
  task *t = context;
  dap_error err;
  bench_require(dap_plan_run(t->plan, t->source, t->destination, &err), &err);
}

static void measure_plans(int nprocs, bool prints)
{
  static const subject subjects[] = {{"MPI_Allreduce of one int", reduce},
                                     {"MPI_Comm_dup, _free", duplicate},
                                     {"dap_plan_create, _destroy", create},
                                     {"dap_plan_run", run}};
  static task t;
  int grid[2] = {0, 0};
  dap_error err;
  dap_layout *blocks = NULL, *cyclic = NULL;
  MPI_Dims_create(nprocs, 2, grid);
  const dap_dist from[] = {dap_dist_even(PLAN_N, grid[0]), dap_dist_even(PLAN_N, grid[1])};
  const dap_dist to[] = {dap_dist_cyclic(PLAN_N, grid[0], BLOCK), dap_dist_cyclic(PLAN_N, grid[1], BLOCK)};
  bench_require(dap_layout_create(2, from, &blocks, &err), &err);
  bench_require(dap_layout_create(2, to, &cyclic, &err), &err);
  t.from = (dap_side){.layout = blocks, .contiguous = true};
  t.to = (dap_side){.layout = cyclic, .contiguous = true};
  bench_require(dap_plan_create(MPI_COMM_WORLD, &t.from, &t.to, sizeof(double), NULL, &t.plan, &err), &err);
  enum { COUNT = sizeof subjects / sizeof *subjects };
  bench_time times[COUNT];
  measure(subjects, COUNT, &t, times);
  for (int s = 0; s < COUNT && prints; s++) print(&subjects[s], &times[s]);
  dap_plan_destroy(&t.plan);
  dap_layout_destroy(&blocks);
  dap_layout_destroy(&cyclic);
}

/* ---- p?gemr2d ---------------------------------------------------------------------------------------- */

#ifdef BENCH_WITH_SCALAPACK
typedef struct call {
  dap_pgemr2d *dropin;
  dap_scalapack_int a_grid, b_grid, all, a_desc[9], b_desc[9];
  double a[GEMR2D_N * GEMR2D_N], b[GEMR2D_N * GEMR2D_N];
} call;

static void run_with(dap_pgemr2d *move, call *c)
{
  static const dap_scalapack_int one = 1, n = GEMR2D_N;
  move(&n, &n, c->a, &one, &one, c->a_desc, c->b, &one, &one, c->b_desc, &c->all);
}

static void run_reference(void *context)
{
  run_with(pdgemr2d_, context);
}

static void run_dropin(void *context)
{
  call *c = context;
  run_with(c->dropin, c);
}

/* Makes a grid of all processes, in the order of their ranks. */
static dap_scalapack_int make_grid(int rows, int columns)
{
  dap_scalapack_int *ranks = bench_alloc(rows * columns * (int64_t)sizeof *ranks);
  for (int i = 0; i < rows * columns; i++) ranks[i] = i;
  dap_scalapack_int context = Csys2blacs_handle(MPI_COMM_WORLD);
  Cblacs_gridmap(&context, ranks, rows, rows, columns);
  free(ranks);
  return context;
}

/* Measures moves from rows that are dealt to all processes to columns that are dealt to all. */
static void measure_blocks(call *c, const int blocks[4], bool prints)
{
  static const subject subjects[] = {{"p?gemr2d of ScaLAPACK", run_reference},
                                     {"p?gemr2d of dapbridge", run_dropin}};
  for (int k = 0; k < 2; k++) {
    const dap_scalapack_int words[9] = {
        1, k ? c->b_grid : c->a_grid, GEMR2D_N, GEMR2D_N, blocks[2 * k], blocks[2 * k + 1], 0, 0, GEMR2D_N};
    memcpy(k ? c->b_desc : c->a_desc, words, sizeof words);
  }
  bench_time times[2];
  measure(subjects, 2, c, times);
  if (!prints) return;
  printf("blocks of %d x %d to %d x %d\n", blocks[0], blocks[1], blocks[2], blocks[3]);
  for (int s = 0; s < 2; s++) print(&subjects[s], &times[s]);
  printf("%-28s %19.2f\n", "ratio", times[1].median_us / times[0].median_us);
}

static void measure_gemr2d(int nprocs, bool prints)
{
  static const int blocks[][4] = {{8, 8, 8, 8}, {3, 4, 5, 2}, {1, 1, 1, 1}, {40, 40, 40, 40}};
  static call c;
  c.dropin = bench_dropin("pdgemr2d_");
  c.a_grid = make_grid(nprocs, 1);
  c.b_grid = make_grid(1, nprocs);
  c.all = make_grid(1, nprocs);
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) measure_blocks(&c, blocks[i], prints);
  Cblacs_gridexit(c.a_grid);
  Cblacs_gridexit(c.b_grid);
  Cblacs_gridexit(c.all);
}
#endif

static int64_t run_all(const bench_launch *l)
{
  if (l->rank == 0)
    printf("%d ranks, plans of %d x %d, p?gemr2d of %d x %d\n%-28s %9s %9s %9s\n", l->nprocs, PLAN_N, PLAN_N,
           GEMR2D_N, GEMR2D_N, "microseconds", "10 %", "median", "90 %");
  measure_plans(l->nprocs, l->rank == 0);
#ifdef BENCH_WITH_SCALAPACK
  measure_gemr2d(l->nprocs, l->rank == 0);
#endif
  return 0;
}

const bench_program bench_small = {.options = options, .run = run_all};

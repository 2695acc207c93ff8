/* A program that makes and uses shared memory until the last of its processes is killed, at any moment:
 *
 *     killed run|alloc|first <microseconds>
 *
 * so long after its first run or allocation, behind which it says "working", or (first) from the beginning
 * on. It never ends by itself; where the library fails it says "failed". What it leaves behind killed.sh
 * looks at. */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier): setitimer() */
#include <dapbridge/array.h>
#include <dapbridge/plan.h>
#include <dapbridge/shared.h>

#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { SIZE = 20000 };

static long patience = 100000; /* microseconds */
static bool is_last, is_first; /* the process that is killed; from the beginning on */

static void die(int number)
{
  (void)number;
  (void)raise(SIGKILL);
}

static void die_soon(void)
{
  const struct itimerval when = {.it_value = {patience / 1000000, patience % 1000000}};
  (void)signal(SIGALRM, die);
  (void)setitimer(ITIMER_REAL, &when, NULL);
}

/* After each run or allocation. */
static void has_worked(void)
{
  static const char word[] = "working\n";
  static bool has_said;
  if (!is_last || has_said) return;
  has_said = true;
  if (write(STDOUT_FILENO, word, sizeof word - 1) < 0) MPI_Abort(MPI_COMM_WORLD, 3);
  if (!is_first) die_soon();
}

static void check(dap_status s, const dap_error *err)
{
  if (!s) return;
  (void)fprintf(stderr, "failed: %s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void allocate_for_ever(const dap_layout *layout)
{
  for (;;) {
    dap_array array;
    dap_error err;
    check(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, NULL, &err), &err);
    has_worked();
    dap_array_release(&array);
  }
}

/* From private memory to shared, through slots and directly, by one plan after the other. */
static void run_for_ever(const dap_layout *from, const dap_layout *to)
{
  static double values[SIZE];
  const dap_side a = {.layout = from, .contiguous = true}, b = {.layout = to, .contiguous = true};
  dap_array array;
  dap_error err;
  check(dap_array_alloc(MPI_COMM_WORLD, to, DAP_F8, DAP_ORDER_C, &array, NULL, &err), &err);
  for (int i = 0;; i++) {
    dap_plan *plan = NULL;
    check(dap_plan_create(MPI_COMM_WORLD, &a, &b, sizeof *values, NULL, &plan, &err), &err);
    for (int run = 0; run < 200; run++) {
      check(dap_plan_run(plan, values, i % 2 ? array.data : values + SIZE / 2, &err), &err);
      has_worked();
    }
    dap_plan_destroy(&plan);
  }
}

int main(int argc, char **argv)
{
  int rank, nprocs;
  dap_layout *layouts[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  const dap_dist dists[2] = {dap_dist_even(SIZE / 2, nprocs), dap_dist_cyclic(SIZE / 2, nprocs, 3)};
  for (int k = 0; k < 2; k++)
    if (dap_layout_create(1, &dists[k], &layouts[k], NULL)) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Barrier(MPI_COMM_WORLD);
  is_last = rank == nprocs - 1;
  is_first = argc > 1 && !strcmp(argv[1], "first");
  if (argc > 2) patience = strtol(argv[2], NULL, 10);
  if (is_last && is_first) die_soon();
  if (is_first || (argc > 1 && !strcmp(argv[1], "alloc"))) allocate_for_ever(layouts[0]);
  run_for_ever(layouts[0], layouts[1]);
}

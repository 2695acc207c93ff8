/* A program without dapbridge that is linked with the drop-in before ScaLAPACK. Its calls of p?gemr2d
 * reach the drop-in, and so do ScaLAPACK's internal calls, here in p?lamr1d. The test sees this by the
 * reductions. */
#include "reductions.h"
#include <dapbridge/scalapack_calls.h>

#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 41, LENGTH = 3 * SIZE, MAX_PROCS = 16 };

/* Moves a row vector. */
void pdlamr1d_(const dap_scalapack_int *n, const double *a, const dap_scalapack_int *ia,
               const dap_scalapack_int *ja, const dap_scalapack_int desca[], double *b,
               const dap_scalapack_int *ib, const dap_scalapack_int *jb, const dap_scalapack_int descb[]);

static int plans;

static void count_reduction(int count, MPI_Datatype type)
{
  plans += count > LONG && type == MPI_INT64_T;
}

typedef struct process {
  int rank, nprocs;
  dap_scalapack_int context; /* one row of processes */
} process;

static process begin(void)
{
  process p;
  dap_scalapack_int map[MAX_PROCS] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p.nprocs);
  for (int i = 0; i < p.nprocs; i++) map[i] = i;
  p.context = Csys2blacs_handle(MPI_COMM_WORLD);
  const dap_scalapack_int handle = p.context;
  Cblacs_gridmap(&p.context, map, 1, 1, p.nprocs);
  Cfree_blacs_system_handle(handle);
  return p;
}

/* Column j's place on this process if columns are dealt in blocks; -1: it is elsewhere. */
static int find_column(process p, int j, int block)
{
  return j / block % p.nprocs == p.rank ? j / block / p.nprocs * block + j % block : -1;
}

static void fill(process p, int rows, int columns, int block, double a[])
{
  for (int j = 0; j < columns; j++) {
    const int column = find_column(p, j, block);
    for (int i = 0; i < rows && column >= 0; i++) a[column * rows + i] = 1000. * i + j;
  }
}

static int count_wrong(process p, int rows, int columns, int block, const double b[])
{
  int wrong = 0;
  for (int j = 0; j < columns; j++) {
    const int column = find_column(p, j, block);
    for (int i = 0; i < rows && column >= 0; i++) wrong += b[column * rows + i] != 1000. * i + j;
  }
  return wrong;
}

/* Moves elements between two cuts into blocks of columns, twice with one plan. Returns how many are wrong. */
static int move_twice(process p, int rows, int columns, int is_inside)
{
  enum { FROM = 2, TO = 5 };
  static double a[SIZE * SIZE], b[SIZE * SIZE];
  const dap_scalapack_int one = 1, m = rows, n = columns;
  const dap_scalapack_int from[] = {1, p.context, rows, columns, rows, FROM, 0, 0, rows};
  const dap_scalapack_int to[] = {1, p.context, rows, columns, rows, TO, 0, 0, rows};
  int wrong = 0;
  fill(p, rows, columns, FROM, a);
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < SIZE * SIZE; i++) b[i] = -1;
    if (is_inside)
      pdlamr1d_(&n, a, &one, &one, from, b, &one, &one, to);
    else
      pdgemr2d_(&m, &n, a, &one, &one, from, b, &one, &one, to, &p.context);
    wrong += count_wrong(p, rows, columns, TO, b);
  }
  return wrong;
}

/* A leading dimension that is too small ends the program, with the drop-in or without. */
static void move_wrongly(process p, int extent)
{
  const dap_scalapack_int one = 1, n = extent, from[] = {1, p.context, n, n, n, 4, 0, 0, 1},
                          to[] = {1, p.context, n, n, n, 3, 0, 0, n};
  double *a = calloc((size_t)n * (size_t)n, sizeof *a), *b = calloc((size_t)n * (size_t)n, sizeof *b);
  if (a && b) pdgemr2d_(&n, &n, a, &one, &one, from, b, &one, &one, to, &p.context);
  free(a), free(b);
}

/* Argument: rows and columns of a move that is wrong. */
int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  const process p = begin();
  if (argc > 1) move_wrongly(p, atoi(argv[1]));
  int wrong = move_twice(p, SIZE, SIZE, 0);
  const int by_program = plans;
  wrong += move_twice(p, 1, LENGTH, 1);
  const int by_scalapack = plans - by_program;
  const int want = getenv("DAPBRIDGE_GEMR2D") != NULL; /* so few calls have no plans else */
  int failed = wrong != 0 || by_program != want || by_scalapack != want;
  if (failed)
    (void)fprintf(stderr, "rank %d: %d elements are wrong; %d and %d plans, not %d each\n", p.rank, wrong,
                  by_program, by_scalapack, want);
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  Cblacs_gridexit(p.context);
  MPI_Finalize();
  return failed;
}

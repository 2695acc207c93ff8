/* Uses the drop-in: calls p?gemr2d like ScaLAPACK's, once correctly and once with a wrong descriptor. The
 * drop-in reports the error to PXERBLA and continues, as DAPBRIDGE_GEMR2D demands. ScaLAPACK's own
 * p?gemr2d would end the program. */
#define _POSIX_C_SOURCE 200112L /* setenv(); NOLINT(bugprone-reserved-identifier) */
#include <dapbridge/scalapack_calls.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 12, WRONG_M = 603 };

static dap_scalapack_int heard;

void pxerbla_(const dap_scalapack_int *context, const char *routine, const dap_scalapack_int *info,
              size_t length)
{
  (void)context, (void)routine, (void)length;
  heard = *info;
}

/* Moves columns that are dealt one by one, each with its number, to blocks of three. */
static int move(int rank, int nprocs, dap_scalapack_int context)
{
  const dap_scalapack_int one = 1, size = SIZE;
  const dap_scalapack_int from[] = {1, context, SIZE, SIZE, SIZE, 1, 0, 0, SIZE};
  dap_scalapack_int to[] = {1, context, SIZE, SIZE, SIZE, 3, 0, 0, SIZE};
  static double a[SIZE * SIZE], b[SIZE * SIZE];
  for (int j = rank; j < SIZE; j += nprocs)
    for (int i = 0; i < SIZE; i++) a[j / nprocs * SIZE + i] = j;
  pdgemr2d_(&size, &size, a, &one, &one, from, b, &one, &one, to, &context);
  int good = heard == 0;
  for (int j = 0; j < SIZE; j++) {
    if (j / 3 % nprocs == rank) good = good && b[(j / 3 / nprocs * 3 + j % 3) * SIZE] == j;
  }
  to[2] = SIZE - 1;
  pdgemr2d_(&size, &size, b, &one, &one, to, a, &one, &one, from, &context);
  return good && heard == WRONG_M;
}

int main(int argc, char **argv)
{
  int rank, nprocs;
  dap_scalapack_int context;
  setenv("DAPBRIDGE_GEMR2D", "plans", 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, "R", 1, nprocs); /* one row of processes */
  int good = move(rank, nprocs, context);
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("gemr2d: %s\n", good ? "the drop-in" : "wrong");
  Cblacs_gridexit(context);
  MPI_Finalize();
  return !good;
}

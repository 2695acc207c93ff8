/* A program that gives p?gemr2d a leading dimension that is too small. It never gets to its end, with the
 * drop-in or without. Argument: rows and columns. */
#include <dapbridge/scalapack_calls.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int procs;
  dap_scalapack_int context;
  const dap_scalapack_int one = 1, n = argc > 1 ? atoi(argv[1]) : 1;
  double *a = calloc((size_t)n * (size_t)n, sizeof *a), *b = calloc((size_t)n * (size_t)n, sizeof *b);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "R", 1, procs);
  const dap_scalapack_int from[] = {1, context, n, n, n, 4, 0, 0, 1},
                          to[] = {1, context, n, n, n, 3, 0, 0, n};
  if (a && b) pdgemr2d_(&n, &n, a, &one, &one, from, b, &one, &one, to, &context);
  printf("goes on\n");
  free(a);
  free(b);
  MPI_Finalize();
  return 0;
}

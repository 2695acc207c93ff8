#include "numbers.h"

#include <stdlib.h>

double bench_most(MPI_Comm comm, double mine)
{
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
  return all;
}

int64_t bench_most_bytes(MPI_Comm comm, int64_t mine)
{
  int64_t all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MAX, comm);
  return all;
}

int64_t bench_total(MPI_Comm comm, int64_t mine)
{
  int64_t all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, comm);
  return all;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double values[], int count)
{
  qsort(values, (size_t)count, sizeof *values, compare);
  return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

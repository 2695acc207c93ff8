#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): clock_gettime() */
#include "numbers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

double bench_most(MPI_Comm comm, double mine)
{
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
  return all;
}

double bench_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns whether all processes are on one machine, and so share a clock. Asks only once. */
static bool has_one_clock(MPI_Comm comm)
{
  static int known = -1;
  if (known >= 0) return known != 0;
  MPI_Comm node;
  int mine, all;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &mine);
  MPI_Comm_size(comm, &all);
  MPI_Comm_free(&node);
  int least = mine == all;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, comm);
  known = least;
  return known != 0;
}

double bench_span(MPI_Comm comm, double begun, double ended)
{
  double most[] = {-begun, ended, ended - begun};
  const bool one_clock = has_one_clock(comm);
  MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, comm);
  return one_clock ? most[0] + most[1] : most[2];
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

const char *bench_number_text(double number, int digits, char text[16])
{
  if (number < 0)
    snprintf(text, 16, "-");
  else
    snprintf(text, 16, "%.*f", digits, number);
  return text;
}

void bench_print_number(FILE *file, const char *key, double number)
{
  if (number < 0)
    fprintf(file, ", \"%s\": null", key);
  else
    fprintf(file, ", \"%s\": %.9g", key, number);
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

void bench_quartiles(double values[], int count, double quartiles[3])
{
  qsort(values, (size_t)count, sizeof *values, compare);
  for (int q = 0; q < 3; q++) {
    const double place = (q + 1) * (count - 1) / 4.0;
    const int below = (int)place, above = below + 1 < count ? below + 1 : below;
    quartiles[q] = values[below] + (place - below) * (values[above] - values[below]);
  }
}

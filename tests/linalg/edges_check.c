/* Checks the results of a call at the edges. */
#include "edges.h"

void edge_scale(int64_t count, double complex values[], int exponent)
{
  for (int64_t k = 0; k < count; k++)
    values[k] = CMPLX(ldexp(creal(values[k]), exponent), ldexp(cimag(values[k]), exponent));
}

double complex *edge_whole(const drawn *d, int exponent)
{
  double complex *whole = matrix_whole(&d->held);
  expect_padding(&d->held);
  edge_scale(d->rows * d->cols, whole, -exponent);
  return whole;
}

double edge_eps(const edge *e, const int exponents[], int count)
{
  const int smallest = e->type->real == DAP_F4 ? -149 : -1074;
  double eps = e->type->eps;
  for (int k = 0; k < count; k++) eps += ldexp(1, smallest - exponents[k]);
  return eps;
}

bool edge_is_within(const edge *e, int exponent, double size)
{
  enum { ROOM = 8 };
  const bool single = e->type->real == DAP_F4;
  int of_size = 0;
  if (!isfinite(size)) return false;
  (void)frexp(size, &of_size);
  return exponent + of_size < (single ? 128 : 1024) - ROOM && exponent > (single ? -149 : -1074) + ROOM;
}

bool edge_all_finite(int64_t count, const double complex values[])
{
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(creal(values[k])) || !isfinite(cimag(values[k]))) return false;
  return true;
}

bool edge_status(edge *e, dap_status status, bool may_fail, dap_status other)
{
  int both[2] = {(int)status, -(int)status};
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_MSG(both[0] == -both[1], "the status is %d here, up to %d and from %d", (int)status, both[0],
             -both[1]);
  const bool is_unshared = status == DAP_ERR_SHARE && e->options.sharing == DAP_SHARE_OR_FAIL;
  EXPECT_MSG(!status || is_unshared || (may_fail && status == other), "%s: %s", dap_status_name(status),
             e->err.text);
  return both[0] == 0;
}

int edge_shares(const edge *e, const drawn *d)
{
  return e->options.sharing == DAP_SHARE_NEVER ? 0 : source_shares(d->source, d->held.size, d->grid);
}

void edge_use(const edge *e, int index, const char *name, const drawn *d, int wanted)
{
  const bool is_empty = d->rows * d->cols == 0;
  if (index < e->report.count && test_contains(e->report.uses[index].reason, "not looked at")) return;
  if (e->report.count > 0) expect_use(&e->report, index, name, is_empty ? NULL : &d->held, wanted);
}

void edge_work(const edge *e, const drawn *a)
{
  if (a->rows * a->cols == 0) return;
  edge_use(e, 0, "A", a, e->options.keep ? 0 : edge_shares(e, a));
  expect_work(&a->held, &e->report.uses[0], e->options.keep, false);
}

void edge_same_numbers(int count, const double numbers[])
{
  double root[8] = {0};
  memcpy(root, numbers, (size_t)count * sizeof *root);
  MPI_Bcast(root, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT_MSG(!memcmp(root, numbers, (size_t)count * sizeof *root), "%g here, %g on rank 0", numbers[0],
             root[0]);
}

void edge_bound(const char *what, double error, int64_t terms, double scale)
{
  const double bound = 20 * ((double)terms + 4) * scale;
  EXPECT_MSG(error <= bound, "%s: off by %g, the bound is %g", what, error, bound);
}

double edge_condition(const drawn *a)
{
  if (!a->is_finite) return 0;
  const double condition = serial_condition('1', a->rows, a->whole);
  return isfinite(condition) ? condition : 0;
}

int edge_definite(const drawn *a, double eps)
{
  if (!a->is_finite) return -1;
  double complex *w = serial_eigenvalues('L', a->rows, a->whole);
  const double margin = 100 * (double)(a->rows + 1) * eps * (a->rows > 0 ? largest(a->rows, w) : 0);
  const int sign = a->rows == 0 || creal(w[0]) > margin ? 1 : creal(w[0]) < -margin ? -1 : 0;
  free(w);
  return sign;
}

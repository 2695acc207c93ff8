/* Eigenvalues of general matrices against known ones, as sets: they come in no order. */
#include "schur_test.h"

#include <stdlib.h>

spectrum schur_spectrum(int64_t n, const double complex *whole)
{
  spectrum s = {.n = n, .norm = whole_norm('F', n, n, whole)};
  const size_t count = (size_t)(n > 0 ? n : 1);
  s.sensitivity = calloc(count, sizeof *s.sensitivity);
  s.values = test_rank() == 0 ? serial_general_eigenvalues(n, whole, s.sensitivity)
                              : calloc(count, sizeof *s.values);
  MPI_Bcast(s.values, (int)(2 * n), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Bcast(s.sensitivity, (int)n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return s;
}

void schur_spectrum_free(spectrum *s)
{
  free(s->values);
  free(s->sensitivity);
}

/* The nearest value that has no partner yet; -1: none, as of NaN and infinity. */
static int64_t partner(const spectrum *s, double complex value, const bool taken[])
{
  int64_t nearest = -1;
  double least = INFINITY;
  for (int64_t k = 0; k < s->n; k++)
    if (!taken[k] && cabs(s->values[k] - value) < least) nearest = k, least = cabs(s->values[k] - value);
  return nearest;
}

double schur_distance(const spectrum *s, const double complex *w, double eps)
{
  bool *taken = calloc((size_t)(s->n > 0 ? s->n : 1), sizeof *taken);
  double worst = 0;
  for (int64_t j = 0; j < s->n; j++) {
    const int64_t k = partner(s, w[j], taken);
    if (k < 0) {
      worst = INFINITY;
      break;
    }
    taken[k] = true;
    const double off = cabs(w[j] - s->values[k]);
    if (off > 0) worst = fmax(worst, off / (s->norm * s->sensitivity[k] * eps));
  }
  free(taken);
  return worst;
}

double schur_expect_values(const char *what, const spectrum *s, const double complex *w, double eps)
{
  enum { LIMIT = 30 }; /* a backward stable algorithm changes A by a few eps ||A|| */
  const double distance = schur_distance(s, w, eps);
  EXPECT_MSG(distance <= LIMIT, "%s: an eigenvalue is off by %.3g of its units", what, distance);
  return distance;
}

/* The routines of each element type. */
#include "elpa_impl.h"

#include <complex.h>

static const float singles[2] = {1, 0}; /* real and imaginary part: good for both */
static const double doubles[2] = {1, 0};

/* ELPA's functions by the suffix of their names. */
#define SOLVERS(suffix, type, real_type)                                                                     \
  static void vectors_##suffix(elpa_t handle, void *a, void *w, void *q, int *error)                         \
  {                                                                                                          \
    elpa_eigenvectors_a_h_a_##suffix(handle, (type *)a, (real_type *)w, (type *)q, error);                   \
  }                                                                                                          \
  static void values_##suffix(elpa_t handle, void *a, void *w, int *error)                                   \
  {                                                                                                          \
    elpa_eigenvalues_a_h_a_##suffix(handle, (type *)a, (real_type *)w, error);                               \
  }
SOLVERS(f, float, float)
SOLVERS(d, double, double)
SOLVERS(fc, float complex, float)
SOLVERS(dc, double complex, double)

#define ROUTINES(suffix, letter, type, real_type, constant)                                                  \
  {                                                                                                          \
    .dtype = (type), .real = (real_type), .eigenvectors = vectors_##suffix, .eigenvalues = values_##suffix,  \
    .potrf = p##letter##potrf_, .trsm = p##letter##trsm_, .one = (constant)                                  \
  }

static const dap_elpa_routines table[] = {
    ROUTINES(f, s, DAP_F4, DAP_F4, singles),
    ROUTINES(d, d, DAP_F8, DAP_F8, doubles),
    ROUTINES(fc, c, DAP_C8, DAP_F4, singles),
    ROUTINES(dc, z, DAP_C16, DAP_F8, doubles),
};

const dap_elpa_routines *dap_elpa_routines_of(dap_dtype dtype)
{
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i].dtype == dtype) return &table[i];
  return NULL;
}

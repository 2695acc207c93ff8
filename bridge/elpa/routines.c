/* Lists ELPA's routines for each element type. */
#include "elpa_impl.h"

#include <complex.h>

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

static const dap_elpa_routines table[] = {
    {DAP_F4, DAP_F4, vectors_f, values_f},
    {DAP_F8, DAP_F8, vectors_d, values_d},
    {DAP_C8, DAP_F4, vectors_fc, values_fc},
    {DAP_C16, DAP_F8, vectors_dc, values_dc},
};

const dap_elpa_routines *dap_elpa_routines_of(dap_dtype dtype)
{
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i].dtype == dtype) return &table[i];
  return NULL;
}

/* Lists ELPA's routines, makes and configures an elpa_t, and checks what this ELPA can do. */
#include "elpa_impl.h"

#include <complex.h>

/* ---- routines ------------------------------------------------------------------------------------------ */

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

/* ---- the elpa_t ---------------------------------------------------------------------------------------- */

dap_status dap_elpa_says(int code, const char *what, dap_error *err)
{
  DAP_REQUIRE(code == ELPA_OK, err, DAP_ERR_LIBRARY, "%s: ELPA says %s", what, elpa_strerr(code));
  return DAP_OK;
}

static dap_status set(elpa_t handle, const char *name, int value, dap_error *err)
{
  int code = ELPA_OK;
  elpa_set_integer(handle, name, value, &code);
  DAP_REQUIRE(code == ELPA_OK, err, DAP_ERR_LIBRARY, "ELPA's %s = %d: ELPA says %s", name, value,
              elpa_strerr(code));
  return DAP_OK;
}

static dap_status configure(const dap_elpa_matrix *m, int vectors, elpa_t handle, dap_error *err)
{
  const struct {
    const char *name;
    int value;
  } settings[] = {
      {"na", m->size},
      {"nev", vectors},
      {"nblk", m->block_size},
      {"local_nrows", m->local_nrows},
      {"local_ncols", m->local_ncols},
      {"mpi_comm_parent", (int)MPI_Comm_c2f(m->comm)},
      {"process_row", m->place[0]},
      {"process_col", m->place[1]},
  };
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
    DAP_TRY(set(handle, settings[i].name, settings[i].value, err));
  return DAP_OK;
}

/* On error the elpa_t is not deallocated, because elpa_setup() has not been called. elpa_deallocate() would
 * free communicators that the elpa_t does not have (2022.11, src/elpa_impl.F90: communicators_owned is not
 * initialised). */
dap_status dap_elpa_allocate(dap_elpa_matrix *m, int vectors, dap_error *err)
{
  m->handle = NULL;
  int code = elpa_init(ELPA_API_VERSION);
  DAP_TRY(dap_elpa_says(code, "elpa_init", err));
  elpa_t fresh = elpa_allocate(&code);
  DAP_TRY(dap_elpa_says(code, "elpa_allocate", err));
  DAP_TRY(configure(m, vectors, fresh, err));
  m->handle = fresh;
  return DAP_OK;
}

/* ---- what this ELPA can -------------------------------------------------------------------------------- */

/* Refuses several threads if MPI does not support them, because ELPA calls MPI from any thread (ELPA's
 * USERS_GUIDE.md, "Using OpenMP threading"). ELPA itself only prints a warning. */
static dap_status check_threads(elpa_t handle, dap_error *err)
{
  static const char *const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED"};
  int code = ELPA_OK, threads = 1, level = MPI_THREAD_SINGLE;
  elpa_get_integer(handle, "omp_threads", &threads, &code);
  if (code != ELPA_OK || threads <= 1) return DAP_OK;
  elpa_set_integer(handle, "omp_threads", threads, &code); /* fails without OpenMP, which has one thread */
  if (code != ELPA_OK) return DAP_OK;
  DAP_REQUIRE(MPI_Query_thread(&level) == MPI_SUCCESS, err, DAP_ERR_LIBRARY, "MPI_Query_thread failed");
  DAP_REQUIRE(level >= MPI_THREAD_SERIALIZED, err, DAP_ERR_LIBRARY,
              "ELPA is to use %d threads, which needs MPI_THREAD_SERIALIZED, and MPI has %s: call "
              "MPI_Init_thread(), or set ELPA_DEFAULT_omp_threads=1",
              threads, levels[level == MPI_THREAD_SINGLE ? 0 : 1]);
  return DAP_OK;
}

/* Checks a type by a call, because functions exist for all types and return an error if a type was left
 * out. */
static dap_status check_type(elpa_t handle, dap_dtype dtype, dap_error *err)
{
  int code = ELPA_ERROR;
  float a[2] = {3, 0}, w[2] = {0}, q[2] = {0}; /* one element, real or complex */
  const dap_elpa_routines *lib = dap_elpa_routines_of(dtype);
  DAP_REQUIRE(lib, err, DAP_ERR_UNSUPPORTED,
              "ELPA's elements are float32, float64, complex64 or complex128, not %s", dap_dtype_name(dtype));
  if (lib->real == DAP_F8) return DAP_OK;
  lib->eigenvectors(handle, a, w, q, &code);
  DAP_REQUIRE(code == ELPA_OK && w[0] == 3, err, DAP_ERR_UNSUPPORTED,
              "%s: this ELPA was built without single precision", dap_dtype_name(dtype));
  return DAP_OK;
}

dap_status dap_elpa_can(dap_dtype dtype, dap_error *err)
{
  dap_elpa_matrix one = {
      .comm = MPI_COMM_SELF, .size = 1, .block_size = 1, .local_nrows = 1, .local_ncols = 1};
  int code;
  DAP_TRY(dap_elpa_allocate(&one, 1, err));
  DAP_TRY(dap_elpa_says(elpa_setup(one.handle), "elpa_setup", err));
  dap_status status = check_threads(one.handle, err);
  if (!status) status = check_type(one.handle, dtype, err);
  elpa_deallocate(one.handle, &code);
  return status;
}

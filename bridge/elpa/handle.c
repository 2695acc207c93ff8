/* An elpa_t, made and configured. */
#include "elpa_impl.h"

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

static dap_status configure(MPI_Comm comm, const dap_elpa_shape *shape, elpa_t handle, dap_error *err)
{
  const struct {
    const char *name;
    int value;
  } settings[] = {
      {"na", shape->size},
      {"nev", shape->vectors},
      {"nblk", shape->block},
      {"local_nrows", shape->rows},
      {"local_ncols", shape->cols},
      {"mpi_comm_parent", (int)MPI_Comm_c2f(comm)},
      {"process_row", shape->place[0]},
      {"process_col", shape->place[1]},
  };
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
    DAP_TRY(set(handle, settings[i].name, settings[i].value, err));
  return DAP_OK;
}

/* A handle that was not set up is left alone where something fails, as none should: elpa_deallocate() would
 * free communicators that it does not have (2022.11, src/elpa_impl.F90: communicators_owned is not
 * initialised). */
dap_status dap_elpa_allocate(MPI_Comm comm, const dap_elpa_shape *shape, elpa_t *handle, dap_error *err)
{
  *handle = NULL;
  int code = elpa_init(ELPA_API_VERSION);
  DAP_TRY(dap_elpa_says(code, "elpa_init", err));
  elpa_t fresh = elpa_allocate(&code);
  DAP_TRY(dap_elpa_says(code, "elpa_allocate", err));
  DAP_TRY(configure(comm, shape, fresh, err));
  *handle = fresh;
  return DAP_OK;
}

/* ---- what this ELPA can -------------------------------------------------------------------------------- */

/* With several threads ELPA calls MPI from any of them. Source: ELPA's USERS_GUIDE.md, "Using OpenMP
 * threading". Where it has too little, ELPA itself goes on with a warning. */
static dap_status check_threads(elpa_t handle, dap_error *err)
{
  static const char *const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED"};
  int code = ELPA_OK, threads = 1, level = MPI_THREAD_SINGLE;
  elpa_get_integer(handle, "omp_threads", &threads, &code);
  if (code != ELPA_OK || threads <= 1) return DAP_OK;
  elpa_set_integer(handle, "omp_threads", threads, &code); /* fails without OpenMP, where 1 is all there is */
  if (code != ELPA_OK) return DAP_OK;
  DAP_REQUIRE(MPI_Query_thread(&level) == MPI_SUCCESS, err, DAP_ERR_LIBRARY, "MPI_Query_thread failed");
  DAP_REQUIRE(level >= MPI_THREAD_SERIALIZED, err, DAP_ERR_LIBRARY,
              "ELPA is to use %d threads, which needs MPI_THREAD_SERIALIZED, and MPI has %s: call "
              "MPI_Init_thread(), or set ELPA_DEFAULT_omp_threads=1",
              threads, levels[level == MPI_THREAD_SINGLE ? 0 : 1]);
  return DAP_OK;
}

/* All names of functions are always there: where a type was left out they return an error. */
static dap_status check_type(elpa_t handle, dap_dtype dtype, dap_error *err)
{
  int code = ELPA_ERROR;
  float a[2] = {3, 0}, w[2] = {0}, q[2] = {0}; /* one element, real or complex */
  const dap_elpa_routines *lib = dap_elpa_routines_of(dtype);
  if (lib->real == DAP_F8) return DAP_OK;
  lib->eigenvectors(handle, a, w, q, &code);
  DAP_REQUIRE(code == ELPA_OK && w[0] == 3, err, DAP_ERR_UNSUPPORTED,
              "%s: this ELPA was built without single precision", dap_dtype_name(dtype));
  return DAP_OK;
}

dap_status dap_elpa_can(dap_dtype dtype, dap_error *err)
{
  const dap_elpa_shape shape = {.size = 1, .vectors = 1, .block = 1, .rows = 1, .cols = 1};
  elpa_t handle;
  int code;
  DAP_TRY(dap_elpa_allocate(MPI_COMM_SELF, &shape, &handle, err));
  DAP_TRY(dap_elpa_says(elpa_setup(handle), "elpa_setup", err));
  dap_status status = check_threads(handle, err);
  if (!status) status = check_type(handle, dtype, err);
  elpa_deallocate(handle, &code);
  return status;
}

/* Says what the library was built with. CMake writes its part (cmake/DapBuildInfo.cmake), the compiler knows
 * the MPI, and the processor decides which kernels copy. MPI is not called, because the command does not
 * start it. */
#include "kernel_impl.h"

#include "build_facts.h"
#include <dapbridge/build_info.h>
#include <dapbridge/version.h>
#include <string.h>

#define WORD(number) #number
#define NUMBER(number) WORD(number)

#if defined OMPI_MAJOR_VERSION
#define MPI_LIBRARY                                                                                          \
  "Open MPI " NUMBER(OMPI_MAJOR_VERSION) "." NUMBER(OMPI_MINOR_VERSION) "." NUMBER(OMPI_RELEASE_VERSION)
#elif defined MPICH_VERSION
#define MPI_LIBRARY "MPICH " MPICH_VERSION
#else
#define MPI_LIBRARY DAP_BUILD_MPI
#endif

static const char *const facts[][2] = {
    {"compiler", DAP_BUILD_COMPILER},
    {"build_type", DAP_BUILD_TYPE},
    {"system", DAP_BUILD_SYSTEM},
    {"mpi", MPI_LIBRARY " (MPI " NUMBER(MPI_VERSION) "." NUMBER(MPI_SUBVERSION) ")"},
    {"scalapack", DAP_BUILD_SCALAPACK},
    {"blas", DAP_BUILD_BLAS},
    {"elpa", DAP_BUILD_ELPA},
    {"hdf5", DAP_BUILD_HDF5},
    {"petsc", DAP_BUILD_PETSC},
    {"command", DAP_BUILD_COMMAND},
    {"python", DAP_BUILD_PYTHON},
    {"fortran", DAP_BUILD_FORTRAN},
    {"hardened", DAP_BUILD_HARDENED},
};

/* Adds the value if its key is asked for, or a line for every key. */
static void add(dap_text *text, const char *asked, const char *key, const char *value)
{
  if (!asked)
    dap_text_add(text, "%s: %s\n", key, value);
  else if (!strcmp(asked, key))
    dap_text_add(text, "%s", value);
}

size_t dap_build_info(const char *key, char *text, size_t capacity)
{
  dap_text out = dap_text_start(text, capacity);
  add(&out, key, "version", dap_version());
  for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) add(&out, key, facts[i][0], facts[i][1]);
  add(&out, key, "kernels", dap_kernels_best()->name);
  return out.length;
}

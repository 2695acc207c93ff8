# Libraries that stand on MPI have to stand on the one that is used here: there may be several on a machine, whose
# handles and constants differ.
#
# dap_mpi_family(<variable>)
#   Whose binary interface mpi.h declares: "Open MPI", "MPICH", as those derived from it have it too, or "another MPI".
#   Needs MPI::MPI_C.
#
# dap_mpi_check(<target> <function> <variable>)
#   Links a program with MPI::MPI_C and a library, which has the function, and looks which MPIs it has loaded then. The
#   variable: empty if that is the one of mpi.h alone, else the reason against it. In cross builds, and where objects are
#   not ELF, that it links has to do.

set(dap_mpi_program [[
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#ifdef __ELF__
#include <dlfcn.h>
#include <link.h>

static const char *found[8]; /* where the objects of this program find their MPI_Init */
static int count;

static int look(struct dl_phdr_info *object, size_t size, void *unused)
{
  void *handle = dlopen(object->dlpi_name && *object->dlpi_name ? object->dlpi_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
  void *function = handle ? dlsym(handle, "MPI_Init") : NULL;
  Dl_info info;
  (void)size, (void)unused;
  if (!function || !dladdr(function, &info) || !info.dli_fname) return 0;
  for (int i = 0; i < count; i++)
    if (strcmp(found[i], info.dli_fname) == 0) return 0;
  if (count < 8) found[count++] = info.dli_fname;
  return 0;
}
#endif

void @function@(void);

int main(int argc, char **argv)
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0, is_open = 0;
  if (argc > 9) {
    MPI_Init(&argc, &argv);
    @function@();
  }
  MPI_Get_library_version(text, &length);
#ifdef OPEN_MPI
  is_open = 1;
#endif
  printf("FAMILY: %s\n", is_open == (strstr(text, "Open MPI") != NULL) ? "same" : "other");
#ifdef __ELF__
  dl_iterate_phdr(look, NULL);
  printf("MPIS: %s", count > 0 ? found[0] : "");
  for (int i = 1; i < count; i++) printf(" and %s", found[i]);
  printf("\nCOUNT: %d\n", count);
#endif
  return 0;
}
]])

function(dap_mpi_check target function result)
  set(${result} "" PARENT_SCOPE)
  set(folder ${CMAKE_BINARY_DIR}${CMAKE_FILES_DIRECTORY}/dap_mpi/${function})
  file(CONFIGURE OUTPUT ${folder}/check.c CONTENT "${dap_mpi_program}" @ONLY)
  set(libraries LINK_LIBRARIES MPI::MPI_C ${target} ${CMAKE_DL_LIBS})
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    try_compile(DAP_MPI_COMPILED ${folder} ${folder}/check.c ${libraries} OUTPUT_VARIABLE log)
    set(output "")
  else()
    try_run(DAP_MPI_RUN DAP_MPI_COMPILED ${folder} ${folder}/check.c ${libraries}
      COMPILE_OUTPUT_VARIABLE log RUN_OUTPUT_VARIABLE output)
  endif()
  file(WRITE ${folder}/log.txt "${log}\n${output}\n")
  if(NOT DAP_MPI_COMPILED)
    set(${result} "it does not link with this MPI, see ${folder}/log.txt" PARENT_SCOPE)
  elseif(output MATCHES "MPIS: ([^\n]*)\nCOUNT: ([2-9])")
    set(${result} "it is built with another MPI, of ${CMAKE_MATCH_1}" PARENT_SCOPE)
  elseif(output MATCHES "FAMILY: other")
    set(${result} "it is built with another MPI than that of mpi.h" PARENT_SCOPE)
  endif()
endfunction()

function(dap_mpi_family result)
  include(CheckSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
  set(CMAKE_REQUIRED_QUIET ON)
  set(main "int main(void) { return 0; }")
  check_source_compiles(C "#include <mpi.h>\n_Static_assert(OPEN_MPI, \"\");\n${main}" DAP_MPI_IS_OPEN_MPI)
  check_source_compiles(C "#include <mpi.h>\n_Static_assert(MPI_COMM_WORLD == (MPI_Comm)0x44000000, \"\");\n${main}"
    DAP_MPI_IS_MPICH)
  set(${result} "another MPI" PARENT_SCOPE)
  if(DAP_MPI_IS_OPEN_MPI)
    set(${result} "Open MPI" PARENT_SCOPE)
  elseif(DAP_MPI_IS_MPICH)
    set(${result} "MPICH" PARENT_SCOPE)
  endif()
endfunction()

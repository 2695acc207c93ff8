# dap_blas(<library> <variable>)
#   Which BLAS a program has that is linked with the library, ScaLAPACK, for the summary: Debian and Ubuntu choose by
#   alternatives (libblas.so.3, liblapack.so.3), after linking. A small program tells where it finds dgemm; empty in cross
#   builds, and where objects are not ELF.
set(dap_blas_program [[
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#ifdef __ELF__
#include <dlfcn.h>
#endif

int numroc_(const int *n, const int *nb, const int *iproc, const int *isrc, const int *nprocs);

int main(int argc, char **argv)
{
  const int zero = 0;
  if (argc > 9) return numroc_(&argc, &argc, &zero, &zero, &argc); /* so that it is linked */
#ifdef __ELF__
  Dl_info info;
  void *dgemm = dlsym(RTLD_DEFAULT, "dgemm_");
  char *path = dgemm && dladdr(dgemm, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
  if (path) printf("BLAS: %s\n", path);
#endif
  return argv[0] == NULL;
}
]])

function(dap_blas library result)
  set(${result} "" PARENT_SCOPE)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}${CMAKE_FILES_DIRECTORY}/dap_blas)
  file(WRITE ${folder}/blas.c "${dap_blas_program}")
  try_run(DAP_BLAS_RUN DAP_BLAS_COMPILED ${folder} ${folder}/blas.c
    LINK_LIBRARIES ${library} ${CMAKE_DL_LIBS} RUN_OUTPUT_VARIABLE output)
  if(NOT DAP_BLAS_COMPILED OR NOT output MATCHES "BLAS: ([^\n]+)")
    return()
  endif()
  set(path ${CMAKE_MATCH_1})
  if(path MATCHES "blis[^/]*serial")
    set(kind "BLIS without threads")
  elseif(path MATCHES "blis")
    set(kind "BLIS with threads: run one a rank, BLIS_NUM_THREADS=1")
  elseif(path MATCHES "openblas[^/]*serial|openblas-r[0-9]")
    set(kind "OpenBLAS without threads")
  elseif(path MATCHES "openblas")
    set(kind "OpenBLAS with threads: run one a rank, OPENBLAS_NUM_THREADS=1")
  elseif(path MATCHES "/blas/libblas")
    set(kind "the reference BLAS, several times slower than libblis4-serial")
  else()
    get_filename_component(kind ${path} NAME)
  endif()
  set(${result} "${kind} (${path})" PARENT_SCOPE)
endfunction()

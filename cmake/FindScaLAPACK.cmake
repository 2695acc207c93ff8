# FindScaLAPACK: ScaLAPACK with its BLACS, through pkg-config.
#
# Defines ScaLAPACK::ScaLAPACK, ScaLAPACK_FOUND, ScaLAPACK_VERSION, ScaLAPACK_MODULE (the pkg-config module),
# ScaLAPACK_INTEGERS (32 or 64: the bits of its INTEGER), ScaLAPACK_BUILD (what tells apart builds that do not
# mix) and, when it is not found, ScaLAPACK_REASON.
# Debian's own package config for CMake is not used: it fails to load, even quietly.
#
# Integers: LP64 builds of ScaLAPACK have INTEGERs of 32 bits, ILP64 builds of 64, under the same names. With
# 64 the target defines DAPBRIDGE_SCALAPACK_ILP64, which makes dap_scalapack_int as wide; BLACS, BLAS and
# LAPACK must be of the same kind. Which it is, a small program finds out that calls the library. The variable
# DAPBRIDGE_SCALAPACK_INTEGERS says so instead: AUTO (default; find out), 32 or 64. Where the program cannot
# be run, as in a cross build without emulator, or its result fits neither, ScaLAPACK_INTEGERS_DEFAULT is
# taken, else 32, and a message says so.

# Calls ScaLAPACK's numroc with integers of 64 bits whose halves are alike, u = 2^32 + 1 times a small number:
# 32 bits of them are that number whichever half is read. Of 5 u elements in blocks of u the first of u
# processes has one block, u, if the library reads them whole; of 5 elements in blocks of 1 the only process
# has 5. A result of 32 bits leaves the upper half of the register open.
set(dap_integers_program [[
#include <stdint.h>
#include <stdio.h>
int64_t numroc_(const int64_t *n, const int64_t *nb, const int64_t *iproc, const int64_t *isrc,
                const int64_t *nprocs);
int main(void)
{
  const int64_t zero = 0, u = ((int64_t)1 << 32) + 1, n = 5 * u;
  const int64_t size = numroc_(&n, &u, &zero, &zero, &u);
  printf("INTEGER: %d\n", size == u ? 64 : (uint32_t)size == 5 ? 32 : 0);
  return 0;
}
]])

# Runs that program, in every configuration: the library may be another one by now. integers: 32, 64, or empty
# with a reason.
function(dap_find_integers_ integers reason)
  set(${integers} "" PARENT_SCOPE)
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    set(${reason} "a cross build runs no program" PARENT_SCOPE)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}${CMAKE_FILES_DIRECTORY}/scalapack_integers)
  file(WRITE ${folder}/integers.c "${dap_integers_program}")
  try_run(DAP_INTEGERS_RUN DAP_INTEGERS_COMPILED ${folder} ${folder}/integers.c
    LINK_LIBRARIES PkgConfig::DAP_SCALAPACK COMPILE_OUTPUT_VARIABLE log RUN_OUTPUT_VARIABLE output)
  file(WRITE ${folder}/log.txt "${log}\n${output}\n")
  if(NOT DAP_INTEGERS_COMPILED)
    set(${reason} "the program that finds out does not link, see ${folder}/log.txt" PARENT_SCOPE)
  elseif(output MATCHES "INTEGER: (32|64)")
    set(${integers} ${CMAKE_MATCH_1} PARENT_SCOPE)
  elseif(output MATCHES "INTEGER: 0")
    set(${reason} "numroc_ answers like neither kind" PARENT_SCOPE)
  else()
    set(${reason} "the program that finds out does not run, see ${folder}/log.txt" PARENT_SCOPE)
  endif()
endfunction()

# The bits as stated or found, one decision for a whole configuration.
function(dap_decide_integers_ result)
  get_property(integers GLOBAL PROPERTY DAP_SCALAPACK_INTEGERS)
  set(stated "${DAPBRIDGE_SCALAPACK_INTEGERS}")
  if(stated MATCHES "^(32|64)$")
    set(integers ${stated})
  elseif(stated AND NOT stated STREQUAL "AUTO")
    message(FATAL_ERROR "DAPBRIDGE_SCALAPACK_INTEGERS=${stated} is not AUTO, 32 or 64")
  elseif(NOT integers)
    dap_find_integers_(integers reason)
    if(NOT integers)
      set(integers 32)
      if(ScaLAPACK_INTEGERS_DEFAULT)
        set(integers ${ScaLAPACK_INTEGERS_DEFAULT})
      endif()
      message(STATUS "ScaLAPACK is taken to have ${integers}-bit integers: ${reason}. "
        "DAPBRIDGE_SCALAPACK_INTEGERS=32 or 64 says which it has")
    endif()
  endif()
  set_property(GLOBAL PROPERTY DAP_SCALAPACK_INTEGERS ${integers})
  set(${result} ${integers} PARENT_SCOPE)
endfunction()

# Debian and Ubuntu have one build for each MPI; the module's name ends in the MPI's.
set(ScaLAPACK_REASON "no pkg-config module scalapack-openmpi, scalapack-mpich or scalapack")
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_search_module(DAP_SCALAPACK QUIET IMPORTED_TARGET GLOBAL scalapack-openmpi scalapack-mpich scalapack)
  set(ScaLAPACK_MODULE ${DAP_SCALAPACK_MODULE_NAME})
  set(ScaLAPACK_VERSION ${DAP_SCALAPACK_VERSION})
else()
  set(ScaLAPACK_REASON "pkg-config is missing")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ScaLAPACK REQUIRED_VARS ScaLAPACK_MODULE VERSION_VAR ScaLAPACK_VERSION
  REASON_FAILURE_MESSAGE "${ScaLAPACK_REASON}")

if(ScaLAPACK_FOUND)
  dap_decide_integers_(ScaLAPACK_INTEGERS)
  set(ScaLAPACK_BUILD "${ScaLAPACK_MODULE} with ${ScaLAPACK_INTEGERS}-bit integers")
  if(NOT TARGET ScaLAPACK::ScaLAPACK)
    add_library(ScaLAPACK::ScaLAPACK INTERFACE IMPORTED GLOBAL)
    target_link_libraries(ScaLAPACK::ScaLAPACK INTERFACE PkgConfig::DAP_SCALAPACK)
    if(ScaLAPACK_INTEGERS EQUAL 64)
      target_compile_definitions(ScaLAPACK::ScaLAPACK INTERFACE DAPBRIDGE_SCALAPACK_ILP64)
    endif()
  endif()
endif()

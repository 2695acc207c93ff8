# FindScaLAPACK: ScaLAPACK with its BLACS, through pkg-config.
#
# Defines ScaLAPACK::ScaLAPACK, ScaLAPACK_FOUND, ScaLAPACK_VERSION, ScaLAPACK_MODULE (the pkg-config module),
# ScaLAPACK_INTEGERS (32 or 64: the bits of its INTEGER), ScaLAPACK_BUILD (what tells apart builds that do not
# mix), for pkg-config files ScaLAPACK_CFLAGS and ScaLAPACK_LIBS (without MPI's) and, when it is not found,
# ScaLAPACK_REASON. Where MPI::MPI_C is known, a ScaLAPACK that is built with another MPI is passed over.
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
function(dap_find_integers_ library integers reason)
  set(${integers} "" PARENT_SCOPE)
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    set(${reason} "a cross build runs no program" PARENT_SCOPE)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}${CMAKE_FILES_DIRECTORY}/scalapack_integers)
  file(WRITE ${folder}/integers.c "${dap_integers_program}")
  try_run(DAP_INTEGERS_RUN DAP_INTEGERS_COMPILED ${folder} ${folder}/integers.c
    LINK_LIBRARIES ${library} COMPILE_OUTPUT_VARIABLE log RUN_OUTPUT_VARIABLE output)
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
function(dap_decide_integers_ library result)
  get_property(integers GLOBAL PROPERTY DAP_SCALAPACK_INTEGERS)
  set(stated "${DAPBRIDGE_SCALAPACK_INTEGERS}")
  if(stated MATCHES "^(32|64)$")
    set(integers ${stated})
  elseif(stated AND NOT stated STREQUAL "AUTO")
    message(FATAL_ERROR "DAPBRIDGE_SCALAPACK_INTEGERS=${stated} is not AUTO, 32 or 64")
  elseif(NOT integers)
    dap_find_integers_(${library} integers reason)
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

# An empty module mpi, which comes first: that of ScaLAPACK requires the machine's default MPI, which need not be the
# one that is used.
function(dap_hide_mpi_)
  set(folder ${CMAKE_BINARY_DIR}${CMAKE_FILES_DIRECTORY}/dap_mpi)
  file(WRITE ${folder}/mpi.pc "Name: mpi\nDescription: the MPI that was found already\nVersion: 9\n")
  set(ENV{PKG_CONFIG_PATH} "${folder}:$ENV{PKG_CONFIG_PATH}")
endfunction()

# Debian and Ubuntu have one build for each MPI; the module's name ends in the MPI's. The first that stands on the MPI
# that is used here, if that is known.
set(ScaLAPACK_MODULE "")
set(ScaLAPACK_REASON "no pkg-config module scalapack-openmpi, scalapack-mpich or scalapack")
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  set(dap_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
  if(TARGET MPI::MPI_C)
    include(${CMAKE_CURRENT_LIST_DIR}/DapMpi.cmake)
    dap_hide_mpi_()
  endif()
  get_property(dap_modules GLOBAL PROPERTY DAP_SCALAPACK_MODULE) # found before
  if(NOT dap_modules)
    set(dap_modules scalapack-openmpi scalapack-mpich scalapack)
  endif()
  set(dap_reasons "")
  foreach(dap_module IN LISTS dap_modules)
    pkg_check_modules(DAP_${dap_module} QUIET IMPORTED_TARGET GLOBAL ${dap_module})
    if(NOT DAP_${dap_module}_FOUND)
      continue()
    endif()
    set(dap_reason "")
    get_property(dap_is_known GLOBAL PROPERTY DAP_SCALAPACK_MODULE)
    if(TARGET MPI::MPI_C AND NOT dap_is_known)
      dap_mpi_check(PkgConfig::DAP_${dap_module} Cblacs_pinfo dap_reason)
    endif()
    if(dap_reason)
      list(APPEND dap_reasons "${dap_module}: ${dap_reason}")
    else()
      set(ScaLAPACK_MODULE ${dap_module})
      set(ScaLAPACK_VERSION ${DAP_${dap_module}_VERSION})
      set_property(GLOBAL PROPERTY DAP_SCALAPACK_MODULE ${dap_module})
      break()
    endif()
  endforeach()
  set(ENV{PKG_CONFIG_PATH} "${dap_pkg_config_path}")
  if(dap_reasons)
    list(JOIN dap_reasons ", and " ScaLAPACK_REASON) # a semicolon would be two arguments below
  endif()
else()
  set(ScaLAPACK_REASON "pkg-config is missing")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ScaLAPACK REQUIRED_VARS ScaLAPACK_MODULE VERSION_VAR ScaLAPACK_VERSION
  REASON_FAILURE_MESSAGE "${ScaLAPACK_REASON}")

if(ScaLAPACK_FOUND)
  dap_decide_integers_(PkgConfig::DAP_${ScaLAPACK_MODULE} ScaLAPACK_INTEGERS)
  set(ScaLAPACK_BUILD "${ScaLAPACK_MODULE} with ${ScaLAPACK_INTEGERS}-bit integers")
  list(JOIN DAP_${ScaLAPACK_MODULE}_CFLAGS " " ScaLAPACK_CFLAGS)
  list(JOIN DAP_${ScaLAPACK_MODULE}_LDFLAGS " " ScaLAPACK_LIBS)
  if(NOT TARGET ScaLAPACK::ScaLAPACK)
    add_library(ScaLAPACK::ScaLAPACK INTERFACE IMPORTED GLOBAL)
    target_link_libraries(ScaLAPACK::ScaLAPACK INTERFACE PkgConfig::DAP_${ScaLAPACK_MODULE})
    if(TARGET MPI::MPI_C)
      target_link_libraries(ScaLAPACK::ScaLAPACK INTERFACE MPI::MPI_C)
    endif()
    if(ScaLAPACK_INTEGERS EQUAL 64)
      target_compile_definitions(ScaLAPACK::ScaLAPACK INTERFACE DAPBRIDGE_SCALAPACK_ILP64)
    endif()
  endif()
endif()

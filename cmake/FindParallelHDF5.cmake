# FindParallelHDF5: the HDF5 that is built with this MPI, through pkg-config, or where CMake finds hdf5.h and libhdf5.
#
# Defines ParallelHDF5::ParallelHDF5, ParallelHDF5_FOUND, ParallelHDF5_VERSION, ParallelHDF5_MODULE (the pkg-config
# module, or "libhdf5"), ParallelHDF5_BUILD (what tells apart builds that do not mix), for pkg-config files
# ParallelHDF5_CFLAGS and ParallelHDF5_LIBS and, when it is not found, ParallelHDF5_REASON.
# Debian's modules are hdf5-openmpi and hdf5-mpich, and elsewhere it is hdf5. The variable DAPBRIDGE_HDF5_MODULE names
# another. Without a module HDF5_ROOT and HDF5_DIR say where to look. A serial HDF5 is refused: a program that linked it,
# and PETSc with a parallel one, would have two. Needs MPI::MPI_C.
set(ParallelHDF5_MODULE "")
find_package(PkgConfig QUIET)
include(${CMAKE_CURRENT_LIST_DIR}/DapMpi.cmake)
dap_mpi_family(dap_family)
set(dap_modules ${DAPBRIDGE_HDF5_MODULE})
if(NOT dap_modules)
  set(dap_modules hdf5)
  if(dap_family STREQUAL "Open MPI")
    list(PREPEND dap_modules hdf5-openmpi)
  elseif(dap_family STREQUAL "MPICH")
    list(PREPEND dap_modules hdf5-mpich)
  endif()
endif()
list(JOIN dap_modules " or " dap_names)
set(ParallelHDF5_REASON "no pkg-config module ${dap_names}")

# Sets the variable to why the target cannot be used, or "". What was found once is not looked at again.
function(dap_hdf5_check target reason)
  get_property(known GLOBAL PROPERTY DAP_HDF5_TARGET)
  set(${reason} "" PARENT_SCOPE)
  if(known STREQUAL target)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}${CMAKE_FILES_DIRECTORY}/dap_hdf5)
  file(CONFIGURE OUTPUT ${folder}/serial.c CONTENT [[
#include <H5public.h>
#ifndef H5_HAVE_PARALLEL
#error serial
#endif
int main(void) { return 0; }
]])
  try_compile(DAP_HDF5_IS_PARALLEL ${folder} ${folder}/serial.c LINK_LIBRARIES MPI::MPI_C ${target}
    OUTPUT_VARIABLE log)
  set(why "")
  if(DAP_HDF5_IS_PARALLEL)
    dap_mpi_check(${target} H5open why)
  elseif(log MATCHES "serial")
    set(why "it is a serial HDF5, and a parallel one is needed, such as Debian's libhdf5-openmpi-dev")
  else()
    set(why "its header H5public.h cannot be compiled")
  endif()
  if(NOT why)
    set_property(GLOBAL PROPERTY DAP_HDF5_TARGET ${target})
  endif()
  set(${reason} "${why}" PARENT_SCOPE)
endfunction()

foreach(dap_module IN LISTS dap_modules)
  if(NOT PkgConfig_FOUND)
    break()
  endif()
  pkg_check_modules(DAP_${dap_module} QUIET IMPORTED_TARGET GLOBAL ${dap_module})
  if(NOT DAP_${dap_module}_FOUND)
    continue()
  endif()
  dap_hdf5_check(PkgConfig::DAP_${dap_module} dap_reason)
  if(dap_reason)
    set(ParallelHDF5_REASON "${dap_module}: ${dap_reason}")
  else()
    set(ParallelHDF5_MODULE ${dap_module})
    set(ParallelHDF5_VERSION ${DAP_${dap_module}_VERSION})
    list(JOIN DAP_${dap_module}_CFLAGS " " ParallelHDF5_CFLAGS)
    list(JOIN DAP_${dap_module}_LDFLAGS " " ParallelHDF5_LIBS)
    set(dap_target PkgConfig::DAP_${dap_module})
    break()
  endif()
endforeach()

if(NOT ParallelHDF5_MODULE AND NOT DAPBRIDGE_HDF5_MODULE)
  find_path(ParallelHDF5_INCLUDE_DIR hdf5.h HINTS ${HDF5_ROOT} ENV HDF5_ROOT ENV HDF5_DIR PATH_SUFFIXES include)
  find_library(ParallelHDF5_LIBRARY hdf5 HINTS ${HDF5_ROOT} ENV HDF5_ROOT ENV HDF5_DIR PATH_SUFFIXES lib)
  mark_as_advanced(ParallelHDF5_INCLUDE_DIR ParallelHDF5_LIBRARY)
endif()
if(ParallelHDF5_INCLUDE_DIR AND ParallelHDF5_LIBRARY AND NOT ParallelHDF5_MODULE)
  if(NOT TARGET ParallelHDF5::library)
    add_library(ParallelHDF5::library INTERFACE IMPORTED GLOBAL)
    target_include_directories(ParallelHDF5::library INTERFACE ${ParallelHDF5_INCLUDE_DIR})
    target_link_libraries(ParallelHDF5::library INTERFACE ${ParallelHDF5_LIBRARY})
  endif()
  dap_hdf5_check(ParallelHDF5::library dap_reason)
  if(dap_reason)
    set(ParallelHDF5_REASON "${ParallelHDF5_LIBRARY}: ${dap_reason}")
  else()
    file(STRINGS ${ParallelHDF5_INCLUDE_DIR}/H5public.h dap_line REGEX "define H5_VERS_INFO")
    string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" ParallelHDF5_VERSION "${dap_line}")
    set(ParallelHDF5_MODULE libhdf5)
    set(ParallelHDF5_CFLAGS "-I${ParallelHDF5_INCLUDE_DIR}")
    set(ParallelHDF5_LIBS "${ParallelHDF5_LIBRARY}")
    set(dap_target ParallelHDF5::library)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ParallelHDF5 REQUIRED_VARS ParallelHDF5_MODULE VERSION_VAR ParallelHDF5_VERSION
  REASON_FAILURE_MESSAGE "${ParallelHDF5_REASON}")

if(ParallelHDF5_FOUND)
  set(ParallelHDF5_BUILD "${ParallelHDF5_MODULE} ${ParallelHDF5_VERSION}")
  if(NOT TARGET ParallelHDF5::ParallelHDF5)
    add_library(ParallelHDF5::ParallelHDF5 INTERFACE IMPORTED GLOBAL)
    target_link_libraries(ParallelHDF5::ParallelHDF5 INTERFACE ${dap_target})
  endif()
endif()

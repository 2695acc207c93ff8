# Whether a project's Fortran compiler and MPI are those of an installed dapbridge.
#
# dap_fortran_fault(<variable> <build> <family> <folder>)
#   The variable: empty, or the reason against it. build: the compiler of the module files in the folder, as
#   "GNU 12.2.0"; family: the MPI that dapbridge was built with, as dap_mpi_family() has it.

function(dap_fortran_fault result build family folder)
  set(${result} "" PARENT_SCOPE)
  set(compiler "${CMAKE_Fortran_COMPILER_ID} ${CMAKE_Fortran_COMPILER_VERSION}")
  set(modules "its module files are those of ${build}; the project's Fortran compiler is ${compiler}")
  if(NOT CMAKE_Fortran_COMPILER_LOADED)
    set(${result} "the project has no Fortran: project(... LANGUAGES Fortran)" PARENT_SCOPE)
    return()
  endif()
  string(REGEX MATCH "^[^ ]*" id "${build}")
  if(NOT CMAKE_Fortran_COMPILER_ID STREQUAL id)
    set(${result} "${modules}" PARENT_SCOPE)
  elseif(id STREQUAL "GNU" AND CMAKE_Fortran_COMPILER_VERSION VERSION_LESS 12) # which reads them, and passes wrong descriptors
    set(${result} "${modules}, and gfortran 12 or later is needed" PARENT_SCOPE)
  elseif(NOT compiler STREQUAL build)
    dap_fortran_source_(DAP_FORTRAN_READS_MODULES "use dapbridge" -I${folder})
    if(NOT DAP_FORTRAN_READS_MODULES)
      set(${result} "${modules}, which cannot read them" PARENT_SCOPE)
      return()
    endif()
  endif()
  find_package(MPI QUIET COMPONENTS Fortran)
  if(NOT MPI_Fortran_FOUND)
    return()
  endif()
  set(world_Open_MPI 0) # MPI_COMM_WORLD
  set(world_MPICH 1140850688)
  string(REPLACE " " "_" name "${family}")
  if(DEFINED world_${name})
    set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_Fortran)
    dap_fortran_source_(DAP_FORTRAN_MPI_COMPILES "include 'mpif.h'")
    dap_fortran_source_(DAP_FORTRAN_MPI_IS_SAME
      "include 'mpif.h'\ninteger(merge(kind(1), -1, MPI_COMM_WORLD == ${world_${name}})) :: same")
    if(DAP_FORTRAN_MPI_COMPILES AND NOT DAP_FORTRAN_MPI_IS_SAME)
      set(${result} "it was built with ${family}, and Fortran's MPI is another one (${MPI_Fortran_COMPILER}); see \
MPI_Fortran_COMPILER" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Whether a program with these declarations compiles. It is asked for anew each time, as the compiler's wrapper may change.
function(dap_fortran_source_ variable declarations)
  include(CheckSourceCompiles)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  set(CMAKE_REQUIRED_FLAGS "${ARGN}")
  set(CMAKE_REQUIRED_QUIET ON)
  unset(${variable} CACHE)
  check_source_compiles(Fortran "program test\n${declarations}\nend program" ${variable} SRC_EXT f90)
  set(${variable} "${${variable}}" PARENT_SCOPE)
endfunction()

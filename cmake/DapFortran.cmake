# Fortran: the compiler, as DAPBRIDGE_FORTRAN says, and tests and examples in Fortran.
#
# Sets DAPBRIDGE_WITH_FORTRAN; DAPBRIDGE_FORTRAN_SUMMARY; DAPBRIDGE_FORTRAN_MODULES, the folder of the module files;
# DAPBRIDGE_FORTRAN_BUILD, whose module files they are, which no other compiler reads; and DAPBRIDGE_FORTRAN_HEADERS, a
# folder with ISO_Fortran_binding.h, which belongs to the Fortran compiler, for any C compiler.
# The library takes an MPI_Fint and needs no MPI for Fortran. Programs do: DAPBRIDGE_WITH_FORTRAN_MPI.
include(CheckLanguage)

# dap_fortran_header_(<header> <reason>): the compiler's own ISO_Fortran_binding.h, or the reason against the compiler.
# gfortran's descriptors are right for arguments of any type and rank from 12 on; flang 22 was tested.
function(dap_fortran_header_ header reason)
  set(least_GNU 12)
  set(least_LLVMFlang 22)
  set(least "${least_${CMAKE_Fortran_COMPILER_ID}}")
  set(path "")
  if(NOT least OR CMAKE_Fortran_COMPILER_VERSION VERSION_LESS least)
    set(${reason} "${DAPBRIDGE_FORTRAN_BUILD} is neither gfortran 12 or later nor flang 22 or later" PARENT_SCOPE)
    return()
  elseif(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    execute_process(COMMAND ${CMAKE_Fortran_COMPILER} -print-file-name=include/ISO_Fortran_binding.h
      OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
  else() # <prefix>/bin/flang: in include/flang, or among clang's own headers
    file(REAL_PATH ${CMAKE_Fortran_COMPILER} path)
    cmake_path(GET path PARENT_PATH path)
    cmake_path(GET path PARENT_PATH path)
    file(GLOB found ${path}/include/flang/ISO_Fortran_binding.h ${path}/lib/clang/*/include/ISO_Fortran_binding.h)
    list(POP_FRONT found path)
  endif()
  if(NOT EXISTS "${path}")
    set(${reason} "${CMAKE_Fortran_COMPILER} has no ISO_Fortran_binding.h" PARENT_SCOPE)
  endif()
  set(${header} "${path}" PARENT_SCOPE)
endfunction()

set(DAPBRIDGE_WITH_FORTRAN OFF)
set(DAPBRIDGE_WITH_FORTRAN_MPI OFF)
set(DAPBRIDGE_FORTRAN_SUMMARY "off (DAPBRIDGE_FORTRAN=${DAPBRIDGE_FORTRAN})")
set(DAPBRIDGE_FORTRAN_MODULES ${PROJECT_BINARY_DIR}/fortran)
set(DAPBRIDGE_FORTRAN_HEADERS ${PROJECT_BINARY_DIR}/fortran_binding)
set(dap_fortran_reason "")
if(DAPBRIDGE_FORTRAN)
  if(NOT CMAKE_Fortran_COMPILER) # one may have been installed since
    unset(CMAKE_Fortran_COMPILER CACHE)
  endif()
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    set(DAPBRIDGE_FORTRAN_BUILD "${CMAKE_Fortran_COMPILER_ID} ${CMAKE_Fortran_COMPILER_VERSION}")
    dap_fortran_header_(header dap_fortran_reason)
    if(NOT dap_fortran_reason)
      configure_file("${header}" ${DAPBRIDGE_FORTRAN_HEADERS}/ISO_Fortran_binding.h COPYONLY)
    endif()
  else()
    set(dap_fortran_reason "no compiler: install gfortran, or name one by CMAKE_Fortran_COMPILER or FC")
    if(NOT "$ENV{FC}" STREQUAL "")
      set(dap_fortran_reason "no compiler: FC is $ENV{FC}, and CMake cannot use it")
    endif()
  endif()
  if(NOT dap_fortran_reason)
    set(DAPBRIDGE_WITH_FORTRAN ON)
    set(DAPBRIDGE_FORTRAN_SUMMARY "${DAPBRIDGE_FORTRAN_BUILD}")
  elseif(DAPBRIDGE_FORTRAN STREQUAL "AUTO")
    set(DAPBRIDGE_FORTRAN_SUMMARY "off (${dap_fortran_reason})")
  else()
    message(FATAL_ERROR "DAPBRIDGE_FORTRAN=${DAPBRIDGE_FORTRAN}, but: ${dap_fortran_reason}")
  endif()
endif()

if(DAPBRIDGE_WITH_FORTRAN)
  if(NOT CMAKE_Fortran_LINKER_WRAPPER_FLAG) # which CMake 3.25 does not know of flang
    set(CMAKE_Fortran_LINKER_WRAPPER_FLAG "-Wl,")
    set(CMAKE_Fortran_LINKER_WRAPPER_FLAG_SEP ",")
  endif()
  # What C's objects bring along.
  string(REGEX MATCHALL "(-fsanitize|--coverage)[^ ]*" dap_flags "${CMAKE_C_FLAGS}")
  list(JOIN dap_flags " " dap_flags)
  string(APPEND CMAKE_Fortran_FLAGS " ${dap_flags}")

  # The wrapper beside C's: mpifort.mpich for mpicc.mpich.
  if(MPI_C_COMPILER MATCHES "mpicc[^/]*$" AND NOT MPI_Fortran_COMPILER)
    string(REGEX REPLACE "mpicc([^/]*)$" "mpifort\\1" dap_wrapper ${MPI_C_COMPILER})
    find_program(MPI_Fortran_COMPILER ${dap_wrapper})
  endif()
  find_package(MPI QUIET COMPONENTS Fortran)
  if(MPI_Fortran_FOUND AND MPI_Fortran_HAVE_F08_MODULE)
    set(DAPBRIDGE_WITH_FORTRAN_MPI ON)
    get_target_property(dap_flags MPI::MPI_Fortran INTERFACE_COMPILE_OPTIONS) # MPICH's, which C does not know
    if(dap_flags)
      set_property(TARGET MPI::MPI_Fortran PROPERTY INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:Fortran>:${dap_flags}>")
    endif()
  else()
    string(APPEND DAPBRIDGE_FORTRAN_SUMMARY ", no tests and examples: there is no module mpi_f08")
  endif()
endif()

# dap_fortran_compiles(<variable> <source> <target>): whether a file that uses the target's modules compiles. Only yes is
# kept: modules may be installed later.
function(dap_fortran_compiles variable source target)
  if(NOT ${variable})
    unset(${variable} CACHE)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    try_compile(${variable} ${CMAKE_CURRENT_BINARY_DIR}/${variable} SOURCES ${source} LINK_LIBRARIES ${target})
  endif()
endfunction()

# dap_fortran_program(<name> <source>...): a program that uses the module and MPI.
function(dap_fortran_program name)
  add_executable(${name} ${ARGN})
  dap_fortran_object(${name})
endfunction()

# dap_fortran_object(<target>): what its files need to use the module and MPI. PETSc's macros make long lines.
# Tests join calls by .and., and gfortran warns that it may leave out the second call. It does so only if the first one
# returns false, and then the test fails anyway.
function(dap_fortran_object name)
  target_link_libraries(${name} PRIVATE dapbridge::fortran MPI::MPI_Fortran)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:Fortran>:-ffree-line-length-none -Wall -Wextra -Wno-compare-reals
    -Wno-conversion -Wno-unused-parameter -Wno-uninitialized -Wno-maybe-uninitialized -Wno-function-elimination>)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE Fortran
    Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/modules_of_${name})
  dap_fortran_uses_module(${name})
endfunction()

# dap_fortran_uses_module(<target>): its files are compiled after the module's, and again with them, which CMake does by
# itself only for targets that are linked with the module's objects.
function(dap_fortran_uses_module target)
  get_target_property(sources ${target} SOURCES)
  add_dependencies(${target} dapbridge_fortran_static)
  set_source_files_properties(${sources} PROPERTIES
    OBJECT_DEPENDS ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/libdapbridge_fortran${CMAKE_STATIC_LIBRARY_SUFFIX})
endfunction()

# dap_fortran_test(<name> SOURCES <file>... [LIBS <target>...] [RANKS <n>...] [ALL_RANKS <n>...] [TIMEOUT <seconds>])
#   The program <name> and its tests, <name>.np<n>, as dap_test(); without RANKS 4 1 ALL_RANKS 2 3. Sanitizers look for
#   leaks on all numbers of ranks with Open MPI (tests/support/as_test.c), with others on 1 and 2 ranks.
function(dap_fortran_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBS;RANKS;ALL_RANKS")
  dap_choose_ranks_("4;1" "2;3")
  dap_fortran_program(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS})
  set(leaks "")
  if(CMAKE_C_FLAGS MATCHES "-fsanitize" AND DAPBRIDGE_MPI_FAMILY STREQUAL "Open MPI")
    set(leaks DAP_LEAKS=fast)
    dap_as_test(${name})
  endif()
  foreach(ranks IN LISTS all_ranks)
    set(test ${name}.np${ranks})
    dap_mpi_test(${test} ${ranks} ${arg_TIMEOUT}
      sh ${PROJECT_SOURCE_DIR}/cmake/mpirun.sh ${ranks} $<TARGET_FILE:${name}>)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ${leaks})
    dap_tier_(tier ${name} ${ranks})
    dap_label_tier_(${test} ${tier})
  endforeach()
endfunction()

# dap_fortran_example(<name> RANKS <n> [LIBS <target>...]): as dap_example(), of fortran/<name>.f90 or .F90: the program and
# test fortran_<name>, compared with expected/fortran_<name>.txt.
function(dap_fortran_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS" "LIBS")
  file(GLOB source fortran/${name}.[fF]90)
  dap_fortran_program(fortran_${name} ${source})
  target_link_libraries(fortran_${name} PRIVATE ${arg_LIBS})
  dap_mpi_test(example.fortran_${name} ${arg_RANKS} 300
    sh ${PROJECT_SOURCE_DIR}/cmake/check_output.sh ${CMAKE_CURRENT_SOURCE_DIR}/expected/fortran_${name}.txt
    sh ${PROJECT_SOURCE_DIR}/cmake/mpirun.sh ${arg_RANKS} $<TARGET_FILE:fortran_${name}>)
endfunction()

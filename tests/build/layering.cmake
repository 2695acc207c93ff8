# Tries to include every header of the project, and those of MPI and PETSc, in every layer, with exactly the
# flags that the layer's own files are compiled with. What lies above the layer, or beside it, must be
# refused whatever way it is written; all else must compile, which shows that the flags are right.
#
# Needs SOURCE, BUILD, SCALAPACK, PETSC (are the adapters built?), MPI_HEADERS, PETSC_HEADERS (folders).
cmake_policy(VERSION 3.25)

# ---- the rule ------------------------------------------------------------------------------------
set(transfer_folders kernel problem schedule transport) # of bridge/transfer, each over the one before
set(layers model comm ${transfer_folders} transfer view document cli)
set(public_model version status log rules dtype dim dialect layout array part join matrix matrix_op)
set(public_comm ${public_model} comm context shared)
set(public_kernel ${public_comm})
foreach(layer IN ITEMS problem schedule transport transfer)
  set(public_${layer} ${public_comm} plan)
endforeach()
set(public_view ${public_transfer} adapter)
set(public_scalapack ${public_view} scalapack blacs_calls scalapack_calls)
set(public_linalg ${public_scalapack} linalg)
set(public_gemr2d ${public_scalapack})
set(public_petsc ${public_view} petsc petsc_build petsc_vector petsc_matrix)
set(private_model model)
set(private_comm model comm)
set(below model comm)
foreach(layer IN LISTS transfer_folders ITEMS transfer view)
  list(APPEND below ${layer})
  set(private_${layer} ${below})
endforeach()
set(private_scalapack scalapack) # and check.h
set(private_linalg linalg)       # and check.h
set(private_gemr2d gemr2d)       # and check.h
set(private_petsc petsc)         # and check.h
foreach(layer IN ITEMS document cli)
  set(public_${layer} ${public_model})
endforeach()
set(private_document document)   # and check.h
set(private_cli document cli)    # and check.h
foreach(adapter IN ITEMS SCALAPACK PETSC)
  if(${adapter})
    string(TOLOWER ${adapter} layer)
    list(APPEND layers ${layer})
  endif()
endforeach()

if(SCALAPACK)
  list(APPEND layers linalg gemr2d)
endif()

# The layer's folder in bridge/, and the way from it back there.
foreach(layer IN LISTS layers)
  set(folder_${layer} ${layer})
  set(up_${layer} ../)
endforeach()
foreach(layer IN LISTS transfer_folders)
  set(folder_${layer} transfer/${layer})
  set(up_${layer} ../../)
endforeach()

# ---- one trial -----------------------------------------------------------------------------------
# Compiles `#include <what>` as if in a file in the layer's folder.
set(probe ${BUILD}/tests/build/probe.c)
function(compile layer what result message)
  file(WRITE ${probe} "#include ${what}\nextern int probe;\n")
  execute_process(COMMAND ${flags_${layer}} -fsyntax-only -x c - INPUT_FILE ${probe}
    WORKING_DIRECTORY ${SOURCE}/bridge/${folder_${layer}} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE error)
  set(${result} ${status} PARENT_SCOPE)
  set(${message} "${error}" PARENT_SCOPE)
endfunction()

function(expect_refused layer)
  foreach(what IN LISTS ARGN)
    compile(${layer} "${what}" status error)
    math(EXPR refused "${refused} + 1")
    if(status EQUAL 0)
      list(APPEND faults "${layer} can include ${what}")
    elseif(NOT error MATCHES "poisoned|No such file|file not found")
      list(APPEND faults "${layer} cannot include ${what}, but for another reason: ${error}")
    endif()
  endforeach()
  set(refused ${refused} PARENT_SCOPE)
  set(faults "${faults}" PARENT_SCOPE)
endfunction()

function(expect_compiles layer what)
  compile(${layer} "${what}" status error)
  math(EXPR compiled "${compiled} + 1")
  if(NOT status EQUAL 0)
    list(APPEND faults "${layer} cannot include ${what}: ${error}")
  endif()
  set(compiled ${compiled} PARENT_SCOPE)
  set(faults "${faults}" PARENT_SCOPE)
endfunction()

# ---- the flags of each layer ---------------------------------------------------------------------
# Line by line: string(JSON) reads the whole text at each call.
file(STRINGS ${BUILD}/compile_commands.json lines REGEX "^ *\"(command|file)\": ")
foreach(line IN LISTS lines)
  string(REGEX REPLACE ",$" "" line "${line}")
  if(line MATCHES "^ *\"command\"") # comes before the file
    set(command_line "${line}")
    continue()
  endif()
  string(JSON file GET "{${line}}" file)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${SOURCE})
  if(file MATCHES "^bridge/([a-z0-9]+/)?([a-z0-9]+)/[^/]*$" AND NOT flags_${CMAKE_MATCH_2})
    set(layer ${CMAKE_MATCH_2})
    string(JSON command GET "{${command_line}}" command)
    separate_arguments(flags_${layer} UNIX_COMMAND "${command}")
    list(FIND flags_${layer} -o output) # -o <object> -c <source> come last
    list(SUBLIST flags_${layer} 0 ${output} flags_${layer})
  endif()
endforeach()

# ---- all trials ----------------------------------------------------------------------------------
set(faults "")
set(refused 0)
set(compiled 0)
file(GLOB public_headers RELATIVE ${SOURCE}/include/dapbridge ${SOURCE}/include/dapbridge/*.h)
file(GLOB private_headers RELATIVE ${SOURCE}/bridge ${SOURCE}/bridge/*/*.h ${SOURCE}/bridge/*/*/*.h)
foreach(layer IN LISTS layers)
  if(NOT flags_${layer})
    message(FATAL_ERROR "no file of bridge/${layer} is compiled")
  endif()
  foreach(header IN LISTS public_headers)
    cmake_path(GET header STEM name)
    if(name IN_LIST public_${layer})
      expect_compiles(${layer} "<dapbridge/${header}>")
    else()
      expect_refused(${layer} "<dapbridge/${header}>" "\"dapbridge/${header}\""
        "\"${up_${layer}}../include/dapbridge/${header}\"" "<${SOURCE}/include/dapbridge/${header}>")
    endif()
  endforeach()
  foreach(header IN LISTS private_headers)
    cmake_path(GET header PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    cmake_path(GET header FILENAME name)
    if(folder IN_LIST private_${layer} OR name STREQUAL "check.h")
      expect_compiles(${layer} "\"${name}\"")
    else()
      expect_refused(${layer} "\"${name}\"" "<${name}>" "\"${up_${layer}}${header}\"" "<${up_${layer}}${header}>"
        "\"${SOURCE}/bridge/${header}\"")
    endif()
  endforeach()
  if(layer MATCHES "^(model|document|cli)$")
    expect_refused(${layer} "<mpi.h>" "<${MPI_HEADERS}/mpi.h>")
  else()
    expect_compiles(${layer} "<mpi.h>")
  endif()
  if(layer STREQUAL "petsc")
    expect_compiles(${layer} "<petscsys.h>")
  elseif(PETSC)
    expect_refused(${layer} "<petscsys.h>" "<${PETSC_HEADERS}/petscsys.h>")
  endif()
  expect_refused(${layer} "\"${up_${layer}}../include/dapbridge.h\"")
endforeach()

# ---- includes as they are written ----------------------------------------------------------------
file(GLOB_RECURSE sources ${SOURCE}/bridge/*.[ch])
foreach(source IN LISTS sources)
  file(STRINGS ${source} lines REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "include (\"[a-z0-9_]+\\.h\"|<[a-z0-9_]+(/[a-z0-9_]+)?\\.h>)")
      list(APPEND faults "${source}: neither \"name.h\" nor <name.h> nor <folder/name.h>: ${line}")
    endif()
  endforeach()
endforeach()

# The poisoned names are made from the files' names, so the include guards must be.
foreach(header IN LISTS public_headers private_headers)
  cmake_path(GET header FILENAME name)
  string(REPLACE "." "_" name "${name}")
  string(TOUPPER "${name}" name)
  if(header IN_LIST public_headers)
    file(STRINGS ${SOURCE}/include/dapbridge/${header} guard REGEX "^#ifndef DAPBRIDGE_${name}$")
  else()
    file(STRINGS ${SOURCE}/bridge/${header} guard REGEX "^#ifndef DAP_${name}$")
  endif()
  if(NOT guard)
    list(APPEND faults "${header}: the include guard is not named after the file")
  endif()
endforeach()

list(JOIN faults "\n" faults)
if(faults OR refused EQUAL 0 OR compiled EQUAL 0)
  message(FATAL_ERROR "${faults}")
endif()
message(STATUS "${refused} includes refused, ${compiled} compiled")

# Each test that starts MPI says how many hosts it needs, by one of the labels one_host and several. Reads how BUILD has
# registered its tests: CTestTestfile.cmake of each folder, whose commands are functions here.

# A test of MPI has mpirun.sh in its command or the launcher in its environment, or makes hosts of its own.
function(note_if_mpi name text)
  if(text MATCHES "mpirun\\.sh|MPIEXEC=|several\\.sh")
    set_property(GLOBAL APPEND PROPERTY tests ${name})
  endif()
endfunction()

function(add_test name)
  note_if_mpi(${name} "${ARGN}")
endfunction()

function(set_tests_properties name)
  note_if_mpi(${name} "${ARGN}")
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABELS" "")
  set_property(GLOBAL PROPERTY labels_${name} "${arg_LABELS}")
endfunction()

function(subdirs)
  foreach(folder IN LISTS ARGN)
    include(${CMAKE_CURRENT_LIST_DIR}/${folder}/CTestTestfile.cmake OPTIONAL) # none: nothing in it has tests
  endforeach()
endfunction()

function(set_directory_properties)
endfunction()

include(${BUILD}/CTestTestfile.cmake)

get_property(tests GLOBAL PROPERTY tests)
list(REMOVE_DUPLICATES tests)
set(faults "")
foreach(name IN LISTS tests)
  get_property(labels GLOBAL PROPERTY labels_${name})
  list(FILTER labels INCLUDE REGEX "^(one_host|several)$")
  list(LENGTH labels count)
  if(NOT count EQUAL 1)
    list(APPEND faults "${name}: ${count} of the labels one_host and several")
  endif()
endforeach()

list(LENGTH tests count)
list(JOIN faults "\n  " faults)
if(faults OR count EQUAL 0)
  message(FATAL_ERROR "of ${count} tests under MPI, which cmake/DapTest.cmake gives these labels:\n  ${faults}")
endif()
message(STATUS "${count} tests")

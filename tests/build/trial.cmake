# Configures trial projects, and compares CMake's output with the expected output. Scripts that test find modules
# include this file.
#
# Needs SOURCE (folder), GENERATOR, and work: the trials' folder, which is emptied.
file(REMOVE_RECURSE ${work})
set(trials 0)
set(faults "")

# trial(<why> "<part of the output>..." <project in tests/build> [argument of cmake -E env]... [-D<name>=<value>]...)
function(trial why parts project)
  math(EXPR trials "${trials} + 1")
  set(options ${ARGN})
  list(FILTER options INCLUDE REGEX "^-D")
  set(environment ${ARGN})
  list(FILTER environment EXCLUDE REGEX "^-D")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ${environment}
    ${CMAKE_COMMAND} -S ${SOURCE}/tests/build/${project} -B ${work}/trial${trials} -G ${GENERATOR}
    -D MODULES=${SOURCE}/cmake ${options}
    OUTPUT_VARIABLE said ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  foreach(part IN LISTS parts)
    string(FIND "${said}" "${part}" at)
    if(at EQUAL -1)
      list(APPEND faults "${why}: '${part}' is not in: ${said}")
    endif()
  endforeach()
  set(trials ${trials} PARENT_SCOPE)
  set(faults "${faults}" PARENT_SCOPE)
endfunction()

# Fails with a list of all trials that gave other results than expected.
function(end_trials)
  list(JOIN faults "\n" faults)
  if(faults)
    message(FATAL_ERROR "${faults}")
  endif()
endfunction()

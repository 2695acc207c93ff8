# Checks that dap_fortran_compiles() looks again for modules that were missing, and remembers those that it found.
#
# Needs SOURCE, BUILD (folders), FC, GENERATOR.
cmake_policy(VERSION 3.25)
set(work ${BUILD}/tests/build/modules)
include(${CMAKE_CURRENT_LIST_DIR}/trial.cmake)

function(look why answer) # configures again, in the same build
  set(trials 0)
  trial("${why}" "compiles: ${answer};again: ${answer}" modules -DCMAKE_Fortran_COMPILER=${FC} -DFOLDER=${work}/installed)
  set(faults "${faults}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${work}/installed)
look("no module" FALSE)
file(WRITE ${work}/installed/later.f90 "module later\n  integer :: number\nend module\n")
execute_process(COMMAND ${FC} -c later.f90 WORKING_DIRECTORY ${work}/installed COMMAND_ERROR_IS_FATAL ANY)
look("installed since" TRUE)
file(REMOVE ${work}/installed/later.mod)
look("known to be there" TRUE)
end_trials()

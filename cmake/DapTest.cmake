# Tests and examples that run under MPI.

# dap_test(<name> SOURCES <file>... [LIBS <target>...] [RANKS <n>...] [ARGS <argument>...] [TIMEOUT <seconds>])
#   Makes the program <name> from the sources and the tests' common support, and one test for each number
#   of ranks, <name>.np<n>. RANKS: default 1 2 3 4 6. TIMEOUT: of one run, default 120. Each is run as
#   dap_mpi_test() says.
function(dap_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBS;RANKS;ARGS")
  if(NOT arg_RANKS)
    set(arg_RANKS 1 2 3 4 6)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE dap_warnings dap_test_support ${arg_LIBS} PkgConfig::CMOCKA MPI::MPI_C m)
  foreach(ranks IN LISTS arg_RANKS)
    dap_mpi_test(${name}.np${ranks} ${ranks} ${arg_TIMEOUT}
      sh ${PROJECT_SOURCE_DIR}/cmake/mpirun.sh ${ranks} $<TARGET_FILE:${name}> ${arg_ARGS})
  endforeach()
endfunction()

# dap_example(<name> RANKS <n> LIBS <target>... [ARGS <argument>...])
#   Makes the program <name> from <name>.c, and a test, example.<name>, that runs it on n ranks and
#   compares its output with expected/<name>.txt, as check_output.sh says.
function(dap_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RANKS" "LIBS;ARGS")
  add_executable(${name} ${name}.c)
  target_link_libraries(${name} PRIVATE dap_warnings ${arg_LIBS} m)
  dap_mpi_test(example.${name} ${arg_RANKS} 300 env DAP_LEAKS=yes
    sh ${PROJECT_SOURCE_DIR}/cmake/check_output.sh ${CMAKE_CURRENT_SOURCE_DIR}/expected/${name}.txt
    sh ${PROJECT_SOURCE_DIR}/cmake/mpirun.sh ${arg_RANKS} $<TARGET_FILE:${name}> ${arg_ARGS})
endfunction()

# dap_mpi_test(<name> <ranks> <seconds> <command> [argument...])
#   Makes a test of a command that starts so many ranks and may take so many seconds, five times that with
#   sanitizers. It takes as many of ctest's slots as it has ranks. Exit code 77 means skipped.
function(dap_mpi_test name ranks timeout)
  if(CMAKE_C_FLAGS MATCHES "-fsanitize")
    math(EXPR timeout "5 * ${timeout}")
  endif()
  math(EXPR patience "${timeout} + 30") # mpiexec ends its ranks itself; ctest would leave them running
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES PROCESSORS ${ranks} TIMEOUT ${patience} SKIP_RETURN_CODE 77
    ENVIRONMENT "MPIEXEC=${MPIEXEC_EXECUTABLE};DAP_TIMEOUT=${timeout}")
endfunction()

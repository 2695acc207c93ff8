# Tests and examples that run under MPI.
#
# Tiers, by ctest's labels: the edit loop is `ctest -L quick`, the default tier of tests/run.sh
# `ctest -LE "more|nightly"`, all `ctest -LE nightly`, and what is too long or too much for these `ctest -L nightly`. A test
# without a tier's label is in the default tier. The folder of a test is a label too (tests/CMakeLists.txt), as in
# `ctest -L transfer`. Each test under MPI says how many hosts it needs: one_host, or several where it can be anywhere.

option(DAPBRIDGE_ALL_TESTS "Build test programs of which no run is in the default tier, too, and broken examples" ON)
option(DAPBRIDGE_TESTS_APART "Give each member of a suite tests of its own" OFF)

# dap_test(<name> SOURCES <file>... [LIBS <target>...] [RANKS <n>...] [ALL_RANKS <n>...] [ARGS <argument>...]
#          [TIMEOUT <seconds>] [SLOW] [NIGHTLY] [WHOLE_STACKS] [MPI_LEAKS] [ONE_NODE] [ALONE])
#   Makes a test program from the sources and the tests' common support, and has it run on each number of ranks.
#   RANKS: those that show what the program is there for; they are the default tier, and the first of them
#   the quick one and with sanitizers the default one, but not if SLOW: more than two seconds. ALL_RANKS: others, which are
#   all in tier nightly, and for about half of the programs one of them in tier all.
#   Without either: RANKS 4 1 3 ALL_RANKS 2 6, or for another processor RANKS 2 4 ALL_RANKS 1 3. TIMEOUT: of one run,
#   default 120. WHOLE_STACKS: it starts MPI itself, not by mpi_test.h, or has names of leaks to ignore: sanitizers look
#   for leaks on 1 and 2 ranks only.
#   ONE_NODE: all ranks must share a node; all other tests on more than one, labelled several and not one_host, assert what is
#   right where they find themselves (tests/support/mpi_test.h), and tests/hosts runs them over several hosts.
#   MPI_LEAKS: so they do, as ScaLAPACK's p?gemr2d can leave a message, and with it a communicator, behind on grids it ends.
#
#   To start a program and MPI takes longer than most tests. So what ends in MPI_TEST_MAIN() and needs nothing special becomes a
#   member of its folder's suite: one program, which runs the members that its arguments name. ctest has one test for each
#   tier and number of ranks of a suite, <suite>.<tier>.np<n>; with DAPBRIDGE_TESTS_APART, and for all other programs, one for
#   each number of ranks of a program, <name>.np<n>. ALONE: it depends on what other tests in its process would leave behind,
#   or its target is changed after this call.
#   Each is run as dap_mpi_test() says.
function(dap_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SLOW;NIGHTLY;WHOLE_STACKS;MPI_LEAKS;ONE_NODE;ALONE" "TIMEOUT"
    "SOURCES;LIBS;RANKS;ALL_RANKS;ARGS")
  set(few 4 1 3)
  set(more 2 6)
  if(CMAKE_CROSSCOMPILING) # by an emulator, many times slower
    set(few 2 4)
    set(more 1 3)
  endif()
  dap_choose_ranks_("${few}" "${more}")
  dap_suite_of_(suite)
  if(suite)
    dap_join_suite_(${suite} ${name})
    return()
  endif()

  add_executable(${name} ${arg_SOURCES})
  if(NOT DAPBRIDGE_ALL_TESTS AND NOT default_ranks)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE dap_warnings dap_test_support ${arg_LIBS} PkgConfig::CMOCKA MPI::MPI_C m)
  foreach(ranks IN LISTS all_ranks)
    dap_tier_(tier ${name} ${ranks})
    dap_test_run_(${name}.np${ranks} ${ranks} ${tier} ${arg_TIMEOUT} ${name} ${arg_ARGS})
  endforeach()
endfunction()

# dap_test_run_(<test> <ranks> <tier> <seconds> <target> [argument...]): a test that runs a program, by what the caller, which
# has parsed dap_test()'s arguments, has in arg_ONE_NODE, arg_MPI_LEAKS and arg_WHOLE_STACKS.
function(dap_test_run_ test ranks tier seconds program)
  set(dap_hosts one_host)
  if(ranks GREATER 1 AND NOT arg_ONE_NODE)
    set(dap_hosts several)
  endif()
  dap_mpi_test(${test} ${ranks} ${seconds}
    sh ${PROJECT_SOURCE_DIR}/cmake/mpirun.sh ${ranks} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}> ${ARGN})
  if(arg_MPI_LEAKS AND ranks GREATER 2)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT DAP_LEAKS=none)
  elseif(NOT arg_WHOLE_STACKS)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT DAP_LEAKS=fast)
  endif()
  dap_label_tier_(${test} ${tier})
endfunction()

# dap_suite_of_(<variable>): the suite that the test with the caller's arguments can be a member of; empty: none. It is named
# by the folder, and by the interface libraries dap_test_* that replace functions in the program.
function(dap_suite_of_ variable)
  set(${variable} "" PARENT_SCOPE)
  list(GET arg_SOURCES 0 first)
  file(STRINGS ${first} main REGEX "^MPI_TEST_MAIN")
  set(replaced "")
  set(files ${arg_SOURCES})
  list(FILTER files INCLUDE REGEX "\\.c$")
  foreach(source IN LISTS files)
    file(STRINGS ${source} more REGEX "^(int|double) P?MPI_[A-Z]") # functions of MPI, for the whole program
    list(APPEND replaced ${more})
  endforeach()
  if(replaced OR arg_ALONE OR arg_ARGS OR arg_WHOLE_STACKS OR arg_MPI_LEAKS OR arg_ONE_NODE OR NOT main)
    return()
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME suite)
  foreach(library IN LISTS arg_LIBS)
    if(library MATCHES "^dap_test_(.*)")
      set(word ${CMAKE_MATCH_1})
      get_target_property(type ${library} TYPE)
      if(type STREQUAL "INTERFACE_LIBRARY")
        string(APPEND suite "_${word}")
      endif()
    elseif(library MATCHES "^dap_petsc_fields\\.(.*)")
      set(kind ${CMAKE_MATCH_1})
      list(GET PETSc_KINDS 0 usual)
      if(NOT kind STREQUAL usual)
        string(APPEND suite ".${kind}")
      endif()
    endif()
  endforeach()
  set(${variable} ${suite} PARENT_SCOPE)
endfunction()

# dap_join_suite_(<suite> <name>): the test with the caller's arguments becomes a member, <name> without the folder's name.
function(dap_join_suite_ suite name)
  if(NOT DAPBRIDGE_ALL_TESTS AND NOT default_ranks)
    return()
  endif()
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME folder)
  string(REGEX REPLACE "^${folder}_|\\.[a-z0-9_]*$" "" member ${name})
  get_property(known DIRECTORY PROPERTY dap_suites)
  if(NOT known)
    cmake_language(DEFER CALL dap_make_suites_)
  endif()
  if(NOT suite IN_LIST known)
    set_property(DIRECTORY APPEND PROPERTY dap_suites ${suite})
  endif()
  list(GET arg_SOURCES 0 first)
  set_property(SOURCE ${first} PROPERTY COMPILE_DEFINITIONS DAP_TEST_MEMBER=test_member_${member})
  set_property(DIRECTORY APPEND PROPERTY dap_members_${suite} ${member})
  set_property(DIRECTORY APPEND PROPERTY dap_sources_${suite} ${arg_SOURCES})
  set_property(DIRECTORY APPEND PROPERTY dap_libs_${suite} ${arg_LIBS})
  foreach(ranks IN LISTS all_ranks)
    dap_tier_(tier ${name} ${ranks})
    set_property(DIRECTORY APPEND PROPERTY dap_runs_${suite} ${tier}.np${ranks})
    set_property(DIRECTORY APPEND PROPERTY dap_run_${suite}_${tier}.np${ranks} ${member})
    set_property(DIRECTORY APPEND PROPERTY dap_seconds_${suite}_${tier}.np${ranks} ${arg_TIMEOUT})
  endforeach()
endfunction()

# Makes the suites of a folder, at its end.
function(dap_make_suites_)
  get_property(suites DIRECTORY PROPERTY dap_suites)
  foreach(suite IN LISTS suites)
    foreach(kind IN ITEMS members sources libs runs)
      get_property(${kind} DIRECTORY PROPERTY dap_${kind}_${suite})
      list(REMOVE_DUPLICATES ${kind})
    endforeach()
    list(TRANSFORM members REPLACE "(.+)" "MEMBER(\\1)\n" OUTPUT_VARIABLE lines)
    list(JOIN lines "" lines)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${suite}/members.inc CONTENT "${lines}")
    add_executable(${suite} ${PROJECT_SOURCE_DIR}/tests/support/suite.c ${sources})
    target_include_directories(${suite} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/${suite})
    target_link_libraries(${suite} PRIVATE dap_warnings dap_test_support ${libs} PkgConfig::CMOCKA MPI::MPI_C m)
    foreach(run IN LISTS runs)
      get_property(named DIRECTORY PROPERTY dap_run_${suite}_${run})
      get_property(seconds DIRECTORY PROPERTY dap_seconds_${suite}_${run})
      string(REGEX MATCH "^(.*)\\.np(.*)$" run ${run})
      set(tier ${CMAKE_MATCH_1})
      set(ranks ${CMAKE_MATCH_2})
      if(DAPBRIDGE_TESTS_APART)
        foreach(member limit IN ZIP_LISTS named seconds)
          dap_test_run_(${suite}_${member}.np${ranks} ${ranks} ${tier} ${limit} ${suite} ${member})
        endforeach()
      else()
        list(LENGTH named count)
        list(SORT seconds COMPARE NATURAL ORDER DESCENDING)
        list(GET seconds 0 longest)
        math(EXPR limit "${longest} + 10 * ${count}")
        dap_test_run_(${suite}.${run} ${ranks} ${tier} ${limit} ${suite} ${named})
      endif()
    endforeach()
  endforeach()
endfunction()

# dap_choose_ranks_(<few> <more>): of what the caller's arguments are, parsed as arg_RANKS, arg_ALL_RANKS, which without
# either are the two lists, arg_SLOW and arg_TIMEOUT: sets quick_ranks, default_ranks, all_ranks and arg_TIMEOUT.
macro(dap_choose_ranks_ few more)
  if(NOT arg_RANKS AND NOT arg_ALL_RANKS)
    set(arg_RANKS ${few})
    set(arg_ALL_RANKS ${more})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  list(SUBLIST arg_RANKS 0 1 quick_ranks)
  if(arg_SLOW)
    set(quick_ranks "")
  endif()
  set(default_ranks ${arg_RANKS})
  if(CMAKE_C_FLAGS MATCHES "-fsanitize")
    set(default_ranks ${quick_ranks})
  endif()
  set(all_ranks ${arg_RANKS} ${arg_ALL_RANKS})
  list(REMOVE_DUPLICATES all_ranks)
endmacro()

# dap_tier_(<variable> <name> <ranks>): the tier that a program on so many ranks is in, by what dap_choose_ranks_() has set. Of
# the other numbers of ranks tier all has one, and of about half of the programs that have several none, by the program's
# name, which spreads them; tier nightly has the others. With sanitizers all are more than tier all runs.
function(dap_tier_ variable name ranks)
  set(${variable} nightly PARENT_SCOPE)
  if(arg_NIGHTLY)
    return()
  elseif(ranks IN_LIST quick_ranks)
    set(${variable} quick PARENT_SCOPE)
    return()
  elseif(ranks IN_LIST default_ranks)
    set(${variable} default PARENT_SCOPE)
    return()
  endif()
  set(others ${all_ranks})
  list(REMOVE_ITEM others ${default_ranks})
  list(LENGTH others count)
  string(MD5 hash ${name})
  string(SUBSTRING ${hash} 0 4 hash)
  if(count GREATER 1)
    list(APPEND others none none)
    math(EXPR count "${count} + 2")
  endif()
  math(EXPR at "0x${hash} % ${count}")
  list(GET others ${at} one)
  if(ranks STREQUAL one OR CMAKE_C_FLAGS MATCHES "-fsanitize")
    set(${variable} more PARENT_SCOPE)
  endif()
endfunction()

# dap_label_tier_(<test> <tier>): the default tier is the one without a label.
function(dap_label_tier_ test tier)
  if(NOT tier STREQUAL "default")
    dap_label(${tier} ${test})
  endif()
endfunction()

# dap_python_test(<file> [RANKS <n>...] [ALL_RANKS <n>...] [TIMEOUT <seconds>] [SLOW] [GRIDS])
#   Tests of the Python package, by pytest: python.<name>.np<n> for test_<name>.py. All as dap_test() says, but without
#   either RANKS 3 ALL_RANKS 1 2 4. A single test may take half of TIMEOUT (tests/python/conftest.py).
#   Files without RANKS and TIMEOUT are members of suites, because to start Python on several ranks takes longer than most
#   files: python.quick.np<n>, python.default.np<n> if SLOW, and python.grids.np<n> if GRIDS, which need grids of two axes.
#   Suites run on 3 ranks, because on two cores 4 ranks take twice as long, but those with GRIDS on 4. Tier all runs them
#   on two other numbers of ranks, and tier nightly on the last. With sanitizers each file is apart, on the first number of
#   ranks only, in tier nightly, and not if SLOW.
function(dap_python_test file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SLOW;GRIDS" "TIMEOUT" "RANKS;ALL_RANKS")
  string(REGEX REPLACE "^test_(.*)\\.py$" "python.\\1" name "${file}")
  if(NOT DAPBRIDGE_TESTS_APART AND NOT arg_RANKS AND NOT arg_TIMEOUT AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
    get_property(known DIRECTORY PROPERTY dap_python_suites)
    if(NOT known)
      set_property(DIRECTORY PROPERTY dap_python_suites ON)
      cmake_language(DEFER CALL dap_make_python_suites_)
    endif()
    set(suite quick)
    if(arg_GRIDS)
      set(suite grids)
    elseif(arg_SLOW)
      set(suite default)
    endif()
    set_property(DIRECTORY APPEND PROPERTY dap_python_${suite} ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    return()
  endif()
  if(arg_GRIDS)
    dap_choose_ranks_("4" "1;2;3")
  else()
    dap_choose_ranks_("3" "1;2;4")
  endif()
  set(selected "")
  if(CMAKE_C_FLAGS MATCHES "-fsanitize")
    set(selected -k "not petsc") # whose PETSc is not the one that petsc4py has
    set(all_ranks ${quick_ranks})
    set(quick_ranks "")
    set(default_ranks "")
  endif()
  foreach(ranks IN LISTS all_ranks)
    set(test ${name}.np${ranks})
    dap_pytest(${test} ${ranks} ${arg_TIMEOUT} ${selected} ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    dap_tier_(tier ${name} ${ranks})
    dap_label_tier_(${test} ${tier})
  endforeach()
endfunction()

# Makes the suites of Python's files of a folder, at its end.
function(dap_make_python_suites_)
  dap_python_suite_(quick quick 3 4 1 2)
  dap_python_suite_(default default 3 4 1 2)
  dap_python_suite_(grids default 4 3 1 2)
endfunction()

# dap_python_suite_(<suite> <tier> <ranks>...): the tests of a suite: on the first number of ranks in its tier, on the next two
# in tier all, on the last in tier nightly.
function(dap_python_suite_ suite tier)
  get_property(files DIRECTORY PROPERTY dap_python_${suite})
  list(LENGTH files count)
  math(EXPR limit "120 + 30 * ${count}")
  set(tiers ${tier} more more nightly)
  foreach(n of IN ZIP_LISTS ARGN tiers)
    set(test python.${suite}.np${n})
    dap_pytest(${test} ${n} ${limit} ${files})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT DAP_TEST_SECONDS=60) # tests/python/conftest.py
    dap_label_tier_(${test} ${of})
  endforeach()
endfunction()

# dap_pytest(<name> <ranks> <seconds> <argument of pytest>...): a test; development mode, and warnings are errors.
function(dap_pytest name ranks timeout)
  dap_python_program(python)
  dap_mpi_test(${name} ${ranks} ${timeout} sh ${PROJECT_SOURCE_DIR}/cmake/mpirun.sh ${ranks} ${python}
    -X dev -W error -m pytest ${ARGN})
  dap_python_environment(${name})
endfunction()

# dap_python_program(<variable>): what starts the interpreter for a test. One without sanitizers loads theirs first, and
# has leaks of its own.
function(dap_python_program variable)
  set(program ${PythonAbi3_MODULE})
  if(CMAKE_C_FLAGS MATCHES "-fsanitize")
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(program env LD_PRELOAD=${asan} ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=1
      ${PythonAbi3_MODULE})
  endif()
  set(${variable} ${program} PARENT_SCOPE)
endfunction()

# dap_python_environment(<test>...): with the package of this build, and no files written beside sources.
function(dap_python_environment)
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT
    PYTHONPATH=${PROJECT_BINARY_DIR}/python:${PROJECT_SOURCE_DIR}/tests/python PYTHONDONTWRITEBYTECODE=1)
endfunction()

# dap_example(<name> RANKS <n> LIBS <target>... [ARGS <argument>...] [SILENT] [WHOLE_STACKS])
#   Makes the program <name> from <name>.c, and a test, example.<name>, that runs it on n ranks and
#   compares its output with expected/<name>.txt, as check_output.sh says, and looks for the log's lines, unless SILENT:
#   it makes no plan and no view, or takes no log. Sanitizers look for leaks; WHOLE_STACKS: MPI has some that only whole stacks tell.
function(dap_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SILENT;WHOLE_STACKS" "RANKS" "LIBS;ARGS")
  set(level info)
  if(arg_SILENT)
    set(level none)
  endif()
  add_executable(${name} ${name}.c)
  target_link_libraries(${name} PRIVATE dap_warnings ${arg_LIBS} m)
  set(leaks all)
  if(NOT arg_WHOLE_STACKS)
    set(leaks fast)
    dap_as_test(${name})
  endif()
  dap_mpi_test(example.${name} ${arg_RANKS} 300 env DAP_LEAKS=${leaks} DAPBRIDGE_LOG=${level}
    sh ${PROJECT_SOURCE_DIR}/cmake/check_output.sh ${CMAKE_CURRENT_SOURCE_DIR}/expected/${name}.txt
    sh ${PROJECT_SOURCE_DIR}/cmake/mpirun.sh ${arg_RANKS} $<TARGET_FILE:${name}> ${arg_ARGS})
  if("dapbridge::petsc" IN_LIST arg_LIBS)
    dap_label(petsc example.${name})
  endif()
endfunction()

# dap_python_example(<name> RANKS <n> [NEEDS <module>...] [MORE])
#   A test, example.<name>, that runs python/<name>.py on n ranks and compares its output with expected/<name>.txt, as
#   check_output.sh says. Skipped where a module besides numpy and mpi4py is missing. MORE: in tier all only.
function(dap_python_example name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MORE" "RANKS" "NEEDS")
  list(JOIN arg_NEEDS " " modules)
  dap_mpi_test(example.${name} ${arg_RANKS} 300
    sh ${PROJECT_SOURCE_DIR}/cmake/python_has.sh ${PythonAbi3_MODULE} "numpy mpi4py ${modules}"
    sh ${PROJECT_SOURCE_DIR}/cmake/check_output.sh ${CMAKE_CURRENT_SOURCE_DIR}/expected/${name}.txt
    sh ${PROJECT_SOURCE_DIR}/cmake/mpirun.sh ${arg_RANKS} ${PythonAbi3_MODULE} ${CMAKE_CURRENT_SOURCE_DIR}/python/${name}.py)
  dap_python_environment(example.${name})
  if(arg_MORE)
    dap_label(more example.${name})
  endif()
endfunction()

# dap_as_test(<target>): what sanitizers need of a program to be run with DAP_LEAKS=fast, see mpirun.sh.
function(dap_as_test target)
  if(CMAKE_C_FLAGS MATCHES "-fsanitize")
    set(names as_test.c leaks.c)
    list(TRANSFORM names PREPEND ${PROJECT_SOURCE_DIR}/tests/support/)
    target_sources(${target} PRIVATE ${names})
    target_link_libraries(${target} PRIVATE MPI::MPI_C ${CMAKE_DL_LIBS})
  endif()
endfunction()

# dap_mpi_test(<name> <ranks> <seconds> <command> [argument...])
#   Makes a test of a command that starts so many ranks and may take so many seconds, five times that with
#   sanitizers or by an emulator. It takes as many of ctest's slots as it has ranks, but four at most, so that another one
#   starts meanwhile. What may take longer is started first: else one test runs alone in the end. Exit code 77 means
#   skipped. The label one_host, unless dap_test() has set dap_hosts to several.
function(dap_mpi_test name ranks timeout)
  dap_launcher(launcher)
  if(CMAKE_C_FLAGS MATCHES "-fsanitize" OR CMAKE_CROSSCOMPILING)
    math(EXPR timeout "5 * ${timeout}")
  endif()
  math(EXPR patience "${timeout} + 30") # mpiexec ends its ranks itself; ctest would leave them running
  set(slots ${ranks})
  if(slots GREATER 4)
    set(slots 4)
  endif()
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES PROCESSORS ${slots} TIMEOUT ${patience} COST ${timeout} SKIP_RETURN_CODE 77
    ENVIRONMENT "MPIEXEC=${MPIEXEC_EXECUTABLE};DAP_LAUNCHER=${launcher};DAP_TIMEOUT=${timeout}")
  if(CMAKE_C_FLAGS MATCHES "-fsanitize") # the memory of an array can end where sgemm of BLIS 0.9.0 still reads: building.md
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT_MODIFICATION
      LD_LIBRARY_PATH=path_list_prepend:/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/blas)
  endif()
  get_property(preload GLOBAL PROPERTY DAP_TEST_PRELOAD) # tests/support/mpich_wait.c
  if(preload)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${preload})
  endif()
  if(NOT dap_hosts)
    set(dap_hosts one_host)
  endif()
  dap_label(${dap_hosts} ${name})
endfunction()

# dap_can_spawn(<variable>): whether processes can be started and joined while a program runs. MPICH's device for UCX
# has neither: MPI_Comm_spawn() and MPI_Open_port() fail (4.0.2).
function(dap_can_spawn variable)
  set(${variable} ON PARENT_SCOPE)
  if(DAPBRIDGE_MPI_FAMILY STREQUAL "MPICH")
    set(${variable} OFF PARENT_SCOPE)
  endif()
endfunction()

# dap_launcher(<variable>): whether mpiexec is Open MPI's, for mpirun.sh, which would ask it before each test.
function(dap_launcher variable)
  get_property(launcher GLOBAL PROPERTY DAP_LAUNCHER)
  if(NOT launcher)
    execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_QUIET)
    set(launcher other)
    if(version MATCHES "Open MPI|OpenRTE")
      set(launcher openmpi)
    endif()
    set_property(GLOBAL PROPERTY DAP_LAUNCHER ${launcher})
  endif()
  set(${variable} ${launcher} PARENT_SCOPE)
endfunction()

# dap_label(<label> <test>...): quick, more or nightly is the tier that tests are in; without, it is the default one.
# words: the test looks at what the command prints and draws, and the default tier does not run it with sanitizers.
# one_host, several: dap_test() and dap_mpi_test(); another test that starts MPI is given one here.
function(dap_label label)
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS ${label})
endfunction()

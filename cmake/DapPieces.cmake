# Code in the pages, as files that tests compile.

# dap_page_pieces(<page> <language> <name>...)
#   The first piece of code of that language in the page, a path from the project's root, is written to <name>.inc in the
#   current binary folder, the second to the next name's, and so on. A page has as many as there are names: none goes untested.
function(dap_page_pieces page language)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${page})
  file(READ ${PROJECT_SOURCE_DIR}/${page} rest)
  foreach(name IN LISTS ARGN)
    set(fence "\n```${language}\n")
    string(FIND "${rest}" "${fence}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${page} has no code, ${language}, for ${name}")
    endif()
    string(LENGTH "${fence}" length)
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${rest}" ${at} -1 rest)
    string(FIND "${rest}" "```" length)
    string(SUBSTRING "${rest}" 0 ${length} code)
    file(CONFIGURE OUTPUT ${name}.inc CONTENT "${code}" @ONLY)
  endforeach()
  string(FIND "${rest}" "\n```${language}\n" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${page} has code, ${language}, behind that for ${name}, which no test compiles")
  endif()
endfunction()

# dap_page_test(<page> [<file>] [NEEDS <module>...])
#   The page's pieces of Python are run from the first to the last in one namespace, on 3, 1 and 4 ranks, after the file,
#   which has what the page takes as given, and check(), called in the end (tests/support/page.py).
function(dap_page_test page)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "NEEDS")
  cmake_path(GET page STEM name)
  set(given "")
  if(arg_UNPARSED_ARGUMENTS)
    set(given ${CMAKE_CURRENT_SOURCE_DIR}/${arg_UNPARSED_ARGUMENTS})
  endif()
  dap_python_program(python)
  foreach(ranks IN ITEMS 3 1 4)
    set(test page.${name}.np${ranks})
    dap_mpi_test(${test} ${ranks} 120
      sh ${PROJECT_SOURCE_DIR}/cmake/python_has.sh ${PythonAbi3_MODULE} "numpy mpi4py ${arg_NEEDS}"
      sh ${PROJECT_SOURCE_DIR}/cmake/mpirun.sh ${ranks} ${python}
      ${PROJECT_SOURCE_DIR}/tests/support/page.py ${PROJECT_SOURCE_DIR}/${page} ${given})
    dap_python_environment(${test})
    if(NOT ranks EQUAL 3)
      dap_label(more ${test})
    endif()
  endforeach()
endfunction()

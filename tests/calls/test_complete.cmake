# Compares the tables of calls*.c with the headers. Each public function that returns a status and takes a communicator,
# a layout, a plan, a view or a context must have a row, and no other function may have one. The PETSc adapter has no
# table: a test of tests/petsc must name each of its functions.
# Needs SOURCE, and MADE: the rows that are made from bridge/linalg/bindings.txt.
cmake_policy(VERSION 3.25)

# read(<variable> <pattern>...): sets the variable to the text of all files that match.
function(read variable)
  file(GLOB files ${ARGN})
  set(all "")
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(APPEND all "${text}")
  endforeach()
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()
set(takes "MPI_Comm |const dap_layout \\*|dap_darray |dap_side \\*|dap_plan \\*plan,|dap_context \\*context,")
string(APPEND takes "|dap_scalapack_matrix \\*|dap_elpa_matrix \\*|dap_adapter \\*|dap_linalg_factors \\*factors,")
string(APPEND takes "|dap_view \\*|dap_petsc_")
set(inside dap_view_lay dap_view_plan dap_view_plan_usual) # adapters call them while dap_view_get() makes their view

read(petsc_tests ${SOURCE}/tests/petsc/*.c)
read(headers ${SOURCE}/include/dapbridge/*.h)
string(REGEX REPLACE "[][;]" " " headers "${headers}")
string(REGEX MATCHALL "\nDAP_API dap_status dap_[a-z0-9_]+\\([^)]*\\)" functions "${headers}")
set(declared "")
set(untested "")
foreach(function IN LISTS functions)
  string(REGEX MATCH "(dap_[a-z0-9_]+)\\(" ignored "${function}")
  set(name ${CMAKE_MATCH_1})
  if(NOT function MATCHES "${takes}")
    continue()
  elseif(NOT name MATCHES "^dap_petsc_")
    list(APPEND declared ${name})
  elseif(NOT petsc_tests MATCHES "${name}[^a-z0-9_]") # a table of functions also counts
    list(APPEND untested ${name})
  endif()
endforeach()

read(text ${SOURCE}/tests/calls/calls*.c ${MADE})
set(rows "")
string(REGEX MATCHALL "(CALL|DIRECT|WRITES|VIEW|MAKES|MAKES_ARRAY|MAKES_ENDED|VIEWS)\\(([a-z_ *=NUL]+, )*dap_[a-z0-9_]+, (\"\", )?(ALONE|COLLECTIVE|OF)" found "${text}")
foreach(row IN LISTS found)
  string(REGEX REPLACE ".*(dap_[a-z0-9_]+), [^d]*$" "\\1" name "${row}")
  list(APPEND rows ${name})
endforeach()

list(REMOVE_ITEM declared ${inside})
set(missing ${declared})
list(REMOVE_ITEM missing ${rows})
set(extra ${rows})
list(REMOVE_ITEM extra ${declared})
if(missing OR extra OR untested OR NOT declared)
  message(FATAL_ERROR "tests/calls/calls*.c\n  without a row: ${missing}\n  rows of no such function: ${extra}\n"
    "tests/petsc\n  not called: ${untested}")
endif()
list(LENGTH rows count)
message(STATUS "${count} functions")

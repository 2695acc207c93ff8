# Compares the symbols that LIBRARY exports with NAMES and the functions that HEADERS declare with DAP_API, whose
# prefix dap_petsc_ is PETSC_PREFIX in the library.
set(declared ${NAMES})
foreach(header IN LISTS HEADERS)
  file(READ ${header} text)
  string(REGEX MATCHALL "\nDAP_API [^;(]*[ *]dap_[a-z0-9_]+\\(" declarations "${text}")
  foreach(declaration IN LISTS declarations)
    string(REGEX MATCH "(dap_[a-z0-9_]+)\\($" ignored "${declaration}")
    list(APPEND declared ${CMAKE_MATCH_1})
  endforeach()
endforeach()

list(TRANSFORM declared REPLACE "^dap_petsc_" "${PETSC_PREFIX}")

execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [A-Za-z] [^\n]+" symbols "${symbols}")
list(TRANSFORM symbols REPLACE "^ [A-Za-z] ([^@]+).*" "\\1")
list(FILTER symbols EXCLUDE REGEX "^(__(asan|odr_asan|ubsan).*)$") # the sanitizers' own
if(NOT declared OR NOT symbols)
  message(FATAL_ERROR "nothing to compare: declared '${declared}', exported '${symbols}'")
endif()

set(missing ${declared})
list(REMOVE_ITEM missing ${symbols})
set(extra ${symbols})
list(REMOVE_ITEM extra ${declared})
if(missing OR extra)
  message(FATAL_ERROR "${LIBRARY}\n  declared but not exported: ${missing}\n  exported but not declared: ${extra}")
endif()
# The archive has more, for the library's own files, but nothing that another library may have, too.
if(ARCHIVE)
  execute_process(COMMAND ${NM} -g --defined-only ${ARCHIVE} OUTPUT_VARIABLE archive ERROR_QUIET)
  string(REGEX MATCHALL "\n[0-9a-f]+ [A-Z] [^\n]+" archive "${archive}")
  list(TRANSFORM archive REPLACE "^\n[0-9a-f]+ [A-Z] " "")
  list(FILTER archive EXCLUDE REGEX "^(dap_.*|__(asan|odr_asan|ubsan).*)$")
  if(archive)
    message(FATAL_ERROR "${ARCHIVE} has global symbols without the prefix dap_: ${archive}")
  endif()
endif()

# A program keeps to libraries of the ABI that it was linked with.
if(SONAME AND NOT SONAME MATCHES "${ABI}$")
  message(FATAL_ERROR "the name ${SONAME} does not end in ${ABI}")
endif()
list(LENGTH symbols count)
message(STATUS "${count} functions")

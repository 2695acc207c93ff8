# Compares the ABI of LIBRARY with the file REFERENCE: functions may be added, but none may go, and no type that the public
# headers in INCLUDE show may change, as long as the library keeps its name (SONAME). With RENEW the reference is written
# anew: type-ids are made of names, and paths begin with bridge/, so that its changes in git are those of the ABI.
#
# Needs ABIDW, ABIDIFF (abigail-tools), LIBRARY with debug information, INCLUDE, REFERENCE, WORK (a folder).
get_filename_component(name ${REFERENCE} NAME)
file(MAKE_DIRECTORY ${WORK})

# Writes what abidw finds to a file.
function(dump file)
  execute_process(COMMAND ${ABIDW} --headers-dir ${INCLUDE} --drop-private-types --drop-undefined-syms --no-corpus-path
      --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names --no-write-default-sizes --type-id-style hash
      ${LIBRARY} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE " path='[^']*/(bridge/)" " path='\\1" text "${text}")
  file(WRITE ${file} "${text}")
endfunction()

# Whether what is in a file is what was there before, or more: sets `result` to 0; `said` is what abidiff says.
function(compare before now)
  execute_process(COMMAND ${ABIDIFF} --no-added-syms ${before} ${now} RESULT_VARIABLE result OUTPUT_VARIABLE said
    ERROR_VARIABLE said)
  set(result ${result} PARENT_SCOPE)
  set(said "${said}" PARENT_SCOPE)
endfunction()

if(RENEW)
  dump(${REFERENCE})
  return()
endif()

dump(${WORK}/${name})
file(READ ${REFERENCE} reference)
file(READ ${WORK}/${name} now)
string(REGEX MATCH " soname='[^']*'" old_name "${reference}")
string(REGEX MATCH " soname='[^']*'" new_name "${now}")
set(renew "Renew it: cmake --build <build> --target abi (bridge/docs/reliability.md says when).")
if(NOT old_name OR NOT old_name STREQUAL new_name)
  message(FATAL_ERROR "${LIBRARY}: the reference ${REFERENCE} is of another ABI:${old_name}, now${new_name}. ${renew}")
endif()

compare(${REFERENCE} ${WORK}/${name})
if(result)
  message(FATAL_ERROR "${LIBRARY} is not what ${REFERENCE} says:\n${said}\n"
    "Programs linked with this release's earlier versions would fail. Take the change back, or raise the minor version, "
    "and with it the library's name. ${renew}")
endif()

# What this is for is noticed: a function that goes, and a type that grows.
foreach(change IN ITEMS "${FUNCTION}'|${FUNCTION}_gone'" "name='dap_error' size-in-bits='|name='dap_error' size-in-bits='8")
  string(REGEX MATCH "^([^|]*)[|](.*)$" ignored "${change}")
  string(REPLACE "${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}" changed "${now}")
  if(changed STREQUAL now)
    message(FATAL_ERROR "nothing to change: '${CMAKE_MATCH_1}' is not in ${WORK}/${name}")
  endif()
  file(WRITE ${WORK}/changed-${name} "${changed}")
  compare(${WORK}/changed-${name} ${WORK}/${name})
  if(result EQUAL 0)
    message(FATAL_ERROR "abidiff does not notice that '${CMAKE_MATCH_2}' is now '${CMAKE_MATCH_1}'")
  endif()
endforeach()

# Checks that FILES, shared libraries and programs, are hardened: they are linked so, and contain stack protectors.
# UNPROTECTED lists files without stack protectors, because none of their functions has arrays or variables whose
# address is taken.
cmake_minimum_required(VERSION 3.25)
set(faults "")

# Notes a fault unless the output of readelf for a file matches the pattern.
function(expect_of file said pattern fault)
  if(NOT said MATCHES "${pattern}")
    list(APPEND faults "${file} ${fault}")
    set(faults "${faults}" PARENT_SCOPE)
  endif()
endfunction()

foreach(file IN LISTS FILES)
  execute_process(COMMAND ${READELF} -hldW ${file} OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${READELF} --dyn-syms -W ${file} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  expect_of(${file} "${headers}" "Type: +DYN" "cannot be loaded anywhere (pie)")
  expect_of(${file} "${headers}" "GNU_RELRO" "has no part that becomes read-only (relro)")
  expect_of(${file} "${headers}" "\\(FLAGS(_1)?\\)[^\n]*NOW" "resolves symbols as they are called (now)")
  expect_of(${file} "${headers}" "GNU_STACK[^\n]* RW " "has an executable stack (noexecstack)")
  if(NOT file IN_LIST UNPROTECTED)
    expect_of(${file} "${symbols}" "__stack_chk_fail" "has no stack protector")
  endif()
endforeach()

list(LENGTH FILES count)
list(JOIN faults "\n  " faults)
if(faults OR count EQUAL 0)
  message(FATAL_ERROR "of ${count} files:\n  ${faults}")
endif()
message(STATUS "${count} files")

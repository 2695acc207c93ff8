# FILES, shared libraries and programs, are hardened: how they are linked, and that there are stack protectors, but in
# those UNPROTECTED, none of whose functions has what a compiler protects: arrays, or variables whose address is taken. With
# RELEASE, the project's folder, those of a release build in WORK, which have glibc's checks, too.
cmake_minimum_required(VERSION 3.25)
set(faults "")

if(RELEASE)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${RELEASE} -B ${WORK} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_C_COMPILER=${CC} -DCMAKE_C_COMPILER_LAUNCHER=${LAUNCHER} -DDAPBRIDGE_SCALAPACK=OFF -DDAPBRIDGE_PETSC=OFF
      -DDAPBRIDGE_PYTHON=OFF -DDAPBRIDGE_TESTS=OFF -DDAPBRIDGE_EXAMPLES=OFF
    OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  if(NOT said MATCHES "hardened +[^\n]*FORTIFY_SOURCE=[23]") # musl's C library has none
    list(APPEND faults "the summary does not say FORTIFY_SOURCE=2 or 3: ${said}")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} --parallel 2 OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  set(FILES ${WORK}/lib/libdapbridge.so ${WORK}/bin/dapbridge)
endif()

# Notes a fault unless what readelf says of a file has the pattern.
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
  if(RELEASE)
    expect_of(${file} "${symbols}" "_chk@" "does not call glibc's checks (FORTIFY_SOURCE)")
  endif()
endforeach()

list(LENGTH FILES count)
list(JOIN faults "\n  " faults)
if(faults OR count EQUAL 0)
  message(FATAL_ERROR "of ${count} files:\n  ${faults}")
endif()
message(STATUS "${count} files")

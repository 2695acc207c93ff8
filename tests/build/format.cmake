# Fails when a C file of the project is not formatted as .clang-format says.
file(GLOB_RECURSE files ${SOURCE}/bridge/*.[ch] ${SOURCE}/include/*.h ${SOURCE}/examples/*.[ch] ${SOURCE}/tests/*.[ch])
execute_process(COMMAND ${FORMAT} --dry-run --Werror --ferror-limit=1 ${files} RESULT_VARIABLE failed)
if(failed OR NOT files)
  message(FATAL_ERROR "not formatted: run clang-format -i on the files above")
endif()

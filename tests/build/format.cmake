# Fails if a C file of the project is not formatted as .clang-format says, or has a line over 110 columns. clang-format
# does not shorten comments, and skips tables that are marked.
file(GLOB_RECURSE files ${SOURCE}/bridge/*.[ch] ${SOURCE}/include/*.h ${SOURCE}/examples/*.[ch] ${SOURCE}/tests/*.[ch])
execute_process(COMMAND ${FORMAT} --dry-run --Werror --ferror-limit=1 ${files} RESULT_VARIABLE failed)
if(failed OR NOT files)
  message(FATAL_ERROR "not formatted: run clang-format -i on the files above")
endif()
string(REPEAT "." 111 too_long)
foreach(file IN LISTS files)
  file(STRINGS ${file} lines REGEX "${too_long}" ENCODING UTF-8)
  if(lines)
    message(SEND_ERROR "${file} has lines over 110 columns:\n${lines}")
  endif()
endforeach()

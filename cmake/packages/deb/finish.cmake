# Run by CPack when all is installed into the packages' folders, before they are packed: what Debian's tools do to files.
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*.[1-9])
list(FILTER pages INCLUDE REGEX "/share/man/")
foreach(page IN LISTS pages)
  execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# The compiler's name; CPack strips the rest.
file(GLOB_RECURSE files ${CPACK_TEMPORARY_DIRECTORY}/*.a ${CPACK_TEMPORARY_DIRECTORY}/*.so
  ${CPACK_TEMPORARY_DIRECTORY}/*.so.* ${CPACK_TEMPORARY_DIRECTORY}/*/usr/bin/*)
foreach(file IN LISTS files)
  if(NOT IS_SYMLINK ${file})
    execute_process(COMMAND strip --strip-debug --remove-section=.comment --remove-section=.note
      --enable-deterministic-archives ${file} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()

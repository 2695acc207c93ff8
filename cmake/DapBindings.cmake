# What both bindings of linear algebra have in common is written from one table, bridge/linalg/bindings.txt.
#
# dap_bindings(<what> <out> [<source>]): bindings.py's WHAT, a file of the build that targets of this folder may have among
# their sources.
set(DAP_BINDINGS_TABLE ${PROJECT_SOURCE_DIR}/bridge/linalg/bindings.txt)
function(dap_bindings what out)
  find_program(DAP_PYTHON3 python3 REQUIRED)
  add_custom_command(OUTPUT ${out}
    COMMAND ${DAP_PYTHON3} ${PROJECT_SOURCE_DIR}/cmake/bindings.py ${DAP_BINDINGS_TABLE} ${what} ${out} ${ARGN}
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/bindings.py ${DAP_BINDINGS_TABLE} ${ARGN} VERBATIM)
endfunction()

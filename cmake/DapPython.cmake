# The Python package: built in build/<preset>/python, which goes into PYTHONPATH; installed into DAPBRIDGE_PYTHON_DIR.
set(DAPBRIDGE_PYTHON_DIR lib/python3/dist-packages CACHE STRING
  "Where the Python package is installed, below the prefix or absolute")
set(dap_python_package ${PROJECT_BINARY_DIR}/python/dapbridge)

# dap_python_module(<name> OVER <layer> LIBRARY <target> [LIBS <target>...])
#   Compiles all .c files of the current folder into the extension module dapbridge._<name> by the Limited API, and the
#   target dapbridge_python of all modules. OVER: the layer whose public headers it sees, with those of all below.
#   LIBRARY: the shared library that it calls. LIBS: whose headers it sees. DAP_PY_MODULE is the module's name for its
#   files, as _petsc_real. Without .c files there is no module. Installed as the component python_<name>; python_core has the
#   package's other files. The global property DAP_PYTHON_MODULES has their names.
function(dap_python_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OVER;LIBRARY" "LIBS")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  if(NOT sources)
    return()
  endif()
  set(layer python_${name})
  dap_layer(${layer} OVER ${arg_OVER} USER ${PROJECT_SOURCE_DIR}/bridge/python LIBS Python::Abi3 ${arg_LIBS})
  target_compile_definitions(dap_${layer} PRIVATE DAP_PY_MODULE=_${name})
  target_link_libraries(dap_${layer} PRIVATE dap_python_warnings) # after dap_warnings, whose -Wpedantic it takes back

  set(target dapbridge_${layer})
  add_library(${target} MODULE $<TARGET_OBJECTS:dap_${layer}>)
  target_link_libraries(${target} PRIVATE ${arg_LIBRARY})
  cmake_path(ABSOLUTE_PATH DAPBRIDGE_PYTHON_DIR BASE_DIRECTORY /prefix OUTPUT_VARIABLE folder)
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY /prefix OUTPUT_VARIABLE libraries)
  if(IS_ABSOLUTE "${DAPBRIDGE_PYTHON_DIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(rpath ${CMAKE_INSTALL_FULL_LIBDIR})
  else()
    file(RELATIVE_PATH rpath ${folder}/dapbridge ${libraries})
    set(rpath $ORIGIN/${rpath})
  endif()
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME _${name} SUFFIX .abi3.so LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY ${dap_python_package} INSTALL_RPATH ${rpath} INSTALL_RPATH_USE_LINK_PATH ON)
  dap_harden(${target})
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux") # a missing symbol is an ImportError, not the end of a program later
    target_link_options(${target} PRIVATE LINKER:-z,now LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
  endif()
  add_dependencies(dapbridge_python ${target})
  set_property(GLOBAL APPEND PROPERTY DAP_PYTHON_MODULES ${name})
  install(TARGETS ${target} LIBRARY DESTINATION ${DAPBRIDGE_PYTHON_DIR}/dapbridge COMPONENT python_${name})
endfunction()

# dap_python_files(<folder>): the package's files that are not compiled, as links to them in the build, and installed.
function(dap_python_files folder)
  set(patterns *.py *.pyi py.typed)
  list(TRANSFORM patterns PREPEND ${folder}/ OUTPUT_VARIABLE sources)
  list(TRANSFORM patterns PREPEND ${dap_python_package}/ OUTPUT_VARIABLE links)
  file(GLOB files CONFIGURE_DEPENDS ${sources})
  file(MAKE_DIRECTORY ${dap_python_package})
  file(GLOB old ${links})
  foreach(link IN LISTS old)
    cmake_path(GET link FILENAME name)
    if(NOT ${folder}/${name} IN_LIST files)
      file(REMOVE ${link})
    endif()
  endforeach()
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    if(NOT EXISTS ${dap_python_package}/${name})
      file(CREATE_LINK ${file} ${dap_python_package}/${name} SYMBOLIC)
    endif()
  endforeach()
  install(FILES ${files} DESTINATION ${DAPBRIDGE_PYTHON_DIR}/dapbridge COMPONENT python_core)
endfunction()

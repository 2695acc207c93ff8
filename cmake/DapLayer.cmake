# Layers and libraries.
#
# dap_layer(<layer> [OVER <layer>] [ADAPTER [BESIDE <folder>...] | USER <folder>...] PUBLIC <header>... [LIBS <target>...])
#   Compiles all .c files of the current folder, a layer of the library, into the objects dap_<layer>. The
#   sub-folders of bridge/transfer are layers too.
#   PUBLIC: the headers of include/dapbridge that this layer implements. LIBS: libraries that it uses.
#   OVER: the layer below, whose headers and libraries it may use too, with all below that one.
#   ADAPTER: it goes into a library of its own, so of the layers below it sees public headers,
#   check.h, hash.h, nearest.h and seconds.h only; and these folders beside it.
#   USER: a user's program: of the layers below it sees public headers only, dapbridge.h too, and these folders of its own.
#   What uses PETSc sees petsc_versions.h as well.
#
# What a layer may not see does not compile, by any route:
# - its include path has its own folder, those of the layers below, and a folder with links to the
#   public headers of those layers;
# - it is compiled with a generated header that poisons the include guards of all other headers of the
#   project (DAP_<FILE>_H in bridge/, DAPBRIDGE_<FILE>_H in include/), so that neither a relative path nor
#   an installed copy gets around that; and a macro of mpi.h, Python.h and PETSc's headers, unless it uses them.
# tests/build/ proves it.
function(dap_layer layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ADAPTER" "OVER" "USER;BESIDE;PUBLIC;LIBS")
  foreach(what IN ITEMS HEADERS FOLDERS LIBS)
    get_property(below_${what} GLOBAL PROPERTY DAP_LAYER_${arg_OVER}_${what})
  endforeach()
  if(arg_ADAPTER OR arg_USER)
    set(below_FOLDERS ${arg_USER} ${arg_BESIDE})
  endif()
  set(headers ${below_HEADERS} ${arg_PUBLIC})
  if(arg_USER)
    list(APPEND headers dapbridge.h)
  endif()
  set(folders ${below_FOLDERS} ${CMAKE_CURRENT_SOURCE_DIR})
  set(libs ${below_LIBS} ${arg_LIBS})
  set_property(GLOBAL PROPERTY DAP_LAYER_${layer}_PUBLIC ${arg_PUBLIC})
  foreach(what IN ITEMS headers folders libs)
    string(TOUPPER ${what} upper)
    set_property(GLOBAL PROPERTY DAP_LAYER_${layer}_${upper} ${${what}})
  endforeach()

  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  dap_stage_headers_(${layer} "${headers}" "${folders}" "${libs}")
  add_library(dap_${layer} OBJECT ${sources})
  target_include_directories(dap_${layer} PRIVATE ${folders} ${PROJECT_BINARY_DIR}/layers/${layer})
  target_link_libraries(dap_${layer} PRIVATE ${libs} $<BUILD_INTERFACE:dap_warnings> $<BUILD_INTERFACE:dap_hardened>)
  set_target_properties(dap_${layer} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(dap_${layer} PRIVATE -include ${PROJECT_BINARY_DIR}/layers/${layer}/layer_guard.h)
  endif()
endfunction()

# Fills build/layers/<layer>: links to the headers that the layer may see outside its folders, and
# layer_guard.h, which poisons all others.
function(dap_stage_headers_ layer headers folders libs)
  set(stage ${PROJECT_BINARY_DIR}/layers/${layer})
  file(REMOVE_RECURSE ${stage}/dapbridge)
  file(MAKE_DIRECTORY ${stage}/dapbridge)
  set(is_user OFF)
  set(poison DAPBRIDGE_H)
  if("dapbridge.h" IN_LIST headers)
    set(is_user ON)
    set(poison "")
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/dapbridge.h ${stage}/dapbridge.h SYMBOLIC)
  endif()
  file(GLOB all_public CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/dapbridge/*.h)
  foreach(path IN LISTS all_public)
    cmake_path(GET path FILENAME name)
    if(name IN_LIST headers)
      file(CREATE_LINK ${path} ${stage}/dapbridge/${name} SYMBOLIC)
    else()
      list(APPEND poison DAPBRIDGE_${name})
    endif()
  endforeach()
  file(GLOB all_private CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bridge/*/*.h
    ${PROJECT_SOURCE_DIR}/bridge/*/*/*.h)
  set(own "")
  foreach(path IN LISTS all_private)
    cmake_path(GET path FILENAME name)
    cmake_path(GET path PARENT_PATH folder)
    if(folder IN_LIST folders)
      list(APPEND own DAP_${name})
    elseif((name MATCHES "^(check|hash|nearest|seconds)\\.h$" AND NOT is_user) OR (name STREQUAL "petsc_versions.h" AND libs MATCHES "PETSc::"))
      file(CREATE_LINK ${path} ${stage}/${name} SYMBOLIC)
    else()
      list(APPEND poison DAP_${name})
    endif()
  endforeach()
  foreach(name IN LISTS own)
    if(name IN_LIST poison)
      message(FATAL_ERROR "layer ${layer}: another folder has a header of the same name: ${name}")
    endif()
  endforeach()
  string(TOUPPER "${poison}" poison)
  string(REPLACE "." "_" poison "${poison}")
  if(NOT "MPI::MPI_C" IN_LIST libs)
    list(APPEND poison MPI_VERSION)
  endif()
  if(NOT libs MATCHES "PETSc::")
    list(APPEND poison PETSC_VERSION_MAJOR)
  endif()
  if(NOT "Python::Abi3" IN_LIST libs)
    list(APPEND poison PY_VERSION)
  endif()
  list(JOIN poison " " poison)
  file(CONFIGURE OUTPUT ${stage}/layer_guard.h CONTENT [[
/* Generated. An error here: layer "@layer@" must not include the header that this name belongs to. */
#pragma GCC poison @poison@
]] @ONLY)
endfunction()

# dap_library(<name> EXPORT <export name> [OVER <library>] LAYERS <layer>...)
#   Makes the shared library <name> and the static one <name>_static from the layers' objects, with aliases
#   dapbridge::<export name> and dapbridge::<export name>_static. OVER: the library it stands on.
function(dap_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXPORT;OVER" "LAYERS")
  set(objects "")
  set(libs "")
  set(public "")
  foreach(layer IN LISTS arg_LAYERS)
    list(APPEND objects $<TARGET_OBJECTS:dap_${layer}>)
    get_property(layer_libs GLOBAL PROPERTY DAP_LAYER_${layer}_LIBS)
    get_property(layer_public GLOBAL PROPERTY DAP_LAYER_${layer}_PUBLIC)
    list(APPEND libs ${layer_libs})
    list(APPEND public ${layer_public})
  endforeach()
  list(REMOVE_DUPLICATES libs)

  foreach(kind IN ITEMS SHARED STATIC)
    set(suffix "")
    if(kind STREQUAL "STATIC")
      set(suffix _static)
    endif()
    add_library(${name}${suffix} ${kind} ${objects})
    add_library(dapbridge::${arg_EXPORT}${suffix} ALIAS ${name}${suffix})
    target_include_directories(${name}${suffix} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${name}${suffix} PUBLIC ${libs})
    if(NOT arg_OVER) # mpi.h must not declare the old C++ bindings: programs do not link with the library that has them
      target_compile_definitions(${name}${suffix} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    endif()
    if(arg_OVER)
      target_link_libraries(${name}${suffix} PUBLIC ${arg_OVER}${suffix})
    endif()
    set_target_properties(${name}${suffix} PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME ${name}
      EXPORT_NAME ${arg_EXPORT}${suffix} DAP_PUBLIC_HEADERS "${public}" DAP_OVER "${arg_OVER}")
  endforeach()
  # The name changes with the ABI: while the major version is 0, with the minor one.
  set(abi ${PROJECT_VERSION_MAJOR})
  if(abi EQUAL 0)
    set(abi 0.${PROJECT_VERSION_MINOR})
  endif()
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${abi}
    INSTALL_RPATH $ORIGIN INSTALL_RPATH_USE_LINK_PATH ON) # finds the MPI, ScaLAPACK or PETSc that it was linked with
  dap_harden(${name})
  # MPI keeps functions of it, to call when a communicator or MPI itself ends: dlclose() must leave them.
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(${name} PRIVATE LINKER:-z,nodelete)
  endif()
  # A shared library finds all it uses in the libraries it names; the sanitizers' functions are in the program.
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(${name} PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  endif()
endfunction()

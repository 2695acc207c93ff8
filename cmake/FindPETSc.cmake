# FindPETSc: every build of PETSc that the machine has, through pkg-config.
#
# A build is of one kind of four: real, complex, 64_real or 64_complex, as its numbers are and its indices have 32
# or 64 bits. All builds define the same symbols, so a program uses one of them.
#
# Looks in this order, and takes the first build of each kind:
# 1. the environment's PETSC_DIR and PETSC_ARCH, if set, then pkg-config's own search, which PKG_CONFIG_PATH
#    leads: what is found here is the default build
# 2. all folders of PKG_CONFIG_PATH
# 3. DAPBRIDGE_PETSC_DIRS: folders with a lib/pkgconfig/PETSc.pc, as PETSC_DIR/PETSC_ARCH is one, or patterns of
#    them. Its default is where Debian and Ubuntu keep theirs; empty: nowhere
#
# Defines PETSc::PETSc, the default build, and PETSc::<kind> for each; PETSc_FOUND and, when there is none,
# PETSc_REASON; PETSc_KINDS, the default first; and of the default PETSc_KIND, PETSc_VERSION and PETSc_BUILD, which
# tells apart builds that do not mix. The targets PETSc::<kind> have the properties PETSC_VERSION, PETSC_BUILD and,
# for pkg-config files, PETSC_CFLAGS and PETSC_LIBS (with the way to the library at run time).
set(DAPBRIDGE_PETSC_DIRS "/usr/lib/petscdir/petsc*/${CMAKE_LIBRARY_ARCHITECTURE}*" CACHE STRING
  "Folders with a lib/pkgconfig/PETSc.pc, or patterns of them, beside the PETSc that pkg-config finds")

# The kind of MPI that petscconf.h names, if MPI::MPI_C, where that is known, is of another one.
function(dap_petsc_mpi_ header mpi)
  set(${mpi} "" PARENT_SCOPE)
  if(NOT TARGET MPI::MPI_C)
    return()
  endif()
  include(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/DapMpi.cmake)
  dap_mpi_family(family)
  file(STRINGS ${header} facts REGEX "^#[ \t]*define[ \t]+PETSC_HAVE_(OMPI_|OPENMPI|MPICH|I_MPI|MVAPICH2|MPIUNI)")
  if(facts MATCHES "PETSC_HAVE_MPIUNI")
    set(${mpi} "PETSc's own MPI of one process" PARENT_SCOPE)
  elseif(facts MATCHES "PETSC_HAVE_(OMPI_|OPENMPI)" AND NOT family STREQUAL "Open MPI")
    set(${mpi} "Open MPI" PARENT_SCOPE)
  elseif(facts MATCHES "PETSC_HAVE_(MPICH|I_MPI|MVAPICH2)" AND NOT family STREQUAL "MPICH")
    set(${mpi} MPICH PARENT_SCOPE)
  endif()
endfunction()

# What petscconf.h, in one of the folders, says: a kind, and in words; or an empty kind and the reason in words.
function(dap_petsc_kind_ folders kind words)
  set(${kind} "" PARENT_SCOPE)
  find_file(header petscconf.h HINTS ${folders} NO_CACHE)
  if(NOT header)
    set(${words} "no petscconf.h in ${folders}" PARENT_SCOPE)
    return()
  endif()
  file(STRINGS ${header} facts REGEX
    "^#[ \t]*define[ \t]+PETSC_USE_(COMPLEX|64BIT_INDICES|REAL_[A-Z0-9_]+|DEBUG)([ \t]|$)")
  set(numbers real)
  set(bits "")
  set(more "")
  if(facts MATCHES "PETSC_USE_COMPLEX")
    set(numbers complex)
  endif()
  if(facts MATCHES "PETSC_USE_64BIT_INDICES")
    set(bits 64_)
  endif()
  dap_petsc_mpi_(${header} mpi)
  if(mpi)
    set(${words} "${header}: it is built with ${mpi}, another MPI than is used here" PARENT_SCOPE)
    return()
  endif()
  if(facts MATCHES "PETSC_USE_REAL_(__[A-Z0-9]+)")
    set(${words} "PetscReal is ${CMAKE_MATCH_1}, neither float nor double" PARENT_SCOPE)
    return()
  elseif(facts MATCHES "PETSC_USE_REAL_SINGLE")
    set(more ", single precision")
  endif()
  if(facts MATCHES "PETSC_USE_DEBUG") # what is compiled with its headers needs its functions
    string(APPEND more ", debug")
  endif()
  set(${kind} ${bits}${numbers} PARENT_SCOPE)
  set(${words} "${bits}${numbers}${more}" PARENT_SCOPE)
endfunction()

# Appends the build that pkg_check_modules() found as <prefix>_... to the list `kinds`, unless that has its kind. A
# build that cannot be used leaves a reason.
function(dap_petsc_take_ prefix kinds reason)
  dap_petsc_kind_("${${prefix}_INCLUDE_DIRS}" kind words)
  if(NOT kind)
    set(${reason} "${words}" PARENT_SCOPE)
  elseif(NOT kind IN_LIST ${kinds})
    set(${kinds} ${${kinds}} ${kind} PARENT_SCOPE)
    if(NOT TARGET PETSc::${kind})
      dap_petsc_target_(${prefix} ${kind} "${words}")
    endif()
  endif()
endfunction()

function(dap_petsc_target_ prefix kind words)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor "${${prefix}_VERSION}") # the ABI changes with the minor version
  list(TRANSFORM ${prefix}_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE cflags)
  set(libs ${${prefix}_LDFLAGS})
  foreach(folder IN LISTS ${prefix}_LIBRARY_DIRS) # another build in the system's folders may have the same name
    list(APPEND libs -Wl,-rpath,${folder})
  endforeach()
  list(TRANSFORM cflags REPLACE " " "\\\\ ")
  list(TRANSFORM libs REPLACE " " "\\\\ ")
  list(JOIN cflags " " cflags)
  list(JOIN libs " " libs)
  # Include path and libraries only: Debian's module also carries its own build's flags
  # (-D_FORTIFY_SOURCE), which warn in an unoptimised build.
  set_target_properties(PkgConfig::${prefix} PROPERTIES INTERFACE_COMPILE_OPTIONS "")
  add_library(PETSc::${kind} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(PETSc::${kind} INTERFACE PkgConfig::${prefix})
  set_target_properties(PETSc::${kind} PROPERTIES
    PETSC_VERSION "${${prefix}_VERSION}" PETSC_BUILD "${${prefix}_LIBRARIES} ${minor} (${words})"
    PETSC_CFLAGS "${cflags}" PETSC_LIBS "${libs}")
endfunction()

# The PETSc.pc files of steps 2 and 3.
function(dap_petsc_files_ result)
  file(TO_CMAKE_PATH "$ENV{PKG_CONFIG_PATH}" folders)
  foreach(pattern IN LISTS DAPBRIDGE_PETSC_DIRS)
    file(GLOB found LIST_DIRECTORIES true ${pattern})
    list(SORT found COMPARE NATURAL ORDER DESCENDING) # newest version first
    set(debug ${found})
    list(FILTER found EXCLUDE REGEX "-debug$")
    list(FILTER debug INCLUDE REGEX "-debug$")
    list(APPEND found ${debug}) # Debian's slow ones, for whoever has no other
    list(TRANSFORM found APPEND /lib/pkgconfig)
    list(APPEND folders ${found})
  endforeach()
  list(TRANSFORM folders APPEND /PETSc.pc)
  set(files "")
  foreach(file IN LISTS folders)
    if(EXISTS ${file})
      list(APPEND files ${file})
    endif()
  endforeach()
  set(${result} "${files}" PARENT_SCOPE)
endfunction()

set(PETSc_REASON "no pkg-config module PETSc or petsc")
set(PETSc_KINDS "")
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  set(dap_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
  if(DEFINED ENV{PETSC_DIR})
    set(ENV{PKG_CONFIG_PATH}
      "$ENV{PETSC_DIR}/$ENV{PETSC_ARCH}/lib/pkgconfig:$ENV{PETSC_DIR}/lib/pkgconfig:${dap_pkg_config_path}")
  endif()
  pkg_search_module(DAP_PETSC QUIET IMPORTED_TARGET GLOBAL PETSc petsc)
  set(ENV{PKG_CONFIG_PATH} "${dap_pkg_config_path}")
  if(DAP_PETSC_FOUND)
    dap_petsc_take_(DAP_PETSC PETSc_KINDS PETSc_REASON)
  endif()
  if(PETSc_KINDS OR NOT DAP_PETSC_FOUND) # a default that cannot be used is not passed over
    dap_petsc_files_(dap_petsc_files)
  endif()
  foreach(dap_petsc_file IN LISTS dap_petsc_files)
    string(MAKE_C_IDENTIFIER "DAP_PETSC_${dap_petsc_file}" dap_petsc_prefix)
    pkg_check_modules(${dap_petsc_prefix} QUIET IMPORTED_TARGET GLOBAL ${dap_petsc_file})
    if(${dap_petsc_prefix}_FOUND)
      dap_petsc_take_(${dap_petsc_prefix} PETSc_KINDS PETSc_REASON)
    endif()
  endforeach()
else()
  set(PETSc_REASON "pkg-config is missing")
endif()
unset(dap_petsc_files)

if(PETSc_KINDS)
  list(GET PETSc_KINDS 0 PETSc_KIND)
  get_target_property(PETSc_BUILD PETSc::${PETSc_KIND} PETSC_BUILD)
  get_target_property(PETSc_VERSION PETSc::${PETSc_KIND} PETSC_VERSION)
  if(NOT TARGET PETSc::PETSc)
    add_library(PETSc::PETSc INTERFACE IMPORTED GLOBAL)
    target_link_libraries(PETSc::PETSc INTERFACE PETSc::${PETSc_KIND})
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PETSc REQUIRED_VARS PETSc_KINDS VERSION_VAR PETSc_VERSION
  REASON_FAILURE_MESSAGE "${PETSc_REASON}")

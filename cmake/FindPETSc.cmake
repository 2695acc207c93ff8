# FindPETSc: PETSc through pkg-config.
#
# Defines PETSc::PETSc, PETSc_FOUND, PETSc_VERSION, PETSc_MODULE (the pkg-config module), PETSc_BUILD (what
# tells apart builds that do not mix) and, when it is not found, PETSc_REASON. The environment's PETSC_DIR
# and PETSC_ARCH, if set, come before the system's PETSc; PKG_CONFIG_PATH selects among Debian's builds
# (real or complex numbers, 32- or 64-bit indices).
set(PETSc_REASON "no pkg-config module PETSc or petsc")
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  set(dap_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
  if(DEFINED ENV{PETSC_DIR})
    set(ENV{PKG_CONFIG_PATH}
      "$ENV{PETSC_DIR}/$ENV{PETSC_ARCH}/lib/pkgconfig:$ENV{PETSC_DIR}/lib/pkgconfig:${dap_pkg_config_path}")
  endif()
  pkg_search_module(DAP_PETSC QUIET IMPORTED_TARGET GLOBAL PETSc petsc)
  set(ENV{PKG_CONFIG_PATH} "${dap_pkg_config_path}")
  set(PETSc_MODULE ${DAP_PETSC_MODULE_NAME})
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" PETSc_BUILD "${DAP_PETSC_VERSION}") # the ABI changes with the minor version
  string(PREPEND PETSc_BUILD "${DAP_PETSC_LIBRARIES} ")
  set(PETSc_VERSION ${DAP_PETSC_VERSION})
else()
  set(PETSc_REASON "pkg-config is missing")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PETSc REQUIRED_VARS PETSc_MODULE VERSION_VAR PETSc_VERSION
  REASON_FAILURE_MESSAGE "${PETSc_REASON}")

if(PETSc_FOUND AND NOT TARGET PETSc::PETSc)
  # Include path and libraries only: Debian's module also carries its own build's flags
  # (-D_FORTIFY_SOURCE), which warn in an unoptimised build.
  set_target_properties(PkgConfig::DAP_PETSC PROPERTIES INTERFACE_COMPILE_OPTIONS "")
  add_library(PETSc::PETSc INTERFACE IMPORTED GLOBAL)
  target_link_libraries(PETSc::PETSc INTERFACE PkgConfig::DAP_PETSC)
endif()

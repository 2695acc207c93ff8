# FindScaLAPACK: ScaLAPACK with its BLACS, through pkg-config.
#
# Defines ScaLAPACK::ScaLAPACK, ScaLAPACK_FOUND, ScaLAPACK_VERSION, ScaLAPACK_MODULE (the pkg-config module),
# ScaLAPACK_BUILD (what tells apart builds that do not mix) and, when it is not found, ScaLAPACK_REASON.
# Debian's own package config for CMake is not used: it fails to load, even quietly.
#
# Debian and Ubuntu have one build for each MPI; the module's name ends in the MPI's.
set(ScaLAPACK_REASON "no pkg-config module scalapack-openmpi, scalapack-mpich or scalapack")
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_search_module(DAP_SCALAPACK QUIET IMPORTED_TARGET GLOBAL scalapack-openmpi scalapack-mpich scalapack)
  set(ScaLAPACK_MODULE ${DAP_SCALAPACK_MODULE_NAME})
  set(ScaLAPACK_BUILD ${DAP_SCALAPACK_MODULE_NAME})
  set(ScaLAPACK_VERSION ${DAP_SCALAPACK_VERSION})
else()
  set(ScaLAPACK_REASON "pkg-config is missing")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ScaLAPACK REQUIRED_VARS ScaLAPACK_MODULE VERSION_VAR ScaLAPACK_VERSION
  REASON_FAILURE_MESSAGE "${ScaLAPACK_REASON}")

if(ScaLAPACK_FOUND AND NOT TARGET ScaLAPACK::ScaLAPACK)
  add_library(ScaLAPACK::ScaLAPACK INTERFACE IMPORTED GLOBAL)
  target_link_libraries(ScaLAPACK::ScaLAPACK INTERFACE PkgConfig::DAP_SCALAPACK)
endif()

# FindFFTWMPI: FFTW 3 in double precision with its transposes over MPI, for a benchmark to compare with.
#
# Defines FFTWMPI::FFTWMPI and FFTWMPI_FOUND. It has to be built with the MPI that is used here; Debian's and Ubuntu's
# libfftw3-mpi-dev is with their default one, and comes with PETSc's packages.
find_path(FFTWMPI_INCLUDE_DIR fftw3-mpi.h)
find_library(FFTWMPI_LIBRARY fftw3_mpi)
find_library(FFTWMPI_FFTW_LIBRARY fftw3)
mark_as_advanced(FFTWMPI_INCLUDE_DIR FFTWMPI_LIBRARY FFTWMPI_FFTW_LIBRARY)

set(FFTWMPI_OF_THIS_MPI OFF)
if(FFTWMPI_INCLUDE_DIR AND FFTWMPI_LIBRARY AND FFTWMPI_FFTW_LIBRARY)
  include(${CMAKE_CURRENT_LIST_DIR}/DapMpi.cmake)
  dap_mpi_check("${FFTWMPI_LIBRARY};${FFTWMPI_FFTW_LIBRARY}" fftw_mpi_init FFTWMPI_REASON)
  if(NOT FFTWMPI_REASON)
    set(FFTWMPI_OF_THIS_MPI ON)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTWMPI
  REQUIRED_VARS FFTWMPI_LIBRARY FFTWMPI_FFTW_LIBRARY FFTWMPI_INCLUDE_DIR FFTWMPI_OF_THIS_MPI)

if(FFTWMPI_FOUND AND NOT TARGET FFTWMPI::FFTWMPI)
  add_library(FFTWMPI::FFTWMPI INTERFACE IMPORTED)
  target_include_directories(FFTWMPI::FFTWMPI INTERFACE ${FFTWMPI_INCLUDE_DIR})
  target_link_libraries(FFTWMPI::FFTWMPI INTERFACE ${FFTWMPI_LIBRARY} ${FFTWMPI_FFTW_LIBRARY} MPI::MPI_C)
endif()

# Toolchain: the cross-compiler that Debian has for 64-bit ARM, with the packages that sysroot.sh has unpacked
# beside the build's folder, and programs run by qemu under this machine's mpiexec of MPICH: its launcher and
# its library talk through inherited sockets, in text, so they need not be of one processor.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(dap_triple aarch64-linux-gnu)
set(dap_sysroot ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot-arm64)
cmake_path(NORMAL_PATH dap_sysroot)
if(NOT EXISTS ${dap_sysroot}/complete)
  message(FATAL_ERROR "first: sh cmake/sysroot.sh arm64 ${dap_sysroot}")
endif()

set(CMAKE_C_COMPILER ${dap_triple}-gcc)
set(CMAKE_C_FLAGS_INIT "-Wno-stringop-overflow") # gcc takes MPI_STATUSES_IGNORE, address 1, for memory
set(CMAKE_SYSROOT ${dap_sysroot})
set(CMAKE_LIBRARY_ARCHITECTURE ${dap_triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${dap_sysroot})
set(ENV{PKG_CONFIG_LIBDIR} ${dap_sysroot}/usr/lib/${dap_triple}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${dap_sysroot})

# What mpicc would say, which runs on the other processor only.
set(MPI_SKIP_COMPILER_WRAPPER ON CACHE BOOL "")
set(MPI_C_HEADER_DIR ${dap_sysroot}/usr/include/${dap_triple}/mpich CACHE PATH "")
set(MPI_C_LIB_NAMES mpich CACHE STRING "")
set(MPI_mpich_LIBRARY ${dap_sysroot}/usr/lib/${dap_triple}/libmpich.so CACHE FILEPATH "")
set(MPIEXEC_EXECUTABLE mpiexec.mpich CACHE STRING "")

# Checks that FindScaLAPACK passes over a ScaLAPACK of another MPI. Stand-ins are compiled, and found through
# pkg-config.
#
# Needs SOURCE, BUILD (folders), CC, MPICC, GENERATOR.
cmake_policy(VERSION 3.25)
set(work ${BUILD}/tests/build/mpi)
include(${CMAKE_CURRENT_LIST_DIR}/trial.cmake)

function(library name) # ...: arguments of the compiler
  file(MAKE_DIRECTORY ${work}/lib)
  execute_process(COMMAND ${CC} -std=c17 -fPIC -shared ${SOURCE}/tests/build/mpi/stand_in.c ${ARGN} -o lib${name}.so
    WORKING_DIRECTORY ${work}/lib COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(module folder name library) # [module that it requires]
  file(WRITE ${work}/${folder}/${name}.pc "Name: scalapack\nDescription: stand-in\nVersion: 2.2\nRequires: ${ARGN}\n"
    "Libs: -L${work}/lib -l${library}\n")
endfunction()

library(other_mpi -DOTHER_MPI)
library(of_other -L${work}/lib -lother_mpi -Wl,-rpath,${work}/lib -Wl,--no-as-needed)
library(of_any)
library(without -DOTHER_MPI)
module(other scalapack of_other)
module(same scalapack of_any)
module(both scalapack-openmpi of_other)
module(both scalapack-mpich of_any)
module(both scalapack of_other)
module(without scalapack without)
module(requires scalapack of_any mpi) # mpi is the machine's default MPI
file(WRITE ${work}/requires/mpi.pc "Name: mpi\nDescription: another MPI\nVersion: 3\nLibs: -L${work}/lib -lother_mpi\n")

macro(expect why folder parts)
  trial("${why}" "${parts}" mpi PKG_CONFIG_PATH=${work}/${folder} PKG_CONFIG_LIBDIR=${work}/${folder}
    -DCMAKE_C_COMPILER=${CC} -DMPI_C_COMPILER=${MPICC})
endmacro()

expect("this MPI" same "found: scalapack, -L${work}/lib")
expect("another MPI" other "found: , ;scalapack: it is built with another MPI, of ;libother_mpi.so")
expect("the first of this MPI" both "found: scalapack-mpich, ")
expect("what does not link" without "found: , ;scalapack: it does not link with this MPI")
expect("its MPI is not the default one" requires "found: scalapack, -L${work}/lib -lof_any; ")

end_trials()

# Checks that FindPETSc finds all builds of PETSc and tells them apart. Each stand-in consists of a pkg-config file and
# petscconf.h.
#
# Needs SOURCE, BUILD (folders), GENERATOR.
cmake_policy(VERSION 3.25)
set(work ${BUILD}/tests/build/petsc)
include(${CMAKE_CURRENT_LIST_DIR}/trial.cmake)

function(stand_in name version) # ...: definitions in petscconf.h
  cmake_path(GET name FILENAME library)
  list(TRANSFORM ARGN REPLACE "(.+)" "#define \\1 1\n")
  list(JOIN ARGN "" defines)
  file(WRITE ${work}/${name}/include/petscconf.h "#define PETSC_HAVE_CXX_COMPLEX 1\n#define PETSC_USE_DEBUGGER \"gdb\"\n${defines}")
  file(WRITE ${work}/${name}/lib/pkgconfig/PETSc.pc
    "Name: PETSc\nDescription: stand-in\nVersion: ${version}\n"
    "Cflags: -O9 -I${work}/${name}/include\nLibs: -L${work}/${name}/lib -lpetsc_${library}\n")
endfunction()

stand_in(a 3.18.5 PETSC_USE_REAL_DOUBLE)
stand_in(others/b 3.20.1 PETSC_USE_REAL_DOUBLE PETSC_USE_COMPLEX)
stand_in(others/arch-9 3.18.5 PETSC_USE_64BIT_INDICES)
stand_in(others/arch-10 3.18.5 PETSC_USE_64BIT_INDICES)
stand_in(others/b-debug 3.20.1 PETSC_USE_DEBUG PETSC_USE_REAL_DOUBLE PETSC_USE_COMPLEX)
stand_in(others/d 3.21.0 PETSC_USE_64BIT_INDICES PETSC_USE_COMPLEX PETSC_USE_REAL_SINGLE)
stand_in(quadruple 3.21.0 PETSC_USE_REAL___FLOAT128)
stand_in(headless 3.21.0)
file(REMOVE_RECURSE ${work}/headless/include)

# expect(<why> "<part of the output>..." [VARIABLE=value | -DNAME=value]...): sets these variables in the environment
macro(expect why parts)
  trial("${why}" "${parts}" petsc --unset=PETSC_DIR --unset=PETSC_ARCH --unset=PKG_CONFIG_PATH
    PKG_CONFIG_LIBDIR=${work}/nothing -DDAPBRIDGE_PETSC_DIRS= ${ARGN})
endmacro()

set(path_a PKG_CONFIG_PATH=${work}/a/lib/pkgconfig)
set(dirs -DDAPBRIDGE_PETSC_DIRS=${work}/others/*) # a debug build is the last of its kind there

expect("none" "not found: no pkg-config module PETSc or petsc")
expect("the default alone" "found: real, default 3.18.5 petsc_a 3.18 (real)" ${path_a})
expect("flags: paths and libraries only"
  "real: petsc_a 3.18 (real) -I${work}/a/include -L${work}/a/lib -lpetsc_a -Wl,-rpath,${work}/a/lib" ${path_a})
set(all "found: real 64_complex complex 64_real, default 3.18.5 petsc_a" "complex: petsc_b 3.20 (complex)"
  "64_real: petsc_arch-10 3.18 (64_real)" "64_complex: petsc_d 3.21 (64_complex, single precision)")
expect("all kinds, of the same kind the newest by name" "${all}" ${path_a} ${dirs})
expect("a debug build, which does not mix with others" "found: complex, default 3.20.1 petsc_b-debug 3.20 (complex, debug)"
  PKG_CONFIG_PATH=${work}/others/b-debug/lib/pkgconfig)
expect("one kind twice: the default" "found: real, default 3.18.5 petsc_a" ${path_a} -DDAPBRIDGE_PETSC_DIRS=${work}/a)
expect("all of PKG_CONFIG_PATH" "found: complex real, default 3.20.1 petsc_b"
  PKG_CONFIG_PATH=${work}/others/b/lib/pkgconfig:${work}/a/lib/pkgconfig)
expect("PETSC_DIR and PETSC_ARCH come first" "found: 64_real real, default 3.18.5 petsc_arch-9"
  ${path_a} PETSC_DIR=${work}/others PETSC_ARCH=arch-9)
expect("PETSC_DIR without PETSC_ARCH" "found: complex real, default 3.20.1 petsc_b" ${path_a} PETSC_DIR=${work}/others/b)
expect("no default: the first of the others" "found: 64_complex complex 64_real, default 3.21.0" ${dirs})
expect("another precision, as default" "not found: PetscReal is __FLOAT128, neither float nor double" ${dirs}
  PKG_CONFIG_PATH=${work}/quadruple/lib/pkgconfig)
expect("another precision, beside the default" "found: real, default 3.18.5" ${path_a}
  -DDAPBRIDGE_PETSC_DIRS=${work}/quadruple)
expect("no headers" "not found: no petscconf.h in" PKG_CONFIG_PATH=${work}/headless/lib/pkgconfig)

end_trials()

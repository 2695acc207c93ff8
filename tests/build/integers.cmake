# Checks that FindScaLAPACK tells LP64 and ILP64 libraries apart. Stand-ins are compiled, and found through pkg-config.
#
# Needs SOURCE, BUILD (folders), CC, CFLAGS, AR, GENERATOR.
cmake_policy(VERSION 3.25)
set(work ${BUILD}/tests/build/integers)
separate_arguments(flags UNIX_COMMAND "${CFLAGS}")
include(${CMAKE_CURRENT_LIST_DIR}/trial.cmake)

function(stand_in name) # ...: compiler flags
  file(MAKE_DIRECTORY ${work}/${name})
  execute_process(COMMAND ${CC} -std=c17 ${flags} ${ARGN}
    -c ${SOURCE}/tests/build/integers/numroc.c -o numroc.o
    WORKING_DIRECTORY ${work}/${name} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${AR} rc libscalapack.a numroc.o
    WORKING_DIRECTORY ${work}/${name} COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${work}/${name}/scalapack.pc
    "Name: scalapack\nDescription: stand-in\nVersion: 2.2\nLibs: -L${work}/${name} -lscalapack\n")
endfunction()

stand_in(lp64 -DINTEGER=int32_t)
stand_in(big_endian -DINTEGER=int32_t -DHALF=1)
stand_in(ilp64 -DINTEGER=int64_t)
stand_in(nonsense -DINTEGER=int64_t -DANSWER=3)
stand_in(half_a_block -DINTEGER=int64_t -DANSWER=1) # ANSWER is the lower half of the right answer
stand_in(without -DINTEGER=int32_t -Dnumroc_=numrock_)

# expect(<why> <stand-in> "<part of the output>..." [-D<name>=<value>]...)
macro(expect why library parts)
  trial("${why}" "${parts}" integers PKG_CONFIG_LIBDIR=${work}/${library}
    -DCMAKE_C_COMPILER=${CC} "-DCMAKE_C_FLAGS=${CFLAGS}" ${ARGN})
endmacro()

set(found32 "found: scalapack with 32-bit integers, definitions-NOTFOUND")
set(found64 "found: scalapack with 64-bit integers, DAPBRIDGE_SCALAPACK_ILP64")
set(taken32 "taken to have 32-bit integers")
set(taken64 "taken to have 64-bit integers")
set(cross -DCMAKE_SYSTEM_NAME=${CMAKE_HOST_SYSTEM_NAME})

expect("32-bit integers" lp64 "${found32}")
expect("the upper halves are read" big_endian "${found32}")
expect("64-bit integers" ilp64 "${found64}")
expect("AUTO" ilp64 "${found64}" -DDAPBRIDGE_SCALAPACK_INTEGERS=AUTO)
expect("stated against the library" lp64 "${found64}" -DDAPBRIDGE_SCALAPACK_INTEGERS=64)
expect("stated against the library" ilp64 "${found32}" -DDAPBRIDGE_SCALAPACK_INTEGERS=32)
expect("stated wrongly" lp64 "DAPBRIDGE_SCALAPACK_INTEGERS=16 is not AUTO, 32 or 64"
  -DDAPBRIDGE_SCALAPACK_INTEGERS=16)
expect("neither kind" nonsense "${taken32}: numroc_ answers like neither kind;${found32}")
expect("neither kind" half_a_block "${taken32}: numroc_ answers like neither kind;${found32}")
expect("no such routine" without "${taken32}: the program that finds out does not link;${found32}")
expect("a cross build" ilp64
  "${taken32}: a cross build runs no program;DAPBRIDGE_SCALAPACK_INTEGERS=32 or 64;${found32}" ${cross})
expect("a cross build, stated" ilp64 "${found64}" ${cross} -DDAPBRIDGE_SCALAPACK_INTEGERS=64)
expect("a cross build of a user" lp64 "${taken64};${found64}" ${cross} -DScaLAPACK_INTEGERS_DEFAULT=64)

# A library of the other kind replaces the library in the same place.
file(COPY_FILE ${work}/ilp64/libscalapack.a ${work}/lp64/libscalapack.a)
set(trials 0)
expect("another library since" lp64 "${found64}")

end_trials()

# Hardening: what makes it harder to exploit a fault (bridge/docs/reliability.md).
#
# dap_hardened is what each layer is compiled with, and dap_harden(<target>) what each library and program is linked
# with. What a compiler does not have is left out, and the summary says what there is. Sanitizers find more, and mind
# some of it: there is none in their builds.
option(DAPBRIDGE_HARDEN "Harden libraries and command: stack protector, FORTIFY_SOURCE, RELRO, PIE" ON)
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

add_library(dap_hardened INTERFACE)
set(DAPBRIDGE_HARDEN_SUMMARY "no")
if(CMAKE_C_FLAGS MATCHES "-fsanitize")
  set(DAPBRIDGE_HARDEN_SUMMARY "no (sanitizers)")
  set(DAPBRIDGE_HARDEN OFF)
endif()

if(DAPBRIDGE_HARDEN)
  set(found "")
  foreach(flag IN ITEMS -fstack-protector-strong -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "DAPBRIDGE_HAS${flag}" variable)
    check_c_compiler_flag(${flag} ${variable})
    if(${variable})
      target_compile_options(dap_hardened INTERFACE ${flag})
      string(REGEX REPLACE "^-f" "" name ${flag})
      list(APPEND found ${name})
    endif()
  endforeach()

  # Checks of glibc's, which need an optimiser; the highest level that it has. A packager's own choice is replaced.
  foreach(level IN ITEMS 3 2)
    set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}")
    check_c_source_compiles("#include <stdio.h>
      #if !defined __USE_FORTIFY_LEVEL || __USE_FORTIFY_LEVEL < ${level}
      #error
      #endif
      int main(void) { return 0; }" DAPBRIDGE_HAS_FORTIFY_${level})
    unset(CMAKE_REQUIRED_FLAGS)
    if(DAPBRIDGE_HAS_FORTIFY_${level})
      target_compile_options(dap_hardened INTERFACE
        "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>")
      list(APPEND found "FORTIFY_SOURCE=${level} (if optimised)")
      break()
    endif()
  endforeach()

  set(dap_harden_link "")
  foreach(flag IN ITEMS relro now noexecstack)
    check_linker_flag(C LINKER:-z,${flag} DAPBRIDGE_HAS_z_${flag})
    if(DAPBRIDGE_HAS_z_${flag})
      list(APPEND dap_harden_link LINKER:-z,${flag})
      list(APPEND found ${flag})
    endif()
  endforeach()
  check_pie_supported(LANGUAGES C)
  if(CMAKE_C_LINK_PIE_SUPPORTED)
    list(APPEND found pie)
  endif()
  list(JOIN found ", " DAPBRIDGE_HARDEN_SUMMARY)
endif()

function(dap_harden target)
  target_link_options(${target} PRIVATE ${dap_harden_link})
  if(DAPBRIDGE_HARDEN)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()

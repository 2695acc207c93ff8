# Language, warnings and output folders of everything in this project.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

# Programs of all folders in one place; the libraries beside them.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endif()

# Warnings for the project's own code only. They become errors where CMAKE_COMPILE_WARNING_AS_ERROR is
# set, as the presets for developers do: a user's newer compiler must not break a user's build.
add_library(dap_warnings INTERFACE)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(dap_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(CMAKE_C_COMPILER_ID MATCHES "Clang") # gcc takes the last members of a struct that are left out for meant to be 0
    target_compile_options(dap_warnings INTERFACE -Wno-missing-field-initializers)
  endif()
endif()
if(CMAKE_C_COMPILER_ID MATCHES "Clang") # since clang 19 in -Wconversion; integer constants are enumerators here
  target_compile_options(dap_warnings INTERFACE -Wno-enum-float-conversion)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12) # checks strings by arrays' bounds
  target_compile_options(dap_warnings INTERFACE -Wno-stringop-overread)
endif()

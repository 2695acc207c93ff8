# FindPythonAbi3: an interpreter of Python >= 3.11 and its headers, for modules by the Limited API.
#
# DAPBRIDGE_PYTHON_EXECUTABLE says which; its default is the system's /usr/bin/python3, whose packages numpy and mpi4py
# belong to the system's MPI, and else the python3 of the search path.
#
# Defines Python::Abi3, the headers; PythonAbi3_FOUND and, if there is none, PythonAbi3_REASON; PythonAbi3_VERSION, and
# PythonAbi3_MODULE, the interpreter.
set(DAPBRIDGE_PYTHON_EXECUTABLE "" CACHE FILEPATH
  "The interpreter whose headers the Python package is built with; empty: /usr/bin/python3, else python3 of the path")

set(dap_python ${DAPBRIDGE_PYTHON_EXECUTABLE})
if(NOT dap_python)
  find_program(dap_python python3 PATHS /usr/bin NO_DEFAULT_PATH NO_CACHE)
  find_program(dap_python python3 NO_CACHE)
endif()

set(PythonAbi3_MODULE "")
set(PythonAbi3_VERSION "")
if(NOT dap_python)
  set(PythonAbi3_REASON "no python3")
else()
  execute_process(COMMAND ${dap_python} -c
    "import platform, sysconfig; print(platform.python_version(), sysconfig.get_path('include'), sep=';')"
    OUTPUT_VARIABLE dap_python_facts OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE dap_python_failed)
  if(dap_python_failed)
    set(PythonAbi3_REASON "${dap_python} does not run")
  else()
    list(GET dap_python_facts 0 dap_python_version)
    list(GET dap_python_facts 1 dap_python_include)
    if(dap_python_version VERSION_LESS 3.11)
      set(PythonAbi3_REASON "${dap_python} is Python ${dap_python_version}, 3.11 is needed")
    elseif(NOT EXISTS ${dap_python_include}/Python.h)
      set(PythonAbi3_REASON "${dap_python} has no ${dap_python_include}/Python.h")
    else()
      set(PythonAbi3_MODULE ${dap_python})
      set(PythonAbi3_VERSION ${dap_python_version})
    endif()
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PythonAbi3 REQUIRED_VARS PythonAbi3_MODULE VERSION_VAR PythonAbi3_VERSION
  REASON_FAILURE_MESSAGE "${PythonAbi3_REASON}")
if(PythonAbi3_FOUND AND NOT TARGET Python::Abi3)
  add_library(Python::Abi3 INTERFACE IMPORTED GLOBAL)
  target_include_directories(Python::Abi3 INTERFACE ${dap_python_include})
endif()
unset(dap_python)
unset(dap_python_facts)

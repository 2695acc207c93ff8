"""Distributed arrays of numpy parts, for redistribution, linear algebra, ScaLAPACK and PETSc.

An array is distributed over the processes of an MPI communicator. Each process holds one part of the array, as a numpy
array. The layout determines which elements are in which part:

>>> import numpy as np
>>> from mpi4py import MPI
>>> comm = MPI.COMM_WORLD
>>> a = dapbridge.from_function(lambda i, j: 10 * i + j, (4, 6), comm, ["block", "local"])
>>> a.shape, a.local.shape == (4 // comm.size, 6)
((4, 6), True)

Arrays come from

- other libraries, usually without a copy: `from_dap` accepts objects with ``__distarray__``, `from_partitioned` accepts
  objects with ``__partitioned__``, and `from_mpi4py_fft`, `from_petsc` and `from_scalapack` accept the arrays of the
  packages in their names;
- parts that the processes already hold, without a copy: `array` accepts numpy arrays, and `from_dlpack` accepts tensors
  of other packages;
- a numpy array on one process: `from_global`;
- a function of the indices: `from_function`;
- files, on any number of processes: `load`;
- constants: `zeros`, `full`, `like`, `eye`.

The elements of an array can be moved or passed

- to another layout, once with `Array.redistribute`, or many times with a `Plan`:

>>> b = a.redistribute(["block", dapbridge.cyclic(2)])
>>> with dapbridge.Plan(a.T, dapbridge.zeros((6, 4), comm), alpha=2) as plan:
...     plan()

- to one process or to all, as numpy arrays: `Array.gather`;

>>> print(a.gather()[3, 5])
35.0

- to files, as .npy or HDF5: `save`;
- to solvers: `dapbridge.linalg` implements functions of numpy and scipy with ScaLAPACK. `Array.scalapack`,
  `Array.petsc_field`, `Array.petsc_vector` and `Array.petsc_matrix` pass the array to these libraries for the duration
  of a ``with`` block. The libraries use the array's memory if possible. If not, the attribute `reason` of the view
  explains why;
- to any program that reads the Distributed Array Protocol: `Array` has ``__distarray__``.

If a docstring says *collective*, all processes of the communicator must call the function. They must pass the same
arguments, except that each process passes its own part. If one process fails, all processes raise the same exception.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mpi4py import MPI as _MPI

from . import _core, _dispatch
from ._comms import check_mpi as _check_mpi

_check_mpi(_core.mpi_library_version(), _core.mpi_library_path(), _MPI)

from ._config import show_config
from ._core import Layout, set_log
from ._dlpack import from_dlpack
from ._errors import (
    ArgumentError,
    ArrayBufferError,
    DimError,
    Error,
    FileError,
    IndexingError,
    LayoutError,
    LibraryError,
    LinAlgError,
    OutOfMemoryError,
    RangeError,
    RemoteError,
    RemoteFailure,
    ShareError,
    UnsupportedError,
    VersionError,
)
from ._identity import eye, identity
from ._file_info import FileInfo, file_info
from ._waits import wait_limit
from ._layouts import layout
from ._petsc_field import PetscField
from ._petsc_matrix import PetscMatrix
from ._petsc_vector import PetscVector
from .array import Array, Lazy
from .dists import Dist, block, cyclic, local, padded, partial, replicated, unstructured
from .files import load, save
from .make import array, empty, from_function, from_global, full, like, zeros
from .matrix import ScalapackMatrix
from .plan import Plan
from .producers import from_dap, from_mpi4py_fft, from_partitioned, from_petsc, from_scalapack
from .views import View, end_forgotten

if TYPE_CHECKING:
    from . import draw as draw, linalg as linalg, petsc as petsc

__version__ = _core.VERSION

#: Seconds that a process waits for the other processes after an exception has ended its ``with`` block of a view.
patience: float = 60.0

#: True if functions of `linalg` compare the hash of a numpy argument between the processes, and refuse an argument
#: that differs.
check_operands: bool = True

__all__ = [
    "ArgumentError",
    "Array",
    "ArrayBufferError",
    "DimError",
    "Dist",
    "Error",
    "FileError",
    "FileInfo",
    "IndexingError",
    "Layout",
    "LayoutError",
    "Lazy",
    "LibraryError",
    "LinAlgError",
    "OutOfMemoryError",
    "PetscField",
    "PetscMatrix",
    "PetscVector",
    "Plan",
    "RangeError",
    "RemoteError",
    "RemoteFailure",
    "ScalapackMatrix",
    "ShareError",
    "UnsupportedError",
    "VersionError",
    "View",
    "array",
    "block",
    "check_operands",
    "cyclic",
    "empty",
    "end_forgotten",
    "eye",
    "file_info",
    "from_dap",
    "from_dlpack",
    "from_function",
    "from_global",
    "from_mpi4py_fft",
    "from_partitioned",
    "from_petsc",
    "from_scalapack",
    "full",
    "identity",
    "layout",
    "like",
    "load",
    "local",
    "padded",
    "partial",
    "patience",
    "replicated",
    "save",
    "set_log",
    "show_config",
    "unstructured",
    "wait_limit",
    "zeros",
]


_dispatch.loaders += [lambda: _import("linalg"), lambda: _import("_numpy")]

#: Modules that are imported when they are needed.
_MODULES = ("draw", "linalg", "petsc")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, *(name for name in globals() if name.startswith("__"))})


def _import(name: str) -> object:
    from importlib import import_module

    return import_module(f".{name}", __name__)


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return _import(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

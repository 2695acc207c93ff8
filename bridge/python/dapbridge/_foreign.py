"""Distributed objects of other libraries that are passed instead of numpy arrays.

numpy converts some of these objects to this process's part, and others to all elements or to lazy objects. numpy
does not report what it has done. So this module recognises the objects by their classes and attributes, without
importing their libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ._base import ArrayBase
from ._lazy import LazyBase


class Foreign(NamedTuple):
    """The name of a kind of object, and of the function that accepts it."""

    what: str
    #: Advice that names the function to call.
    use: str
    #: The function of this package that makes an array from the object; "" if there is no such function.
    function: str = ""
    #: True if numpy reads all elements, so that the object is ambiguous only where a part is expected.
    is_whole: bool = False


def _is_of(library: str, *names: str) -> Callable[[Any], bool]:
    """Returns a test for objects of the library's classes `names`, or of any of its classes without `names`."""

    def test(x: Any) -> bool:
        classes = type(x).__mro__
        return any(c.__module__.partition(".")[0] == library and (not names or c.__name__ in names) for c in classes)

    return test


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda x: all(hasattr(x, n) for n in names)


def _is_dict_with(*keys: str) -> Callable[[Any], bool]:
    return lambda x: isinstance(x, Mapping) and all(k in x for k in keys)


def _is_lazy(x: Any) -> bool:
    """True if the object is a collection of dask, which dask itself checks."""
    graph = getattr(type(x), "__dask_graph__", None)
    return graph is not None and graph(x) is not None


def _taken_by(what: str, function: str) -> Foreign:
    return Foreign(what, f"dapbridge.{function}(x, comm) makes an array of it, distributed as it says", function)


_TENSOR = Foreign(
    "a distributed tensor",
    "dapbridge.array(x.to_local().numpy(), comm, dist) takes its parts, with its placements as dist",
)
_DASK = Foreign(
    "a collection of dask, which has no elements yet",
    "dapbridge.from_global(x.compute(), comm) takes all of them",
)
_FILE = Foreign(
    "a data set of a file, all of whose elements each process would read",
    "give this process's part, x[first:last]; dapbridge.load(path, comm) reads arrays of .npy and HDF5 files",
    is_whole=True,
)
_KINDS: list[tuple[Callable[[Any], bool], Foreign]] = [
    (
        lambda x: isinstance(x, (ArrayBase, LazyBase)),
        Foreign("a distributed array already", "x.redistribute(dist) and x.copy() make others"),
    ),
    (_is_of("mpi4py_fft", "DistArray"), _taken_by("a DistArray of mpi4py-fft", "from_mpi4py_fft")),
    (_is_of("petsc4py", "Vec", "Mat", "DM"), _taken_by("an object of petsc4py", "from_petsc")),
    (_has("__distarray__"), _taken_by("an object with __distarray__", "from_dap")),
    (_is_dict_with("__version__", "buffer"), _taken_by("what __distarray__() returns", "from_dap")),
    (_has("__partitioned__"), _taken_by("an object with __partitioned__", "from_partitioned")),
    (_is_dict_with("partition_tiling", "partitions"), _taken_by("a __partitioned__", "from_partitioned")),
    (_has("device_mesh", "placements", "to_local"), _TENSOR),
    (_is_lazy, _DASK),
    (_is_of("h5py", "Dataset"), _FILE),
    (_is_of("zarr", "Array"), _FILE),
    (_is_of("netCDF4", "Variable"), _FILE),
]


def foreign(x: Any) -> Foreign | None:
    """Returns the kind of an object that is distributed or lazy. None means that numpy accepts the object."""
    if type(x) is np.ndarray:
        return None
    return next((kind for test, kind in _KINDS if test(x)), None)


"""Saves arrays to files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

from . import _core
from ._base import ArrayBase
from ._comms import agreed, require_held
from ._dispatch import implements
from ._errors import ArgumentError
from ._file_options import Path, options_of, path_of
from ._lazy import LazyBase
from ._moves import copy
from .slices import part_of


def save_array(path: Path, given: LazyBase[Any], part: Any, dataset: str | None, options: dict[str, Any]) -> None:
    """Does the work of `Array.save`. Elements that a lazy view changes are copied first."""
    function = "dapbridge.save()"
    array = given.array
    require_held(array, function)
    with agreed(array.over, function):
        name = path_of(path, dataset)
        chosen = options_of(name, names_dataset=dataset is not None, **options)
        chosen["lossy"] |= "dtype" in chosen
        if part is not None and options["mode"] != "r+":
            raise ArgumentError("part is for mode='r+', which changes a part of an array that is in the file")
    if given.part is not None or given.is_conjugate or given.is_cast:
        array = copy(given)

    def save(comm: MPI.Comm) -> None:
        if part is not None:
            shape = _core.file_query(comm.py2f(), name, chosen)["shape"]
            with agreed(comm, function):
                chosen["part"] = part_of(part, shape)
        _core.file_save(comm.py2f(), array.layout, array._local, name, chosen)

    on_processes_of(array, function, save)


def on_processes_of(array: ArrayBase, function: str, call: Callable[[MPI.Comm], None]) -> None:
    """Calls `call` with a communicator whose first processes are the array's. Collective on the array's `over`."""
    if array.ranks is None or array.ranks == list(range(array.layout.nprocs)):
        call(array.over)
        return
    with agreed(array.over, function):
        if array.comm != MPI.COMM_NULL:
            call(array.comm)


@implements(np.save)
def numpy_save(file: Any, arr: Any, allow_pickle: bool = True) -> None:
    """Implements numpy.save(), which adds .npy to a path without this extension."""
    name = os.fspath(file) if isinstance(file, os.PathLike) else file
    if isinstance(name, str) and not name.endswith(".npy"):
        name += ".npy"
    arr.save(name)

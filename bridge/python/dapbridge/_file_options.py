"""Paths and options of files, in the form of the compiled module."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from ._entry import Distributed
from ._errors import ArgumentError, UnsupportedError
from ._integers import integer
from ._layouts import extents_of
from ._memory import type_name

Path = Union[str, "os.PathLike[str]"]

_FORMATS = ("npy", "raw", "hdf5")
_MODES = {"w": "a new file, which replaces an old one", "r+": "in place", "a": "one more step"}
_HDF5 = re.compile(rb"\.(h5|hdf5)(:|\Z)")  # the end of the file's name, as in bridge/file/name.c


def comm_of(given: Iterable[Any]) -> MPI.Comm:
    """Returns the communicator among arguments, or that of an array among them, or MPI.COMM_WORLD."""
    comms = (x if isinstance(x, MPI.Comm) else x._array.over for x in given if isinstance(x, (MPI.Comm, Distributed)))
    return next(comms, MPI.COMM_WORLD)


def path_of(path: Any, dataset: str | None) -> bytes:
    """Returns the path in the library's form. In an HDF5 file the dataset's path follows a colon."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        kind = type(path).__name__
        advice = "; give its .name" if hasattr(path, "write") or hasattr(path, "read") else ""
        raise TypeError(f"path is of type {kind}, not a path: str or os.PathLike{advice}")
    name = os.fsencode(path)
    if b"\0" in name:
        raise ArgumentError("path contains a NUL character")
    if dataset is None:
        return name
    if not isinstance(dataset, str):
        raise TypeError(f"dataset is of type {type(dataset).__name__}, not str")
    found = _HDF5.search(name)
    if ":" in dataset and not found:
        raise ArgumentError(f"dataset {dataset!r} contains ':', and the path does not end in .h5 or .hdf5: rename one")
    if found and found.group(2):
        raise ArgumentError(f"the path names a dataset, and dataset={dataset!r} is given too: give it once")
    return name + b":" + os.fsencode(dataset if dataset.startswith("/") else f"/{dataset}")


def options_of(
    path: bytes,
    *,
    mode: str = "w",
    format: str | None = None,
    dtype: npt.DTypeLike = None,
    shape: int | Sequence[int] | None = None,
    order: str = "C",
    offset: int = 0,
    lossy: bool = False,
    layout: bool = True,
    writers: int = 0,
    align: int = 0,
    memory_bytes: int = 0,
    names_dataset: bool = False,
) -> dict[str, Any]:
    """Makes the options of the compiled module. An error may occur on this process only."""
    if not isinstance(mode, str) or mode not in _MODES:
        known = ", ".join(f"{m!r} ({what})" for m, what in _MODES.items())
        raise ArgumentError(f"mode {mode!r} is not one of {known}")
    if not isinstance(order, str) or order not in ("C", "F"):
        raise ArgumentError(f"order {order!r} is neither 'C' nor 'F'")
    options: dict[str, Any] = {"mode": mode, "order": order, "lossy": bool(lossy), "drop_layout": not layout}
    for name, value in dict(offset=offset, writers=writers, align=align, memory_bytes=memory_bytes).items():
        options[name] = integer(value, name)
    kind = _format_of(path, format)
    if names_dataset and kind != "hdf5":
        raise ArgumentError("dataset is for HDF5 files only")
    if kind is not None:
        options["format"] = _hdf5() if kind == "hdf5" else kind
    if dtype is not None:
        options.update(dtype=type_name(dtype), swapped=_is_swapped(dtype, kind))
    if shape is not None:
        options["shape"] = extents_of(shape)
    return options


def _format_of(path: bytes, format: Any) -> str | None:
    """Returns the format. None means that the library chooses the format by the path."""
    if format is None:
        return "hdf5" if _HDF5.search(path) else None
    if not isinstance(format, str) or format not in _FORMATS:
        near = difflib.get_close_matches(str(format).lower(), _FORMATS, 1)
        advice = f"; did you mean {near[0]!r}?" if near else ""
        raise ArgumentError(f"format {format!r} is not one of {', '.join(map(repr, _FORMATS))}{advice}")
    return format


def _is_swapped(dtype: npt.DTypeLike, format: str | None) -> bool:
    """True if elements of this type have the byte order opposite to this machine's, which raw files can have."""
    is_swapped = not np.dtype(dtype).isnative
    if is_swapped and format != "raw":
        raise ArgumentError(
            f"dtype {np.dtype(dtype).str!r}: only raw files are written in another byte order, and of other files the "
            "order is known"
        )
    return is_swapped


def _hdf5() -> object:
    """Returns the format HDF5. Only this function loads HDF5's library."""
    try:
        from . import _hdf5 as hdf5
    except ImportError as why:
        raise UnsupportedError(f"HDF5 files need dapbridge built with HDF5: {why}") from why
    return hdf5.format()

"""The description of an array in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from . import _core
from ._comms import agreed
from ._file_options import Path, comm_of, options_of, path_of
from ._keywords import spelled_by


@dataclass(frozen=True)
class FileInfo:
    """The description of an array in a file, as returned by `file_info`."""

    #: Extents of the array.
    shape: tuple[int, ...]
    #: Element type, in the file's byte order.
    dtype: np.dtype[Any]
    #: Storage order in the file, "C" or "F".
    order: str
    #: Number of bytes before the first element; None means that the elements are not contiguous in the file.
    offset: int | None
    #: The layout that `load` without `dist` uses.
    layout: _core.Layout
    #: True if this layout was stored with the array.
    has_layout: bool
    #: Why the stored layout is not used, or "".
    note: str


@spelled_by("dapbridge.file_info()", comm_of)
def file_info(
    path: Path,
    comm: MPI.Comm | None = None,
    *,
    format: str | None = None,
    dataset: str | None = None,
    dtype: npt.DTypeLike = None,
    shape: int | Sequence[int] | None = None,
    order: str = "C",
    offset: int = 0,
) -> FileInfo:
    """Returns the shape, the type and the stored layout of the array in a file. Collective on `comm`.

    Parameters
    ----------
    path
        Path of the file, the same on all processes. The extension is .npy, .h5 or .hdf5, unless `format` is given.
    comm
        The processes that would load the array. None means MPI.COMM_WORLD.
    format
        "npy", "raw" (elements only) or "hdf5". None means the format of the file's extension.
    dataset
        Name of the dataset in an HDF5 file. The name can also follow the path: "x.h5:/group/u".
    dtype
        Element type in a raw file.
    shape
        Extents of the array in a raw file.
    order
        Storage order in a raw file: "C" or "F".
    offset
        Number of bytes before the first element in a raw file.

    Raises
    ------
    FileError
        The file cannot be read, is too short, or has a wrong header.
    UnsupportedError
        The path has an unknown extension, or dapbridge does not support the type of the file's elements.

    Examples
    --------
    >>> np.save("m.npy", np.zeros((4, 6), np.float32))
    >>> info = dapbridge.file_info("m.npy", MPI.COMM_SELF)
    >>> info.shape, info.dtype
    ((4, 6), dtype('float32'))
    """
    comm = MPI.COMM_WORLD if comm is None else comm
    with agreed(comm, "dapbridge.file_info()"):
        name = path_of(path, dataset)
        options = options_of(
            name, format=format, dtype=dtype, shape=shape, order=order, offset=offset, names_dataset=dataset is not None
        )
    return info_of(comm, name, options)


def info_of(comm: MPI.Comm, name: bytes, options: dict[str, Any]) -> FileInfo:
    """Returns the library's description of the array in a file. Collective."""
    found = _core.file_query(comm.py2f(), name, options)
    kind = np.dtype(found["dtype"])
    return FileInfo(
        found["shape"],
        kind.newbyteorder() if found["swapped"] else kind,
        found["order"],
        None if found["offset"] < 0 else found["offset"],
        found["layout"],
        found["has_layout"],
        found["note"],
    )

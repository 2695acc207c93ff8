"""Functions that save arrays to files and load them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from . import _core
from ._comms import agreed, require_comm, require_held
from ._errors import ArgumentError
from ._file_info import FileInfo, info_of
from ._file_options import Path, comm_of, options_of, path_of
from ._foreign import foreign
from ._grids import Dists, dists_on
from ._keywords import spelled_by
from ._layouts import layout_on
from ._memory import new_array
from ._saving import on_processes_of
from .array import Array, Lazy
from .slices import part_of

LayoutLike = Union[Array, _core.Layout, Dists]


@spelled_by("dapbridge.save()", comm_of)
def save(
    path: Path,
    a: Array | Lazy,
    *,
    mode: str = "w",
    format: str | None = None,
    dataset: str | None = None,
    dtype: npt.DTypeLike = None,
    order: str = "C",
    part: Any = None,
    shape: int | Sequence[int] | None = None,
    offset: int = 0,
    lossy: bool = False,
    layout: bool = True,
    writers: int = 0,
    align: int = 0,
    memory_bytes: int = 0,
) -> None:
    """Saves an array to one file: .npy, raw binary, or a dataset of HDF5. Collective on the array's `over`.

    Each element is written once. Padding, ghosts and additional copies are not written. All processes return when the
    file is on disk.

    Parameters
    ----------
    path
        Path of the file, the same on all processes. The extension determines the format: ``.npy``, ``.h5`` or
        ``.hdf5``.
    a
        The array. The elements of a lazy view, such as ``a.T``, are copied first.
    mode
        "w" makes a new file, which replaces an old file only when the new one is complete. After an error the old file
        is unchanged. "r+" overwrites elements of the file in place. "a" appends the array to an HDF5 dataset, as one
        more step along the dataset's first axis. "r+" and "a" are not atomic.
    format
        "npy", "raw" (elements only) or "hdf5". None means the format of the file's extension.
    dataset
        Name of the dataset in an HDF5 file. The name can also follow the path: "x.h5:/group/u".
    dtype
        Element type in a new file. Values are converted as `Array.astype` does. None means the array's type. Raw files
        can have another byte order, such as ">f8".
    order
        Storage order in a new file and in a raw file: "C" or "F".
    part
        With mode "r+": the part of the file's array that is overwritten, as an index expression such as ``np.s_[10:20,
        :]``.
    shape
        Extents of the whole array in a raw file, if only a part of the file is overwritten.
    offset
        Number of bytes before the first element in a raw file.
    lossy
        True if a lossy conversion to the element type of an existing file is allowed. Not needed with `dtype`.
    layout
        True if the layout is also stored for `load`: as an attribute in HDF5, otherwise in the file "PATH.dap".
    writers
        Number of processes on each node that write. 0 means two.
    align
        Pieces of the file begin at multiples of this number of bytes. 0 means 1 MiB.
    memory_bytes
        Limit on extra memory on each process, in bytes. 0 means 64 MiB.

    Raises
    ------
    FileError
        The file cannot be written. The error is also an OSError, such as FileNotFoundError or PermissionError.
    UnsupportedError
        The path has an unknown extension, or the format does not support the type or the mode.
    ArgumentError
        An argument is invalid or differs between the processes.

    Examples
    --------
    >>> a = dapbridge.from_global(np.arange(6.0).reshape(2, 3), MPI.COMM_SELF)
    >>> dapbridge.save("a.npy", a)
    >>> np.load("a.npy")
    array([[0., 1., 2.],
           [3., 4., 5.]])
    """
    if not isinstance(a, (Array, Lazy)):
        raise TypeError(_advice(a))
    a.save(
        path,
        mode=mode,
        format=format,
        dataset=dataset,
        dtype=dtype,
        order=order,
        part=part,
        shape=shape,
        offset=offset,
        lossy=lossy,
        layout=layout,
        writers=writers,
        align=align,
        memory_bytes=memory_bytes,
    )


def _advice(a: Any) -> str:
    kind = type(a).__name__
    if isinstance(a, (str, bytes)) or hasattr(a, "__fspath__"):
        return f"a, the second argument, is of type {kind}, not an array: write dapbridge.save(path, a)"
    known = foreign(a)
    use = known.use if known is not None else "dapbridge.array() makes one of the processes' parts, numpy.save() writes those"
    return f"a is of type {kind}, not a distributed array: {use}"


@spelled_by("dapbridge.load()", comm_of)
def load(
    path: Path,
    comm: MPI.Comm | None = None,
    dist: LayoutLike = None,
    *,
    grid: Sequence[int] | None = None,
    dtype: npt.DTypeLike = None,
    part: Any = None,
    out: Array | None = None,
    format: str | None = None,
    dataset: str | None = None,
    shape: int | Sequence[int] | None = None,
    order: str = "C",
    offset: int = 0,
    lossy: bool = False,
    writers: int = 0,
    align: int = 0,
    memory_bytes: int = 0,
) -> Array:
    """Loads an array, or a part of it, from a file onto any number of processes. Collective on `comm`.

    Elements are converted to the array's type and this machine's byte order. Padding, ghosts and copies are filled.

    Parameters
    ----------
    path
        Path of the file, the same on all processes: an .npy, .h5 or .hdf5 file written by `save`, numpy or h5py, or a
        raw file with `format`.
    comm
        The processes that receive the array. None means the processes of `out`, or MPI.COMM_WORLD without `out`.
    dist
        The distribution of each axis, such as ``["block", "cyclic"]``, a layout, or an array whose layout is used. None
        means the layout that `save` stored, if this layout has as many processes as `comm`, and otherwise blocks along
        the first axis. `file_info` reports which of these two layouts is used, and why.
    grid
        Number of processes along each axis. For distributions in `dist`, None means the grid of a Cartesian `comm`, and
        otherwise a grid that is as even as possible.
    dtype
        Element type of the new array. None means the file's type. For a raw file, `dtype` is also the type in the file.
    part
        The part of the file's array to load, as an index expression such as ``np.s_[10:20, :, 3]``. None means the
        whole array.
    out
        The array that receives the elements, instead of a new array.
    format
        "npy", "raw" (elements only) or "hdf5". None means the format of the file's extension.
    dataset
        Name of the dataset in an HDF5 file. The name can also follow the path: "x.h5:/group/u".
    shape
        Extents of the array in a raw file. None means the extents of `out`.
    order
        Storage order in a raw file: "C" or "F".
    offset
        Number of bytes before the first element in a raw file.
    lossy
        True if a lossy conversion to the type of `out` is allowed.
    writers
        Number of processes on each node that read. 0 means two.
    align
        Pieces of the file begin at multiples of this number of bytes. 0 means 1 MiB.
    memory_bytes
        Limit on extra memory on each process, in bytes. 0 means 64 MiB.

    Returns
    -------
    Array
        `out`, or a new array whose parts have the storage order of the file.

    Raises
    ------
    FileError
        The file cannot be read, is too short, or has a wrong header. The error is also an OSError, such as
        FileNotFoundError or PermissionError.
    UnsupportedError
        The path has an unknown extension, or dapbridge does not support the type of the file's elements, for example
        Python objects.
    ArgumentError
        An argument is invalid or differs between the processes.

    Examples
    --------
    >>> np.save("b.npy", np.arange(6.0).reshape(2, 3))
    >>> b = dapbridge.load("b.npy", MPI.COMM_SELF, ["block", "cyclic"])
    >>> b.gather()
    array([[0., 1., 2.],
           [3., 4., 5.]])
    >>> dapbridge.load("b.npy", MPI.COMM_SELF, part=np.s_[:, 1]).gather()
    array([1., 4.])
    """
    given, comm = comm, _comm_of(comm, out)
    function = "dapbridge.load()"
    is_raw = format == "raw"
    with agreed(comm, function):
        _check(given, dist, grid, out)
        name = path_of(path, dataset)
        options = options_of(
            name,
            format=format,
            dtype=dtype if out is None or is_raw else None,
            shape=shape,
            order=order,
            offset=offset,
            lossy=lossy or (dtype is not None and out is None),
            writers=writers,
            align=align,
            memory_bytes=memory_bytes,
            names_dataset=dataset is not None,
        )
        if out is not None and dtype is not None and not is_raw:
            raise ArgumentError("dtype is that of out: give one of the two")
    if out is None or part is not None:
        info = info_of(comm, name, options)
        with agreed(comm, function):
            extents = _choose_part(part, info.shape, options)
            kind = _check_layout(comm, extents, dist, grid) if out is None else "out"
            words = zlib.crc32(repr((options.get("part"), kind)).encode())
        _core.agree_word(comm.py2f(), "part, or whether there is a dist", words)
        if out is None and part is not None and kind == "stored":
            info = info_of(comm, name, options)
    target = _new(comm, info, extents, dist, grid, None if is_raw else dtype) if out is None else out

    def read(on: MPI.Comm) -> None:
        _core.file_load(on.py2f(), target.layout, target._local, name, options)

    on_processes_of(target, function, read)
    return target


def _comm_of(comm: MPI.Comm | None, out: Any) -> MPI.Comm:
    """Returns the communicator. If `comm` is wrong, the processes of `out` raise the error."""
    if isinstance(out, Array):
        require_held(out, "dapbridge.load()")
        return out.over
    if comm is None:
        return MPI.COMM_WORLD
    require_comm(comm, "dapbridge.load()")
    return comm


def _check(comm: Any, dist: Any, grid: Any, out: Any) -> None:
    if out is None:
        return
    if not isinstance(out, Array):
        raise TypeError(f"out is of type {type(out).__name__}, not an Array")
    if dist is not None or grid is not None:
        raise ArgumentError("dist and grid are for a new array, and out is given")
    if comm is not None and comm != out.over:
        raise ArgumentError("comm is not the communicator of out: leave it out")


def _choose_part(part: Any, shape: tuple[int, ...], options: dict[str, Any]) -> tuple[int, ...]:
    """Sets the option `part`, and returns the extents of the part."""
    if part is None:
        return shape
    axes, _, extents = options["part"] = part_of(part, shape)
    return tuple(extents or ()) if axes is None else tuple(1 if k < 0 else (extents or ())[k] for k in axes)


def _check_layout(comm: MPI.Comm, shape: tuple[int, ...], dist: Any, grid: Any) -> str:
    """Checks distributions, and returns the kind of the new array's layout: "stored", "layout" or "dist"."""
    if isinstance(dist, (Array, _core.Layout)):
        if dist.shape != shape:
            raise ArgumentError(f"dist has the shape {dist.shape}, and what is loaded {shape}")
        return "layout"
    if dist is None and grid is None:
        return "stored"
    dists_on(comm, dist, len(shape), grid)
    return "dist"


def _new(
    comm: MPI.Comm, info: FileInfo, shape: tuple[int, ...], dist: Any, grid: Sequence[int] | None, dtype: npt.DTypeLike
) -> Array:
    """Makes an array for the elements of the file, in the file's storage order."""
    kind = info.dtype.newbyteorder("=") if dtype is None else np.dtype(dtype)
    if isinstance(dist, Array):
        return new_array(Array, dist.layout, comm, kind, info.order, ranks=dist.ranks)
    if isinstance(dist, _core.Layout):
        return new_array(Array, dist, comm, kind, info.order)
    if dist is None and grid is None:
        return new_array(Array, info.layout, comm, kind, info.order)
    return new_array(Array, layout_on(shape, comm, dist, grid), comm, kind, info.order)

"""The memory of arrays: new memory, or the memory of a numpy array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from . import _core
from ._base import ArrayBase
from ._comms import agreed, group_of, joined, require_mpi
from ._errors import ArgumentError, ArrayBufferError
from ._local_part import NDArray
from .dists import local as local_axis

_A = TypeVar("_A", bound=ArrayBase)

_LINE = 64  # bytes: a cache line, and an AVX-512 register
_TYPES = "bool, int8 to int64, uint8 to uint64, float16 to float64, longdouble, complex64, complex128, clongdouble"


def type_name(dtype: npt.DTypeLike) -> str:
    """Returns the library's name of an element type, which is the same as numpy's."""
    name = np.dtype(dtype).newbyteorder("=").name
    try:
        _core.dtype_typestr(name)
    except ArrayBufferError:
        advice = "; move them as int64, by .view('i8')" if np.dtype(dtype).kind in "mM" else ""
        raise ArrayBufferError(f"elements of type {name} are not supported: {_TYPES} are{advice}") from None
    return name


def new_array(
    kind: type[_A],
    layout: _core.Layout,
    comm: MPI.Comm,
    dtype: npt.DTypeLike,
    order: str = "C",
    shared: bool = True,
    ranks: list[int] | None = None,
) -> _A:
    """Makes an array of zeros, of the class `kind`, on the first processes of `comm`, or on its processes `ranks`.

    Collective on `comm`.
    """
    ranks, rank = _places(layout, comm, ranks)
    memory = None
    is_first = ranks is None or ranks[: layout.nprocs] == list(range(layout.nprocs))
    if not shared or not is_first or _is_partial(layout):
        with agreed(comm, "dapbridge: new array"):
            name = _checked(dtype, order)
            if rank >= 0:
                memory = _core.Local.make(*_expressible(layout, rank), name, order)
    else:
        with joined(comm, "dap_array_alloc_contiguous"):
            name = _checked(dtype, order)
        memory, _ = _core.Local.alloc(comm.py2f(), layout, name, order, True)
    own = comm if ranks is None else group_of(comm, ranks)
    array = kind(layout, memory if rank >= 0 else None, own, comm, ranks, name)
    array._keeps = memory
    return array


def new_result(
    kind: type[_A],
    layout: _core.Layout,
    comm: MPI.Comm,
    dtype: npt.DTypeLike,
    ranks: list[int] | None = None,
) -> _A:
    """Makes an array as `new_array` does, but not in shared memory.

    Owned elements and replicas are left uninitialised here, because the next move fills them.
    """
    ranks, rank = _places(layout, comm, ranks)
    memory = None
    with agreed(comm, "dapbridge: new array"):
        name = type_name(dtype)
        if rank >= 0:
            memory = _unset(*_expressible(layout, rank), np.dtype(name))
    return kind(layout, memory, comm if ranks is None else group_of(comm, ranks), comm, ranks, name)


def _places(layout: _core.Layout, comm: MPI.Comm, ranks: list[int] | None) -> tuple[list[int] | None, int]:
    """Returns the ranks in `comm` of the layout's processes, and this process's rank in the layout, or -1. None
    instead of a list means that the ranks are equal."""
    require_mpi()
    if ranks is None and layout.nprocs < comm.size:
        ranks = list(range(layout.nprocs))
    if ranks is None:
        return None, comm.rank
    return ranks, ranks.index(comm.rank) if comm.rank in ranks else -1


def _unset(layout: _core.Layout, rank: int, dtype: np.dtype[Any]) -> _core.Local:
    """Makes memory in which only padding and ghosts are set to 0, because moves do not write them."""
    coords = layout.coords(rank)
    extents = [layout.extent(k, c) for k, c in enumerate(coords)]
    values = _on_line(extents, dtype)
    for k, c in enumerate(coords):
        if layout.owned(k, c) < extents[k] and not layout.axis(k)["replicated"]:
            is_owned = np.frombuffer(layout.is_owned(k, c), np.bool_)
            np.moveaxis(values, k, 0)[~is_owned] = 0
    return _core.Local.wrap(layout, rank, values, dtype.str)


def _on_line(shape: Sequence[int], dtype: np.dtype[Any]) -> NDArray:
    """Calls numpy.empty() for memory that begins on a cache line. numpy uses huge pages if the system has them."""
    count = math.prod(shape) * dtype.itemsize
    memory = np.empty(count + _LINE, np.uint8)
    first = -memory.ctypes.data % _LINE
    return memory[first : first + count].view(dtype).reshape(shape)


def _checked(dtype: npt.DTypeLike, order: str) -> str:
    """Checks the order, and returns the library's name of the type."""
    if order not in ("C", "F"):
        raise ArgumentError(f"order {order!r} is neither 'C' nor 'F'")
    return type_name(dtype)


def wrap(layout: _core.Layout, rank: int, buffer: NDArray) -> _core.Local:
    """Makes the part of process `rank` of an array, in the memory of a numpy array. Not collective."""
    whole, place = _expressible(layout, rank)
    return _core.Local.wrap(whole, place, buffer, buffer.dtype.str)


def _is_partial(layout: _core.Layout) -> bool:
    return any(layout.axis(k)["partial"] for k in range(layout.ndim))


def _expressible(layout: _core.Layout, rank: int) -> tuple[_core.Layout, int]:
    """Returns a layout and a rank that the protocol can express. If an axis is partial, they are for one process."""
    if not _is_partial(layout):
        return layout, rank
    extents = [layout.extent(k, c) for k, c in enumerate(layout.coords(rank))]
    return _core.Layout([local_axis().entry(n, 1) for n in extents]), 0

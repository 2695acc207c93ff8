"""One process's part of a distributed array. Nothing in this module is collective."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import ArgumentError, NotHereError, NoViewError
from .exports import export

NDArray = np.ndarray[Any, np.dtype[Any]]


def _require_same(value: Any, view: NDArray, name: str) -> None:
    """Raises an error unless `value` is the changed `view`, which Python assigns at the end of ``a.local += x``."""
    if isinstance(value, np.ndarray) and (value.shape, value.dtype) == (view.shape, view.dtype):
        if value.size == 0 or _place(value) == _place(view):
            return
    raise AttributeError(f"an array keeps its buffer: write a.{name}[...] = x, which sets the elements")


def _place(view: NDArray) -> tuple[int, tuple[int, ...]]:
    return view.ctypes.data, view.strides


class LocalPart:
    """The elements of process `rank` of a layout. A process outside the layout has rank -1 and no elements."""

    def __init__(self, layout: _core.Layout, rank: int, local: _core.Local | None, dtype: str | None) -> None:
        self.layout = layout
        self.rank = rank
        self._local = local
        self._type = local.dtype if local is not None else dtype or ""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type, with the byte order of this process's part."""
        return np.dtype(self._type if self._local is None else self._local.typestr)

    @property
    def local(self) -> NDArray:
        """This process's buffer with communication padding and ghosts, as a numpy view, not a copy.

        The memory is valid as long as this numpy array exists. On a process outside the layout the array is empty.
        """
        if self._local is None:
            return np.empty((0,) * max(self.layout.ndim, 1), self._type)
        return np.asarray(self._local).view(self.dtype)

    @local.setter
    def local(self, value: NDArray) -> None:
        _require_same(value, self.local, "local")

    @property
    def owned(self) -> NDArray:
        """The elements that this process owns, as a numpy view of its buffer, without communication padding and ghosts.

        Each element of the array is in the owned part of exactly one process. A replicated element is owned by the
        first process that has it.

        Raises
        ------
        UnsupportedError
            No numpy view can contain exactly these elements, because their positions in the buffer are not evenly
            spaced. This occurs if a list of indices has ghosts between owned elements. Use
            ``a.local[np.ix_(*a.owned_positions())]`` instead, which is a copy.
        """
        view = self.local
        if self.rank < 0:
            return view
        slices: list[Any] = [self._owned_slice(k, c) for k, c in enumerate(self.coords)]
        return view[(*slices, ...)]  # with the ellipsis numpy gives a view of an array of no axes, not a number

    @owned.setter
    def owned(self, value: NDArray) -> None:
        _require_same(value, self.owned, "owned")

    def _owned_slice(self, axis: int, coord: int) -> slice:
        positions = self._owned_positions(axis, coord)
        if len(positions) == 0:
            return slice(0, 0)
        first = int(positions[0])
        step = int(positions[1]) - first if len(positions) > 1 else 1
        if np.any(np.diff(positions) != step):
            raise NoViewError(
                f"axis {axis}: the elements owned are at uneven distances in the buffer; "
                "use local[np.ix_(*owned_positions())], a copy"
            )
        return slice(first, int(positions[-1]) + 1, step)

    def _owned_positions(self, axis: int, coord: int) -> npt.NDArray[np.intp]:
        return np.flatnonzero(np.frombuffer(self.layout.is_owned(axis, coord), np.bool_))

    @property
    def coords(self) -> tuple[int, ...]:
        """This process's coordinates on the process grid. A process outside the layout raises ArgumentError."""
        if self.rank < 0:
            raise NotHereError("this process has no part of the array")
        return self.layout.coords(self.rank)

    def owned_positions(self) -> tuple[npt.NDArray[np.intp], ...]:
        """Returns, for each axis, the positions in the local buffer that this process owns, as an array of integers."""
        if self.rank < 0:
            return (np.empty(0, np.intp),) * self.layout.ndim
        return tuple(self._owned_positions(k, c) for k, c in enumerate(self.coords))

    def indices(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Returns, for each axis, the global index of each position of the local buffer, as an int64 array.

        Examples
        --------
        >>> a = dapbridge.zeros((3, 4), MPI.COMM_SELF)
        >>> i, j = np.ix_(*a.indices())
        >>> a.local[...] = 10 * i + j
        >>> a.local[2]
        array([20., 21., 22., 23.])
        """
        if self.rank < 0:
            return (np.empty(0, np.int64),) * self.layout.ndim
        return tuple(self._indices(k, c) for k, c in enumerate(self.coords))

    def _indices(self, axis: int, coord: int) -> npt.NDArray[np.int64]:
        facts = self.layout.axis(axis)
        if facts["replicated"] or facts["partial"]:
            return np.arange(facts["size"])
        if facts["dist_type"] == "u":
            listed = self.layout.dim(None, axis, coord)[9]
            return np.array(np.asarray(listed), np.int64)
        result = np.zeros(self.layout.extent(axis, coord), np.int64)
        for start, position, length in self.layout.runs(axis, coord):
            result[position : position + length] = np.arange(start, start + length)
            if facts["dist_type"] == "b":
                result = (start - position + np.arange(len(result))) % facts["size"]
        return result

    def __distarray__(self, version: str | tuple[int, ...] | None = None) -> dict[str, Any]:
        """Exports this process's part with the Distributed Array Protocol: its dictionaries, and `local` as the buffer.

        Parameters
        ----------
        version
            Version of the protocol, which determines the keys of the dictionaries: "0.10.0", "0.9.0" or (0, 0, 1). None
            means 0.10, or 0.9 if only 0.9 can express the array.

        Raises
        ------
        UnsupportedError
            The version cannot express the array.
        ArgumentError
            This process has no part of the array.
        """
        if self._local is None:
            raise ArgumentError("this process has no part of the array")
        if version is None:
            version = self._local.version
        return export(self.layout, self.rank, version, self.local)

    def json(self) -> str:
        """Returns the dictionaries, and the buffer's shape, type and strides, as JSON. Not collective.

        Raises
        ------
        ArgumentError
            This process has no part of the array.

        Examples
        --------
        >>> print(dapbridge.zeros(3, MPI.COMM_SELF).json())  # doctest: +NORMALIZE_WHITESPACE
        {"__version__": "0.10.0", "dim_data": [{"dist_type": "b", "size": 3, "proc_grid_size": 1,
        "proc_grid_rank": 0, "start": 0, "stop": 3}], "buffer": {"shape": [3], "dtype": "<f8", "strides": [8]}}
        """
        if self._local is None:
            raise ArgumentError("this process has no part of the array")
        return self._local.json()

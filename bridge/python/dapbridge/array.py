"""Distributed arrays: a layout, and this process's part as a numpy array."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from . import _core
from ._comms import agreed, group_of
from ._errors import ArgumentError, Error, LayoutError, RemoteError, ShareError, UnsupportedError

if TYPE_CHECKING:
    from .lazy import Lazy
    from .matrix import Matrix
    from .petsc import Field, PetscMatrix, Vector
    from .plan import Plan

NDArray = np.ndarray[Any, np.dtype[Any]]

_EMPTY_PART = (None, None, None)


class Array:
    """A distributed array.

    Made by the functions of this package (`array`, `zeros`, `from_global`, `from_dap`...), by slicing, and by
    moving another one (`redistribute`).

    Attributes
    ----------
    layout : _core.Layout
        Where each element is.
    comm : mpi4py.MPI.Comm
        The processes of the layout, in the order of its ranks; MPI.COMM_NULL on a process outside, which only
        slicing makes.
    over : mpi4py.MPI.Comm
        The communicator that moves of the array are collective on. It contains `comm`, and mostly is it.
    ranks : list of int or None
        The rank in `over` of each process of the layout; None: rank i is process i.
    rank : int
        This process's number in the layout, -1 outside.
    base : Array or None
        The array whose memory this one is a window of.
    """

    def __init__(
        self,
        layout: _core.Layout,
        local: _core.Local | None,
        comm: MPI.Comm,
        over: MPI.Comm | None = None,
        ranks: list[int] | None = None,
        dtype: str | None = None,
        base: Array | None = None,
    ) -> None:
        self.layout = layout
        self.comm = comm
        self.over = comm if over is None else over
        self.ranks = ranks
        self.base = base
        self.rank = -1 if comm == MPI.COMM_NULL else comm.rank
        self._local = local
        self._handle = -1 if comm == MPI.COMM_NULL else comm.py2f()
        self._over_handle = self._handle if over is None else over.py2f()
        self._type = local.dtype if local is not None else dtype or ""
        self._plans: dict[tuple[Any, ...], _core.Plan] = {}

    # ---- the whole ----

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the whole array."""
        return self.layout.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.layout.ndim

    @property
    def size(self) -> int:
        """The number of elements of the whole array."""
        return math.prod(self.layout.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type, with the byte order of this process's part."""
        return np.dtype(self._type if self._local is None else self._local.typestr)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of the elements of the whole array."""
        return self.size * self.itemsize

    # ---- this process's part ----

    @property
    def local(self) -> NDArray:
        """This process's buffer, communication padding and ghosts included: a numpy view, no copy.

        The memory lives as long as the view. A process outside the layout has an empty array.
        """
        if self._local is None:
            return np.empty((0,) * max(self.ndim, 1), self._type)
        return np.asarray(self._local).view(self.dtype)

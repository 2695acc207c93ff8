"""Arrays from parts that other libraries have in host memory, through DLPack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

from ._comms import agreed
from ._errors import ArgumentError
from ._given import COPY, device_of
from ._grids import Dists
from ._keywords import spelled_on
from ._local_part import NDArray
from .array import Array
from .make import array


@spelled_on("dapbridge.from_dlpack()")
def from_dlpack(local: Any, comm: MPI.Comm, dist: Dists = None, grid: Sequence[int] | None = None) -> Array:
    """Makes a distributed array from one tensor on each process, such as a PyTorch tensor.

    No element is copied or moved.

    Collective on `comm`.

    Parameters
    ----------
    local
        This process's part: an object with ``__dlpack__()`` and ``__dlpack_device__()``, in host memory. It becomes the
        array's buffer. Values that are written to the array appear in the object, and vice versa.
    comm
        The array's processes. Their ranks are in row-major order on the grid.
    dist
        Distribution of each axis: a name such as "block", or a `Dist` such as ``cyclic(2)``. None means blocks along
        the first axis, or along the dimensions of a Cartesian `comm`.
    grid
        Number of processes along each axis. None means the grid of a Cartesian `comm`, and otherwise a grid that is as
        even as possible.

    Raises
    ------
    ArgumentError
        A tensor is in the memory of a device, or the object has no ``__dlpack__()``.
    LayoutError
        The parts do not form an array. The message names the process and the axis.

    Examples
    --------
    >>> part = np.arange(6.0).reshape(2, 3)  # numpy's arrays have __dlpack__(), too
    >>> a = dapbridge.from_dlpack(part, MPI.COMM_SELF)
    >>> a.local[1, 2] = 7
    >>> print(part[1, 2])
    7.0
    """
    with agreed(comm, "dapbridge.from_dlpack()"):
        mine = _tensor(local)
    return array(mine, comm, dist, grid)


def _tensor(x: Any) -> NDArray:
    kind = type(x).__name__
    if not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        raise ArgumentError(
            f"from_dlpack() takes a tensor with __dlpack__() and __dlpack_device__(), and a {kind} has none; "
            "dapbridge.array() takes what numpy.asarray() does"
        )
    device = device_of(x)
    if device:
        raise ArgumentError(
            f"the {kind} is in memory of a device ({device}), and distributed arrays are in host memory only: {COPY}"
        )
    view = np.from_dlpack(x)
    is_dated = np.lib.NumpyVersion(np.__version__) < "2.1.0"  # it treats all tensors as read-only
    return np.asarray(_Writable(view)) if is_dated and not view.flags.writeable else view


class _Writable:
    """The memory of a numpy array, which may be written to."""

    def __init__(self, view: NDArray) -> None:
        self.view = view
        address, _ = view.__array_interface__["data"]
        self.__array_interface__ = {**view.__array_interface__, "data": (address, False)}

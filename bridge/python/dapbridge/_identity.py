"""New arrays with ones on a diagonal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from ._comms import agree_equal, agreed
from ._grids import Dists
from ._integers import integer
from ._keywords import spelled_on
from .array import Array
from .make import zeros


@spelled_on("dapbridge.eye()")
def eye(
    n: int,
    comm: MPI.Comm,
    m: int | None = None,
    k: int = 0,
    dist: Dists = None,
    dtype: npt.DTypeLike = float,
    grid: Sequence[int] | None = None,
    order: str = "C",
    shared: bool = True,
) -> Array:
    """Creates a matrix of zeros with ones on a diagonal, as `numpy.eye` does. Collective on `comm`.

    Parameters
    ----------
    n, m
        Number of rows, and number of columns. If m is None, there are as many columns as rows.
    comm
        The array's processes. Their ranks are in row-major order on the grid.
    k
        The diagonal: 0 is the main diagonal, 1 is the diagonal above it, and -1 is the diagonal below it.
    dist
        Distribution of each axis: a name, or a `Dist`. None means blocks of rows, or along the dimensions of a
        Cartesian `comm`.
    dtype
        Element type.
    grid
        Number of processes along each axis. None means the grid of a Cartesian `comm`, and otherwise a grid that is as
        even as possible.
    order
        Storage order of the parts, "C" or "F".
    shared
        True if the processes of each node share the memory of the array, so that plans can copy elements directly.

    Examples
    --------
    >>> dapbridge.eye(2, MPI.COMM_SELF, m=3, k=1).gather()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    with agreed(comm, "dapbridge.eye()"):
        shape = integer(n, "n"), integer(n if m is None else m, "m")
        offset = integer(k, "k")
    agree_equal(comm, "dapbridge.eye()", "k", offset)
    result = zeros(shape, comm, dist, dtype, grid, order, shared)
    with agreed(comm, "dapbridge.eye()"):
        rows, columns = np.ix_(*result.indices())
        result.local[rows + offset == columns] = 1
    return result


@spelled_on("dapbridge.eye()")
def identity(
    n: int,
    comm: MPI.Comm,
    dist: Dists = None,
    dtype: npt.DTypeLike = float,
    grid: Sequence[int] | None = None,
    order: str = "C",
    shared: bool = True,
) -> Array:
    """Creates the identity matrix, a square matrix with ones on the main diagonal. Collective on `comm`.

    Parameters
    ----------
    n
        Number of rows and of columns.
    comm
        The array's processes. Their ranks are in row-major order on the grid.
    dist
        Distribution of each axis: a name, or a `Dist`. None means blocks of rows, or along the dimensions of a
        Cartesian `comm`.
    dtype
        Element type.
    grid
        Number of processes along each axis. None means the grid of a Cartesian `comm`, and otherwise a grid that is as
        even as possible.
    order
        Storage order of the parts, "C" or "F".
    shared
        True if the processes of each node share the memory of the array, so that plans can copy elements directly.
    """
    return eye(n, comm, None, 0, dist, dtype, grid, order, shared)

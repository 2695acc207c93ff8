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
    """A new matrix of zeros with ones on a diagonal, as numpy.eye. Collective on `comm`.

    Parameters
    ----------
    n, m
        Rows and columns. m None: as many as rows.
    k
        The diagonal: 0 is the main one, 1 the next one above, -1 the next one below.
    comm, dist, grid, dtype, order, shared
        As in `zeros`.

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
    """The identity, a new matrix of `n` rows; see `eye`. Collective on `comm`."""
    return eye(n, comm, None, 0, dist, dtype, grid, order, shared)

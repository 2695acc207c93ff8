"""The pseudo-inverse, computed from singular values or eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _scalapack
from ._comms import agree_equal
from ._errors import ArgumentError
from ._factored import side_of
from ._factors import eigh
from ._integers import real
from ._operands import Frame, Matrix, NDArray, Operand, Report, fill_report, plain, relaid
from ._singular import svd
from .array import Array


def pinv(
    a: Matrix,
    rcond: float | None = None,
    hermitian: bool = False,
    *,
    rtol: float | None = None,
    report: Report | None = None,
) -> Array:
    """Computes the pseudo-inverse of a matrix from its singular values. Collective.

    Parameters
    ----------
    a : (m, n)
        The matrix.
    rcond : float, optional
        Singular values up to `rcond` times the largest one are treated as 0. None means 1e-15, as in numpy.
    hermitian : bool
        True if `a` is symmetric or Hermitian. The function then computes eigenvalues instead of singular values,
        which is faster.
    rtol : float, optional
        The name of `rcond` in the Python array API standard. Only one of the two can be given.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array, (n, m)
        The pseudo-inverse, on the process grid of a.

    Raises
    ------
    LinAlgError
        An element of the matrix is NaN or infinite.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[2.0, 0], [0, 0]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.pinv(a, hermitian=True).gather()
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    given, _ = plain(a)
    frame = Frame("linalg.pinv()", given)
    with frame.agreed():
        frame.check(given, report=report)
        frame.extents(given)
        if rcond is not None and rtol is not None:
            raise ArgumentError("pinv: rcond and rtol are given; only one of them can be used")
        chosen = rtol if rcond is None else rcond
        limit = 1e-15 if chosen is None else real(chosen, "rcond" if rtol is None else "rtol")
        if hermitian:
            side_of(frame, given)
    agree_equal(frame.comm, frame.function, "rcond, rtol or hermitian", (limit, bool(hermitian)))
    if hermitian:
        return _by_eigenvalues(frame, given, limit, report)
    return _by_singular_values(frame, given, limit, report)


def _by_eigenvalues(frame: Frame, given: Any, limit: float, report: Report | None) -> Array:
    """Computes ``v @ diag(1 / w) @ v.conj().T`` from eigenvalues w and eigenvectors v."""
    values, vectors = eigh(given, report=report)
    with frame.agreed():
        right = frame.operand(vectors)
        left = frame.work(vectors, False)
        left.array.local[...] *= _inverse(values, limit)[vectors.indices()[1]]
        result = frame.new(given.layout, right.local, given)
    return _multiplied(frame, "N", left, right, result, report)


def _by_singular_values(frame: Frame, given: Any, limit: float, report: Report | None) -> Array:
    u, s, vh = svd(given, report=report)
    with frame.agreed():
        factors = _inverse(s, limit)
        long = _long_of(u, vh, frame.comm.size)
        if long is not u:
            u.local[...] *= factors[u.indices()[1]]
        else:
            vh.local[...] *= factors[vh.indices()[0]][:, None]
        left, right = frame.operand(vh), frame.operand(u)
        result = frame.new(relaid(given.layout, given.shape[::-1]), right.local, given)
    if long is not None:
        _multiply_rows(long, (vh if long is u else u).gather(), long is vh)
        return long.T.conj().redistribute(out=result.array)
    return _multiplied(frame, "C", left, right, result, report)


def _inverse(values: NDArray, limit: float) -> NDArray:
    """Returns the inverse values, and 0 for values up to the limit. The limit is relative to the largest value."""
    sizes = abs(values)
    return np.divide(1, values, where=sizes > limit * sizes.max(initial=0), out=np.zeros_like(values))


def _multiplied(
    frame: Frame, trans: str, left: Operand, right: Operand, result: Operand, report: Report | None
) -> Array:
    """Computes ``op(left) @ right.conj().T``."""
    uses = _scalapack.multiply(frame.handle, trans, "C", 1, left.pair, right.pair, 0, result.pair, {})
    fill_report(report, uses)
    return result.array


def _long_of(u: Array, vh: Array, processes: int) -> Array | None:
    """Returns U if very tall with complete rows on each process, or Vh if very wide with complete columns."""
    for factor, along in ((u, 0), (vh, 1)):
        longer, shorter = factor.shape[along], factor.shape[1 - along]
        if shorter and longer >= 4 * shorter * processes and factor.layout.grid[1 - along] == 1:
            return factor
    return None


def _multiply_rows(long: Array, small: Any, is_wide: bool) -> None:
    """Overwrites a tall ``long`` with ``long @ small``, or a wide one with ``small @ long``. Not collective."""
    rows = long.local.T if is_wide else long.local
    order = long.indices()[0 if is_wide else 1]  # an axis with lists can have another order than 0, 1, ...
    factor = (small.T if is_wide else small)[np.ix_(order, order)]
    step = max(1, 2**16 // len(factor))
    for start in range(0, len(rows), step):
        rows[start : start + step] = rows[start : start + step] @ factor

"""Cholesky and LU factors as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import _scalapack
from ._factored import factorable, is_diagonal, op_of, side_of, take_triangle
from ._moves import move
from ._operands import Frame, Matrix, NDArray, Operand, Report, fill_report, plain
from ._solvers import cho_factor
from .array import Array, Lazy


class LUResult(NamedTuple):
    """The factors that `lu` computes, and the permutation P of the rows."""

    P: NDArray
    L: Array
    U: Array


def cholesky(
    a: Matrix, *, lower: bool = True, overwrite_a: bool = False, report: Report | None = None
) -> Array:
    """Computes the Cholesky factor of a symmetric or Hermitian positive definite matrix: ``a = L @ L.T.conj()``.

    Collective.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    lower : bool
        If True (numpy's default), the function computes L from the lower triangle of a. If False (scipy's default), it
        computes U from the upper triangle, so that ``a = U.T.conj() @ U``.
    overwrite_a : bool
        True if `a` may be used as work space and for the result.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array
        L or U, with the layout of a and zeros in the other triangle. To solve for many right-hand sides, use
        `cho_factor` instead. The attributes `L` and `U` of its result, a `Factors` object, are the factors as arrays.

    Raises
    ------
    LinAlgError
        `a` is not positive definite.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[4.0, 2], [2, 2]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.cholesky(a).gather()
    array([[2., 0.],
           [1., 1.]])
    """
    with cho_factor(a, lower, overwrite_a=overwrite_a, report=report) as factors:
        return factors.L if lower else factors.U


def lu(a: Matrix, *, report: Report | None = None) -> LUResult:
    """Computes the LU factors ``a = (L @ U)[P]`` with partial pivoting, like scipy's ``lu(a, p_indices=True)``.

    Collective.

    Row P[i] of the product ``L @ U`` is row i of a. To solve systems with the factors, use `lu_factor` instead.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    LUResult
        ``P`` is a numpy array of integers, the same on every process. ``L``, with ones on its diagonal, and ``U`` have
        the layout of a.

    Raises
    ------
    LinAlgError
        `a` is singular. (scipy returns factors in this case.)

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[0.0, 2], [3, 1]]), MPI.COMM_SELF)
    >>> P, L, U = dapbridge.linalg.lu(a)
    >>> P
    array([1, 0])
    >>> (L @ U).gather()[P]
    array([[0., 2.],
           [3., 1.]])
    """
    a, _ = plain(a)
    frame = Frame("linalg.lu()", a)
    with frame.agreed():
        frame.check(a, report=report)
        size = side_of(frame, a)
        given = frame.operand(a)
        lower, upper = frame.new_like(a, (size, size)), frame.new_like(a, (size, size))
    if size == 0:
        return LUResult(np.zeros(0, np.int64), lower.array, upper.array)
    matrix, use = factorable(frame, a, given, "getrf")
    fill_report(report, [use])
    stored, op = matrix.array, op_of(frame, matrix, "getrf")
    if op == "T":  # the matrix itself is then the transposed array
        move(Lazy(given.array).T, stored)
    factors, _ = _scalapack.Factors.lu(frame.handle, matrix.pair, {"keep": False})
    seen: Array | Lazy = Lazy(stored).T if op == "T" else stored
    take_triangle(seen, True, lower.array)
    take_triangle(seen, False, upper.array)
    with frame.agreed():
        lower.array.local[is_diagonal(lower.array)] = 1
    order, scale = _rows_of(frame, factors, matrix, op)
    upper.array.local[...] /= scale
    return LUResult(order, lower.array, upper.array)


def _rows_of(
    frame: Frame, factors: _scalapack.Factors, matrix: Operand, op: str
) -> tuple[NDArray, float]:
    """Returns the place of each row of the matrix in L, and the power of 2 that scales the factors.

    The factors are in the memory of `matrix`, which this function overwrites with the identity. Solving a system then
    only moves the rows of the right-hand side, and multiplies them by the scale.
    """
    size = matrix.array.shape[0]
    small = 2.0**-30  # times scale, which may be large, times size: within range
    with frame.agreed():
        matrix.array.local[...] = is_diagonal(matrix.array)
        rows = frame.numbers((size, 2))
        rows.value[...] = np.stack([np.arange(size) * small, np.full(size, small)], axis=1)
    factors.solve(frame.handle, op, rows.pair, {})
    factors.destroy()
    moved, scale = rows.value[:, 0].real, float(rows.value[0, 1].real)
    order = np.empty(size, np.int64)
    order[np.rint(moved / scale).astype(np.int64)] = np.arange(size)
    return order, scale / small

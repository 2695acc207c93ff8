"""Systems of linear equations with band matrices."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, overload

from . import _scalapack
from ._errors import ArgumentError
from ._operands import Frame, Matrix, NDArray, Operand, Report, fill_report, plain
from .array import Array, Lazy


@overload
def solve_banded(
    l_and_u: Sequence[int],
    ab: Matrix,
    b: Array | Lazy,
    *,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array: ...
@overload
def solve_banded(
    l_and_u: Sequence[int],
    ab: Matrix,
    b: NDArray,
    *,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> NDArray: ...
def solve_banded(
    l_and_u: Sequence[int],
    ab: Matrix,
    b: Matrix,
    *,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array | NDArray:
    """Solves ``a @ x = b`` for a band matrix, by LU factorisation with pivoting. Collective.

    Parameters
    ----------
    l_and_u : (int, int)
        Numbers of diagonals below and above the main one.
    ab : (l + u + 1, n)
        The diagonals: ``a[i, j]`` is ``ab[u + i - j, j]``. Elements of `ab` that are outside `a` are not read.
    b : (n,) or (n, k)
        The right-hand sides.
    overwrite_b : bool
        True if `b` may be used for the result.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array, or a numpy array if `b` is one
        The solution, with the layout of b. With `overwrite_b`, the solution is `b` itself if possible.

    Raises
    ------
    LinAlgError
        The matrix is singular.

    Examples
    --------
    >>> ab = np.array([[0.0, 1, 1], [4, 4, 4], [1, 1, 0]])
    >>> ab = dapbridge.from_global(ab, MPI.COMM_SELF)
    >>> b = dapbridge.from_global(np.array([5.0, 6, 5]), MPI.COMM_SELF)
    >>> dapbridge.linalg.solve_banded((1, 1), ab, b).gather()
    array([1., 1., 1.])
    """
    ab, _ = plain(ab)
    b, _ = plain(b)
    frame = Frame("linalg.solve_banded()", ab, b)
    with frame.agreed():
        lower, upper = _numbers(frame, l_and_u)
        band, x = _operands(frame, ab, b, overwrite_b, report)
    fill_report(report, _scalapack.banded_solve(frame.handle, lower, upper, band.pair, x.pair, {}))
    return x.result


@overload
def solveh_banded(
    ab: Matrix,
    b: Array | Lazy,
    *,
    lower: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array: ...
@overload
def solveh_banded(
    ab: Matrix,
    b: NDArray,
    *,
    lower: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> NDArray: ...
def solveh_banded(
    ab: Matrix,
    b: Matrix,
    *,
    lower: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array | NDArray:
    """Solves ``a @ x = b`` for a Hermitian positive definite band matrix, by Cholesky factorisation. Collective.

    Parameters
    ----------
    ab : (u + 1, n)
        The diagonals of one triangle. ``a[i, j]`` is ``ab[u + i - j, j]`` for the upper triangle, and ``ab[i - j, j]``
        for the lower triangle.
    b : (n,) or (n, k)
        The right-hand sides.
    lower : bool
        True if `ab` contains the lower triangle, False if it contains the upper one.
    overwrite_b : bool
        True if `b` may be used for the result.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array, or a numpy array if `b` is one
        The solution, with the layout of b. With `overwrite_b`, the solution is `b` itself if possible.

    Raises
    ------
    LinAlgError
        The matrix is not positive definite.

    Examples
    --------
    >>> ab = dapbridge.from_global(np.array([[4.0, 4, 4], [1, 1, 0]]), MPI.COMM_SELF)
    >>> b = dapbridge.from_global(np.array([5.0, 6, 5]), MPI.COMM_SELF)
    >>> dapbridge.linalg.solveh_banded(ab, b, lower=True).gather().round(6)
    array([1., 1., 1.])
    """
    ab, _ = plain(ab)
    b, _ = plain(b)
    frame = Frame("linalg.solveh_banded()", ab, b)
    with frame.agreed():
        band, x = _operands(frame, ab, b, overwrite_b, report)
    uplo = "L" if lower else "U"
    fill_report(report, _scalapack.positive_banded_solve(frame.handle, uplo, band.pair, x.pair, {}))
    return x.result


def _numbers(frame: Frame, l_and_u: Sequence[int]) -> tuple[int, int]:
    try:
        lower, upper = map(operator.index, l_and_u)
    except (TypeError, ValueError):
        raise ArgumentError(f"{frame.function}: l_and_u is {l_and_u!r}, not two integers") from None
    return lower, upper


def _operands(
    frame: Frame, ab: Any, b: Any, overwrite_b: bool, report: Report | None
) -> tuple[Operand, Operand]:
    """Returns operands for the band, which is only read, and for the result."""
    frame.check(ab, b, report=report)
    return frame.operand(ab), frame.work(b, overwrite_b)

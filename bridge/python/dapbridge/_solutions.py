"""Solutions with factors under scipy's names, and solutions with error bounds."""

from __future__ import annotations

from typing import Any, NamedTuple, overload

import numpy as np

from . import _scalapack
from ._operands import Frame, Matrix, NDArray, Report, fill_report, plain
from ._solvers import Factors
from ._triangular import ALLOWED, Trans, check_trans, letter_of
from .array import Array, Lazy


class RefinedResult(NamedTuple):
    """The solution, its error bounds and a condition number. `solve_refined` computes them."""

    x: Any
    #: For each right-hand side, an upper bound of ``max(abs(x - exact)) / max(abs(x))``.
    forward_error: NDArray
    #: For each right-hand side, the smallest relative change of elements of a and b for which x is the exact solution.
    backward_error: NDArray
    #: Estimated reciprocal condition number of `a`, after equilibration.
    rcond: float


@overload
def lu_solve(
    factors: Factors,
    b: Array | Lazy,
    trans: Trans = 0,
    *,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array: ...
@overload
def lu_solve(
    factors: Factors,
    b: NDArray,
    trans: Trans = 0,
    *,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> NDArray: ...
def lu_solve(
    factors: Factors,
    b: Matrix,
    trans: Trans = 0,
    *,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array | NDArray:
    """Solves ``a @ x = b``: returns ``factors.solve(b, trans)``, under scipy's name for the function. Collective.

    Parameters
    ----------
    factors : Factors
        The factors of a, which `lu_factor` or `cho_factor` has computed.
    b : (n,) or (n, k)
        The right-hand sides. They are converted to the type of the factors.
    trans : {0, 1, 2, "N", "T", "C"}
        1 or "T" solves ``a.T @ x = b``, and 2 or "C" solves ``a.T.conj() @ x = b``.
    overwrite_b : bool
        True if `b` may be used as work space and for the result.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array, or a numpy array if `b` is one
        The solution, with the layout of b. With `overwrite_b`, the solution is `b` itself if possible.
    """
    return factors.solve(b, trans, overwrite_b=overwrite_b, report=report)


@overload
def cho_solve(
    factors: Factors, b: Array | Lazy, *, overwrite_b: bool = False, report: Report | None = None
) -> Array: ...
@overload
def cho_solve(
    factors: Factors, b: NDArray, *, overwrite_b: bool = False, report: Report | None = None
) -> NDArray: ...
def cho_solve(
    factors: Factors, b: Matrix, *, overwrite_b: bool = False, report: Report | None = None
) -> Array | NDArray:
    """Solves ``a @ x = b``: returns ``factors.solve(b)``, under scipy's name for the function. Collective.

    Parameters
    ----------
    factors : Factors
        The factors of a, which `cho_factor` or `lu_factor` has computed.
    b : (n,) or (n, k)
        The right-hand sides. They are converted to the type of the factors.
    overwrite_b : bool
        True if `b` may be used as work space and for the result.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array, or a numpy array if `b` is one
        The solution, with the layout of b. With `overwrite_b`, the solution is `b` itself if possible.
    """
    return factors.solve(b, overwrite_b=overwrite_b, report=report)


def solve_refined(
    a: Matrix, b: Matrix, trans: Trans = 0, *, report: Report | None = None
) -> RefinedResult:
    """Solves ``a @ x = b`` as accurately as the element type allows, and returns error bounds. Collective.

    Like LAPACK's gesvx, the function equilibrates a copy of `a`, computes its LU factors, and refines the solution.

    Parameters
    ----------
    a : (n, n)
        The matrix. The lazy views ``a.T`` and ``a.T.conj()`` need no extra copy.
    b : (n,) or (n, k)
        The right-hand sides.
    trans : {0, 1, 2, "N", "T", "C"}
        1 or "T" solves ``a.T @ x = b``, and 2 or "C" solves ``a.T.conj() @ x = b``.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    RefinedResult
        ``x`` has the layout of b. ``forward_error`` and ``backward_error`` are numpy arrays with one number for each
        right-hand side, the same on every process. ``rcond`` is the estimated reciprocal condition number.

    Raises
    ------
    LinAlgError
        `a` is singular.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[1e20, 1], [1, 1]]), MPI.COMM_SELF)
    >>> result = dapbridge.linalg.solve_refined(a, np.array([1e20, 3]))
    >>> result.x, bool(result.forward_error[0] < 1e-14)
    (array([1., 2.]), True)
    """
    letter = letter_of(trans)
    a, stored = plain(a, ALLOWED.get(letter, "N"))
    b, _ = plain(b)
    if stored != "N":
        letter = stored if letter == "N" else "N"
    frame = Frame("linalg.solve_refined()", a, b)
    with frame.agreed():
        check_trans(letter, trans, frame.function)
        frame.check(a, b, report=report)
        frame.check_rows(b, frame.extents(a)[0])
        matrix, right = frame.operand(a), frame.operand(b)
        x = frame.new_like(b, b.shape)
    forward, backward, rcond, *_, uses = _scalapack.solve_refined(
        frame.handle, letter, matrix.pair, right.pair, x.pair, {}
    )
    fill_report(report, uses)
    return RefinedResult(x.value, np.array(forward), np.array(backward), rcond)

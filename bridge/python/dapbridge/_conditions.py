"""Condition numbers and ranks of matrices, from their singular values."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _scalapack
from ._comms import agree_equal
from ._errors import ArgumentError, LinAlgError
from ._factors import eigvalsh
from ._integers import real
from ._operands import Frame, Matrix, NDArray, Report, fill_report, keep, plain
from ._products import norm
from ._singular import svdvals
from ._systems import inv


def cond(a: Matrix, p: Any = None, *, report: Report | None = None) -> Any:
    """Computes the condition number of a matrix. The condition number of a singular matrix is inf. Collective.

    Parameters
    ----------
    a : (n, n), or (m, n) if p is None, 2 or -2
        The matrix.
    p : {None, 2, -2, 1, inf, "fro"}
        The norm. With None or 2, the result is the largest singular value divided by the smallest. With -2, the result
        is the smallest singular value divided by the largest. With 1 or inf, the result is an estimate, which exceeds
        the exact value only by rounding errors, and is rarely less than a third of the exact value. With "fro", the
        result is computed from the inverse.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Raises
    ------
    LinAlgError
        An element of the matrix is NaN or infinite, or the matrix has no elements and p is None, 2 or -2.
    """
    a, _ = plain(a)
    frame = Frame("linalg.cond()", a)
    with frame.agreed():
        frame.check(a, report=report)
        if p not in (None, 2, -2, 1, np.inf, "fro"):
            raise ArgumentError(f"cond: p is {p!r}, not one of None, 2, -2, 1, inf, 'fro'")
        matrix = frame.operand(a) if p in (1, np.inf) else None
    if p == "fro":
        try:
            return norm(a, "fro") * norm(inv(a, report=report), "fro")
        except LinAlgError:
            if not np.isfinite(a).all():
                raise
            return np.inf
    if matrix is None:
        return _cond_of(svdvals(a, report=report), p)
    letter = "1" if p == 1 else "I"
    inverse, uses = _scalapack.condition(frame.handle, letter, matrix.pair, keep(matrix))
    fill_report(report, uses)
    return frame.real.type(1 / inverse if inverse else np.inf)


def _cond_of(s: NDArray, p: Any) -> Any:
    """Computes the condition number from the singular values."""
    if len(s) == 0:
        raise LinAlgError("cond is not defined on empty arrays")
    with np.errstate(divide="ignore", invalid="ignore"):
        return s[-1] / s[0] if p == -2 else s[0] / s[-1]


def matrix_rank(
    a: Matrix,
    tol: float | None = None,
    hermitian: bool = False,
    *,
    rtol: float | None = None,
    report: Report | None = None,
) -> int:
    """Computes the rank of a matrix: the number of its singular values that are larger than a tolerance. Collective.

    Parameters
    ----------
    a : (m, n) or (n,)
        The matrix. The rank of a vector is 1, or 0 if all its elements are 0.
    tol : float, optional
        The tolerance. None means `rtol` times the largest singular value.
    hermitian : bool
        True if `a` is symmetric or Hermitian. The function then computes eigenvalues instead of singular values, which
        is faster.
    rtol : float, optional
        The relative tolerance. None means max(m, n) times the machine epsilon of the type in which the function
        computes. `rtol` cannot be combined with `tol`.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    int
        The rank, the same on every process; 0 if `a` has no elements.

    Raises
    ------
    LinAlgError
        An element of the matrix is NaN or infinite.

    Examples
    --------
    >>> a = dapbridge.from_global(np.outer([1.0, 2, 3], [4.0, 5]), MPI.COMM_SELF)
    >>> dapbridge.linalg.matrix_rank(a)
    1
    """
    given, _ = plain(a)
    frame = Frame("linalg.matrix_rank()", given)
    with frame.agreed():
        frame.check(given, report=report)
        if tol is not None and rtol is not None:
            raise ArgumentError("matrix_rank: tol and rtol are given; only one of them can be used")
        epsilon = max(given.shape, default=0) * np.finfo(frame.dtype).eps
        relative = float(epsilon) if rtol is None else real(rtol, "rtol")
        absolute = None if tol is None else real(tol, "tol")
        if given.ndim > 1:
            frame.extents(given)
    agree_equal(frame.comm, frame.function, "tol or rtol", (relative, absolute))
    if given.ndim == 1:
        return int(norm(given, np.inf, report=report) != 0)
    s = abs(eigvalsh(given, report=report)) if hermitian else svdvals(given, report=report)
    limit = relative * s.max(initial=0) if absolute is None else absolute
    return int(np.count_nonzero(s > limit))

"""Systems of linear equations, inverses and determinants."""

from __future__ import annotations

from typing import Any, NamedTuple, overload

import numpy as np

from . import _scalapack
from ._errors import ArgumentError, LinAlgError, UnsupportedError
from ._integers import real
from ._moves import move
from ._operands import Frame, Matrix, NDArray, Operand, Pair, Report, fill_report, keep, plain
from .array import Array, Lazy


class SlogdetResult(NamedTuple):
    """The determinant ``sign * exp(logabsdet)``, which `slogdet` computes."""

    sign: Any
    logabsdet: Any


class LstsqResult(NamedTuple):
    """The solution of a least squares problem. `lstsq` describes the fields."""

    x: Any
    residuals: NDArray
    rank: int
    s: None


@overload
def solve(
    a: Matrix,
    b: Array | Lazy,
    *,
    assume_a: str = "gen",
    lower: bool = False,
    transposed: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array: ...
@overload
def solve(
    a: Matrix,
    b: NDArray,
    *,
    assume_a: str = "gen",
    lower: bool = False,
    transposed: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> NDArray: ...
def solve(
    a: Matrix,
    b: Matrix,
    *,
    assume_a: str = "gen",
    lower: bool = False,
    transposed: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Array | NDArray:
    """Solves ``a @ x = b``. Collective.

    Parameters
    ----------
    a : (n, n)
        The matrix. The lazy views ``a.T`` and ``a.T.conj()`` need no extra copy.
    b : (n,) or (n, k)
        The right-hand sides.
    assume_a : {"gen", "pos", "sym", "her"}
        The kind of matrix. "pos" means symmetric or Hermitian and positive definite, and uses a Cholesky factorisation.
        "gen" (general), "sym" (symmetric) and "her" (Hermitian) use an LU factorisation. With "gen" the whole matrix is
        read, otherwise only one triangle.
    lower : bool
        True if the lower triangle is read, False if the upper one is read.
    transposed : bool
        If True, the function solves ``a.T @ x = b``.
    overwrite_a, overwrite_b : bool
        True if the argument may be used as work space. With `overwrite_b`, the result may be stored in `b`.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array, or a numpy array if `b` is one
        The solution, with the layout of b. With `overwrite_b`, the solution is `b` itself if possible.

    Raises
    ------
    LinAlgError
        `a` is singular, or not positive definite; or `b` is finite and the solution exceeds the type's range.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[2.0, 1], [1, 3]]), MPI.COMM_SELF)
    >>> b = dapbridge.from_global(np.array([3.0, 5]), MPI.COMM_SELF)
    >>> dapbridge.linalg.solve(a, b, assume_a="pos").gather()
    array([0.8, 1.4])
    """
    a, trans = plain(a, "NT" if transposed else "NTC")
    b, _ = plain(b)
    if trans != "N":  # a triangle of a.T is stored as the other triangle
        lower = not lower
    if transposed:
        trans = "T" if trans == "N" else "N"
    frame = Frame("linalg.solve()", a, b)
    with frame.agreed():
        frame.check(a, b, report=report)
        if assume_a not in ("gen", "pos", "sym", "her"):
            raise ArgumentError(f"assume_a: {assume_a!r} is not 'gen', 'pos', 'sym' or 'her'")
        frame.check_rows(b, frame.extents(a)[0])
        x = frame.work(b, overwrite_b)
        if assume_a in ("gen", "pos"):
            matrix = frame.operand(a, overwrite_a)
        else:
            matrix, other = _triangle(frame, a, lower)
    if assume_a == "pos":
        uses = _solve_positive(frame, "L" if lower else "U", trans, matrix, x)
    else:
        if assume_a in ("sym", "her"):
            half = Lazy(other.value).T
            move(half.conj() if assume_a == "her" else half, matrix.value, beta=1)
        uses = _scalapack.solve(frame.handle, trans, matrix.pair, x.pair, keep(matrix))
    fill_report(report, uses)
    return x.result


def _solve_positive(frame: Frame, uplo: str, trans: str, a: Operand, x: Operand) -> list[Any]:
    """Solves with a positive definite matrix. The transpose of a Hermitian matrix is its conjugate."""
    conjugate = trans == "T" and frame.dtype.kind == "c"
    memory = x.value if isinstance(x.value, np.ndarray) else x.value.local
    if conjugate:
        np.conjugate(memory, out=memory)
    uses = _scalapack.cholesky_solve(frame.handle, uplo, a.pair, x.pair, keep(a))
    if conjugate:
        np.conjugate(memory, out=memory)
    return uses


def _triangle(frame: Frame, a: Any, lower: bool) -> tuple[Operand, Operand]:
    """Returns two copies of one triangle: with the diagonal, and without it. All other elements are 0."""
    if not isinstance(a, Array):
        raise UnsupportedError(f"{frame.function}: assume_a 'sym' and 'her' need a as a dapbridge.Array")
    if a.ndim != 2:
        raise ArgumentError(f"{frame.function}: a has {a.ndim} axes, not 2")
    whole, half = frame.work(a, False), frame.work(a, False)
    rows, columns = np.ix_(*a.indices())
    distance = rows - columns if lower else columns - rows
    whole.value.local[distance < 0] = 0
    half.value.local[distance <= 0] = 0
    return whole, half


def lstsq(
    a: Matrix,
    b: Matrix,
    *,
    rcond: float | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> LstsqResult:
    """Finds the x that minimises ``norm(b - a @ x)`` for each column of b. Collective.

    If m < n, x is the shortest solution of the system. Without `rcond`, `a` must have full rank, which is not checked.
    If the columns of `a` are linearly dependent, x is huge and meaningless, and no error is raised. With `rcond`, `a`
    may have any rank, and x is the shortest solution. The computation then takes several times as long.

    Parameters
    ----------
    a : (m, n)
        The matrix.
    b : (m,) or (m, k)
        The right-hand sides.
    rcond : float, optional
        The rank is the number of diagonal elements of R, in ``a[:, P] = Q @ R``, whose magnitude exceeds `rcond` times
        the magnitude of the first one. (numpy compares singular values instead.) A negative value means ``min(max(m,
        n), 65536)`` times the machine epsilon of a's type.
    overwrite_a, overwrite_b : bool
        True if the argument may be used as work space.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    LstsqResult
        ``x``, (n,) or (n, k), has the layout of b, or is a numpy array if b is one. ``residuals`` contains the sum of
        squares of each column of ``b - a @ x``. ``residuals`` is empty if m <= n, if the rank is less than n, or if an
        argument may be overwritten. Without `rcond`, ``rank`` is min(m, n). ``s`` is None.

    Raises
    ------
    LinAlgError
        `rcond` is None, and a diagonal element of the triangular factor is 0.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[0.0, 1], [1, 1], [2, 1]]), MPI.COMM_SELF)
    >>> b = dapbridge.from_global(np.array([1.0, 2, 3]), MPI.COMM_SELF)
    >>> dapbridge.linalg.lstsq(a, b).x.gather().round(6)
    array([1., 1.])
    """
    a, _ = plain(a)
    b, _ = plain(b)
    frame = Frame("linalg.lstsq()", a, b)
    with frame.agreed():
        frame.check(a, b, report=report)
        tolerance = None if rcond is None else real(rcond, "rcond")
        frame.check_rows(b, frame.extents(a)[0])
        if a.ndim != 2 or b.ndim not in (1, 2) or b.shape[0] != a.shape[0]:
            raise ArgumentError(f"{frame.function}: a is {a.shape}, b is {b.shape}")
        rows, columns = a.shape
        matrix, right = frame.operand(a, overwrite_a), frame.beside(b, a, overwrite_b)
        x = frame.new_like(b, (columns, *b.shape[1:]))
    rank, pairs, options = min(rows, columns), (matrix.pair, right.pair, x.pair), keep(matrix, right)
    if tolerance is None:
        uses = _of_full_rank(frame, pairs, options)
    else:
        rank, uses = _scalapack.least_squares_rank(frame.handle, tolerance, *pairs, options)
    fill_report(report, uses)
    residuals = np.zeros(0, frame.real)
    if rows > columns == rank and not overwrite_a and not overwrite_b:
        residuals = _residuals(frame, a, b, x)
    return LstsqResult(x.value, residuals, rank, None)


def _of_full_rank(frame: Frame, pairs: tuple[Pair, Pair, Pair], options: dict[str, Any]) -> list[Any]:
    try:
        return _scalapack.least_squares(frame.handle, *pairs, options)
    except LinAlgError as e:
        advice = "; rcond=-1 gives the shortest x of all that minimise" if "full rank" in str(e) else ""
        raise LinAlgError(f"{e}{advice}", e.rank, e.rule) from None


def _residuals(frame: Frame, a: Any, b: Any, x: Operand) -> NDArray:
    with frame.agreed():
        rest, matrix = frame.work(b, False), frame.operand(a)
    _scalapack.multiply(frame.handle, "N", "N", -1, matrix.pair, x.pair, 1, rest.pair, {})
    if isinstance(rest.value, np.ndarray):
        return np.asarray(np.atleast_1d((np.abs(rest.value) ** 2).sum(axis=0)))
    sums = np.zeros(b.shape[1] if b.ndim == 2 else 1, frame.real)
    own = rest.value.owned_positions()
    squares = np.abs(rest.value.local[np.ix_(*own)]) ** 2
    columns = rest.value.indices()[1][own[1]] if b.ndim == 2 else 0
    sums[columns] = squares.sum(axis=0)
    return np.asarray(frame.comm.allreduce(sums))


def inv(a: Matrix, *, overwrite_a: bool = False, report: Report | None = None) -> Array:
    """Inverts a matrix. Collective.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    overwrite_a : bool
        True if the inverse may be stored in `a`.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    Array
        The inverse, with the layout of a. With `overwrite_a`, the inverse is `a` itself if possible.

    Raises
    ------
    LinAlgError
        `a` is singular.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[1.0, 2], [0, 4]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.inv(a).gather()
    array([[ 1.  , -0.5 ],
           [ 0.  ,  0.25]])
    """
    a, _ = plain(a)
    frame = Frame("linalg.inv()", a)
    with frame.agreed():
        frame.check(a, report=report)
        result = frame.work(a, overwrite_a)
    fill_report(report, _scalapack.inverse(frame.handle, result.pair, {}))
    return result.array


def slogdet(a: Matrix, *, overwrite_a: bool = False, report: Report | None = None) -> SlogdetResult:
    """Computes the determinant of a matrix, as its sign and the logarithm of its absolute value. Collective.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    overwrite_a : bool
        True if `a` may be used as work space.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    SlogdetResult
        ``sign`` and ``logabsdet``, the same on every process. The logarithm is natural. If `a` is singular, the sign is
        0, and the logarithm is -inf.

    Raises
    ------
    LinAlgError
        An element of the matrix is NaN or infinite.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[0.0, 2], [3, 0]]), MPI.COMM_SELF)
    >>> sign, log = dapbridge.linalg.slogdet(a)
    >>> float(sign), round(float(log), 6)
    (-1.0, 1.791759)
    """
    a, _ = plain(a)
    frame = Frame("linalg.slogdet()", a)
    with frame.agreed():
        frame.check(a, report=report)
        matrix = frame.operand(a, overwrite_a)
    sign, log, uses = _scalapack.determinant(frame.handle, matrix.pair, keep(matrix))
    fill_report(report, uses)
    typed = np.asarray(sign if frame.dtype.kind == "c" else sign.real, frame.dtype)[()]
    return SlogdetResult(typed, frame.real.type(log))


def det(a: Matrix, *, overwrite_a: bool = False, report: Report | None = None) -> Any:
    """Computes the determinant of a matrix. The result can overflow, unlike that of `slogdet`. Collective.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    overwrite_a : bool
        True if `a` may be used as work space.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Raises
    ------
    LinAlgError
        An element of the matrix is NaN or infinite.
    """
    sign, log = slogdet(a, overwrite_a=overwrite_a, report=report)
    with np.errstate(over="ignore"):
        return sign * np.exp(log)

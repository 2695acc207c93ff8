"""Dense linear algebra on distributed arrays, by ScaLAPACK, with the names and shapes of numpy and scipy.

Each function solves a whole problem for arrays of any layout, storage order and process grid. All are collective
on the communicator of their arrays, which must have the same processes in the same order.

* Arguments keep their values. With ``overwrite_a=True`` an argument may be used as work space, or hold the
  result, and then has any contents.
* Element types are float32, float64, complex64 and complex128; integers and bool are converted to float64,
  mixed types to their common one.
* Results are arrays laid out as the argument that they are most like: a solution as the right-hand side, a
  factor as the matrix, on the same grid of processes. Eigenvalues and singular values are numpy arrays, the same
  on every process.
* A small right-hand side or factor may be a numpy array, with the same elements on every process. A solution
  is then a numpy array, too.
* Lazy views (``a.T``, ``a.conj()``) are passed to `solve` and `matmul` without a copy where ScaLAPACK can
  transpose.
* ``report``, a list, gets one `Use` for each operand: whether it was used in place, and why.

NaN and infinity in a matrix raise LinAlgError; only `matmul`, `norm` and `qr` propagate them. Errors are the same
on every process. BLACS and ScaLAPACK are not thread-safe, so neither are these functions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core, _scalapack
from ._comms import agreed
from ._errors import ArgumentError, LinAlgError, UnsupportedError
from ._operands import Frame, Matrix, NDArray, Operand, Use, axis_like, made_of, plain, relaid
from .array import Array
from .dists import block
from .lazy import Lazy
from .plan import move

__all__ = [
    "EighResult",
    "LstsqResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "Use",
    "cond",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
]

Report = list[Use]


class EighResult(NamedTuple):
    eigenvalues: NDArray
    eigenvectors: Array


class SVDResult(NamedTuple):
    U: Array
    S: NDArray
    Vh: Array


class QRResult(NamedTuple):
    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    sign: Any
    logabsdet: Any


class LstsqResult(NamedTuple):
    x: Any
    residuals: NDArray
    rank: int
    s: None


def _keep(*operands: Operand) -> dict[str, Any]:
    return {"keep": not all(o.is_work for o in operands)}


def _tell(report: Report | None, uses: list[Any]) -> None:
    if report is not None:
        report.extend(Use(*u) for u in uses)


def _letter(UPLO: str, lower: bool | None) -> str:
    uplo = UPLO.upper() if lower is None else "L" if lower else "U"
    if uplo not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return uplo


# ---- linear systems ---------------------------------------------------------------------------------------


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
) -> Any:
    """Solves ``a @ x = b``.

    Parameters
    ----------
    a : (n, n)
        The matrix; ``a.T`` and ``a.T.conj()`` are not copied.
    b : (n,) or (n, k)
        The right-hand sides.
    assume_a : {"gen", "pos", "sym", "her"}
        "gen": by LU factorisation. "pos": `a` is symmetric or Hermitian, and positive definite; by Cholesky
        factorisation. "sym", "her": as "gen", as ScaLAPACK has nothing for these. Of all but "gen" only one
        triangle is read.
    lower : bool
        Which triangle.
    transposed : bool
        Solves ``a.T @ x = b``.

    Returns
    -------
    Array, or a numpy array if `b` is one
        x, laid out as b; with `overwrite_b` b itself where that is possible.

    Raises
    ------
    LinAlgError
        `a` is singular, or not positive definite.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[2.0, 1], [1, 3]]), MPI.COMM_SELF)
    >>> b = dapbridge.from_global(np.array([3.0, 5]), MPI.COMM_SELF)
    >>> dapbridge.linalg.solve(a, b, assume_a="pos").gather()
    array([0.8, 1.4])
    """
    if assume_a not in ("gen", "pos", "sym", "her"):
        raise ValueError(f"{assume_a!r} is not a recognized matrix structure")
    a, trans = plain(a, "NT" if transposed else "NTC")
    b, _ = plain(b)
    if transposed:
        trans = "T" if trans == "N" else "N"
    frame = Frame("linalg.solve()", a, b)
    with agreed(frame.comm, frame.function):
        frame.check(a, b)
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
        uses = _scalapack.solve(frame.handle, trans, matrix.pair, x.pair, _keep(matrix))
    _tell(report, uses)
    return x.value


def _solve_positive(frame: Frame, uplo: str, trans: str, a: Operand, x: Operand) -> list[Any]:
    """The transpose of a Hermitian matrix is its conjugate."""
    conjugate = trans == "T" and frame.dtype.kind == "c"
    memory = x.value if isinstance(x.value, np.ndarray) else x.value.local
    if conjugate:
        np.conjugate(memory, out=memory)
    uses = _scalapack.cholesky_solve(frame.handle, uplo, a.pair, x.pair, _keep(a))
    if conjugate:
        np.conjugate(memory, out=memory)
    return uses


def _triangle(frame: Frame, a: Any, lower: bool) -> tuple[Operand, Operand]:
    """Copies of one triangle, with zeros elsewhere: with the diagonal, and without."""
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
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> LstsqResult:
    """The x that minimises ``norm(b - a @ x)`` for each column of b; if m < n, the shortest that solves it.

    `a` must have full rank: the rank is not determined, unlike in numpy.

    Parameters
    ----------
    a : (m, n)
    b : (m,) or (m, k)

    Returns
    -------
    LstsqResult
        ``x``, (n,) or (n, k), laid out as b, or a numpy array if b is one; ``residuals``, the sums of squares of
        ``b - a @ x``, empty if m <= n or if `a` or `b` was overwritten; ``rank``, min(m, n); ``s``, None.

    Raises
    ------
    LinAlgError
        A diagonal element of the triangular factor is 0.

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
    with agreed(frame.comm, frame.function):
        frame.check(a, b)
        if a.ndim != 2 or b.ndim not in (1, 2) or b.shape[0] != a.shape[0]:
            raise ArgumentError(f"{frame.function}: a is {a.shape}, b is {b.shape}")
        rows, columns = a.shape
        matrix, right = frame.operand(a, overwrite_a), frame.operand(b, overwrite_b)
        x = frame.new_like(b, (columns, *b.shape[1:]))
    uses = _scalapack.least_squares(frame.handle, matrix.pair, right.pair, x.pair, _keep(matrix, right))
    _tell(report, uses)
    residuals = np.zeros(0, frame.real)
    if rows > columns and not overwrite_a and not overwrite_b:
        residuals = _residuals(frame, a, b, x)
    return LstsqResult(x.value, residuals, min(rows, columns), None)


def _residuals(frame: Frame, a: Any, b: Any, x: Operand) -> NDArray:
    with agreed(frame.comm, frame.function):
        rest, matrix = frame.work(b, False), frame.operand(a)
    _scalapack.multiply(frame.handle, "N", "N", -1, matrix.pair, x.pair, 1, rest.pair, {})
    if isinstance(rest.value, np.ndarray):
        return np.atleast_1d((np.abs(rest.value) ** 2).sum(axis=0))
    sums = np.zeros(b.shape[1] if b.ndim == 2 else 1, frame.real)
    own = rest.value.owned_positions()
    squares = np.abs(rest.value.local[np.ix_(*own)]) ** 2
    columns = rest.value.indices()[1][own[1]] if b.ndim == 2 else 0
    sums[columns] = squares.sum(axis=0)
    return np.asarray(frame.comm.allreduce(sums))


def inv(a: Matrix, *, overwrite_a: bool = False, report: Report | None = None) -> Array:
    """The inverse of a matrix, laid out as it; with `overwrite_a` the matrix itself where that is possible.

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
    with agreed(frame.comm, frame.function):
        frame.check(a)
        result = frame.work(a, overwrite_a)
    _tell(report, _scalapack.inverse(frame.handle, result.pair, {}))
    return result.value


def slogdet(a: Matrix, *, overwrite_a: bool = False, report: Report | None = None) -> SlogdetResult:
    """Sign and natural logarithm of the absolute value of the determinant; (0, -inf) of a singular matrix.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[0.0, 2], [3, 0]]), MPI.COMM_SELF)
    >>> sign, log = dapbridge.linalg.slogdet(a)
    >>> float(sign), round(float(log), 6)
    (-1.0, 1.791759)
    """
    a, _ = plain(a)
    frame = Frame("linalg.slogdet()", a)
    with agreed(frame.comm, frame.function):
        frame.check(a)
        matrix = frame.operand(a, overwrite_a)
    sign, log, uses = _scalapack.determinant(frame.handle, matrix.pair, _keep(matrix))
    _tell(report, uses)
    typed = sign if frame.dtype.kind == "c" else sign.real
    return SlogdetResult(frame.dtype.type(typed), frame.real.type(log))


def det(a: Matrix, *, overwrite_a: bool = False, report: Report | None = None) -> Any:
    """The determinant of a matrix; `slogdet` cannot overflow."""
    sign, log = slogdet(a, overwrite_a=overwrite_a, report=report)
    with np.errstate(over="ignore"):
        return sign * np.exp(log)


def cond(a: Matrix, p: Any = None, *, report: Report | None = None) -> Any:
    """The condition number of a matrix.

    Parameters
    ----------
    a : (n, n); with p None, 2 and -2 (m, n)
    p : {None, 2, -2, 1, inf, "fro"}
        The norm. None, 2: the largest by the smallest singular value; -2: the inverse of that. 1, inf: an
        estimate, which is never too large but for rounding, and rarely below a third. "fro": with the inverse.

    Returns
    -------
    A real number; inf if `a` is singular.
    """
    if p in (None, 2, -2):
        s = svdvals(a, report=report)
        with np.errstate(divide="ignore", invalid="ignore"):
            return s[-1] / s[0] if p == -2 else s[0] / s[-1]
    if p == "fro":
        try:
            return norm(a, "fro") * norm(inv(a, report=report), "fro")
        except LinAlgError:
            return np.inf
    if p not in (1, np.inf):
        raise ValueError(f"cond: p is {p!r}, not one of None, 2, -2, 1, inf, 'fro'")
    a, _ = plain(a)
    frame = Frame("linalg.cond()", a)
    with agreed(frame.comm, frame.function):
        frame.check(a)
        matrix = frame.operand(a)
    letter = "1" if p == 1 else "I"
    inverse, uses = _scalapack.condition(frame.handle, letter, matrix.pair, _keep(matrix))
    _tell(report, uses)
    return frame.real.type(1 / inverse if inverse else np.inf)


# ---- products and norms --------------------------------------------------------------------------------------


def matmul(a: Matrix, b: Matrix, *, report: Report | None = None) -> Any:
    """The product of two matrices, of a matrix and a vector, or of two vectors; also ``a @ b``.

    ``a.T``, ``a.T.conj()`` and so on are not copied.

    Parameters
    ----------
    a : (m, k) or (k,)
    b : (k, n) or (k,)

    Returns
    -------
    Array
        Rows as those of a, columns as those of b where the grid of processes allows it, else blocks. Of two
        vectors a number.

    Examples
    --------
    >>> a = dapbridge.from_global(np.arange(6.0).reshape(2, 3), MPI.COMM_SELF)
    >>> (a @ a.T).gather()
    array([[ 5., 14.],
           [14., 50.]])
    """
    a, trans_a = plain(a, "NTC")
    b, trans_b = plain(b, "NTC")
    frame = Frame("linalg.matmul()", a, b)
    with agreed(frame.comm, frame.function):
        frame.check(a, b)
        if a.ndim not in (1, 2) or b.ndim not in (1, 2):
            raise ArgumentError(f"{frame.function}: {a.ndim} and {b.ndim} axes; only 1 and 2 are possible")
        if a.ndim == 1 and b.ndim == 2:  # (op(B))^T a
            a, b, trans_a, trans_b = b, a, {"N": "T", "T": "N"}.get(trans_b, ""), "N"
            if not trans_a:
                raise UnsupportedError(f"{frame.function}: a vector by a conjugate transpose; copy() it")
        left, right = frame.operand(a), frame.operand(b)
        if a.ndim == 1:
            trans_a = "T"
            product = frame.numbers((1, 1))
        else:
            product = frame.new(_layout_of_product(a, trans_a, b, trans_b), left.local, frame.first)
    uses = _scalapack.multiply(
        frame.handle, trans_a, trans_b, 1, left.pair, right.pair, 0, product.pair, {}
    )
    _tell(report, uses)
    return product.value[0, 0] if a.ndim == 1 else product.value


def _layout_of_product(a: Any, trans_a: str, b: Any, trans_b: str) -> _core.Layout:
    """Of op(a) op(b): on the grid of the factor that is distributed."""
    rows = a.shape[trans_a != "N"]
    if b.ndim == 1:
        return _layout_of_vector(a, int(trans_a != "N"), rows)
    columns = b.shape[trans_b == "N"]
    template, trans = (a, trans_a) if isinstance(a, Array) else (b, trans_b)
    axes = (0, 1) if trans == "N" else (1, 0)
    procs = [template.layout.grid[k] for k in axes]
    dists = [(block(), procs[0]), (block(), procs[1])]
    for place, (x, axis, size) in enumerate(
        [(a, int(trans_a != "N"), rows), (b, int(trans_b == "N"), columns)]
    ):
        if isinstance(x, Array) and x.layout.grid[axis] == procs[place]:
            dists[place] = axis_like(x.layout, axis, size)
    return made_of(dists, (rows, columns), template.layout, axes)


def _layout_of_vector(a: Any, axis: int, size: int) -> _core.Layout:
    """Of op(a) times a vector: as the rows of op(a), if no others share them."""
    if isinstance(a, Array) and a.layout.grid[axis] == a.layout.nprocs:
        return made_of([axis_like(a.layout, axis, size)], (size,), a.layout, (axis,))
    nprocs = a.layout.nprocs if isinstance(a, Array) else 0
    return _core.Layout([block().entry(size, nprocs)])


def norm(x: Matrix, ord: Any = None, *, report: Report | None = None) -> Any:
    """A norm of a matrix or a vector.

    Parameters
    ----------
    x : (m, n) or (n,)
    ord : {None, "fro", 1, inf, 2, -2, "nuc"}
        As in numpy: None is the Frobenius norm, or the 2-norm of a vector; of a vector None, 2, 1 and inf.

    Examples
    --------
    >>> dapbridge.linalg.norm(dapbridge.from_global(np.array([[3.0], [4]]), MPI.COMM_SELF))
    5.0
    """
    x, _ = plain(x)
    letters: dict[Any, str] = {None: "F", 1: "1", np.inf: "I"}
    letters["fro" if x.ndim == 2 else 2] = "F"
    if x.ndim == 2 and ord in (2, -2, "nuc"):
        s = svdvals(x, report=report)
        if ord == "nuc":
            return s.sum()
        return s[0 if ord == 2 else -1] if len(s) else s.sum()
    if ord not in letters:
        what = "vector" if x.ndim == 1 else "matrix"
        raise ValueError(f"norm: ord {ord!r} of a {what} is not supported: {', '.join(map(repr, letters))}")
    if x.ndim == 1:
        x = x[:, None]
    frame = Frame("linalg.norm()", x)
    with agreed(frame.comm, frame.function):
        frame.check(x)
        matrix = frame.operand(x)
    value, uses = _scalapack.norm(frame.handle, letters[ord], matrix.pair, {})
    _tell(report, uses)
    return frame.real.type(value)


# ---- factorisations --------------------------------------------------------------------------------------------


def qr(
    a: Matrix, mode: str = "reduced", *, overwrite_a: bool = False, report: Report | None = None
) -> Any:
    """QR factorisation: ``a = Q @ R`` with orthonormal columns in Q, and an upper triangular R.

    Parameters
    ----------
    a : (m, n)
    mode : {"reduced", "r"}
        "reduced": Q is (m, k) and R (k, n), with k = min(m, n). "r": R alone.

    Returns
    -------
    QRResult, or the array R
        Both laid out as a.
    """
    if mode not in ("reduced", "r"):
        raise ValueError(f"qr: mode {mode!r} is not supported: 'reduced', 'r'")
    a, _ = plain(a)
    frame = Frame("linalg.qr()", a)
    with agreed(frame.comm, frame.function):
        frame.check(a)
        rows, columns = frame.extents(a)
        rank = min(rows, columns)
        matrix = frame.operand(a, overwrite_a)
        q, r = None, frame.new_like(a, (rank, columns))
        if mode == "reduced":
            is_in_place = matrix.is_work and rows >= columns
            q = matrix if is_in_place else frame.new_like(a, (rows, rank))
    uses = _scalapack.qr(frame.handle, matrix.pair, q and q.pair, r.pair, _keep(matrix))
    _tell(report, uses)
    return QRResult(q.value, r.value) if q else r.value


def eigh(
    a: Matrix,
    UPLO: str = "L",
    *,
    lower: bool | None = None,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric or Hermitian matrix.

    Parameters
    ----------
    a : (n, n)
    UPLO : {"L", "U"}
        The triangle that is read.
    lower : bool, optional
        The same, as scipy has it.
    eigvals_only : bool
        Returns the eigenvalues alone, as a numpy array.

    Returns
    -------
    EighResult
        ``eigenvalues``, a numpy array in ascending order, the same on every process; ``eigenvectors``, an array
        laid out as a, whose column k belongs to value k.

    Raises
    ------
    LinAlgError
        No convergence.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[2.0, 1], [1, 2]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.eigh(a).eigenvalues
    array([1., 3.])
    """
    uplo = _letter(UPLO, lower)
    a, _ = plain(a)
    frame = Frame("linalg.eigh()", a)
    with agreed(frame.comm, frame.function):
        frame.check(a)
        matrix = frame.operand(a, overwrite_a)
        values = frame.values(frame.extents(a)[0])
        vectors = None if eigvals_only else frame.new(a.layout, matrix.local, a)
    uses = _scalapack.eigh(
        frame.handle, uplo, matrix.pair, values.pair, vectors and vectors.pair, _keep(matrix)
    )
    _tell(report, uses)
    return EighResult(values.value, vectors.value) if vectors else values.value


def eigvalsh(
    a: Matrix,
    UPLO: str = "L",
    *,
    lower: bool | None = None,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> NDArray:
    """The eigenvalues alone, as of `eigh`: a numpy array in ascending order."""
    values = eigh(a, UPLO, lower=lower, eigvals_only=True, overwrite_a=overwrite_a, report=report)
    return np.asarray(values)


def svd(
    a: Matrix,
    full_matrices: bool = False,
    compute_uv: bool = True,
    *,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> Any:
    """Singular value decomposition: ``a = U @ diag(S) @ Vh``; k = min(m, n).

    Parameters
    ----------
    a : (m, n)
    full_matrices : bool
        Must be False, unlike numpy's default: ScaLAPACK computes k vectors.
    compute_uv : bool
        False: returns the singular values alone, as a numpy array.

    Returns
    -------
    SVDResult
        ``U``, (m, k), and ``Vh``, (k, n), laid out as a; ``S``, (k,), a numpy array in descending order, the same
        on every process.

    Raises
    ------
    LinAlgError
        No convergence.
    """
    if full_matrices:
        raise UnsupportedError("svd: full_matrices is not supported, as ScaLAPACK computes min(m, n) vectors")
    a, _ = plain(a)
    frame = Frame("linalg.svd()", a)
    with agreed(frame.comm, frame.function):
        frame.check(a)
        rows, columns = frame.extents(a)
        rank = min(rows, columns)
        matrix, s = frame.operand(a, overwrite_a), frame.values(rank)
        u = frame.new_like(a, (rows, rank)) if compute_uv else None
        vh = frame.new_like(a, (rank, columns)) if compute_uv else None
    uses = _scalapack.svd(frame.handle, matrix.pair, u and u.pair, s.pair, vh and vh.pair, _keep(matrix))
    _tell(report, uses)
    return SVDResult(u.value, s.value, vh.value) if u and vh else s.value


def svdvals(a: Matrix, *, overwrite_a: bool = False, report: Report | None = None) -> NDArray:
    """The singular values alone: a numpy array in descending order."""
    return np.asarray(svd(a, compute_uv=False, overwrite_a=overwrite_a, report=report))


def pinv(a: Matrix, rcond: float = 1e-15, *, report: Report | None = None) -> Array:
    """The pseudo-inverse, by singular values; those up to `rcond` times the largest count as 0.

    Parameters
    ----------
    a : (m, n)

    Returns
    -------
    Array, (n, m)
        On the grid of processes of a.
    """
    a, _ = plain(a)
    u, s, vh = svd(a, report=report)
    large = s > rcond * (s[0] if len(s) else 0)
    factors = np.divide(1, s, where=large, out=np.zeros_like(s))
    vh.local[...] *= factors[vh.indices()[0]][:, None]
    frame = Frame("linalg.pinv()", a)
    with agreed(frame.comm, frame.function):
        frame.check(a)
        result = frame.new(relaid(a.layout, a.shape[::-1]), u._local, a)
    pairs = [(x.layout, x._local) for x in (vh, u)]
    uses = _scalapack.multiply(frame.handle, "C", "C", 1, pairs[0], pairs[1], 0, result.pair, {})
    _tell(report, uses)
    return result.value

"""QR, eigenvalues, singular values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _scalapack
from ._comms import agreed
from ._errors import ArgumentError, UnsupportedError
from ._operands import Frame, Matrix, NDArray, Report, keep, pair, plain, relaid, tell
from .array import Array


class QRResult(NamedTuple):
    Q: Array
    R: Array


class EighResult(NamedTuple):
    eigenvalues: NDArray
    eigenvectors: Array


class SVDResult(NamedTuple):
    U: Array
    S: NDArray
    Vh: Array


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
    a, _ = plain(a)
    frame = Frame("linalg.qr()", a)
    with agreed(frame.comm, frame.function):
        frame.check(a, report=report)
        if mode not in ("reduced", "r"):
            raise ArgumentError(f"qr: mode {mode!r} is not supported: 'reduced', 'r'")
        rows, columns = frame.extents(a)
        rank = min(rows, columns)
        matrix = frame.operand(a, overwrite_a)
        q, r = None, frame.new_like(a, (rank, columns))
        if mode == "reduced":
            is_in_place = matrix.is_work and rows >= columns
            q = matrix if is_in_place else frame.new_like(a, (rows, rank))
    uses = _scalapack.qr(frame.handle, matrix.pair, pair(q), r.pair, keep(matrix))
    tell(report, uses)
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
    a, _ = plain(a)
    frame = Frame("linalg.eigh()", a)
    with agreed(frame.comm, frame.function):
        frame.check(a, report=report)
        uplo = _letter(UPLO, lower)
        matrix = frame.operand(a, overwrite_a)
        values = frame.values(frame.extents(a)[0])
        vectors = None if eigvals_only else frame.new(matrix.layout, matrix.local, a)
    uses = _scalapack.eigh(
        frame.handle, uplo, matrix.pair, values.pair, pair(vectors), keep(matrix)
    )
    tell(report, uses)
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
    a, _ = plain(a)
    frame = Frame("linalg.svd()", a)
    with agreed(frame.comm, frame.function):
        frame.check(a, report=report)
        if full_matrices:
            raise UnsupportedError(
                "svd: full_matrices is not supported, as ScaLAPACK computes min(m, n) vectors"
            )
        rows, columns = frame.extents(a)
        rank = min(rows, columns)
        matrix, s = frame.operand(a, overwrite_a), frame.values(rank)
        u = frame.new_like(a, (rows, rank)) if compute_uv else None
        vh = frame.new_like(a, (rank, columns)) if compute_uv else None
    uses = _scalapack.svd(frame.handle, matrix.pair, pair(u), s.pair, pair(vh), keep(matrix))
    tell(report, uses)
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
    given, _ = plain(a)
    u, s, vh = svd(given, report=report)
    frame = Frame("linalg.pinv()", given)
    with agreed(frame.comm, frame.function):
        frame.check(given)
        large = s > rcond * (s[0] if len(s) else 0)
        factors = np.divide(1, s, where=large, out=np.zeros_like(s))
        vh.local[...] *= factors[vh.indices()[0]][:, None]
        left, right = frame.operand(vh), frame.operand(u)
        result = frame.new(relaid(given.layout, given.shape[::-1]), right.local, given)
    uses = _scalapack.multiply(frame.handle, "C", "C", 1, left.pair, right.pair, 0, result.pair, {})
    tell(report, uses)
    return result.array


def _letter(UPLO: str, lower: bool | None) -> str:
    uplo = UPLO.upper() if lower is None else "L" if lower else "U"
    if uplo not in ("L", "U"):
        raise ArgumentError("UPLO argument must be 'L' or 'U'")
    return uplo

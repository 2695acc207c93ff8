"""QR, eigenvalues, singular values."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _scalapack
from ._comms import agreed
from ._errors import ArgumentError, UnsupportedError
from ._operands import Frame, Matrix, NDArray, Operand, Report, fill_report, keep, pair, plain, relaid
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
    a: Matrix,
    mode: str = "reduced",
    *,
    pivoting: bool = False,
    rcond: float | None = None,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> Any:
    """QR factorisation: ``a = Q @ R`` with orthonormal columns in Q, and an upper triangular R.

    Parameters
    ----------
    a : (m, n)
    mode : {"reduced", "r"}
        "reduced": Q is (m, k) and R (k, n), with k = min(m, n). "r": R alone.
    pivoting : bool
        ``a[:, P] = Q @ R``, where absolute values descend along the diagonal of R, so that those of a matrix of
        rank r are 0 from R[r, r] on, but for rounding.
    rcond : float, optional
        With pivoting: also the rank is returned, the number of elements on the diagonal of R that are larger than
        rcond times the first; below 0: max(m, n) times the epsilon of a's type.

    Returns
    -------
    QRResult, or the array R; with pivoting (Q, R, P), or (R, P); with rcond (Q, R, P, rank), or (R, P, rank)
        Q and R laid out as a; P, a numpy array of integers, the same on every process.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[1.0, 3], [2, 4]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.qr(a, pivoting=True)[2]
    array([1, 0])
    >>> dapbridge.linalg.qr(a, "r", pivoting=True, rcond=1e-10)[2]
    2
    """
    a, _ = plain(a)
    frame = Frame("linalg.qr()", a)
    with agreed(frame.comm, frame.function):
        frame.check(a, report=report)
        if mode not in ("reduced", "r"):
            raise ArgumentError(f"qr: mode {mode!r} is not supported: 'reduced', 'r'")
        if rcond is not None and not pivoting:
            raise ArgumentError("qr: rcond is of factors with pivoting")
        tolerance = -1.0 if rcond is None else float(rcond)
        rows, columns = frame.extents(a)
        most = min(rows, columns)
        matrix = frame.operand(a, overwrite_a)
        q, r = None, frame.new_like(a, (most, columns))
        if mode == "reduced":
            is_in_place = matrix.is_work and rows >= columns and not pivoting
            q = matrix if is_in_place else frame.new_like(a, (rows, most))
        order = frame.integers(columns) if pivoting else None
    if order:
        pairs = matrix.pair, pair(q), r.pair, order.pair
        rank, uses = _scalapack.qr_pivoted(frame.handle, tolerance, *pairs, keep(matrix))
        fill_report(report, uses)
        results = (r.value, order.value) if rcond is None else (r.value, order.value, rank)
        return (q.value, *results) if q else results
    uses = _scalapack.qr(frame.handle, matrix.pair, pair(q), r.pair, keep(matrix))
    fill_report(report, uses)
    return QRResult(q.value, r.value) if q else r.value


def eigh(
    a: Matrix,
    UPLO: str = "L",
    *,
    b: Matrix | None = None,
    lower: bool | None = None,
    eigvals_only: bool = False,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a symmetric or Hermitian matrix, or of a pair: ``a @ v = w * (b @ v)``.

    Parameters
    ----------
    a : (n, n)
    UPLO : {"L", "U"}
        The triangle that is read.
    b : (n, n), optional
        Positive definite; the same triangle is read. The vectors are then orthonormal by ``v.conj().T @ b @ v``.
    lower : bool, optional
        The same as UPLO, as scipy has it.
    eigvals_only : bool
        Returns the eigenvalues alone, as a numpy array.
    subset_by_index : (lo, hi), optional
        Only these eigenvalues, both included; the smallest is number 0.
    subset_by_value : (lo, hi), optional
        Only eigenvalues in ``(lo, hi]``; infinity is allowed.
    driver : {"ev", "evd", "evr", "elpa", "elpa2"}, optional
        The algorithm: QR iteration, divide and conquer, MRRR; ELPA, with one stage or two, where dapbridge was built
        with it. None: the fastest of ScaLAPACK's that is right, now "evd". With b also "gv" and "gvd".

    Returns
    -------
    EighResult
        ``eigenvalues``, a numpy array in ascending order, the same on every process; ``eigenvectors``, an array
        laid out as a, whose column k belongs to value k.

    Raises
    ------
    LinAlgError
        No convergence, or b is not positive definite.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[2.0, 1], [1, 2]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.eigh(a).eigenvalues
    array([1., 3.])
    >>> dapbridge.linalg.eigh(a, subset_by_index=(1, 1), eigvals_only=True)
    array([3.])
    """
    a, _ = plain(a)
    given = () if b is None else (plain(b)[0],)
    frame = Frame("linalg.eigh()", a, *given)
    with agreed(frame.comm, frame.function):
        frame.check(a, *given, report=report)
        uplo = _letter(UPLO, lower)
        size = frame.extents(a)[0]
        options = _subset(size, subset_by_index, subset_by_value)
        options |= _solver(driver, b is not None)
        count = options["stop"] - options["start"] if subset_by_index is not None else size
        matrix = frame.operand(a, overwrite_a)
        others = [frame.beside(x, a, overwrite_b) for x in given]
        values, vectors = frame.values(count), None
        if not eigvals_only:
            vectors = frame.new(relaid(matrix.layout, (size, count)), matrix.local, a)
        other = others[0].pair if others else None
        options |= keep(matrix, *others)
    found, uses = _scalapack.eigh(
        frame.handle, uplo, matrix.pair, other, values.pair, pair(vectors), options
    )
    fill_report(report, uses)
    if not vectors:
        return values.value[:found]
    return EighResult(values.value[:found], _first_columns(frame, vectors, found))


def _first_columns(frame: Frame, vectors: Operand, count: int) -> Array:
    """The vectors that a range of values has: their number is known only now."""
    array = vectors.array
    rows, columns = array.shape
    if count == columns:
        return array
    layout = relaid(array.layout, (rows, count))
    if count == 0:
        return frame.new(layout, vectors.local, array).array
    return array[:, :count].redistribute(out=frame.new(layout, vectors.local, array).array)


def eigvalsh(
    a: Matrix,
    UPLO: str = "L",
    *,
    b: Matrix | None = None,
    lower: bool | None = None,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> NDArray:
    """The eigenvalues alone, as of `eigh`: a numpy array in ascending order."""
    values = eigh(
        a,
        UPLO,
        b=b,
        lower=lower,
        eigvals_only=True,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
        driver=driver,
        overwrite_a=overwrite_a,
        overwrite_b=overwrite_b,
        report=report,
    )
    return np.asarray(values)


def _subset(
    size: int, by_index: Sequence[int] | None, by_value: Sequence[float] | None
) -> dict[str, Any]:
    """A part of the spectrum as options."""
    if by_index is not None and by_value is not None:
        raise ArgumentError("eigh: subset_by_index and subset_by_value exclude each other")
    if by_index is not None:
        lo, hi = (operator.index(i) for i in by_index)
        if not 0 <= lo <= hi < size:
            raise ArgumentError(
                f"eigh: subset_by_index is ({lo}, {hi}), it must be within (0, {size - 1})"
            )
        return {"range": "index", "start": lo, "stop": hi + 1}
    if by_value is not None:
        above, up_to = (float(x) for x in by_value)
        if not above < up_to:
            raise ArgumentError(f"eigh: subset_by_value is ({above}, {up_to}), it must be (lo, hi)")
        return {"range": "value", "above": above, "up_to": up_to}
    return {}


def _solver(driver: str | None, is_generalized: bool) -> dict[str, Any]:
    """The algorithm, by the name of LAPACK's driver, of which those for pairs begin with g, as options."""
    if driver is None:
        return {}
    known = {"ev": "ev", "evd": "evd", "evr": "evr", "elpa": "backend", "elpa2": "backend"}
    if is_generalized:
        known |= {"gv": "ev", "gvd": "evd"}
    if driver in ("evx", "gvx"):
        raise UnsupportedError(
            f"eigh: driver {driver!r} is not supported, as its vectors of close eigenvalues need not be orthogonal"
        )
    if not isinstance(driver, str) or driver not in known:
        raise ArgumentError(f"eigh: driver {driver!r} is none of {', '.join(map(repr, known))}")
    backend = {"backend": _elpa(driver)} if known[driver] == "backend" else {}
    return {"solver": known[driver], **backend}


def _elpa(driver: str) -> object:
    """ELPA for `_scalapack.eigh`; its library is loaded only here."""
    try:
        from . import _elpa as elpa
    except ImportError as why:
        raise UnsupportedError(f"eigh: driver {driver!r} needs dapbridge built with ELPA: {why}") from why
    return elpa.backend(2 if driver == "elpa2" else 1)


def svd(
    a: Matrix,
    full_matrices: bool = False,
    compute_uv: bool = True,
    *,
    lapack_driver: str | None = None,
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
    lapack_driver : {"gesdd", "gesvd"}, optional
        "gesdd": divide and conquer, for which process 0 needs 5 k^2 numbers. "gesvd": QR iteration, many times
        slower. None: the first, unless that process has not the memory.

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
        if lapack_driver not in (None, "gesdd", "gesvd"):
            raise ArgumentError(f"svd: lapack_driver is {lapack_driver!r}, not 'gesdd' or 'gesvd'")
        if full_matrices:
            raise UnsupportedError(
                "svd: full_matrices is not supported, as ScaLAPACK computes min(m, n) vectors"
            )
        rows, columns = frame.extents(a)
        rank = min(rows, columns)
        matrix, s = frame.operand(a, overwrite_a), frame.values(rank)
        u = frame.new_like(a, (rows, rank)) if compute_uv else None
        vh = frame.new_like(a, (rank, columns)) if compute_uv else None
    options = {**keep(matrix), "svd_solver": lapack_driver}
    uses = _scalapack.svd(frame.handle, matrix.pair, pair(u), s.pair, pair(vh), options)
    fill_report(report, uses)
    return SVDResult(u.value, s.value, vh.value) if u and vh else s.value


def svdvals(
    a: Matrix,
    *,
    lapack_driver: str | None = None,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> NDArray:
    """The singular values alone: a numpy array in descending order."""
    return np.asarray(
        svd(a, compute_uv=False, lapack_driver=lapack_driver, overwrite_a=overwrite_a, report=report)
    )


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
    uses = _scalapack.multiply(frame.handle, "C", "C", 1, left.pair, right.pair, 0, result.pair, {})
    fill_report(report, uses)
    return result.array


def _long_of(u: Array, vh: Array, processes: int) -> Array | None:
    """The factor that is tall or wide, as `dap_linalg_svd()` says, if each process has whole rows or columns of it."""
    for factor, along in ((u, 0), (vh, 1)):
        longer, shorter = factor.shape[along], factor.shape[1 - along]
        if shorter and longer >= 4 * shorter * processes and factor.layout.grid[1 - along] == 1:
            return factor
    return None


def _multiply_rows(long: Array, small: Any, is_wide: bool) -> None:
    """Overwrites ``long`` with ``long @ small``, or a wide one with ``small @ long``, in pieces. Not collective."""
    rows = long.local.T if is_wide else long.local
    order = long.indices()[0 if is_wide else 1]  # an axis by a list has another order than 0, 1, ...
    factor = (small.T if is_wide else small)[np.ix_(order, order)]
    step = max(1, 2**16 // len(factor))
    for start in range(0, len(rows), step):
        rows[start : start + step] = rows[start : start + step] @ factor


def _letter(UPLO: str, lower: bool | None) -> str:
    if not isinstance(UPLO, str):
        raise TypeError(f"UPLO is of type {type(UPLO).__name__}, not a letter; a second matrix is b=")
    uplo = UPLO.upper() if lower is None else "L" if lower else "U"
    if uplo not in ("L", "U"):
        raise ArgumentError("UPLO argument must be 'L' or 'U'")
    return uplo

"""QR, and eigenvalues of symmetric and Hermitian matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, overload

from . import _scalapack
from ._errors import ArgumentError, UnsupportedError
from ._integers import integer, real, two_of
from ._operands import Frame, Matrix, NDArray, Operand, Report, fill_report, keep, pair, plain, relaid
from .array import Array


class QRResult(NamedTuple):
    """The factors that `qr` computes: ``a = Q @ R``."""

    Q: Array
    R: Array


class EighResult(NamedTuple):
    """Eigenvalues in ascending order, and the eigenvectors as columns of an array. `eigh` computes them."""

    eigenvalues: NDArray
    eigenvectors: Array


@overload
def qr(
    a: Matrix,
    mode: Literal["reduced"] = "reduced",
    *,
    pivoting: Literal[False] = False,
    rcond: None = None,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> QRResult: ...
@overload
def qr(
    a: Matrix,
    mode: str = "reduced",
    *,
    pivoting: bool = False,
    rcond: float | None = None,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> Any: ...
def qr(
    a: Matrix,
    mode: str = "reduced",
    *,
    pivoting: bool = False,
    rcond: float | None = None,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> Any:
    """Computes ``a = Q @ R``: the columns of Q are orthonormal, and R is upper triangular. Collective.

    Parameters
    ----------
    a : (m, n)
        The matrix.
    mode : {"reduced", "r"}
        With "reduced", Q is (m, k) and R is (k, n), with k = min(m, n). With "r", the function returns only R.
    pivoting : bool
        If True, the function computes ``a[:, P] = Q @ R`` instead. The absolute values on the diagonal of R are then in
        descending order. If a has rank r, the elements in row r of R and the following rows are 0, except for rounding
        errors.
    rcond : float, optional
        With `pivoting`, the function also returns the rank: the number of diagonal elements of R whose magnitude
        exceeds `rcond` times the magnitude of the first one. A negative value means ``min(max(m, n), 65536)`` times the
        machine epsilon of a's type.
    overwrite_a : bool
        True if `a` may be used as work space.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    QRResult, or the array R. With pivoting (Q, R, P), or (R, P). With rcond (Q, R, P, rank), or (R, P, rank)
        Q and R have the layout of a. P is a numpy array of integers, the same on every process.

    Raises
    ------
    LinAlgError
        With `pivoting`, an element of the matrix is NaN or infinite.

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
    with frame.agreed():
        frame.check(a, report=report)
        if mode not in ("reduced", "r"):
            raise ArgumentError(f"qr: mode {mode!r} is not supported: 'reduced', 'r'")
        if rcond is not None and not pivoting:
            raise ArgumentError("qr: rcond is of factors with pivoting")
        tolerance = -1.0 if rcond is None else real(rcond, "rcond")
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


@overload
def eigh(
    a: Matrix,
    UPLO: str = "L",
    *,
    b: Matrix | None = None,
    lower: bool | None = None,
    eigvals_only: Literal[False] = False,
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> EighResult: ...
@overload
def eigh(
    a: Matrix,
    UPLO: str = "L",
    *,
    b: Matrix | None = None,
    lower: bool | None = None,
    eigvals_only: Literal[True],
    subset_by_index: Sequence[int] | None = None,
    subset_by_value: Sequence[float] | None = None,
    driver: str | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    report: Report | None = None,
) -> NDArray: ...
@overload
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
) -> EighResult | NDArray: ...
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
) -> EighResult | NDArray:
    """Computes eigenvalues and eigenvectors of a symmetric or Hermitian matrix. Collective.

    With `b`, the function solves the generalised problem ``a @ v = w * (b @ v)``.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    UPLO : {"L", "U"}
        The triangle of `a`, and of `b`, that is read: the lower or the upper one.
    b : (n, n), optional
        A positive definite matrix. The vectors are then orthonormal in the sense of ``v.conj().T @ b @ v``.
    lower : bool, optional
        The triangle, as in scipy: True means UPLO "L", and False means UPLO "U".
    eigvals_only : bool
        If True, the function returns only the eigenvalues, as a numpy array.
    subset_by_index : (lo, hi), optional
        Numbers of the first and the last wanted eigenvalue. The smallest eigenvalue has number 0.
    subset_by_value : (lo, hi), optional
        Only eigenvalues in ``(lo, hi]`` are wanted. Infinity is allowed.
    driver : {"ev", "evd", "evr", "elpa", "elpa2"}, optional
        The algorithm: QR iteration ("ev"), divide and conquer ("evd"), MRRR ("evr"), or ELPA with one or two stages
        ("elpa", "elpa2"). With `b`, "gv" and "gvd" are also accepted, and mean "ev" and "evd". ELPA is available if
        dapbridge was built with it. None means "evd", the fastest correct driver of ScaLAPACK.
    overwrite_a, overwrite_b : bool
        True if the argument may be used as work space.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    EighResult
        ``eigenvalues`` is a numpy array in ascending order, the same on every process. ``eigenvectors`` is an array
        with the layout of a. Its column k belongs to eigenvalue k.

    Raises
    ------
    LinAlgError
        The iteration does not converge, or b is not positive definite.
    UnsupportedError
        The driver is ELPA, and dapbridge was built without ELPA.

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
    with frame.agreed():
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
        options |= keep(matrix, *others)
    if others:
        found, uses = _scalapack.eigh_generalized(
            frame.handle, uplo, matrix.pair, others[0].pair, values.pair, pair(vectors), options
        )
    else:
        found, uses = _scalapack.eigh(frame.handle, uplo, matrix.pair, values.pair, pair(vectors), options)
    fill_report(report, uses)
    if not vectors:
        found_values: NDArray = values.value[:found]
        return found_values
    return EighResult(values.value[:found], _first_columns(frame, vectors, found))


def _first_columns(frame: Frame, vectors: Operand, count: int) -> Array:
    """Returns the eigenvectors for a range of values. Their number is known only after the computation."""
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
    """Computes only the eigenvalues of a symmetric or Hermitian matrix. Collective.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    UPLO : {"L", "U"}
        The triangle of `a`, and of `b`, that is read: the lower or the upper one.
    b : (n, n), optional
        A positive definite matrix. The function then computes the eigenvalues w of ``a @ v = w * (b @ v)``.
    lower : bool, optional
        The triangle, as in scipy: True means UPLO "L", and False means UPLO "U".
    subset_by_index : (lo, hi), optional
        Numbers of the first and the last wanted eigenvalue. The smallest eigenvalue has number 0.
    subset_by_value : (lo, hi), optional
        Only eigenvalues in ``(lo, hi]`` are wanted. Infinity is allowed.
    driver : {"ev", "evd", "evr", "elpa", "elpa2"}, optional
        The algorithm: QR iteration ("ev"), divide and conquer ("evd"), MRRR ("evr"), or ELPA with one or two stages
        ("elpa", "elpa2"). With `b`, "gv" and "gvd" are also accepted, and mean "ev" and "evd". ELPA is available if
        dapbridge was built with it. None means "evd", the fastest correct driver of ScaLAPACK.
    overwrite_a, overwrite_b : bool
        True if the argument may be used as work space.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    numpy array
        The eigenvalues in ascending order, the same on every process.

    Raises
    ------
    LinAlgError
        The iteration does not converge, or b is not positive definite.
    UnsupportedError
        The driver is ELPA, and dapbridge was built without ELPA.
    """
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
    return values


def _subset(
    size: int, by_index: Sequence[int] | None, by_value: Sequence[float] | None
) -> dict[str, Any]:
    """Returns the options for a part of the spectrum."""
    if by_index is not None and by_value is not None:
        raise ArgumentError("eigh: subset_by_index and subset_by_value exclude each other")
    if by_index is not None:
        lo, hi = two_of(by_index, "subset_by_index", integer)
        if not 0 <= lo <= hi < size:
            raise ArgumentError(
                f"eigh: subset_by_index is ({lo}, {hi}), it must be within (0, {size - 1})"
            )
        return {"range": "index", "start": lo, "stop": hi + 1}
    if by_value is not None:
        above, up_to = two_of(by_value, "subset_by_value", real)
        if not above < up_to:
            raise ArgumentError(f"eigh: subset_by_value is ({above}, {up_to}), it must be (lo, hi)")
        return {"range": "value", "above": above, "up_to": up_to}
    return {}


def _solver(driver: str | None, is_generalized: bool) -> dict[str, Any]:
    """Returns the options for the algorithm of a LAPACK driver. Names of drivers for two matrices begin with g."""
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
        raise ArgumentError(f"eigh: driver {driver!r} is not one of {', '.join(map(repr, known))}")
    backend = {"backend": _elpa(driver)} if known[driver] == "backend" else {}
    return {"solver": known[driver], **backend}


def _elpa(driver: str) -> object:
    """Returns the backend ELPA for `_scalapack.eigh`. Only this function loads ELPA's library."""
    try:
        from . import _elpa as elpa
    except ImportError as why:
        raise UnsupportedError(f"eigh: driver {driver!r} needs dapbridge built with ELPA: {why}") from why
    return elpa.backend(2 if driver == "elpa2" else 1)


def _letter(UPLO: str, lower: bool | None) -> str:
    if not isinstance(UPLO, str):
        raise TypeError(f"UPLO is of type {type(UPLO).__name__}, not a letter; a second matrix is b=")
    uplo = UPLO.upper() if lower is None else "L" if lower else "U"
    if uplo not in ("L", "U"):
        raise ArgumentError("UPLO argument must be 'L' or 'U'")
    return uplo

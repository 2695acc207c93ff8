"""Singular values and vectors."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

from . import _scalapack
from ._errors import ArgumentError, UnsupportedError
from ._operands import Frame, Matrix, NDArray, Report, fill_report, keep, pair, plain
from .array import Array


class SVDResult(NamedTuple):
    """The decomposition that `svd` computes: ``a = U @ diag(S) @ Vh``."""

    U: Array
    S: NDArray
    Vh: Array


@overload
def svd(
    a: Matrix,
    full_matrices: bool = False,
    compute_uv: Literal[True] = True,
    *,
    lapack_driver: str | None = None,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> SVDResult: ...
@overload
def svd(
    a: Matrix,
    full_matrices: bool = False,
    *,
    compute_uv: Literal[False],
    lapack_driver: str | None = None,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> NDArray: ...
@overload
def svd(
    a: Matrix,
    full_matrices: bool = False,
    compute_uv: bool = True,
    *,
    lapack_driver: str | None = None,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> SVDResult | NDArray: ...
def svd(
    a: Matrix,
    full_matrices: bool = False,
    compute_uv: bool = True,
    *,
    lapack_driver: str | None = None,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> SVDResult | NDArray:
    """Computes the singular value decomposition ``a = U @ diag(S) @ Vh``. Collective.

    Parameters
    ----------
    a : (m, n)
        The matrix. Below, k is min(m, n).
    full_matrices : bool
        Must be False unless the matrix is square, because ScaLAPACK computes only k vectors. (numpy's default is True.)
    compute_uv : bool
        If False, the function returns only the singular values, as a numpy array.
    lapack_driver : {"gesdd", "gesvd"}, optional
        "gesdd" is divide and conquer, for which process 0 needs memory for 5 k^2 numbers. "gesvd" is QR iteration,
        which is many times slower. None means "gesdd" if process 0 has enough memory.
    overwrite_a : bool
        True if `a` may be used as work space.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    SVDResult
        ``U``, (m, k), and ``Vh``, (k, n), have the layout of a. ``S``, (k,), is a numpy array in descending order, the
        same on every process.

    Raises
    ------
    LinAlgError
        The iteration does not converge.
    UnsupportedError
        `full_matrices` is true, and the matrix is not square.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[0.0, 2], [3, 0]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.svd(a).S
    array([3., 2.])
    """
    a, _ = plain(a)
    frame = Frame("linalg.svd()", a)
    with frame.agreed():
        frame.check(a, report=report)
        if lapack_driver not in (None, "gesdd", "gesvd"):
            raise ArgumentError(f"svd: lapack_driver is {lapack_driver!r}, not 'gesdd' or 'gesvd'")
        rows, columns = frame.extents(a)
        check_vectors(a, full_matrices, compute_uv)
        rank = min(rows, columns)
        matrix, s = frame.operand(a, overwrite_a), frame.values(rank)
        u = frame.new_like(a, (rows, rank)) if compute_uv else None
        vh = frame.new_like(a, (rank, columns)) if compute_uv else None
    options = {**keep(matrix), "svd_solver": lapack_driver}
    uses = _scalapack.svd(frame.handle, matrix.pair, pair(u), s.pair, pair(vh), options)
    fill_report(report, uses)
    return SVDResult(u.value, s.value, vh.value) if u and vh else s.value


def check_vectors(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> None:
    """Raises an error if the caller wants vectors that ScaLAPACK does not compute. The defaults are numpy's."""
    if full_matrices and compute_uv and a.shape[:1] != a.shape[1:]:
        shape = " x ".join(map(str, a.shape))
        raise UnsupportedError(
            f"svd: ScaLAPACK computes min(m, n) vectors, but full_matrices is true of {shape}: give full_matrices=False"
        )


def svdvals(
    a: Matrix,
    *,
    lapack_driver: str | None = None,
    overwrite_a: bool = False,
    report: Report | None = None,
) -> NDArray:
    """Computes only the singular values of a matrix, as a numpy array in descending order. Collective.

    Parameters
    ----------
    a : (m, n)
        The matrix. Below, k is min(m, n).
    lapack_driver : {"gesdd", "gesvd"}, optional
        "gesdd" is divide and conquer, for which process 0 needs memory for 5 k^2 numbers. "gesvd" is QR iteration,
        which is many times slower. None means "gesdd" if process 0 has enough memory.
    overwrite_a : bool
        True if `a` may be used as work space.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Raises
    ------
    LinAlgError
        The iteration does not converge.
    """
    return svd(a, compute_uv=False, lapack_driver=lapack_driver, overwrite_a=overwrite_a, report=report)

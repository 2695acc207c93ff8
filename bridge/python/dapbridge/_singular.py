"""Singular values and vectors."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

from . import _scalapack
from ._errors import ArgumentError, UnsupportedError
from ._operands import Frame, Matrix, NDArray, Report, fill_report, keep, pair, plain
from .array import Array


class SVDResult(NamedTuple):
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
    """Singular value decomposition: ``a = U @ diag(S) @ Vh``; k = min(m, n).

    Parameters
    ----------
    a : (m, n)
    full_matrices : bool
        Must be False unless the matrix is square, unlike numpy's default: ScaLAPACK computes k vectors.
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
    """Raises where vectors are wanted that ScaLAPACK does not compute. The defaults are numpy's."""
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
    """The singular values alone: a numpy array in descending order."""
    return svd(a, compute_uv=False, lapack_driver=lapack_driver, overwrite_a=overwrite_a, report=report)

"""Schur form, eigenvalues and eigenvectors of general matrices."""

from __future__ import annotations

from typing import NamedTuple

from . import _scalapack
from ._errors import ArgumentError
from ._operands import Frame, Matrix, NDArray, Report, fill_report, plain
from .array import Array


class SchurResult(NamedTuple):
    """The Schur form that `schur` computes: ``a = Z @ T @ Z.conj().T``."""

    T: Array
    Z: Array


class EigResult(NamedTuple):
    """Eigenvalues, and the right eigenvectors as columns of an array. `eig` computes them."""

    eigenvalues: NDArray
    eigenvectors: Array


def schur(a: Matrix, output: str = "real", *, report: Report | None = None) -> SchurResult:
    """Computes the Schur form ``a = Z @ T @ Z.conj().T`` with a unitary Z and an upper triangular T. Collective.

    LAPACK computes the Schur form on process 0, which needs memory for the whole matrix. For larger matrices, use
    SLEPc.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    output : {"real", "complex"}
        For a real matrix, "real" returns a real T with a 2 x 2 block for each pair of complex conjugate eigenvalues,
        and "complex" returns a triangular T.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    SchurResult
        T and Z, with the layout of a.

    Raises
    ------
    LinAlgError
        The iteration does not converge.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[2.0, 1], [0, 3]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.schur(a).T.gather()
    array([[2., 1.],
           [0., 3.]])
    """
    a, _ = plain(a)
    frame = Frame("linalg.schur()", a)
    with frame.agreed():
        frame.check(a, report=report)
        if output not in ("real", "complex"):
            raise ArgumentError(f"schur: output is {output!r}, not 'real' or 'complex'")
        shape = frame.extents(a)
        if output == "complex":
            frame.dtype = frame.complex
        matrix = frame.operand(a)
        t, z = frame.new_like(a, shape), frame.new_like(a, shape)
    fill_report(report, _scalapack.schur(frame.handle, matrix.pair, t.pair, z.pair, None, {}))
    return SchurResult(t.array, z.array)


def eig(a: Matrix, *, report: Report | None = None) -> EigResult:
    """Computes eigenvalues and right eigenvectors: ``a @ v = v * w``. Collective.

    LAPACK computes the eigenvalues and eigenvectors on process 0, which needs memory for the whole matrix. For larger
    matrices, use SLEPc.

    Parameters
    ----------
    a : (n, n)
        The matrix. For Hermitian matrices use `eigh`, which is faster and more accurate, and distributes the
        computation.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Returns
    -------
    EigResult
        ``eigenvalues`` is a complex numpy array in no particular order, the same on every process. ``eigenvectors`` is
        a complex array with the layout of a. Its column k belongs to eigenvalue k.

    Raises
    ------
    LinAlgError
        The iteration does not converge.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[2.0, 1], [0, 3]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.eig(a).eigenvalues
    array([2.+0.j, 3.+0.j])
    """
    a, _ = plain(a)
    frame = Frame("linalg.eig()", a)
    with frame.agreed():
        frame.check(a, report=report)
        shape = frame.extents(a)
        matrix = frame.operand(a)
        frame.dtype = frame.complex
        values, vectors = frame.numbers(shape[:1]), frame.new_like(a, shape)
    fill_report(report, _scalapack.eig(frame.handle, matrix.pair, values.pair, vectors.pair, {}))
    return EigResult(values.value, vectors.array)


def eigvals(a: Matrix, *, report: Report | None = None) -> NDArray:
    """Computes only the eigenvalues of a matrix, as a complex numpy array in no particular order. Collective.

    LAPACK computes the eigenvalues on process 0, which needs memory for the whole matrix.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Raises
    ------
    LinAlgError
        The iteration does not converge.
    """
    a, _ = plain(a)
    frame = Frame("linalg.eigvals()", a)
    with frame.agreed():
        frame.check(a, report=report)
        shape = frame.extents(a)
        matrix = frame.operand(a)
        frame.dtype = frame.complex
        values = frame.numbers(shape[:1])
    fill_report(report, _scalapack.eig(frame.handle, matrix.pair, values.pair, None, {}))
    result: NDArray = values.value
    return result

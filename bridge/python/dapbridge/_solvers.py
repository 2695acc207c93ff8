"""Factors that can be used many times."""

from __future__ import annotations

from types import TracebackType
from typing import Any, NamedTuple, overload

import numpy as np

from . import _core, _scalapack
from ._entry import Distributed
from ._errors import ArgumentError
from ._factored import diagonal_of, factorable, side_of, take_triangle
from ._operands import Frame, Matrix, NDArray, Operand, Report, fill_report, keep, order_of, plain
from ._systems import SlogdetResult
from ._triangular import Trans, check_trans, letter_of
from .array import Array, Lazy
from .dists import replicated


class Cholesky(NamedTuple):
    """The place of a Cholesky factor, and the layout of its matrix."""

    stored: Array | None  #: None: the factors were destroyed
    is_lower: bool
    layout: _core.Layout
    order: str


class Factors(Distributed):
    """Factors of a matrix, for solving with many right-hand sides. `lu_factor` and `cho_factor` compute them.

    The factors are freed when the program calls `destroy`, at the end of a ``with`` block, or when the last reference
    to the object is gone. Freeing is not collective. The factors of ``lu_factor(a, overwrite_a=True)`` may be in the
    memory of `a`. The object then keeps this memory alive, and the program must not write to the memory.
    """

    def __init__(
        self, factors: _scalapack.Factors, frame: Frame, size: int, cholesky: Cholesky | None = None
    ) -> None:
        self._factors = factors
        self._cholesky = cholesky
        self._size = size
        self._dtype = frame.dtype
        # for frames of later calls, which get the communicator from an array
        one = _core.Layout([replicated().entry(1, frame.nprocs)])
        self._of = frame.new(one).array

    @property
    def _array(self) -> Array:
        return self._of

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix whose factors the object holds."""
        return self._size, self._size

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type of the factors."""
        return self._dtype

    def _frame(self, function: str, *arguments: Any) -> Frame:
        return Frame(f"linalg.Factors.{function}()", self._of, *arguments)

    def _check_live(self, function: str) -> None:
        """Raises an error if the factors were destroyed. Call it in an agreement, because processes may differ."""
        if not self._factors.is_live:
            raise ArgumentError(f"{function}: the factors were destroyed")

    def _right_side(self, frame: Frame, b: Any, overwrite: bool, report: Report | None) -> Operand:
        frame.check(b, report=report)
        if frame.dtype.kind == "c" and self._dtype.kind != "c":
            raise ArgumentError(f"{frame.function}: b is {b.dtype.name}, and the factors are {self._dtype.name}")
        frame.check_rows(b, self._size)
        frame.dtype = self._dtype
        return frame.work(b, overwrite)

    @property
    def L(self) -> Array:
        """The lower Cholesky factor of ``a = L @ L.T.conj()``. Collective.

        Each access makes a new array with the layout of a. Factors of `lu_factor` do not have this
        attribute. The function `lu` returns P, L and U.

        Examples
        --------
        >>> a = dapbridge.from_global(np.array([[4.0, 2], [2, 2]]), MPI.COMM_SELF)
        >>> dapbridge.linalg.cho_factor(a).L.gather()
        array([[2., 0.],
               [1., 1.]])
        """
        return self._triangle("L")

    @property
    def U(self) -> Array:
        """The upper Cholesky factor of ``a = U.T.conj() @ U``: a new array with the layout of a. Collective."""
        return self._triangle("U")

    def _triangle(self, name: str) -> Array:
        if self._cholesky is None:
            raise AttributeError(f"factors of lu_factor() have no {name}: linalg.lu(a) gives P, L and U")
        frame = self._frame(name)
        with frame.agreed():
            self._check_live(frame.function)
            frame.dtype = self._dtype
            layout, order = self._cholesky.layout, self._cholesky.order
            memory = _core.Local.make(layout, frame.rank, self._dtype.name, order)
            result = frame.of_memory(layout, memory, self._of).array
        stored = self._cholesky.stored
        assert stored is not None
        is_lower = name == "L"
        is_stored = is_lower == self._cholesky.is_lower
        take_triangle(stored if is_stored else Lazy(stored).T.conj(), is_lower, result)
        result.local[...] *= self._scale(stored)
        return result

    def _scale(self, stored: Array) -> float:
        """Returns the scale of the stored triangle. If a has tiny elements, a multiple of a was factorised."""
        logs = np.log(np.abs(diagonal_of(stored)), dtype=np.float64)
        log = 2 * stored.comm.allreduce(float(logs.sum())) - float(self.slogdet().logabsdet)
        return float(2 ** (-np.rint(log / np.log(2) / max(self._size, 1)) / 2))

    @overload
    def solve(
        self,
        b: Array | Lazy,
        trans: Trans = 0,
        *,
        overwrite_b: bool = False,
        report: Report | None = None,
    ) -> Array: ...
    @overload
    def solve(
        self,
        b: NDArray,
        trans: Trans = 0,
        *,
        overwrite_b: bool = False,
        report: Report | None = None,
    ) -> NDArray: ...
    def solve(
        self,
        b: Matrix,
        trans: Trans = 0,
        *,
        overwrite_b: bool = False,
        report: Report | None = None,
    ) -> Array | NDArray:
        """Solves ``a @ x = b`` with the factors of a. Collective.

        Parameters
        ----------
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

        Raises
        ------
        LinAlgError
            `b` is finite and the solution exceeds the type's range.

        Examples
        --------
        >>> a = dapbridge.from_global(np.array([[2.0, 1], [0, 4]]), MPI.COMM_SELF)
        >>> with dapbridge.linalg.lu_factor(a) as factors:
        ...     factors.solve(np.array([4.0, 8])), factors.solve(np.array([4.0, 8]), trans="T")
        (array([1., 2.]), array([2. , 1.5]))
        """
        b, _ = plain(b)
        frame = self._frame("solve", *([] if isinstance(b, Array) else [b]))
        with frame.agreed():
            self._check_live(frame.function)
            letter = letter_of(trans)
            check_trans(letter, trans, frame.function)
            x = self._right_side(frame, b, overwrite_b, report)
        fill_report(report, self._factors.solve(frame.handle, letter, x.pair, {}))
        return x.result

    def inv(self, like: Array, *, report: Report | None = None) -> Array:
        """Computes the inverse of the matrix, with the layout of the array `like`. Collective.

        Parameters
        ----------
        like : Array
            An array whose layout the inverse has. Its elements are not read.
        report : list, optional
            The function appends one `Use` for each operand to this list.
        """
        frame = self._frame("inv")
        with frame.agreed():
            self._check_live(frame.function)
            frame.check(like, report=report)
            frame.dtype = self._dtype
            x = frame.new_like(like, self.shape)
        fill_report(report, self._factors.inverse(frame.handle, x.pair, {}))
        return x.array

    def slogdet(self) -> SlogdetResult:
        """Computes the sign of the determinant, and the natural logarithm of its absolute value. Collective.

        Returns
        -------
        SlogdetResult
            ``sign`` and ``logabsdet``, the same on every process. If the matrix is singular, the sign is 0, and the
            logarithm is -inf.
        """
        frame = self._frame("slogdet")
        with frame.agreed():
            self._check_live(frame.function)
        sign, log = self._factors.determinant()
        typed = np.asarray(sign if self._dtype.kind == "c" else sign.real, self._dtype)[()]
        return SlogdetResult(typed, np.dtype(self._dtype.char.lower()).type(log))

    def cond(self, p: Any = 1) -> Any:
        """Estimates the condition number of the matrix. Collective.

        Parameters
        ----------
        p : {1, inf}
            The norm: the largest column sum (1) or the largest row sum (inf).

        Returns
        -------
        real number
            The estimate, or inf if the matrix is singular.
        """
        frame = self._frame("cond")
        with frame.agreed():
            self._check_live(frame.function)
        inverse = self._factors.condition("1" if p == 1 else "I" if p == np.inf else "?")
        return np.dtype(self._dtype.char.lower()).type(1 / inverse if inverse else np.inf)

    def destroy(self) -> None:
        """Frees the factors. Not collective."""
        self._factors.destroy()
        if self._cholesky is not None:
            self._cholesky = self._cholesky._replace(stored=None)

    def __enter__(self) -> Factors:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.destroy()

    def __repr__(self) -> str:
        state = f"{self._size} x {self._size} {self._dtype.name}" if self._factors.is_live else "destroyed"
        return f"<dapbridge.linalg.Factors, {state}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("factors cannot be pickled or copied: they belong to the processes that made them")


def lu_factor(a: Matrix, *, overwrite_a: bool = False, report: Report | None = None) -> Factors:
    """Computes the LU factors of a matrix, with partial pivoting, for `Factors.solve`. Collective.

    Use this function also for indefinite symmetric matrices, because ScaLAPACK has no special factorisation for them.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    overwrite_a : bool
        True if the factors may be stored in the memory of `a`.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Raises
    ------
    LinAlgError
        `a` is singular.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[0.0, 2], [3, 0]]), MPI.COMM_SELF)
    >>> factors = dapbridge.linalg.lu_factor(a)
    >>> factors.solve(np.array([2.0, 6]))
    array([2., 1.])
    >>> round(float(factors.slogdet().logabsdet), 6)
    1.791759
    """
    a, _ = plain(a)
    frame = Frame("linalg.lu_factor()", a)
    with frame.agreed():
        frame.check(a, report=report)
        size = frame.extents(a)[0]
        matrix = frame.operand(a, overwrite_a)
    factors, uses = _scalapack.Factors.lu(frame.handle, matrix.pair, keep(matrix))
    fill_report(report, uses)
    return Factors(factors, frame, size)


def cho_factor(
    a: Matrix, lower: bool = False, *, overwrite_a: bool = False, report: Report | None = None
) -> Factors:
    """Makes the Cholesky factor of a symmetric or Hermitian positive definite matrix, for `Factors.solve`. Collective.

    Parameters
    ----------
    a : (n, n)
        The matrix.
    lower : bool
        True if the lower triangle is read, False if the upper one is read.
    overwrite_a : bool
        True if the factor may be stored in the memory of `a`.
    report : list, optional
        The function appends one `Use` for each operand to this list.

    Raises
    ------
    LinAlgError
        `a` is not positive definite.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[2.0, 1], [1, 3]]), MPI.COMM_SELF)
    >>> dapbridge.linalg.cho_factor(a).solve(np.array([3.0, 5]))
    array([0.8, 1.4])
    """
    a, _ = plain(a)
    frame = Frame("linalg.cho_factor()", a)
    with frame.agreed():
        frame.check(a, report=report)
        size = side_of(frame, a)
        matrix = frame.operand(a, overwrite_a)
    place, use = factorable(frame, a, matrix, "potrs", overwrite_a)
    uplo = "L" if lower else "U"
    factors, _ = _scalapack.Factors.cholesky(frame.handle, uplo, place.pair, {"keep": False})
    fill_report(report, [use])
    return Factors(factors, frame, size, Cholesky(place.array, lower, matrix.layout, order_of(matrix.local)))

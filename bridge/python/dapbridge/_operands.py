"""Operands and results of dapbridge.linalg, with one type and with layouts that the library's functions accept."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Union

import numpy as np
from mpi4py import MPI

from . import _core
from ._comms import agreed, require_held, require_mpi
from ._errors import ArgumentError, UnsupportedError
from ._given import Refused, elements_or_refused
from .array import Array, Lazy
from .dists import Dist, block, cyclic, local, replicated

NDArray = np.ndarray[Any, np.dtype[Any]]
Matrix = Union[Array, Lazy, NDArray]
Pair = tuple[_core.Layout, _core.Local]


class Use(NamedTuple):
    """Describes how a function used one operand. The function appends a `Use` for each operand to ``report``."""

    name: str
    #: True if the function computed in the caller's buffer.
    shared: bool
    #: Number of bytes that this process copied or sent for the operand.
    moved_bytes: int
    #: Why the function computed in the caller's buffer, or why not.
    reason: str


Report = list[Use]


@dataclass
class Operand:
    """An operand: an array, or a numpy array that is the same on every process."""

    layout: _core.Layout
    local: _core.Local
    #: What a caller receives if the operand is a result.
    value: Any
    #: True if the operand may be overwritten.
    is_work: bool

    @property
    def pair(self) -> Pair:
        return self.layout, self.local

    @property
    def result(self) -> Array | NDArray:
        value: Array | NDArray = self.value
        return value

    @property
    def array(self) -> Array:
        """The value of an operand that is a distributed array."""
        assert isinstance(self.value, Array)
        return self.value


def plain(x: Any, allowed: str = "N") -> tuple[Any, str]:
    """Returns the array of a lazy view, and the TRANS that gives the view, if this TRANS is one of `allowed`.

    Other lazy views are copied to new arrays, which is collective on the processes that have elements of the view.
    Arrays and numpy arrays are returned with "N".
    """
    if not isinstance(x, Lazy):
        return (_of_its_own(x) if isinstance(x, Array) else elements_or_refused(x)), "N"
    trans, array = _trans_of(x), _of_its_own(x.array)
    if array.rank < 0 or (trans in allowed and not x.is_cast):
        return array, trans
    return Lazy(array, x.axes, x.dtype if x.is_cast else None, x.is_conjugate).copy(), "N"


def _of_its_own(array: Array) -> Array:
    """Returns the array, or, for a slice on some of the processes, an array whose `over` is its `comm`."""
    if array.rank < 0 or array.over == array.comm:
        return array
    return Array(array.layout, array._local, array.comm, base=array)


def _trans_of(x: Lazy) -> str:
    if x.axes == (1, 0):
        return "C" if x.is_conjugate else "T"
    return "none" if x.is_conjugate else "N"


class Frame:
    """The processes and the element type of one call."""

    def __init__(self, function: str, *arrays: Any) -> None:
        require_mpi()
        first = max((a for a in arrays if isinstance(a, Array)), key=_processes, default=None)
        if first is None:
            raise TypeError(f"{function}: none of the arguments is a dapbridge.Array")
        for a in arrays:
            if isinstance(a, Array):
                require_held(a, function)
                _require_whole(a, function)
        if first.comm == MPI.COMM_NULL:
            raise ArgumentError(f"{function}: this process has no part of the array: array.rank is -1")
        self.function = function
        self.first = first
        self.comm = first.comm
        self.handle = first._handle
        self.rank = first.rank
        self.nprocs = first.layout.nprocs
        self.dtype = np.dtype(np.float64)
        self.is_compared = False
        self.numbers_given = [(k, x) for k, x in enumerate(arrays) if isinstance(x, np.ndarray)]

    def agreed(self) -> _Compared:
        """Returns a context manager for checks that each process makes for itself, like `agreed`.

        When the first such block of a frame ends, the processes also check that their numpy arguments are equal.
        """
        return _Compared(self)

    def compare(self) -> None:
        """Raises an error unless the numpy arguments have the same hash on every process. Collective.

        The method does nothing if `dapbridge.check_operands` is False. This setting must be the same on all processes.
        """
        is_wanted = getattr(sys.modules[__package__], "check_operands", True)
        if self.nprocs == 1 or self.is_compared or not is_wanted:
            return
        forms, word = [], 0
        for place, x in self.numbers_given:
            forms.append(f"a numpy array of shape {x.shape} and type {x.dtype.name}")
            word = zlib.crc32(f"{place} {forms[-1]}".encode(), word)
            word = zlib.crc32(np.ascontiguousarray(x).reshape(-1).view(np.uint8).data, word)
        what = f"{self.function}: numpy arguments have to be the same on every process; here"
        _core.agree_word(self.handle, f"{what} {', '.join(forms) or 'there are none'}", word)
        self.is_compared = True

    def check(self, *arrays: Any, report: Any = None) -> None:
        """Checks that the arguments are on the same processes, and sets `dtype` to their common type."""
        if report is not None and not isinstance(report, list):
            raise TypeError(f"{self.function}: report is {type(report).__name__}, not a list")
        for a in arrays:
            if isinstance(a, Refused):
                raise ArgumentError(f"{self.function}: an argument is {a.advice}")
            if isinstance(a, Array) and a.comm != self.comm:
                alike = (MPI.IDENT, MPI.CONGRUENT)
                if a.comm == MPI.COMM_NULL or MPI.Comm.Compare(a.comm, self.comm) not in alike:
                    raise ArgumentError(
                        f"{self.function}: the arrays are on different processes, or in another order"
                    )
        self.dtype = _common_type([a.dtype for a in arrays], self.function)

    def check_rows(self, x: Any, rows: int) -> None:
        """Refuses a numpy array with a wrong number of rows, which may be this process's part."""
        if isinstance(x, Array) or x.ndim == 0 or x.shape[0] == rows:
            return
        raise ArgumentError(
            f"{self.function}: B must be of {rows} rows, and it is a numpy array of shape {x.shape}. A numpy argument is "
            "the whole, with the same elements on every process; dapbridge.array(b, comm) makes an array of the "
            "parts that the processes have"
        )

    @property
    def real(self) -> np.dtype[Any]:
        """The type of norms, eigenvalues and singular values."""
        return np.dtype(self.dtype.char.lower())

    @property
    def complex(self) -> np.dtype[Any]:
        """The complex type of the same precision."""
        return np.result_type(self.dtype, np.complex64)

    # ---- operands ----

    def operand(self, x: Any, overwrite: bool = False) -> Operand:
        """Returns an argument, converted to the common type if necessary."""
        if not isinstance(x, Array):
            same = x.dtype == self.dtype and x.dtype.isnative and x.flags.writeable
            return self._replicated(x if overwrite and same else np.array(x, self.dtype, order="C"), True)
        assert x._local is not None
        if x.dtype.newbyteorder("=") == self.dtype:
            return Operand(x.layout, x._local, x, overwrite and not x._local.readonly)
        buffer = x.local.astype(self.dtype, "K")
        return self.of_memory(x.layout, _core.Local.wrap(x.layout, self.rank, buffer), x)

    def work(self, x: Any, overwrite: bool) -> Operand:
        """Returns an operand that will be overwritten: the argument itself if that is allowed, otherwise a copy."""
        given = self.operand(x, overwrite)
        if given.is_work:
            return given
        copy = self.new(given.layout, given.local, x)
        given.local.copy_to(copy.local)
        return copy

    def beside(self, x: Any, first: Any, overwrite: bool = False) -> Operand:
        """Returns a second argument that will also be overwritten. The result is a copy if both arguments use the
        memory of one array."""
        return self.work(x, False) if _root(x) is _root(first) else self.operand(x, overwrite)

    # ---- results ----

    def new(self, layout: _core.Layout, like: _core.Local | None = None, of: Any = None) -> Operand:
        """Makes an array of zeros in the storage order of `like`, on the processes of the array `of`."""
        order = "C" if like is None else order_of(like)
        memory = _core.Local.make(layout, self.rank, self.dtype.name, order)
        return self.of_memory(layout, memory, of)

    def new_like(self, x: Any, shape: Sequence[int]) -> Operand:
        """Makes an array of another shape with the distributions of `x`, or a numpy array if `x` is one."""
        if isinstance(x, Array):
            return self.new(relaid(x.layout, shape), x._local, x)
        return self.numbers(shape)

    def extents(self, x: Any) -> tuple[int, int]:
        """Returns the extents of a matrix."""
        if x.ndim != 2:
            raise ArgumentError(f"{self.function}: the array has {x.ndim} axes, a matrix has 2")
        rows, columns = x.shape
        return rows, columns

    def numbers(self, shape: Sequence[int]) -> Operand:
        """Makes a result of zeros that each process has in full."""
        return self._replicated(np.zeros(shape, self.dtype), True)

    def values(self, count: int) -> Operand:
        """Makes a result of real numbers that each process has in full."""
        return self._replicated(np.zeros(count, self.real), True)

    def integers(self, count: int) -> Operand:
        """Makes a result of integers that each process has in full."""
        return self._replicated(np.zeros(count, np.int64), True)

    def of_memory(self, layout: _core.Layout, memory: _core.Local, of: Any) -> Operand:
        """Makes a result in this memory, on the processes of the array `of`."""
        like = of if isinstance(of, Array) else self.first
        return Operand(layout, memory, Array(layout, memory, like.comm), True)

    def _replicated(self, buffer: NDArray, is_work: bool) -> Operand:
        dists = [replicated().entry(buffer.shape[0] if buffer.ndim else 1, self.nprocs)]
        dists += [local().entry(n, 1) for n in buffer.shape[1:]]
        layout = _core.Layout(dists)
        return Operand(layout, _core.Local.wrap(layout, self.rank, buffer), buffer, is_work)


def _require_whole(array: Array, function: str) -> None:
    """Raises an error if an axis is partial. All processes raise the error, because they have the same layout."""
    if any(array.layout.axis(k)["partial"] for k in range(array.ndim)):
        raise ArgumentError(
            f"{function}: an array is partial: each process has a term of each element; "
            "a.redistribute('block') adds the terms up"
        )


class _Compared(agreed):
    """The context manager of `Frame.agreed`."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame.comm, frame.function)
        self._frame = frame

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._frame.compare()


def _root(x: Any) -> Any:
    """Returns the array that has an argument's memory."""
    while isinstance(x, Array) and x.base is not None:
        x = x.base
    return x


def _processes(array: Array) -> int:
    return 0 if array.comm == MPI.COMM_NULL else array.comm.size


def _common_type(dtypes: Sequence[np.dtype[Any]], function: str) -> np.dtype[Any]:
    """Returns the common type, as numpy determines it. Integers and bool count as float64."""
    common = np.result_type(*[np.dtype(np.float64) if d.kind in "iub" else d for d in dtypes])
    for d in (*dtypes, common):
        if d.kind not in "iub" and d.char not in "fdFD":
            raise UnsupportedError(
                f"{function}: elements of type {d.name} are not supported: float32, float64, complex64 and "
                "complex128 are; integers and bool become float64"
            )
    return common.newbyteorder("=")


def order_of(buffer: _core.Local) -> str:
    """Returns the storage order of a new array that is laid out like the buffer."""
    strides = buffer.strides
    return "F" if len(strides) == 2 and abs(strides[0]) < abs(strides[1]) else "C"


def pair(operand: Operand | None) -> Pair | None:
    """Returns layout and local part of a result, or None if the result is not wanted."""
    return operand.pair if operand else None


def keep(*operands: Operand) -> dict[str, Any]:
    """Returns the option `keep`, which is False if all operands may be overwritten."""
    return {"keep": not all(o.is_work for o in operands)}


def fill_report(report: Report | None, uses: list[Any]) -> None:
    """Adds the uses of one call to the caller's list."""
    if report is not None:
        for name, shared, moved_bytes, reason in uses:
            report.append(Use(name, shared, moved_bytes, reason.removesuffix(": options.keep")))


# ---- layouts ---------------------------------------------------------------------------------------------


def axis_like(layout: _core.Layout, axis: int, size: int) -> tuple[Dist, int]:
    """Returns a distribution of `size` elements like that of an axis, without padding, and the number of processes.

    If the sizes are equal, the processes' parts are also equal. Otherwise only the kind of blocks is the
    same. For an unstructured axis, the result has even blocks.
    """
    facts = layout.axis(axis)
    procs = facts["procs"]
    if facts["dist_type"] == "c":
        return cyclic(facts["block_size"], facts["first_owner"]), procs
    if facts["replicated"]:
        return replicated(), procs
    if facts["dist_type"] == "b" and facts["size"] == size:
        return block([layout.owned(axis, c) for c in range(procs)]), procs
    return block(), procs


def relaid(layout: _core.Layout, shape: Sequence[int]) -> _core.Layout:
    """Returns the layout of an array of another shape, on the same grid of processes."""
    if tuple(shape) == layout.shape:
        return layout
    axes = range(len(shape))
    return made_of([axis_like(layout, k, shape[k]) for k in axes], shape, layout, axes)


def made_of(
    dists: Sequence[tuple[Dist, int]],
    shape: Sequence[int],
    layout: _core.Layout,
    axes: Sequence[int],
) -> _core.Layout:
    """Returns the layout with these distributions. Its axis k is along axis axes[k] of the grid of `layout`."""
    entries = [d.entry(int(n), p) for (d, p), n in zip(dists, shape)]
    if layout.is_row_major and list(axes) == sorted(axes):
        return _core.Layout(entries)
    ranks = []
    for place in np.ndindex(*[p for _, p in dists]):
        coords = [0] * layout.ndim
        for axis, c in zip(axes, place):
            coords[axis] = c
        ranks.append(layout.rank(coords))
    return _core.Layout(entries, ranks)

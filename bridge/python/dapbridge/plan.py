"""Plans: moving elements from one array to another, again and again."""

from __future__ import annotations

import operator
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Union

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from . import _comms, _core, dists
from ._comms import agree_equal, agreed, require_mpi
from ._errors import ArgumentError, Error
from .array import Array, NDArray, new_array, type_name, wrap
from .lazy import Lazy

Side = Union[Array, Lazy, tuple[_core.Layout, npt.DTypeLike], None]

_TRANSPORTS = {"direct": 1, "staged": 2, "messages": 4, "fetched": 8}
_begun: list[_core.Plan] = []
"""Plans that were dropped while they were begun, which one process cannot end alone."""


class _End:
    """One side of a plan: what an array, a lazy view, or a layout with a type is for it."""

    def __init__(self, side: Any, name: str) -> None:
        self.array: Array | None = None
        self.layout: _core.Layout | None = None
        self.part: _core.PartTuple | None = None
        self.type: str | None = None
        self.lazy: Lazy | None = None
        if isinstance(side, Lazy):
            self.lazy, self.array = side, side.array
            self.part = side.part
        elif isinstance(side, Array):
            self.array = side
        elif isinstance(side, tuple) and len(side) == 2 and isinstance(side[0], _core.Layout):
            self.layout, self.type = side[0], type_name(side[1])
        elif side is not None:
            raise TypeError(
                f"{name} is {type(side).__name__}: neither an array, nor a lazy view, nor (layout, dtype)"
            )
        if self.array is not None:
            self.layout = self.array.layout
            self.type = self.array._type

    @property
    def dtype(self) -> np.dtype[Any] | None:
        if self.lazy is not None:
            return self.lazy.dtype
        return None if self.type is None else np.dtype(self.type)

    def tuple(self, comm: MPI.Comm) -> _core.SideTuple:
        local = self.array._local if self.array is not None else self._example(comm)
        return self.layout, local, self.part, self._ranks(comm), None if local is not None else self.type

    def _example(self, comm: MPI.Comm) -> _core.Local | None:
        """Of a layout with a type: a contiguous array, as those will be that the plan runs on."""
        if self.layout is None or comm.rank >= self.layout.nprocs:
            return None
        coords = self.layout.coords(comm.rank)
        extents = [self.layout.extent(k, c) for k, c in enumerate(coords)]
        return wrap(self.layout, comm.rank, np.empty(extents, self.type))

    def _ranks(self, comm: MPI.Comm) -> list[int] | None:
        array = self.array
        if array is None or comm == array.over:
            return None if array is None else array.ranks
        places = array.ranks or list(range(array.layout.nprocs))
        found = list(MPI.Group.Translate_ranks(array.over.group, places, comm.group))
        if MPI.UNDEFINED in found:
            raise ArgumentError("the plan's communicator does not have all processes of an array")
        return None if found == list(range(comm.size)) else found


def _communicator(sides: Sequence[Any], comm: Any) -> MPI.Comm:
    """The communicator given, or the largest of the arrays'; a wrong one is told to the processes of these."""
    arrays = [s.array if isinstance(s, Lazy) else s for s in sides]
    overs = [a.over for a in arrays if isinstance(a, Array)]
    if isinstance(comm, MPI.Comm) or (comm is not None and not overs):
        return comm
    if not overs:
        raise ArgumentError("comm is needed for a plan of layouts alone")
    return max(overs, key=lambda c: c.size)


class Plan:
    """Moves the elements of one array to another, as often as is wanted.

    Collective on `comm`, as are its runs.

    Parameters
    ----------
    source, target
        An array, a lazy view (``a.T``, ``a.conj()``, ``a.astype(t)``), or ``(layout, dtype)``, for
        arrays that are given to the runs. Between two programs, over an intercommunicator: None for
        what the other one has.
    comm
        None: the arrays' own communicator.
    alpha, beta
        target = alpha * source + beta * target.
    conjugate
        Conjugates the elements.
    combine
        What becomes of the values that several processes have for an element: None: the owner's counts;
        "sum", "max", "min".
    fill_halos
        Fills the target's communication padding, too.
    lossy
        Allows a conversion that loses something.
    memory_bytes, message_bytes
        Limits of the memory for messages on each process, and of one message. 0: the library's.
    transports
        Names of what may be used: "direct", "staged", "messages", "fetched". None: the library's
        choice.
    arrays
        How many arrays a run moves together, by `run_many`. 0: one.
    fan_out
        How wide the tree is by which copies are spread. 0: the library's choice.
    effort
        "estimate", or "measure": tries several ways, and keeps the fastest.
    wisdom
        With "measure": a file that keeps what was found.
    phases
        "one" or "two", in which messages go: two by way of a process between, so that each process has
        few. None: the library's choice.
    wait_seconds
        A run that waits so long for another process, while nothing moves, raises an error that names
        it. 0: it waits as long as it takes.

    Examples
    --------
    >>> a = dapbridge.from_global(np.arange(6.0).reshape(2, 3), MPI.COMM_SELF)
    >>> b = dapbridge.zeros((3, 2), MPI.COMM_SELF, "cyclic")
    >>> with dapbridge.Plan(a.T, b, alpha=2) as plan:
    ...     plan(a, b)
    >>> b.gather()
    array([[ 0.,  6.],
           [ 2.,  8.],
           [ 4., 10.]])
    """

    def __init__(
        self,
        source: Side,
        target: Side,
        *,
        comm: MPI.Comm | None = None,
        alpha: complex | None = None,
        beta: complex | None = None,
        conjugate: bool = False,
        combine: str | None = None,
        fill_halos: bool = False,
        lossy: bool = False,
        memory_bytes: int = 0,
        message_bytes: int = 0,
        transports: Iterable[str] | None = None,
        arrays: int = 0,
        fan_out: int = 0,
        effort: str = "estimate",
        wisdom: str | None = None,
        phases: str | None = None,
        wait_seconds: float = 0,
    ) -> None:
        require_mpi()
        self.comm = _communicator((source, target), comm)
        with _agreed_within(self.comm, "dapbridge.Plan()"):
            if comm is not None and comm is not self.comm:
                raise TypeError(f"comm is {type(comm).__name__}, not a communicator of mpi4py")
            ends = _End(source, "source"), _End(target, "target")
            sides = ends[0].tuple(self.comm), ends[1].tuple(self.comm)
            options = plan_options(
                alpha=alpha,
                beta=beta,
                conjugate=conjugate ^ _is_conjugate(ends[0]) ^ _is_conjugate(ends[1]),
                combine="" if combine is None else combine,
                fill_halos=fill_halos,
                lossy=lossy or _is_cast(*ends),
                memory_bytes=memory_bytes,
                message_bytes=message_bytes,
                transports=transports,
                arrays=arrays,
                fan_out=fan_out,
                effort=effort,
                wisdom=wisdom,
                phases="" if phases is None else phases,
                wait_seconds=wait_seconds,
            )
        plan = _core.Plan.create(self.comm.py2f(), *sides, 0, options)
        self._take(plan, *ends)

    @classmethod
    def halo(cls, array: Array, *, arrays: int = 0, allow_empty: bool = False, **options: Any) -> Plan:
        """The plan of halo updates, for several arrays of one layout (`run_many`), or for `begin` and `end`.

        ``plan(a)`` runs it. Collective on the array's `comm`; options as of `Plan`.
        """
        return cls._in_place(
            _core.Plan.halo, array, dict(options, arrays=arrays, allow_empty=allow_empty)
        )

    @classmethod
    def halo_reverse(
        cls, array: Array, combine: str = "sum", padding: str = "keep", *, arrays: int = 0, **options: Any
    ) -> Plan:
        """The plan of reverse halo updates, as `Array.halo_reverse`."""
        options.update(combine=combine, padding=padding, arrays=arrays)
        return cls._in_place(_core.Plan.halo_reverse, array, options)

    @classmethod
    def _in_place(cls, create: Any, array: Array, options: dict[str, Any]) -> Plan:
        end = _End(array, "array")
        if end.array is None:
            raise TypeError(f"array is {type(array).__name__}, not an array")
        plan = cls.__new__(cls)
        plan.comm = end.array.comm
        with agreed(plan.comm, "dapbridge.Plan()"):
            if end.lazy is not None:
                raise TypeError("array is a lazy view, not an array")
            checked = plan_options(**options)
        side = (array.layout, array._local, None, None, None)
        plan._take(create(array._handle, side, 0, checked), end, end)
        return plan

    def _take(self, plan: _core.Plan, source: _End, target: _End) -> None:
        self._plan = plan
        self._run = plan.run
        self._ends = source, target
        self._from, self._to = source.layout, target.layout
        self._is_in_place = source is target

    # ---- runs ----

    def __call__(self, source: Any = None, target: Any = None) -> None:
        """Moves the elements. Collective on `comm`.

        Parameters
        ----------
        source, target
            Arrays of the layouts, strides and types that the plan was made for; numpy arrays of this
            process's part, likewise; None: those that the plan was made with.
        """
        try:
            if source.layout is self._from and target.layout is self._to and not _comms._forked:
                self._run(source._local, target._local)
                return
        except AttributeError:
            pass
        self._with(self._run, source, target)

    def begin(self, source: Any = None, target: Any = None) -> None:
        """Starts a run: until `end`, source must not change, and target not be used. Collective on `comm`."""
        self._with(self._plan.begin, source, target)

    def end(self) -> None:
        """Completes the run. Collective on `comm`."""
        require_mpi()
        self._plan.end()

    def run_many(self, sources: Sequence[Any], targets: Sequence[Any] | None = None) -> None:
        """Moves `arrays` arrays at once. Collective on `comm`."""
        if targets is None and self._is_in_place:
            targets = sources
        self._with(self._plan.run_many, list(sources), list(targets or ()))

    def _with(self, run: Any, source: Any, target: Any) -> None:
        """Runs on what the caller gave. Where that is wrong, the others learn that this process has nothing."""
        require_mpi()
        if target is None and self._is_in_place:
            target = source
        try:
            buffers = self._buffers(source, 0), self._buffers(target, 1)
        except (TypeError, Error):
            try:
                nothing = [None] * len(source) if isinstance(source, list) else None
                run(nothing, nothing)
            except Error:
                pass
            raise
        run(*buffers)

    def _buffers(self, given: Any, side: int) -> Any:
        if isinstance(given, list):
            return [self._buffer(g, side) for g in given]
        return self._buffer(given, side)

    def _buffer(self, given: Any, side: int) -> Any:
        end, name = self._ends[side], ("source", "target")[side]
        if given is None:
            return end.array._local if end.array is not None else None
        if isinstance(given, Lazy):
            if end.lazy is None or not given.is_alike(end.lazy):
                raise ArgumentError(f"{name} is another lazy view than the plan was made for")
            given = given.array
        if isinstance(given, Array):
            if given.layout != end.layout:
                raise ArgumentError(
                    f"{name} is laid out as {given.layout.summary()}, and the plan was made for "
                    f"{end.layout.summary() if end.layout else 'what another program has'}"
                )
            return given._local
        if not isinstance(given, (np.ndarray, _core.Local, memoryview, bytearray)):
            raise TypeError(f"{name} is {type(given).__name__}, not an array")
        return given

    # ---- what it is ----

    @property
    def is_begun(self) -> bool:
        """Whether a run was begun and not yet ended."""
        return self._plan.is_begun

    @property
    def stats(self) -> dict[str, int]:
        """What a run does on this process: bytes_local, bytes_sent, bytes_received, messages_sent..."""
        return self._plan.stats

    @property
    def memory(self) -> int:
        """Bytes of memory that the plan has on this process, besides the arrays."""
        stats = self._plan.stats
        return stats["bytes_buffer"] + stats["bytes_plan"]

    def describe(self) -> str:
        """How elements are moved, and why so."""
        return self._plan.describe()

    def __repr__(self) -> str:
        try:
            return f"<dapbridge.Plan {self.describe().splitlines()[0]}>"
        except ArgumentError:
            return "<dapbridge.Plan, destroyed>"

    # ---- its end ----

    def destroy(self) -> None:
        """Frees the plan. Of a plan that was begun, which it ends, collective."""
        self._plan.destroy()

    def __enter__(self) -> Plan:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._plan.destroy()

    def __del__(self) -> None:
        plan = getattr(self, "_plan", None)
        if plan is None or sys.is_finalizing() or not plan.is_begun:
            return
        _begun.append(plan)
        warnings.warn(
            "a plan was dropped between begin() and end(); it is kept until the program ends",
            ResourceWarning,
            source=self,
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a plan cannot be pickled or copied: it belongs to the processes that made it")


def _is_conjugate(end: _End) -> bool:
    return end.lazy is not None and end.lazy.is_conjugate


def _is_cast(source: _End, target: _End) -> bool:
    """Whether the elements were to be converted, which numpy does with loss. Checks that it is to that type."""
    if target.lazy is not None and target.lazy.is_cast:
        raise ArgumentError("target: astype() is for sources")
    if source.lazy is None or not source.lazy.is_cast:
        return False
    if target.dtype is not None and source.dtype != target.dtype.newbyteorder("="):
        raise ArgumentError(f"source is to be {source.dtype} and target is {target.dtype}")
    return True


class _agreed_within:
    """`agreed`, but between two programs, whose processes cannot agree before they have a plan."""

    def __init__(self, comm: MPI.Comm, function: str) -> None:
        self._agreed = None if isinstance(comm, MPI.Intercomm) else agreed(comm, function)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._agreed is not None:
            self._agreed.__exit__(kind, error, trace)


def plan_options(transports: Iterable[str] | None = None, **given: Any) -> dict[str, Any]:
    """Options for the compiled module, checked: this process may be the only one that gives them wrong."""
    options: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _READ:
            raise TypeError(f"unexpected option {name!r}")
        if value is not None:
            options[name] = _READ[name](name, value)
    if transports is not None:
        names = [transports] if isinstance(transports, str) else list(transports)
        unknown = [n for n in names if n not in _TRANSPORTS]
        if unknown:
            raise ArgumentError(f"transports: {unknown[0]!r} is none of {', '.join(_TRANSPORTS)}")
        options["transports"] = sum({_TRANSPORTS[n] for n in names})
    return options


def _number(name: str, value: Any) -> complex:
    return complex(value)


def _integer(name: str, value: Any) -> int:
    return operator.index(value)


def _bool(name: str, value: Any) -> bool:
    return bool(value)


def _path(name: str, value: Any) -> str:
    return os.fsdecode(value)


def _seconds(name: str, value: Any) -> float:
    return float(value)


def _word(name: str, value: Any) -> str:
    words = _WORDS[name]
    if value not in words:
        raise ArgumentError(f"{name}: {value!r} is none of {', '.join(repr(w) for w in words if w)}")
    return words[value]


_WORDS = {
    "effort": {"estimate": "estimate", "measure": "measure"},
    "combine": {"": "", "sum": "sum", "max": "max", "min": "min"},
    "padding": {"": "", "keep": "", "clear": "clear", "refresh": "refresh"},
    "phases": {"": "", "one": "one", "two": "two"},
}
_READ: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("alpha", "beta"), _number),
    **dict.fromkeys(("memory_bytes", "message_bytes", "arrays", "fan_out"), _integer),
    **dict.fromkeys(("conjugate", "fill_halos", "lossy", "allow_empty"), _bool),
    **dict.fromkeys(_WORDS, _word),
    "wisdom": _path,
    "wait_seconds": _seconds,
}


# ---- moves that need a plan once ----


def move(source: Array | Lazy, target: Array, **options: Any) -> None:
    """Moves elements once. Collective on the larger communicator of the two."""
    with Plan(source, target, **options) as plan:
        plan(None, None)


def gather(source: Array | Lazy, root: int | None) -> NDArray | None:
    """All elements as a numpy array on one process, or on all."""
    require_mpi()
    array = source.array if isinstance(source, Lazy) else source
    over, shape, dtype = array.over, source.shape, source.dtype
    with agreed(over, "gather()"):
        here = 0 if root is None else operator.index(root)
        if not 0 <= here < over.size:
            raise ArgumentError(f"root {root} of {over.size} processes")
    agree_equal(over, "gather()", "root", None if root is None else here)
    if root is None and shape:
        whole = _core.Layout([dists.replicated().entry(shape[0], over.size), *_local_entries(shape[1:])])
        target = new_array(whole, over, dtype, shared=False)
    else:
        target = new_array(_core.Layout(_local_entries(shape)), over, dtype, shared=False, ranks=[here])
    move(source, target)
    if root is None and not shape:
        return np.array(over.bcast(target.local if over.rank == 0 else None))
    return target.local if root is None or over.rank == here else None


def moved_part(array: Array, part: _core.PartTuple) -> Array:
    """A part as a new array, on the same processes as far as it has axes."""
    axes, _, extents = part
    layout = array.layout
    kept = list(range(layout.ndim)) if axes is None else list(axes)
    assert extents is not None
    facts = [layout.axis(k) for k in range(layout.ndim)]
    shape = [1 if k < 0 else extents[k] for k in kept]
    procs: list[int] = [1 if k < 0 else facts[k]["procs"] for k in kept]
    rest = layout.nprocs
    for p in procs:
        rest //= p
    if kept and rest > 1:
        room = [n / p for n, p in zip(shape, procs)]
        longest = room.index(max(room))
        procs[longest] *= rest
    entries = [_entry_like(facts[k] if k >= 0 else None, n, p) for k, n, p in zip(kept, shape, procs)]
    new = _core.Layout(entries)
    ranks = array.ranks or list(range(array.layout.nprocs))
    whole = new.nprocs == array.over.size and array.ranks is None
    target = new_array(new, array.over, array._type, ranks=None if whole else ranks[: new.nprocs])
    end = _End(array, "array")
    end.part = part
    plan = _core.Plan.create(
        array.over.py2f(), end.tuple(array.over), _End(target, "").tuple(array.over), 0, {}
    )
    plan.run(array._local, target._local)
    plan.destroy()
    return target


def _local_entries(shape: Sequence[int]) -> list[_core.DistTuple]:
    return [dists.local().entry(n, 1) for n in shape]


def _entry_like(facts: dict[str, Any] | None, size: int, procs: int) -> _core.DistTuple:
    """An axis of another size, distributed as the one of these facts as far as that has a rule."""
    if facts is not None and facts["dist_type"] == "c":
        return dists.cyclic(facts["block_size"], facts["first_owner"]).entry(size, procs)
    if facts is not None and facts["replicated"]:
        return dists.replicated().entry(size, procs)
    return dists.block().entry(size, procs)

"""Plans, which move elements from one array to another and can be run many times."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Union

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from . import _comms, _core
from ._base import ArrayBase
from ._comms import agreed, agreed_within, require_mpi
from ._ends import End, communicator_of, is_cast
from ._errors import ArgumentError, Error, NotHereError
from ._keywords import spelled, spelled_by
from ._lazy import LazyBase
from ._plan_options import plan_options

Side = Union[ArrayBase, LazyBase[Any], tuple[_core.Layout, npt.DTypeLike], None]

_begun: list[_core.Plan] = []
"""Plans that were deleted between `begin` and `end`. One process cannot end them without the others."""


def _comm_between(given: list[Any]) -> MPI.Comm | None:
    """Returns the communicator on which processes agree on the arguments of `Plan`, or None between two programs."""
    comm = communicator_of(given, next((c for c in given if isinstance(c, MPI.Comm)), None))
    return None if isinstance(comm, MPI.Intercomm) else comm


def _comm_of(array: ArrayBase) -> MPI.Comm:
    return array.comm


class Plan:
    """Moves the elements of one array to another. A plan is made once and can be run many times.

    Making a plan and running it are collective on `comm`.

    Parameters
    ----------
    source, target
        An array, a lazy view (``a.T``, ``a.conj()``, ``a.astype(t)``), or, if the program passes arrays to each run,
        ``(layout, dtype)``. If the plan connects two programs over an intercommunicator, pass None for the side of the
        other program.
    comm
        A communicator that contains the processes of both arrays. None means the larger of the arrays' communicators.
    alpha, beta
        Factors in ``target = alpha * source + beta * target``. None means alpha = 1 and beta = 0.
    conjugate
        True if complex elements are conjugated.
    combine
        How a run combines the values that several processes have for one element: "sum", "max" or "min". None means
        that the run uses the owner's value.
    fill_halos
        True if runs also fill the target's communication padding.
    from_owners
        True if a run reads replicated elements on the first process that has them, as `gather` and `redistribute` do.
        By default each process reads the nearest copy, so all copies must be equal. `Array.check_copies` checks this.
    lossy
        True if conversions that can lose values are allowed.
    memory_bytes, message_bytes
        Limit on the memory for messages on each process (0 means 64 MiB), and size of the longest message (0 means
        that the library chooses), in bytes.
    transports
        Transports that may be used: "direct", "staged", "messages". None means all.
    arrays
        Number of arrays that one run of `run_many` moves together. 0 means one.

    Raises
    ------
    ArgumentError
        An argument is invalid or differs between the processes, a conversion needs `lossy`, or `memory_bytes` is too
        small.
    ArrayBufferError
        Elements of the target overlap.
    UnsupportedError
        Two processes that exchange elements have no allowed transport in common.

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

    @spelled_by("dapbridge.Plan()", _comm_between)
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
        from_owners: bool = False,
        lossy: bool = False,
        memory_bytes: int = 0,
        message_bytes: int = 0,
        transports: Iterable[str] | None = None,
        arrays: int = 0,
    ) -> None:
        require_mpi()
        self.comm = communicator_of((source, target), comm)
        with agreed_within(self.comm, "dapbridge.Plan()"):
            if comm is not None and comm is not self.comm:
                raise TypeError(f"comm is {type(comm).__name__}, not a communicator of mpi4py")
            ends = End(source, "source"), End(target, "target")
            sides = ends[0].tuple(self.comm), ends[1].tuple(self.comm)
            options = plan_options(
                alpha=alpha,
                beta=beta,
                conjugate=conjugate ^ ends[0].is_conjugate ^ ends[1].is_conjugate,
                combine="" if combine is None else combine,
                fill_halos=fill_halos,
                from_owners=from_owners,
                lossy=lossy or is_cast(*ends),
                memory_bytes=memory_bytes,
                message_bytes=message_bytes,
                transports=transports,
                arrays=arrays,
            )
        plan = _core.Plan.create(self.comm.py2f(), *sides, 0, options)
        self._take(plan, *ends)

    @classmethod
    @spelled("dapbridge.Plan()", _comm_of)
    def halo(
        cls,
        array: ArrayBase,
        *,
        arrays: int = 0,
        allow_empty: bool = False,
        memory_bytes: int = 0,
        message_bytes: int = 0,
        transports: Iterable[str] | None = None,
    ) -> Plan:
        """Creates a plan that fills padding, ghosts and copies with the owners' values. Collective on ``array.comm``.

        Parameters
        ----------
        array
            An array with the layout, type and strides of the arrays to update.
        arrays
            Number of arrays that one run of `run_many` updates together. 0 means one.
        allow_empty
            True if an array without anything to update is allowed.
        memory_bytes, message_bytes
            Limit on the memory for messages on each process (0 means 64 MiB), and size of the longest message (0 means
            that the library chooses), in bytes.
        transports
            Transports that may be used: "direct", "staged", "messages". None means all.

        Raises
        ------
        ArgumentError
            An argument is invalid or differs between the processes, or there is nothing to update.
        """
        options = dict(memory_bytes=memory_bytes, message_bytes=message_bytes, transports=transports)
        return cls._in_place(_core.Plan.halo, array, dict(options, arrays=arrays, allow_empty=allow_empty))

    @classmethod
    @spelled("dapbridge.Plan()", _comm_of)
    def halo_reverse(
        cls,
        array: ArrayBase,
        combine: str = "sum",
        padding: str = "keep",
        *,
        arrays: int = 0,
        allow_empty: bool = False,
        memory_bytes: int = 0,
        message_bytes: int = 0,
        transports: Iterable[str] | None = None,
    ) -> Plan:
        """Creates a plan that adds values in padding and ghosts to the owners' elements. Collective on ``array.comm``.

        Parameters
        ----------
        array
            An array with the layout, type and strides of the arrays to update.
        combine
            How values are combined: "sum", "max" or "min". Complex elements allow only "sum".
        padding
            What the padding and ghosts contain afterwards: unchanged values ("keep"), 0 ("clear"), or the owners' new
            values ("refresh").
        arrays
            Number of arrays that one run of `run_many` updates together. 0 means one.
        allow_empty
            True if an array without anything to add is allowed.
        memory_bytes, message_bytes
            Limit on the memory for messages on each process (0 means 64 MiB), and size of the longest message (0 means
            that the library chooses), in bytes.
        transports
            Transports that may be used: "direct", "staged", "messages". None means all.

        Raises
        ------
        ArgumentError
            An argument is invalid or differs between the processes, or there is nothing to add.
        """
        options = dict(memory_bytes=memory_bytes, message_bytes=message_bytes, transports=transports)
        options |= dict(combine=combine, padding=padding, arrays=arrays, allow_empty=allow_empty)
        return cls._in_place(_core.Plan.halo_reverse, array, options)

    @classmethod
    def _in_place(cls, create: Any, array: ArrayBase, options: dict[str, Any]) -> Plan:
        end = End(array, "array")
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

    def _take(self, plan: _core.Plan, source: End, target: End) -> None:
        self._plan = plan
        self._run = plan.run
        self._ends = source, target
        self._from, self._to = source.layout, target.layout
        self._is_in_place = source is target

    # ---- runs ----

    def __call__(self, source: Any = None, target: Any = None) -> None:
        """Runs the plan, which moves the elements. Collective on `comm`.

        Parameters
        ----------
        source, target
            Arrays with the layouts, strides and types that the plan was made for, or this process's parts as numpy
            arrays. None means the arrays from which the plan was made.

        Raises
        ------
        ArgumentError
            An array does not match the plan. All processes raise the error.
        LibraryError
            MPI failed, or a process did not answer. The plan cannot be run again.
        """
        try:
            if source.layout is self._from and target.layout is self._to and not _comms._forked:
                self._run(source._local, target._local)
                return
        except AttributeError:
            pass
        self._with(self._run, source, target)

    def begin(self, source: Any = None, target: Any = None) -> None:
        """Starts a run. Collective on `comm`.

        Until `end`, the source must not change, and the target must not be accessed.

        Parameters
        ----------
        source, target
            Arrays with the layouts, strides and types that the plan was made for. None means the arrays from which the
            plan was made.
        """
        self._with(self._plan.begin, source, target)

    def end(self) -> None:
        """Completes the run that `begin` started. Collective on `comm`."""
        require_mpi()
        self._plan.end()

    def run_many(self, sources: Sequence[Any], targets: Sequence[Any] | None = None) -> None:
        """Moves several arrays together, as many as the plan's option `arrays` specifies. Collective on `comm`.

        Parameters
        ----------
        sources, targets
            Lists of arrays. Without `targets`, a halo plan updates `sources`.
        """
        if targets is None and self._is_in_place:
            targets = sources
        self._with(self._plan.run_many, list(sources), list(targets or ()))

    def _with(self, run: Any, source: Any, target: Any) -> None:
        """Runs the plan on the caller's arrays. If these are wrong, the method runs the plan without elements, so that
        the other processes also raise an error."""
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
        if isinstance(given, LazyBase):
            if end.lazy is None or not given.is_alike(end.lazy):
                raise ArgumentError(f"{name} is another lazy view than the plan was made for")
            given = given.array
        if isinstance(given, ArrayBase):
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
        """True if a run has begun and has not ended."""
        return self._plan.is_begun

    @property
    def stats(self) -> dict[str, int]:
        """Statistics of one run on this process, by name: bytes_local, bytes_sent, messages_sent and others."""
        try:
            return self._plan.stats
        except ArgumentError as e:
            raise NotHereError(str(e)) from None

    @property
    def memory(self) -> int:
        """Bytes of memory that the plan uses on this process, in addition to the arrays."""
        stats = self.stats
        return stats["bytes_buffer"] + stats["bytes_plan"]

    def describe(self) -> str:
        """Describes how elements are moved, and why."""
        return self._plan.describe()

    def __repr__(self) -> str:
        try:
            return f"<dapbridge.Plan {self.describe().splitlines()[0]}>"
        except ArgumentError:
            return "<dapbridge.Plan, destroyed>"

    # ---- its end ----

    def destroy(self) -> None:
        """Frees the plan. Collective only if a run has begun; `destroy` then ends the run."""
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

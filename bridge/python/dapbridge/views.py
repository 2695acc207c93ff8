"""Views, which present an array as an object of a solver library.

A call such as ``a.scalapack()`` or ``a.petsc_field()`` makes a view. `restore`, `discard`, or the end of a ``with``
block ends the view. Making and ending a view are collective on the array's communicator.

Before a view ends, the processes agree how to end it:

* If no process left the ``with`` block with an exception, the view is restored, and the array contains the elements
  that were written.
* If a process left with an exception, the view is discarded on all processes. The elements of a view that is not shared
  are not copied back. Changes to a shared view remain in the array. The process that failed raises its exception, and
  the others raise `RemoteFailure`.
* If the other processes do not leave the block, because they wait in a solver's function for the process that failed,
  the failed process prints its exception on stderr after about 2 seconds. After `dapbridge.patience` seconds this
  process raises the exception, with a note. The view is then forgotten: it cannot be used, but still exists on all
  processes.

A view that is deleted before it has ended is also forgotten, and Python issues a ResourceWarning. All processes must
take part in ending a view, so a forgotten view exists until `end_forgotten` is called or the program ends.
"""

from __future__ import annotations

import contextlib
import sys
import time
import warnings
from types import TracebackType
from typing import Any, NoReturn, TypeVar

import numpy as np
from mpi4py import MPI

from ._attributes import without_raising
from ._base import ArrayBase
from ._comms import joined, kept_with, require_held, require_mpi, text_of
from ._errors import ArgumentError, Error, LibraryError, RemoteFailure

_RESTORE, _DISCARD, _FAILED = 0, 1, 2
_ADVICE = "Others may wait for ever: end the program (MPI.COMM_WORLD.Abort(), or run it by python3 -m mpi4py)"
_TEXT = 400
#: Seconds after which a process that failed reports that it waits for the others.
_SILENCE = 2.0
_TESTS = 200

_Self = TypeVar("_Self", bound="View")


class _Forgotten:
    """A view that one process cannot end without the others. Its handle stays alive."""

    def __init__(self, comm: MPI.Comm, number: int, handle: Any) -> None:
        self.comm = comm
        self.number = number
        self.handle = handle


_forgotten: list[_Forgotten] = []
_unfinished: list[tuple[MPI.Request, object]] = []
"""Agreements that a process has given up, with their buffers, which MPI may still use."""


def _patience() -> float:
    return float(getattr(sys.modules[__package__], "patience", 60.0))


def _caller() -> str:
    """Returns file and line of the nearest caller outside the package."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _arrived(request: MPI.Request, seconds: float | None) -> bool:
    """Waits until the request is complete, but not longer than `seconds`. Returns whether it is complete."""
    for _ in range(_TESTS):
        if request.Test():
            return True
    begin = time.monotonic()
    pause = 0.0
    while not request.Test():
        if seconds is not None and time.monotonic() - begin > seconds:
            return False
        time.sleep(pause)
        pause = min(pause + 1e-6, 1e-3)
    return True


def joined_by(array: ArrayBase, function: str) -> joined:
    """Returns a `joined` for the statements that run before the library's `function` makes a view of an array."""
    require_mpi()
    require_held(array, function)
    if array._local is None:
        raise ArgumentError("this process has no part of the array: array.rank is -1")
    return joined(array.comm, function)


class View:
    """Base class of all views.

    Parameters
    ----------
    handle
        The view of the compiled module, with the members restore(), discard(), load(), store(), halo(), describe() and
        is_live.
    name
        The name of the kind of view in messages, such as "matrix".
    comm
        The communicator of the view. Making a view is collective on this communicator.
    """

    def __init_subclass__(cls) -> None:
        without_raising(cls)

    def __init__(self, handle: Any, name: str, comm: MPI.Comm) -> None:
        kept = kept_with(comm)
        kept.views += 1
        self._handle = handle
        self._name = name
        self._comm = comm
        self._number = kept.views
        self._made_at = _caller()
        if kept.leaving is None and comm.size > 1:
            kept.leaving = comm.Dup()

    @property
    def is_live(self) -> bool:
        """True if the view has not ended."""
        return bool(self._handle.is_live)

    @property
    def shared(self) -> bool:
        """True if the view's memory is the array's buffer. The value is the same on every process."""
        return bool(self._handle.shared)

    @property
    def reason(self) -> str:
        """Explains why the view is shared or not. The text is the same on every process."""
        return str(self._handle.reason)

    @property
    def moved_bytes(self) -> int:
        """Number of bytes that this process has copied or sent for the view so far; 0 if the view is shared."""
        return int(self._handle.moved_bytes)

    def __repr__(self) -> str:
        state = self.describe() if self.is_live else "that has ended"
        return f"<dapbridge.{type(self).__name__} {state}>"

    def restore(self) -> None:
        """Ends the view. The array then contains the elements that were written to the view. Collective."""
        self._end(_RESTORE, None)

    def discard(self) -> None:
        """Ends the view without writing to the array. Changes to a shared view remain in the array. Collective.

        If one process discards the view, all processes do.
        """
        self._end(_DISCARD, None)

    def load(self) -> None:
        """Brings the view up to date with the array's elements. The access must be "r" or "rw". Collective."""
        self._handle.load()

    def store(self) -> None:
        """Brings the array up to date with the view's elements. The access must be "w" or "rw". Collective."""
        self._handle.store()

    def halo(self) -> None:
        """Fills the array's communication padding and ghosts with the owners' values. Collective."""
        self._handle.halo()

    def describe(self) -> str:
        """Returns a description of the view."""
        return str(self._handle.describe())

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            f"a view ({self._name}) is neither copied nor pickled; copy or gather the array instead"
        )

    def _dropped(self) -> None:
        """Drops the objects of a subclass. The base class calls this method once the view has ended."""

    def __enter__(self: _Self) -> _Self:
        if not self._handle.is_live:
            raise ArgumentError(f"the view ({self._name}) has ended")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handle.is_live:
            self._end(_RESTORE if error is None else _FAILED, error)

    def _end(self, wish: int, error: BaseException | None) -> None:
        """Agrees with the others, and ends the view. If this process failed, its exception propagates afterwards."""
        if not self._handle.is_live:
            return
        if MPI.Is_finalized():
            self._end_alone(wish)
            return
        result, failed = wish, self._comm.rank
        if self._comm.size > 1:
            result, failed = self._agree(wish, error)
            if result < 0:
                return
        if result == _RESTORE:
            self._handle.restore()
        else:
            self._handle.discard()
        self._dropped()

    def _end_alone(self, wish: int) -> None:
        """Frees this process's memory after MPI_Finalize. Raises an error unless an exception is propagating."""
        try:
            self._handle.restore() if wish == _RESTORE else self._handle.discard()
        except LibraryError:
            if wish != _FAILED:
                raise
        finally:
            self._dropped()

    def _agree(self, wish: int, error: BaseException | None) -> tuple[int, int]:
        """Returns how the processes end the view (the largest of their wishes), and the lowest rank with this wish.
        -1 means that the view has already been discarded or forgotten. If only other processes failed, the method
        raises RemoteFailure."""
        comm = kept_with(self._comm).leaving
        assert comm is not None
        mine = np.array((wish * comm.size + comm.size - 1 - comm.rank, self._number, -self._number))
        all_ = np.empty_like(mine)
        request = comm.Iallreduce(mine, all_, MPI.MAX)
        interrupt = None
        try:
            came = self._patiently(request, error) if wish == _FAILED else _arrived(request, None)
        except BaseException as e:  # Ctrl-C: the others still rely on this process, if it has not failed
            interrupt = e
            came = wish != _FAILED and _arrived(request, _patience())
        if not came:
            _unfinished.append((request, (mine, all_)))
            self._give_up(comm, interrupt or error)
            if interrupt:
                raise interrupt
            return -1, comm.rank
        if all_[1] != -all_[2]:
            self._forget()
            raise ArgumentError(
                f"processes end different views: numbers {-all_[2]} and {all_[1]} on their communicator; "
                "all are forgotten now"
            )
        result, rank = divmod(int(all_[0]), comm.size)
        rank = comm.size - 1 - rank
        if result == _FAILED:
            return self._fail(comm, rank, error)
        if interrupt:
            self._handle.restore() if result == _RESTORE else self._handle.discard()
            self._dropped()
            raise interrupt
        return result, rank

    def _patiently(self, request: MPI.Request, error: BaseException | None) -> bool:
        """Waits for the others, which may be waiting for this process. Returns whether they have come."""
        patience = _patience()
        if patience <= _SILENCE:
            return _arrived(request, patience)
        if _arrived(request, _SILENCE):
            return True
        if error is not None:
            self._tell(error, patience)
        return _arrived(request, patience - _SILENCE)

    def _tell(self, error: BaseException, patience: float) -> None:
        """Prints that this process failed and waits for the others, which cannot know this."""
        text = " ".join(text_of(error).split())
        kind = f"{type(error).__name__}: " if isinstance(error, Error) else ""
        with contextlib.suppress(OSError, ValueError):  # a stderr that is closed
            print(
                f"rank {self._comm.rank} left the view ({self._name}) made at {self._made_at} by {kind}{text}; "
                f"waiting up to {patience:g} s for the others",
                file=sys.stderr,
                flush=True,
            )

    def _fail(self, comm: MPI.Comm, rank: int, error: BaseException | None) -> tuple[int, int]:
        """Ends the view after rank `rank` has failed, if all processes are still taking part."""
        words = self._words(error if comm.rank == rank else None, gave_up=False)
        all_ = np.empty_like(words)
        _arrived(comm.Iallreduce(words, all_, MPI.MAX), None)
        text = all_[1:].tobytes().rstrip(b"\0").decode(errors="replace")
        if all_[0]:
            self._forget()
            note = (
                f"the view ({self._name}, made at {self._made_at}) could not be ended, "
                f"as a process did not wait for the others; it is forgotten. {_ADVICE}"
            )
        else:
            self._handle.discard()
            self._dropped()
            note = f"the view ({self._name}, made at {self._made_at}) was discarded on all processes"
        if error is None:
            raise RemoteFailure(f"rank {rank} failed: {text}; {note}", rank)
        error.add_note(note)
        return -1, rank

    def _give_up(self, comm: MPI.Comm, error: BaseException | None) -> None:
        """Stops waiting for the others, tells them so in case they come later, and lets the exception propagate."""
        words = self._words(error, gave_up=True)
        all_ = np.empty_like(words)
        _unfinished.append((comm.Iallreduce(words, all_, MPI.MAX), (words, all_)))
        self._forget()
        if error is not None:
            error.add_note(
                f"the view ({self._name}, made at {self._made_at}) could not be ended: other processes did not "
                f"leave it within {_patience():g} s; it is forgotten. {_ADVICE}"
            )

    @staticmethod
    def _words(error: BaseException | None, gave_up: bool) -> np.ndarray[Any, np.dtype[np.uint8]]:
        words = np.zeros(1 + _TEXT, np.uint8)
        words[0] = gave_up
        if error is not None:
            text = text_of(error).encode()[:_TEXT]
            words[1 : 1 + len(text)] = np.frombuffer(text, np.uint8)
        return words

    def _forget(self) -> None:
        _forgotten.append(_Forgotten(self._comm, self._number, self._handle))
        self._handle = _Ended(self._handle)

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is None or sys.is_finalizing() or not handle.is_live:
            return
        self._forget()
        warnings.warn(
            f"a view ({self._name}) was dropped without restore(), discard() or a with block; "
            f"made at {self._made_at}",
            ResourceWarning,
            source=self,
        )


without_raising(View)


class _Ended:
    """Replaces the handle of a forgotten view, which can no longer be used."""

    is_live = False

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def describe(self) -> str:
        return f"{self._handle.describe()} (forgotten)"

    def __getattr__(self, name: str) -> Any:
        raise ArgumentError("the view was forgotten; dapbridge.end_forgotten() ends it")


def end_forgotten(comm: MPI.Comm) -> int:
    """Discards the views on `comm` that all its processes have forgotten. Collective on `comm`.

    A view is forgotten if it was deleted before it had ended, or if the processes did not leave its ``with`` block
    together.

    Parameters
    ----------
    comm
        The communicator of the views.

    Returns
    -------
    int
        Number of views that were ended, the same on all processes.

    Examples
    --------
    >>> from mpi4py import MPI
    >>> dapbridge.end_forgotten(MPI.COMM_SELF)
    0
    """
    require_mpi()
    mine = {f.number: f for f in _forgotten if f.comm == comm}
    fresh = comm.Dup()
    common = set.intersection(*(set(numbers) for numbers in fresh.allgather(sorted(mine))))
    for number in sorted(common):
        _forgotten.remove(mine[number])
        mine[number].handle.discard()
    if common:
        kept_with(comm).leaving = fresh
    else:
        fresh.Free()
    return len(common)

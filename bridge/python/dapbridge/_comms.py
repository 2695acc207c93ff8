"""Objects that are kept with a communicator, and agreement, which raises the error of one process on all processes."""

from __future__ import annotations

import ctypes
import os
import zlib
from types import TracebackType
from typing import Any

from mpi4py import MPI

from . import _core
from ._errors import ArgumentError, Error, LibraryError

#: Bytes of a name that the library shows, and that it uses to distinguish functions.
_NAME = 60
_WHAT_CALLERS_GIVE_WRONG = (TypeError, ValueError, LookupError, AttributeError, BufferError)


_forked = False


def _after_fork() -> None:
    global _forked
    _forked = True


os.register_at_fork(after_in_child=_after_fork)


def require_mpi() -> None:
    """Raises an error if collective calls are impossible: after MPI_Finalize, and in a forked process."""
    if _forked:
        raise RuntimeError(
            "this process was forked from one that uses MPI, which is not possible in it: distributed arrays "
            "can be used by the parent only (copy numpy arrays for the child, or use 'spawn')"
        )
    if MPI.Is_finalized():
        raise LibraryError("MPI has been finalised")


def require_comm(comm: Any, function: str) -> None:
    """Raises an error unless `comm` is a communicator of mpi4py. Not all functions of mpi4py check this themselves."""
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"{function}: comm is {type(comm).__name__}, not a communicator of mpi4py")


def require_held(array: Any, function: str) -> None:
    """Raises an error if the program has freed a communicator of the array."""
    if array.over == MPI.COMM_NULL or (array.rank >= 0 and array.comm == MPI.COMM_NULL):
        raise ArgumentError(
            f"{function}: the array's communicator was freed by Free(): free it when the last array on it is gone"
        )


def check_mpi(our_version: str, our_path: str, module: Any) -> None:
    """Raises ImportError unless mpi4py has loaded the MPI library that this package is linked to.

    If a process had two MPI libraries, neither would know the communicators of the other.
    """
    version = module.Get_library_version().strip("\0\n ")
    path = _mpi4py_path(module.__file__)
    if version == our_version.strip("\0\n ") and (path is None or os.path.samefile(path, our_path)):
        return
    raise ImportError(
        f"dapbridge was built with another MPI library than mpi4py: {_first_line(our_version)} ({our_path}), "
        f"and {_first_line(version)} ({path or module.__file__})"
    )


def _first_line(text: str) -> str:
    return text.strip("\0\n ").partition("\n")[0]


def _mpi4py_path(extension: str) -> str | None:
    """Returns the file of the MPI library that an extension module has loaded, or None if it cannot be found."""

    class DlInfo(ctypes.Structure):
        _fields_ = [
            ("file", ctypes.c_char_p),
            ("base", ctypes.c_void_p),
            ("symbol", ctypes.c_char_p),
            ("address", ctypes.c_void_p),
        ]

    info = DlInfo()
    try:
        function = ctypes.CDLL(extension).MPI_Get_library_version
        if not ctypes.CDLL(None).dladdr(function, ctypes.byref(info)) or not info.file:
            return None
    except (OSError, AttributeError):
        return None
    path = os.fsdecode(info.file)
    return path if os.path.exists(path) else None


class Kept:
    """Objects that the package makes when they are first needed, keeps with a communicator, and frees with it."""

    def __init__(self) -> None:
        #: Communicator for agreement on leaving views; views.py.
        self.leaving: MPI.Comm | None = None
        #: Number of views made so far. Each view has a different number.
        self.views = 0
        #: Communicators of some of the processes, by their ranks.
        self.groups: dict[tuple[int, ...], MPI.Comm] = {}

    def free(self) -> None:
        for comm in (self.leaving, *self.groups.values()):
            if comm is not None and comm != MPI.COMM_NULL:
                comm.Free()
        self.leaving = None
        self.groups.clear()


def _free(comm: MPI.Comm, keyval: int, kept: Kept) -> None:
    if not MPI.Is_finalized():
        kept.free()


_keyval = MPI.Comm.Create_keyval(delete_fn=_free)


def kept_with(comm: MPI.Comm) -> Kept:
    """Returns the objects that are kept with a communicator. Not collective."""
    require_mpi()
    found = comm.Get_attr(_keyval)
    if isinstance(found, Kept):
        return found
    kept = Kept()
    comm.Set_attr(_keyval, kept)
    return kept


def group_of(comm: MPI.Comm, ranks: list[int]) -> MPI.Comm:
    """Returns the communicator of the processes `ranks` of `comm`, in this order. The package owns the result.

    Collective on `comm`. Processes that are not in `ranks` receive MPI.COMM_NULL.
    """
    if ranks == list(range(comm.size)):
        return comm
    groups = kept_with(comm).groups
    key = tuple(ranks)
    if key not in groups:
        place = ranks.index(comm.rank) if comm.rank in ranks else -1
        groups[key] = comm.Split(0 if place >= 0 else MPI.UNDEFINED, place)
    return groups[key]


def status_of(error: BaseException) -> str:
    """Returns the name of the library's status that is closest to an exception."""
    if isinstance(error, Error):
        return error.status
    if isinstance(error, MemoryError):
        return "NOMEM"
    if isinstance(error, OverflowError):
        return "RANGE"
    if isinstance(error, NotImplementedError):
        return "UNSUPPORTED"
    if isinstance(error, OSError):
        return "FILE"
    return "ARG" if isinstance(error, _WHAT_CALLERS_GIVE_WRONG) else "LIBRARY"


def text_of(error: BaseException) -> str:
    """Returns a description of the exception: for errors of the library only the text."""
    try:
        text = str(error)
    except Exception:  # of any kind: other processes wait for the text
        text = ""
    if isinstance(error, Error) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _cause_of(error: BaseException, trace: TracebackType | None) -> BaseException | None:
    """Returns the exception that a traceback shows as the cause of the common error, if user code raised it."""
    if isinstance(error, Error):
        return error.__cause__
    while trace and trace.tb_next:
        trace = trace.tb_next
    module = trace.tb_frame.f_globals.get("__name__", "") if trace else ""
    return None if module.partition(".")[0] == __package__ else error


def _in_short(function: str) -> str:
    """Returns the name of a call for agreements. Long names are cut, and a checksum keeps them different."""
    if len(function) <= _NAME:
        return function
    return f"{function[: _NAME - 13]}... {zlib.crc32(function.encode(errors='replace')):08x}"


class joined:
    """Encloses the statements that a process runs before it calls a collective function.

    If a statement fails, this process agrees with the others, which are in the collective function, and all processes
    raise this process's error. If no statement fails, `joined` does nothing.

    `function` is the name that the collective function uses in its first agreement on `comm`.
    """

    def __init__(self, comm: MPI.Comm, function: str) -> None:
        require_mpi()
        require_comm(comm, function)
        self._handle = comm.py2f()
        self._function = _in_short(function)

    def __enter__(self) -> joined:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            return
        status = _core.STATUSES.index(status_of(error))
        rule = error.rule if isinstance(error, Error) else 0
        text = text_of(error).removesuffix(f" (rule {rule})")
        try:
            _core.agree(self._handle, self._function, status, text, rule)
        except Error as common:
            if isinstance(error, ImportError) or not isinstance(error, Exception):
                raise error
            raise common from _cause_of(error, trace)


class agreed(joined):
    """Encloses the checks of one process in a collective call: ``with agreed(comm, "function()"):``.

    At the end the processes agree. If some processes have raised exceptions, all processes raise the exception of the
    lowest of their ranks, as an error of the library. Collective on `comm`.
    """

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            _core.agree(self._handle, self._function, 0, "")
        else:
            super().__exit__(kind, error, trace)


class agreed_within:
    """Does the same as `agreed`, but nothing between two programs, which cannot agree before they have a plan."""

    def __init__(self, comm: MPI.Comm, function: str) -> None:
        self._agreed = None if isinstance(comm, MPI.Intercomm) else agreed(comm, function)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._agreed is not None:
            self._agreed.__exit__(kind, error, trace)


def agree_equal(comm: MPI.Comm, function: str, what: str, value: Any) -> None:
    """Raises an error on all processes unless `value`, which must be comparable, is the same on all of them."""
    _core.agree(comm.py2f(), function, 0, "")  # mpi4py neither reports a long wait nor ends it
    values = comm.allgather(value)
    for rank, other in enumerate(values):
        if other != values[0]:
            _core.fail(
                _core.STATUSES.index("ARG"),
                f"{function}: {what} differs: {values[0]!r} on rank 0, {other!r} on rank {rank}",
            )

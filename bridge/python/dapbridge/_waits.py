"""Limits and reports of waits for other processes."""

from __future__ import annotations

import sys
from types import FrameType

from mpi4py import MPI

from . import _core, _entry, _keywords
from ._comms import require_comm, require_mpi


def wait_limit(comm: MPI.Comm, seconds: float) -> None:
    """Limits how long collective functions on `comm` wait for other processes. Collective on `comm`.

    Set a limit in a program that should end rather than wait for ever, or that should continue after a process has
    died. Without a limit, functions wait for ever. The limit does not apply to duplicates of `comm`.

    If a process waits longer than `seconds`, all processes that wait in this call raise a `LibraryError` within one
    more second. Its text is, for example, "rank 2 has not answered for 10 s ...". From then on each collective call on
    `comm` raises this error. Other communicators can still be used. Choose a limit that exceeds the longest time by
    which any process can be late.

    The limit applies when processes make arrays or plans, move elements, or agree on errors. The limit does not apply
    to calls of mpi4py, ScaLAPACK, PETSc or ELPA. `gather` collects elements with mpi4py. The end of a view's ``with``
    block also uses mpi4py, but there `dapbridge.patience` limits the wait.

    ``DAPBRIDGE_WAIT_LIMIT=600`` in the environment sets the limit of all communicators for which the program does not
    call this function. Without a limit, a process that has waited for 10 s prints on stderr which process is missing.
    The report names the file and line of the call on this process. ``DAPBRIDGE_WAIT_REPORT=60`` changes this time to 60
    s; 0 turns the report off.

    Parameters
    ----------
    comm
        The communicator.
    seconds
        The limit in seconds, the same on all processes. 0 means no limit. A later call changes the limit, but a plan
        keeps the limit that was in force when the plan was made.

    Raises
    ------
    ArgumentError
        `seconds` is negative, not a number, or differs between the processes.

    Examples
    --------
    >>> comm = MPI.COMM_WORLD.Dup()
    >>> dapbridge.wait_limit(comm, 600)
    >>> dapbridge.from_function(lambda i: i, 5, comm).redistribute([dapbridge.cyclic()]).gather()
    array([0., 1., 2., 3., 4.])
    >>> comm.Free()
    """
    require_mpi()
    require_comm(comm, "dapbridge.wait_limit()")
    _core.wait_limit(comm.py2f(), seconds)


#: numpy calls these methods. The argument of this name is the function that the program has called.
_DISPATCHED = {"__array_ufunc__": "ufunc", "__array_function__": "function"}


def _is_inside(frame: FrameType) -> bool:
    """True if a frame belongs to the package, or to numpy, which calls the package."""
    module = str(frame.f_globals.get("__name__")).partition(".")[0]
    return module in (__package__, "numpy") or frame.f_code.co_filename.startswith("<__array_function__")


def _name_of(frame: FrameType) -> str:
    """Returns the function of a frame, by the name that a program uses."""
    name, owner = frame.f_code.co_name, frame.f_locals.get("self")
    if frame.f_code.co_filename == _entry.__file__:  # a wrapper
        return str(frame.f_locals["function"].__qualname__) if "function" in frame.f_locals else ""
    if name in _DISPATCHED:
        return f"numpy.{frame.f_locals[_DISPATCHED[name]].__name__}"
    return name if owner is None else f"{type(owner).__name__}.{name}"


def _call_site() -> str:
    """Returns the package's function that was called, with file and line of the call, for reports of long waits."""
    frame: FrameType | None = sys._getframe(1)
    name = ""
    while frame is not None and _is_inside(frame):
        is_package = str(frame.f_globals.get("__name__")).partition(".")[0] == __package__
        if is_package and frame.f_code.co_filename != _keywords.__file__:  # whose wrappers only look at keywords
            name = _name_of(frame) or name
        frame = frame.f_back
    return f"{name}(), {frame.f_code.co_filename}, line {frame.f_lineno}" if frame is not None else ""


_core.set_call_site(_call_site)

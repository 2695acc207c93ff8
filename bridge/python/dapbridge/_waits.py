"""How long is waited for other processes."""

from __future__ import annotations

import sys
from types import FrameType

from mpi4py import MPI

from . import _core, _entry, _keywords
from ._comms import require_comm, require_mpi


def wait_limit(comm: MPI.Comm, seconds: float) -> None:
    """Limits how long collective functions on `comm` wait for other processes; 0, as without this call: for ever.

    For programs that live on when MPI lets a process die, or that rather end than wait. A process that waits for so
    many seconds gives up, and with it all that wait there: they get `LibraryError`, which says who is missing
    ("rank 2 has not answered for 10 s ..."), up to a second later. From then on `comm` is of no more use, and each
    collective call on it raises that error; other communicators work. Choose it longer than any process can be late.
    Collective, with the same seconds; may be called again to change them.

    >>> comm = MPI.COMM_WORLD.Dup()
    >>> dapbridge.wait_limit(comm, 600)
    >>> dapbridge.from_function(lambda i: i, 5, comm).redistribute([dapbridge.cyclic()]).gather()
    array([0., 1., 2., 3., 4.])
    >>> comm.Free()

    It bounds making arrays and plans, moving, and agreement; not what passes through mpi4py (gathering the elements of
    `gather`, leaving a view's ``with`` block, for which there is `patience`), nor ScaLAPACK, PETSc and ELPA
    (``dap_wait_limit()`` in the C header has the whole list). Duplicates of `comm` have no limit.

    ``DAPBRIDGE_WAIT_LIMIT=600`` in the environment sets the limit of every communicator for which the program does not
    call this function. Without a limit, a process that waits for 10 s says so on stderr: which process has not come, and
    file and line of this process's call. ``DAPBRIDGE_WAIT_REPORT=60`` changes the time; 0 turns the line off.

    Errors: seconds that are negative, no number, or not the same on all processes.
    """
    require_mpi()
    require_comm(comm, "dapbridge.wait_limit()")
    _core.wait_limit(comm.py2f(), seconds)


#: numpy calls these methods. The argument of this name is the function that the program has called.
_DISPATCHED = {"__array_ufunc__": "ufunc", "__array_function__": "function"}


def _is_inside(frame: FrameType) -> bool:
    """Whether a frame is of the package, or of numpy, which calls the package."""
    module = str(frame.f_globals.get("__name__")).partition(".")[0]
    return module in (__package__, "numpy") or frame.f_code.co_filename.startswith("<__array_function__")


def _name_of(frame: FrameType) -> str:
    """The function of a frame, as a program names it."""
    name, owner = frame.f_code.co_name, frame.f_locals.get("self")
    if frame.f_code.co_filename == _entry.__file__:  # a wrapper
        return str(frame.f_locals["function"].__qualname__) if "function" in frame.f_locals else ""
    if name in _DISPATCHED:
        return f"numpy.{frame.f_locals[_DISPATCHED[name]].__name__}"
    return name if owner is None else f"{type(owner).__name__}.{name}"


def _call_site() -> str:
    """The package's function that the program has called, and where: for the line about a long wait."""
    frame: FrameType | None = sys._getframe(1)
    name = ""
    while frame is not None and _is_inside(frame):
        is_package = str(frame.f_globals.get("__name__")).partition(".")[0] == __package__
        if is_package and frame.f_code.co_filename != _keywords.__file__:  # whose wrappers only look at keywords
            name = _name_of(frame) or name
        frame = frame.f_back
    return f"{name}(), {frame.f_code.co_filename}, line {frame.f_lineno}" if frame is not None else ""


_core.set_call_site(_call_site)

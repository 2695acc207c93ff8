"""The beginning of a collective function: processes agree that all can call it, with the same arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np
from mpi4py import MPI

from ._comms import agreed
from ._dispatch import Implementation
from ._keywords import require_fit

#: Sequences up to this length are compared by their values, longer sequences by shape and type.
_SHORT = 8


class Distributed:
    """Base class of arrays and lazy views."""

    #: Text that `word_for` adds to their shape and type.
    _kind = ""

    @property
    def _array(self) -> Any:
        """Returns the array that has the communicators."""
        raise NotImplementedError


def enter(
    name: str, implementation: Implementation, args: Sequence[Any], options: Mapping[str, Any], comm: MPI.Comm
) -> None:
    """Raises an error on all processes if one passes arguments that the implementation of numpy's function refuses.

    With `implementation.is_compared`, the function also raises an error if a process has other arguments than rank 0.
    Collective on `comm`.
    """
    with agreed(comm, f"{name}()"):
        require_fit(f"{name} of distributed arrays", implementation.function, args, options)
        if implementation.check is not None:
            implementation.check(*args, **options)
    if implementation.is_compared:
        given = [*map(word_for, args), *(f"{key}={word_for(x)}" for key, x in sorted(options.items()))]
        with agreed(comm, f"{name}({', '.join(given)})"):
            pass


def entered(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that checks its arguments on all processes of its arrays, and then calls `function`."""

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        comm = widest(args, options, is_own=True)
        if comm is not None:
            with agreed(comm, name):
                require_fit(name, function, args, options)
        return function(*args, **options)

    return call


def widest(args: Sequence[Any], options: Mapping[str, Any], is_own: bool) -> MPI.Comm | None:
    """Returns the largest communicator of the arguments: `comm` of the arrays if `is_own`, else `over`.

    None means that there is no communicator, or that MPI has been finalised. The function itself then reports this.
    """
    if MPI.Is_finalized():
        return None
    arrays = [x._array for x in (*args, *options.values()) if isinstance(x, Distributed)]
    comms: list[MPI.Comm] = [array.comm if is_own else array.over for array in arrays]
    comms = [comm for comm in comms if comm != MPI.COMM_NULL]
    return max(comms, key=lambda comm: comm.size) if comms else None


def word_for(x: Any) -> str:
    """Returns a description of an argument for comparison between processes: a value, or a shape and type."""
    if isinstance(x, (Distributed, np.ndarray)):
        array: Any = x
        kind = "numpy " if isinstance(x, np.ndarray) else x._kind
        return f"{kind}{' x '.join(map(str, array.shape))} {array.dtype.newbyteorder('=')}"
    if isinstance(x, np.generic):
        x = x.item()
    if x is None or isinstance(x, (bool, int, float, complex, str)):
        return repr(x)
    if isinstance(x, (list, tuple)):
        return _word_for_sequence(x)
    return str(np.dtype(x)) if isinstance(x, (type, np.dtype)) else type(x).__name__


def _word_for_sequence(x: Sequence[Any]) -> str:
    if len(x) <= _SHORT:
        return f"[{', '.join(map(word_for, x))}]"
    return f"{len(x)} items"

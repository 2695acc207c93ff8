"""Writes arrays as documents, which the command ``dapbridge`` reads."""

from __future__ import annotations

import io
import os
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any

from . import _core
from ._comms import agreed
from ._errors import ArgumentError, LibraryError
from ._local_part import LocalPart
from .exports import version_text

if TYPE_CHECKING:
    from mpi4py import MPI



def write_document(
    part: LocalPart,
    comm: MPI.Comm,
    file: str | os.PathLike[str] | IO[Any],
    version: str | tuple[int, ...] | None,
) -> None:
    """Does the work of `Array.export`."""
    if part.rank < 0:
        return
    with agreed(comm, "export()"):
        text = _text(version)
        part.__distarray__(version)
    _write(part.layout, part._local, file, comm, text)


def write_layout(
    layout: _core.Layout,
    file: str | os.PathLike[str] | IO[Any],
    comm: MPI.Comm,
    version: str | tuple[int, ...] | None,
) -> None:
    """Does the work of `Layout.export`."""
    with agreed(comm, "export()"):
        if comm.size != layout.nprocs:
            raise ArgumentError(
                f"export(): the layout is on {layout.nprocs} processes, the communicator has {comm.size}"
            )
        text = _text(version)
        for axis, coord in enumerate(layout.coords(comm.rank)):
            layout.dim(text, axis, coord)
    _write(layout, None, file, comm, text)


def _text(version: str | tuple[int, ...] | None) -> str | None:
    return None if version is None else version_text(version)


def _write(
    layout: _core.Layout,
    local: _core.Local | None,
    file: str | os.PathLike[str] | IO[Any],
    comm: MPI.Comm,
    version: str | None,
) -> None:
    """Writes the document if no process has failed. Otherwise an existing file is kept."""
    with ExitStack() as stack:
        opened = None
        with agreed(comm, "export()"):
            if comm.rank == 0:
                opened = _opened(file, stack)
        _core.export(comm.py2f(), version, layout, local, opened)


def _opened(file: str | os.PathLike[str] | IO[Any], stack: ExitStack) -> IO[Any]:
    """Returns a file for writing, with an empty buffer. `stack` closes a file that is opened by its path."""
    try:
        if isinstance(file, (str, os.PathLike)):
            return stack.enter_context(open(file, "wb"))
        inner = getattr(file, "buffer", file)
        if not isinstance(getattr(inner, "raw", inner), io.FileIO):  # such as a file that compresses
            raise ArgumentError(f"export(): {type(file).__name__} is not a plain file")
        file.flush()
        return file
    except OSError as e:
        raise LibraryError(f"export(): {e}") from e

"""The library's errors. Each error is a dapbridge.Error, and also a matching exception of Python or numpy."""

from __future__ import annotations

import errno
import os
import re
from typing import Any

import numpy as np

#: The text of a `KeywordError` contains one of these.
NO_KEYWORD, WRONG_CALL = " has no keyword ", " takes other arguments: "

_C_NAMES = re.compile(
    r"\boptions\.(allow_empty|dof_axes|dtype|format|lossy|offset|part|shape|transports)\b|\bDAP_(READ|WRITE)\b|"
    r"\bDAP_FILE_(REPLACE|UPDATE|APPEND)\b|\bdap_file_(npy|raw|hdf5)\(\)"
)
_MODES = {"REPLACE": "'w'", "UPDATE": "'r+'", "APPEND": "'a'"}


def _by_keyword(found: re.Match[str]) -> str:
    option, access, mode, format = found.groups()
    if access:
        return f'access "{access[0].lower()}"'
    if mode or format:
        return _MODES[mode] if mode else f"{format!r}"
    return f"{option}=True" if option in ("allow_empty", "lossy") else str(option)


def _in_python(text: str) -> str:
    """Returns a message of the library, with Python's keywords instead of the names of C's options."""
    return _C_NAMES.sub(_by_keyword, text)


class Error(Exception):
    """An error of the library. After a collective call it is the same on every process.

    Attributes
    ----------
    rank : int
        Lowest rank whose check failed; -1 if the call was not collective.
    rule : int
        Number of the protocol's rule that was broken; 0 if no rule was broken.
    status : str
        Name of the status in C, without ``DAP_ERR_``.
    """

    status = "LIBRARY"

    def __init__(self, text: str = "", rank: int = -1, rule: int = 0) -> None:
        super().__init__(_in_python(text))
        self.rank = rank
        self.rule = rule

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0] if self.args else "", self.rank, self.rule)


class ArgumentError(Error, ValueError):
    """An argument is not allowed, or differs between the processes."""

    status = "ARG"

    def __new__(cls, text: str = "", *others: Any) -> ArgumentError:
        """Makes an error on all processes from the status and the text of one process."""
        is_of_call = NO_KEYWORD in text or WRONG_CALL in text
        kind = KeywordError if cls is ArgumentError and is_of_call else cls
        new: Any = ValueError.__new__
        made: ArgumentError = new(kind, text, *others)
        return made


class NotHereError(ArgumentError, AttributeError):
    """The object does not have this attribute on this process, or no longer has it."""


class KeywordError(ArgumentError, TypeError):
    """A function does not accept this keyword, or this number of arguments. The error is also a TypeError."""


class IndexingError(ArgumentError, IndexError):
    """An index expression does not name a part of the array."""


class OutOfMemoryError(Error, MemoryError):
    """Memory cannot be allocated."""

    status = "NOMEM"


class LayoutError(Error, ValueError):
    """The processes' dictionaries or parts contradict each other."""

    status = "LAYOUT"


class VersionError(LayoutError):
    """The version of the protocol is unknown."""

    status = "VERSION"


class DimError(LayoutError):
    """A dimension dictionary or a distribution breaks a rule of the protocol."""

    status = "DIM"


class ArrayBufferError(Error, BufferError, ValueError):
    """A buffer has wrong extents, strides or element type, or is read-only."""

    status = "BUFFER"


class RangeError(Error, OverflowError):
    """A size or a count exceeds 64 bits, or the integers of the library that is called."""

    status = "RANGE"


class UnsupportedError(Error, NotImplementedError):
    """The request is legal, but not supported."""

    status = "UNSUPPORTED"


class NoViewError(UnsupportedError, AttributeError):
    """An attribute of an array cannot be a numpy view, because its elements are not a slice of the buffer."""


class ShareError(Error):
    """Sharing was required but is not possible. The text says why."""

    status = "SHARE"


class RemoteError(Error, LookupError):
    """Only other processes have the requested information."""

    status = "REMOTE"


class LibraryError(Error, RuntimeError):
    """MPI, BLACS, ScaLAPACK, PETSc or another library reported an error."""

    status = "LIBRARY"


class LinAlgError(Error, np.linalg.LinAlgError):
    """The result cannot be computed.

    The matrix is singular, not positive definite or not finite, an iteration does not converge, or a result exceeds
    its type's range.
    """

    status = "NUMERIC"


class FileError(Error, OSError):
    """A file cannot be read or written, or its contents contradict its header.

    ``errno`` is the system's error number, or None. If Python has a class for that number, such as FileNotFoundError,
    the error is also an instance of this class.
    """

    status = "FILE"

    def __new__(cls, text: str = "", *others: Any) -> FileError:
        """Makes an error on all processes from the status and the text of one process."""
        kind = _FILE_ERRORS.get(_errno_in(text), cls) if cls is FileError else cls
        new: Any = OSError.__new__
        made: FileError = new(kind, _in_python(text))
        return made

    def __init__(self, text: str = "", rank: int = -1, rule: int = 0) -> None:
        super().__init__(text, rank, rule)
        number = _errno_in(text)
        if number is not None:
            self.errno = number


class MissingFileError(FileError, FileNotFoundError):
    """The file, or a folder of its path, does not exist."""


class FilePermissionError(FileError, PermissionError):
    """The system does not allow this program to read or write the file."""


class FileIsDirectoryError(FileError, IsADirectoryError):
    """The path names a directory."""


class FileNotInDirectoryError(FileError, NotADirectoryError):
    """The path leads through a file that is not a directory."""


_FILE_ERRORS: dict[int | None, type[FileError]] = {
    errno.ENOENT: MissingFileError,
    errno.EACCES: FilePermissionError,
    errno.EPERM: FilePermissionError,
    errno.EISDIR: FileIsDirectoryError,
    errno.ENOTDIR: FileNotInDirectoryError,
}
_ERRNOS = (*filter(None, _FILE_ERRORS), errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)


def _errno_in(text: str) -> int | None:
    """Returns the error number whose text, the system's or the library's, is in a message, or None."""
    if "the path is that of a directory" in text:
        return errno.EISDIR
    return next((n for n in _ERRNOS if os.strerror(n).lower() in text.lower()), None)


class RemoteFailure(Error, RuntimeError):
    """Another process left a view with an exception. ``rank`` is its rank, and the text names the exception."""


_KINDS: tuple[type[Error], ...] = (
    ArgumentError,
    OutOfMemoryError,
    VersionError,
    DimError,
    LayoutError,
    ArrayBufferError,
    RangeError,
    UnsupportedError,
    ShareError,
    RemoteError,
    LibraryError,
    LinAlgError,
    FileError,
)
#: By the names of dap_status.
by_name: dict[str, type[Error]] = {c.status: c for c in _KINDS}

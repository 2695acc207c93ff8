"""The common base class of arrays and lazy views, whose elements can be moved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Union, overload

import numpy.typing as npt
from mpi4py import MPI

from . import _core, _moves
from ._file_options import Path
from ._keywords import spelled
from ._local_part import NDArray
from ._saving import save_array
from .dists import DistLike

if TYPE_CHECKING:
    from .array import Array, Lazy

LayoutLike = Union["Array", _core.Layout, DistLike, Sequence[DistLike]]


def over_of(movable: Movable) -> MPI.Comm:
    return movable._as_lazy().array.over


class Movable:
    """Base of `Array` and `Lazy`, whose elements can be moved."""

    def _as_lazy(self) -> Lazy:
        raise NotImplementedError

    @overload
    def gather(self, root: None = None) -> NDArray: ...
    @overload
    def gather(self, root: int) -> NDArray | None: ...
    @spelled("gather()", over_of)
    def gather(self, root: int | None = None) -> NDArray | None:
        """Returns the whole array as a numpy array, on one process or on all. Collective on `over`.

        Parameters
        ----------
        root
            Rank in `over` of the process that receives the array. The other processes receive None. By default all
            processes receive the array.
        """
        return _moves.gather(self._as_lazy(), root)

    @spelled("redistribute()", over_of)
    def redistribute(
        self,
        target: LayoutLike | None = None,
        out: Array | None = None,
        grid: Sequence[int] | None = None,
        dtype: npt.DTypeLike = None,
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
    ) -> Array:
        """Returns an array with the same elements and another layout. Collective on `over`.

        Parameters
        ----------
        target
            The new layout: a `Layout`, an array whose layout is used, or the distribution of each axis, such as
            ``["block", "cyclic"]``. It cannot be combined with `out`.
        out
            The array that receives the elements. Its layout may be any layout of the same shape.
        grid
            Number of processes along each axis, if `target` contains distributions. None means the Cartesian
            topology of `over` if it fits the distributions, and otherwise a grid that is as even as possible.
        dtype
            Element type of the new array. None means the type of this array.
        comm
            A communicator that contains the processes of both arrays. None means the larger of the arrays'
            communicators.
        alpha, beta
            Factors in ``out = alpha * self + beta * out``. None means alpha = 1 and beta = 0.
        conjugate
            True if complex elements are conjugated.
        combine
            How to combine the values that several processes hold for one element: "sum", "max" or "min". None means
            that only the owner's value is used.
        fill_halos
            True if the communication padding of the result is also filled.
        lossy
            True if conversions that can lose values are allowed.
        memory_bytes
            Limit on the memory for messages on each process, in bytes. 0 means 64 MiB.
        message_bytes
            Size of the longest message, in bytes. 0 means that the library chooses.
        transports
            Transports that may be used: "direct", "staged", "messages". None means all.

        Returns
        -------
        Array
            `out`, or a new array.

        Raises
        ------
        ArgumentError
            An argument is invalid or differs between the processes, or a conversion needs `lossy`.
        ArrayBufferError
            `out` cannot be written to.

        Examples
        --------
        >>> a = dapbridge.from_global(np.arange(6.0), MPI.COMM_SELF, "block")
        >>> a.redistribute("cyclic").gather()
        array([0., 1., 2., 3., 4., 5.])
        """
        options: dict[str, Any] = dict(
            comm=comm,
            alpha=alpha,
            beta=beta,
            conjugate=conjugate,
            combine=combine,
            fill_halos=fill_halos,
            lossy=lossy,
            memory_bytes=memory_bytes,
            message_bytes=message_bytes,
            transports=transports,
        )
        return _moves.redistribute(self._as_lazy(), target, out, grid, dtype, options)

    @spelled("dapbridge.save()", over_of)
    def save(
        self,
        path: Path,
        *,
        mode: str = "w",
        format: str | None = None,
        dataset: str | None = None,
        dtype: npt.DTypeLike = None,
        order: str = "C",
        part: Any = None,
        shape: int | Sequence[int] | None = None,
        offset: int = 0,
        lossy: bool = False,
        layout: bool = True,
        writers: int = 0,
        align: int = 0,
        memory_bytes: int = 0,
    ) -> None:
        """Saves the elements to one file: .npy, raw binary, or a dataset of HDF5. Collective on `over`.

        Parameters
        ----------
        path
            Path of the file, the same on all processes. The extension determines the format: ``.npy``, ``.h5`` or
            ``.hdf5``.
        mode
            "w" makes a new file, which replaces an old file only when the new one is complete. After an error the old
            file is unchanged. "r+" overwrites elements of the file in place. "a" appends the array to an HDF5 dataset,
            as one more step along the dataset's first axis. "r+" and "a" are not atomic.
        format
            "npy", "raw" (elements only) or "hdf5". None means the format of the file's extension.
        dataset
            Name of the dataset in an HDF5 file. The name can also follow the path: "x.h5:/group/u".
        dtype
            Element type in a new file. Values are converted as `Array.astype` does. None means the array's type. Raw
            files can have another byte order, such as ">f8".
        order
            Storage order in a new file and in a raw file: "C" or "F".
        part
            With mode "r+": the part of the file's array that is overwritten, as an index expression such as
            ``np.s_[10:20, :]``.
        shape
            Extents of the whole array in a raw file, if only a part of the file is overwritten.
        offset
            Number of bytes before the first element in a raw file.
        lossy
            True if a lossy conversion to the element type of an existing file is allowed. Not needed with `dtype`.
        layout
            True if the layout is also stored for `load`: as an attribute in HDF5, otherwise in the file "PATH.dap".
        writers
            Number of processes on each node that write. 0 means two.
        align
            Pieces of the file begin at multiples of this number of bytes. 0 means 1 MiB.
        memory_bytes
            Limit on extra memory on each process, in bytes. 0 means 64 MiB.

        Raises
        ------
        FileError
            The file cannot be written. The error is also an OSError, such as FileNotFoundError or PermissionError.
        UnsupportedError
            The path has an unknown extension, or the format does not support the type or the mode.
        ArgumentError
            An argument is invalid or differs between the processes.

        Examples
        --------
        >>> a = dapbridge.from_global(np.arange(6.0), MPI.COMM_SELF)
        >>> a.save("a.npy")
        >>> dapbridge.load("a.npy", MPI.COMM_SELF).gather()
        array([0., 1., 2., 3., 4., 5.])
        """
        options: dict[str, Any] = dict(
            mode=mode,
            format=format,
            dtype=dtype,
            shape=shape,
            order=order,
            offset=offset,
            lossy=lossy,
            layout=layout,
            writers=writers,
            align=align,
            memory_bytes=memory_bytes,
        )
        save_array(path, self._as_lazy(), part, dataset, options)

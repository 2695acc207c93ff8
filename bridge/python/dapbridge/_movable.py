"""What arrays and lazy views have in common: their elements are moved elsewhere."""

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
    """Base of `Array` and `Lazy`."""

    def _as_lazy(self) -> Lazy:
        raise NotImplementedError

    @overload
    def gather(self, root: None = None) -> NDArray: ...
    @overload
    def gather(self, root: int) -> NDArray | None: ...
    @spelled("gather()", over_of)
    def gather(self, root: int | None = None) -> NDArray | None:
        """The whole array as a numpy array, on process `root` of `over` (elsewhere None), or on all.

        Collective on `over`, which is the array's of a lazy view.
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
        """The same elements, laid out otherwise.

        Collective on `over`.

        Parameters
        ----------
        target
            A layout, an array whose layout it shall be, or distributions as in `zeros`. Not with `out`.
        out
            The array that gets the elements.
        grid
            Processes along each axis; with distributions.
        dtype
            Element type of the new array. None: the same.
        comm, alpha, beta, conjugate, combine, fill_halos, lossy, memory_bytes, message_bytes, transports
            As of `Plan`.

        Returns
        -------
        Array
            `out`, or a new array.

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
        """Saves the elements to a file, as `dapbridge.save`, which says more. Collective on `over`.

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

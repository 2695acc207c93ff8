"""Distributed arrays and lazy views of them: what each process has, and what all do together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from . import _core, _moves
from ._base import ArrayBase
from ._lazy import LazyBase
from ._local_part import NDArray
from ._windows import slice_of
from .dists import DistLike

if TYPE_CHECKING:
    from ._petsc_field import PetscField
    from ._petsc_matrix import PetscMatrix
    from ._petsc_vector import PetscVector
    from .matrix import ScalapackMatrix

LayoutLike = Union["Array", _core.Layout, DistLike, Sequence[DistLike]]


class Array(ArrayBase):
    """A distributed array.

    Made by the functions of this package (`array`, `zeros`, `from_global`, `from_dap`...), by slicing,
    and by moving another one (`redistribute`).

    Attributes
    ----------
    layout : _core.Layout
        Where each element is.
    comm : mpi4py.MPI.Comm
        The processes of the layout, in the order of its ranks; MPI.COMM_NULL on a process outside,
        which only slicing makes.
    over : mpi4py.MPI.Comm
        The communicator that moves of the array are collective on. It contains `comm`, and mostly is
        it.
    ranks : list of int or None
        The rank in `over` of each process of the layout; None: rank i is process i.
    rank : int
        This process's number in the layout, -1 outside.
    base : ArrayBase or None
        The array whose memory this one is a window of.
    """

    def gather(self, root: int | None = None) -> NDArray | None:
        """The whole array as a numpy array, on process `root` of `over` (elsewhere None), or on all.

        Collective on `over`.
        """
        return _moves.gather(self, root)

    def redistribute(
        self,
        target: LayoutLike | None = None,
        out: Array | None = None,
        grid: Sequence[int] | None = None,
        dtype: npt.DTypeLike = None,
        **options: Any,
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
        options
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
        return _moves.redistribute(Lazy(self), target, out, grid, dtype, **options)

    def copy(self, dtype: npt.DTypeLike = None) -> Array:
        """A new array of the same layout. Collective on `over`."""
        return _moves.copy(Lazy(self), dtype)

    def __getitem__(self, key: Any) -> Array:
        """``a[lo:hi, i, ..., None]``: integers, slices with step 1, an ellipsis, None.

        Where the protocol can express the part in place it is a window of the same memory, with this
        array as `base`, on the processes that have some of it. Else it is a new array, and `base` is
        None: cyclic axes that are cut within blocks, unstructured ones whose lists do not allow it.
        Collective on `over`.
        """
        return slice_of(self, key)

    # ---- lazy views ----

    def astype(self, dtype: npt.DTypeLike) -> Lazy:
        """The array in another type, converted by the plan that moves it; as by numpy, lossy casts included.

        Values that the new type cannot hold saturate; of complex ones the real part is taken.
        """
        return Lazy(self).astype(dtype)

    @property
    def T(self) -> Lazy:
        """The array with its axes in reverse order, transposed by the plan that moves it."""
        return self.transpose()

    def transpose(self, *axes: Any) -> Lazy:
        """The array with permuted axes, as in numpy."""
        return Lazy(self).transpose(*axes)

    def conj(self) -> Lazy:
        """The array with conjugate elements, conjugated by the plan that moves it."""
        return Lazy(self).conj()

    # ---- solvers ----

    def scalapack(self, *args: Any, **options: Any) -> ScalapackMatrix:
        """The array as a matrix of ScaLAPACK, for a ``with`` block; see `ScalapackMatrix`. Collective."""
        from .matrix import ScalapackMatrix

        return ScalapackMatrix(self, *args, **options)

    def petsc_field(self, *args: Any, **options: Any) -> PetscField:
        """The array as a DMDA and vectors of PETSc, for a ``with`` block; see `PetscField`. Collective."""
        from ._petsc_field import PetscField

        return PetscField(self, *args, **options)

    def petsc_vector(self, *args: Any, **options: Any) -> PetscVector:
        """The array as a vector of PETSc, for a ``with`` block; see `PetscVector`. Collective."""
        from ._petsc_vector import PetscVector

        return PetscVector(self, *args, **options)

    def petsc_matrix(self, *args: Any, **options: Any) -> PetscMatrix:
        """The array as a matrix of PETSc, for a ``with`` block; see `PetscMatrix`. Collective."""
        from ._petsc_matrix import PetscMatrix

        return PetscMatrix(self, *args, **options)


class Lazy(LazyBase[Array]):
    """``a.T``, ``a.transpose(1, 0, 2)``, ``a.conj()``, ``a.astype(t)``, and one after the other.

    It has no elements of its own. `copy`, `gather` and `redistribute` make them, and as the source of a
    `Plan` it says what is done on the way.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[1, 2j], [3, 4]]), MPI.COMM_SELF)
    >>> a.T.conj().gather()
    array([[1.-0.j, 3.-0.j],
           [0.-2.j, 4.-0.j]])
    """

    def copy(self) -> Array:
        """A new array of these elements, each on the process that has it. Collective on the array's `over`."""
        return _moves.copy(self)

    def redistribute(
        self,
        target: LayoutLike | None = None,
        out: Array | None = None,
        grid: Sequence[int] | None = None,
        dtype: npt.DTypeLike = None,
        **options: Any,
    ) -> Array:
        """These elements, laid out otherwise; see `Array.redistribute`."""
        return _moves.redistribute(self, target, out, grid, dtype, **options)

    def gather(self, root: int | None = None) -> NDArray | None:
        """The whole array as a numpy array on `root`, or on all processes; see `Array.gather`."""
        return _moves.gather(self, root)

    def __array__(self, dtype: npt.DTypeLike = None, copy: bool | None = None) -> NDArray:
        if self.array.over.size > 1:
            raise TypeError("a distributed array is not a numpy array: gather() makes one of all elements")
        if copy is False:
            raise ValueError("the elements of a lazy view are copied, and copy is False")
        return np.asarray(self.gather(0), dtype)

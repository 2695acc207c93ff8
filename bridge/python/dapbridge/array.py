"""Distributed arrays and lazy views of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _moves
from ._base import ArrayBase
from ._comms import agreed
from ._errors import ArgumentError
from ._keywords import spelled, view_method
from ._lazy import LazyBase
from ._local_part import NDArray
from ._movable import Movable, over_of
from ._petsc_field import PetscField
from ._petsc_matrix import PetscMatrix
from ._petsc_vector import PetscVector
from ._windows import slice_of
from .matrix import ScalapackMatrix


_SET_BY_PROCESS = (
    "elements are set by process, in .local or .owned (those of a slice in a[lo:hi].local), or by a Plan"
)


def _is_same(a: Array, b: Array) -> bool:
    """True if two slices with the same layout use the same memory on this process."""
    return a.local.size == 0 or (a.local.ctypes.data, a.local.strides) == (b.local.ctypes.data, b.local.strides)


class Array(Movable, ArrayBase):
    """A distributed array: a layout, and this process's part of the elements.

    Create arrays with the functions of this package (`array`, `zeros`, `from_global`, `from_dap`...), by slicing, or
    with `redistribute`.

    Attributes
    ----------
    layout : Layout
        The layout of the array, which determines where each element is.
    comm : mpi4py.MPI.Comm
        The processes of the layout, in the order of its ranks. MPI.COMM_NULL on a process outside the layout. Only
        layouts of slices can leave out processes.
    over : mpi4py.MPI.Comm
        The communicator on which moves of the array are collective. It contains the processes of `comm`, and usually is
        `comm` itself.
    ranks : list of int or None
        The rank in `over` of each process of the layout. None means that rank i of `over` is process i of the layout.
    rank : int
        This process's rank in the layout; -1 on a process outside the layout.
    base : ArrayBase or None
        The other array whose memory this array uses, if this array is a slice. Otherwise None.
    component_axes : tuple of int
        Axes that hold components of a vector or tensor field. `from_mpi4py_fft` sets this attribute, and the program
        may set it. `petsc_field` makes these axes degrees of freedom.
    """

    def _as_lazy(self) -> Lazy:
        return Lazy(self)

    @spelled("copy()", over_of)
    def copy(self, dtype: npt.DTypeLike = None) -> Array:
        """Makes a new array with the same layout, elements, padding and ghosts. Collective on `over`.

        Parameters
        ----------
        dtype
            Element type of the new array. None means the type of this array.
        """
        return _moves.copy(Lazy(self), dtype)

    def __getitem__(self, key: Any) -> Array:
        """Returns a part of the array, such as ``a[lo:hi:step, i, ..., None]``. Collective on `over`.

        If a layout can describe the part in place, the result uses the memory of this array, and this array is the
        `base` of the result. A process that does not have any of the selected elements is outside the layout of the
        result.

        Otherwise the result is a new array, and its `base` is None. This happens, for example, with steps other than 1,
        and with lists of integers or booleans.

        Parameters
        ----------
        key
            Integers, slices, an ellipsis and None, as in numpy. One list of integers or bools is allowed if all other
            entries are slices.

        Raises
        ------
        IndexingError
            The key does not select a part of the array.
        """
        return slice_of(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Completes ``a[lo:hi] *= 2``, after the elements have changed in place. Other assignments raise an error."""
        if not isinstance(value, Array) or value.base is not self:
            raise TypeError(_SET_BY_PROCESS)
        window = self[key]
        with agreed(self.over, "assignment to a slice"):
            if value.layout != window.layout or value.ranks != window.ranks or not _is_same(value, window):
                raise ArgumentError(_SET_BY_PROCESS)

    # ---- lazy views ----

    def astype(self, dtype: npt.DTypeLike) -> Lazy:
        """Returns a lazy view with another element type. The plan that moves the view converts the elements.

        As in numpy, casts that lose values are allowed. Values beyond the range of the new type become its largest or
        smallest value. Complex values are converted to their real parts.

        Parameters
        ----------
        dtype
            The new element type.
        """
        return Lazy(self).astype(dtype)

    @property
    def T(self) -> Lazy:
        """A lazy view with the axes in reverse order. The plan that moves the view transposes the elements."""
        return self.transpose()

    def transpose(self, *axes: Any) -> Lazy:
        """Returns a lazy view with permuted axes, as numpy's method does.

        Parameters
        ----------
        *axes
            The axes of this array in their new order: ``transpose(1, 0)`` or ``transpose((1, 0))``. None means the
            reverse order.
        """
        return Lazy(self).transpose(*axes)

    def conj(self) -> Lazy:
        """Returns a lazy view with conjugate elements. The plan that moves the view conjugates the elements."""
        return Lazy(self).conj()

    # ---- solvers ----

    @view_method(ScalapackMatrix, "dap_scalapack_get")
    def scalapack(self) -> Any:
        """Passes the array to ScaLAPACK as a matrix, for a ``with`` block. Collective on `comm`.

        The view is a `ScalapackMatrix`.

        Parameters
        ----------
        routine : str, optional
            The ScaLAPACK routine to which the matrix will be passed, such as "pdsyevd" or "syevd". The view meets the
            requirements of this routine.
        access : {"rw", "r", "w"}
            If the view is not shared, it initially contains the array's elements ("rw", "r") or zeros ("w"). `restore`
            copies the elements back, except with "r".
        share : {"if-possible", "required", "never"}
            Whether the view may be a copy. If sharing is impossible, "required" raises ShareError with the reason.
        op : {"N", "T"}, optional
            The required op. With "N", element (i, j) of the matrix is element (i, j) of the array. With "T", it is
            element (j, i). None means the op that allows sharing, if there is one.
        part : index expression, optional
            A sub-matrix, or a plane of an array with more than two axes, such as ``np.s_[:, i, 2:8]``. None means the
            whole array if there are two axes, and a column if there is one axis. If there are more axes, None means the
            plane of the last two axes, at index 0 of the others.
        block_size : int or (int, int), optional
            Block sizes, along the array's two axes, of a view that is not shared.
        grid : (int, int), optional
            Numbers of processes, along the array's two axes, of a view that is not shared. The product of the two
            numbers must not exceed the number of processes of the array.
        aligned_with : ScalapackMatrix, optional
            Another live view, which will be an argument of the same ScaLAPACK call. The new view has the grid and the
            context of that view and, if it is not shared, the same block sizes.
        context : int, optional
            A BLACS context of the program, or -1 on processes outside its grid. The view uses the grid of this context.
        dtypes : sequence of str
            Names of the allowed element types. This argument and the following ones are requirements in addition to
            those of `routine`.
        square : bool
            The matrix has as many rows as columns.
        least_size : int
            Smallest allowed number of rows, and of columns.
        square_blocks : bool
            Blocks are square.
        any_sources : bool
            The first block may be on any process.
        several_blocks : bool
            If there are several processes, the matrix has more than one block of columns.
        spans_grid : bool
            The number of rows or the number of columns is at least the number of processes.
        occupied : bool
            Each row and each column of the process grid holds a block.
        tall_grid : bool
            The process grid of a square matrix that is not shared has at least as many rows as columns.
        factorised : bool
            The matrix is copied, not shared, if its blocks make factorisations slow.
        no_row_pair : bool
            A matrix on several processes does not have exactly one row and two columns.
        least_block, most_block : int
            Smallest and largest allowed block size.
        offset : {"none", "block", "any"}
            Where a sub-matrix may begin: only at the first element, at the beginning of a block, or anywhere.
        align : {"grid", "rows", "longer", "same", "leading"}
            How the matrix must be aligned with the first matrix argument of the routine.
        columns : int, optional
            Number of columns of the matrix, if the matrix must have more columns than the array.
        """

    @view_method(PetscField, "dap_petsc_field_get")
    def petsc_field(self) -> Any:
        """Passes the array to PETSc as a DMDA with vectors, for a ``with`` block. Collective on `comm`.

        The view is a `PetscField`.

        Parameters
        ----------
        width : int, optional
            Width of the stencil, in points. None means the array's widest halo.
        star : bool
            True if the stencil has no corners.
        matrix_width : int, optional
            Width of the stencil of `dm`'s matrices, in points. None means `width`. With width 2, a row has 25 entries
            for two axes, and 125 for three.
        matrix_star : bool
            True if the stencil of matrices has no corners. `star` implies `matrix_star`.
        access : {"rw", "r", "w"}
            If a vector is not shared, it initially contains the array's elements ("rw", "r") or zeros ("w"). `restore`
            copies the vector back, except with "r".
        share : {"if-possible", "required", "never"}
            Whether vectors may be copies. If sharing is impossible, "required" raises ShareError with the reason.
        vectors : {"global", "local"}, optional
            The vector that the field has. None means that the field has both vectors.
        order : {"C", "F"}, optional
            The axis of the array that becomes the DMDA's x axis: the last axis before `dof_axes` ("C"), or the first
            axis ("F"). None means the axis that varies fastest in memory.
        dof_axes : int or tuple of int, optional
            The axes that hold the degrees of freedom of a point: either the number of such axes at the end, or a tuple
            of axes. The last of these varies fastest. None means the array's `component_axes`. PETSc stores the degrees
            of freedom of a point together. So if the first axis of an array holds components, the vectors are copies,
            unless the array's storage order is "F".
        boundary : {"none", "ghosted"}
            Whether the elements of boundary padding are points of the grid ("none"), or ghost points outside the grid
            ("ghosted").
        strip_periodic : bool
            True if the boundary padding of a periodic axis repeats the elements at the other end, and becomes ghost
            points. False if this padding becomes grid points.
        dm : petsc4py.PETSc.DMDA, optional
            The DMDA to use: either the DMDA of an earlier field, which makes a loop over fields faster, or a DMDA that
            the program created.
        part : index expression, optional
            The part of the array that becomes the field, such as ``np.s_[:, :, 3]``. The part must contain all elements
            along each of its axes.
        lossy : bool
            True if conversions that can lose values are allowed.
        """

    @view_method(PetscVector, "dap_petsc_vector_get")
    def petsc_vector(self) -> Any:
        """Passes the array to PETSc as a vector, for a ``with`` block. Collective on `comm`.

        The view is a `PetscVector`.

        Parameters
        ----------
        access : {"rw", "r", "w"}
            If the vector is not shared, it initially contains the array's elements ("rw", "r") or zeros ("w").
            `restore` copies the vector back, except with "r".
        share : {"if-possible", "required", "never"}
            Whether the vector may be a copy. If sharing is impossible, "required" raises ShareError with the reason.
        order : {"C", "F"}
            Order in which the elements of several axes are numbered.
        natural : bool
            True if entry g of the vector must be element g of the array, so that no `ao` is needed.
        block_size : int, optional
            Block size of the vector. It must divide the number of elements.
        part : index expression, optional
            The part of the array that becomes the vector, such as ``np.s_[2:8, :, 0]``.
        lossy : bool
            True if conversions that can lose values are allowed.
        """

    @view_method(PetscMatrix, "dap_petsc_matrix_get")
    def petsc_matrix(self) -> Any:
        """Passes the array to PETSc as a matrix, for a ``with`` block. Collective on `comm`.

        The view is a `PetscMatrix`.

        Parameters
        ----------
        access : {"rw", "r", "w"}
            If the matrix is not shared, it initially contains the array's elements ("rw", "r") or zeros ("w").
            `restore` copies the matrix back, except with "r".
        share : {"if-possible", "required", "never"}
            Whether the matrix may be a copy. If sharing is impossible, "required" raises ShareError with the reason.
        form : {"any", "dense", "scalapack"}
            "dense" means a MATDENSE with all its operations. "scalapack" means a MATSCALAPACK, which is always a copy.
        block_size : int or (int, int), optional
            Block sizes of a MATSCALAPACK.
        part : index expression, optional
            The part with two axes that becomes the matrix, such as ``np.s_[:, 3, 2:8]``.
        lossy : bool
            True if conversions that can lose values are allowed.
        """


class Lazy(Movable, LazyBase[Array]):
    """A lazy view of an array: ``a.T``, ``a.transpose(1, 0, 2)``, ``a.conj()``, ``a.astype(t)``, or several of these.

    A lazy view does not contain elements. `copy`, `gather` and `redistribute` compute the elements of the view. If a
    lazy view is the source of a `Plan`, each run permutes, conjugates or converts the elements accordingly.

    Examples
    --------
    >>> a = dapbridge.from_global(np.array([[1, 2j], [3, 4]]), MPI.COMM_SELF)
    >>> a.T.conj().gather()
    array([[1.-0.j, 3.-0.j],
           [0.-2.j, 4.-0.j]])
    """

    def copy(self) -> Array:
        """Makes an array of the view's elements, which stay on their processes. Collective on the array's `over`."""
        return _moves.copy(self)

    def _as_lazy(self) -> Lazy:
        return self

    def __array__(self, dtype: npt.DTypeLike = None, copy: bool | None = None) -> NDArray:
        if self.array.over.size > 1:
            raise TypeError("a distributed array is not a numpy array: gather() makes one of all elements")
        if copy is False:
            raise ValueError("the elements of a lazy view are copied, and copy is False")
        return np.asarray(self.gather(0), dtype)

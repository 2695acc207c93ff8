"""The base of distributed arrays: a layout, a communicator, and this process's part."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import IO, Any, NoReturn

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

from . import _core
from ._comms import agreed, require_comm, require_held, require_mpi
from ._document import write_document
from ._keywords import spelled
from ._local_part import LocalPart, NDArray
from ._methods import NumpyMethods
from ._plan_options import plan_options
from ._regions import as_numpy, owned_in_order
from .draw import svg


class ArrayBase(LocalPart, NumpyMethods):
    """A distributed array without moves and views. `Array`, the class for users, adds these.

    Modules that `array.py` imports use this class instead of `Array`, so they do not import `array.py`.
    """

    def __init__(
        self,
        layout: _core.Layout,
        local: _core.Local | None,
        comm: MPI.Comm,
        over: MPI.Comm | None = None,
        ranks: list[int] | None = None,
        dtype: str | None = None,
        base: ArrayBase | None = None,
    ) -> None:
        for given in (comm, comm if over is None else over):
            require_comm(given, "dapbridge.Array()")
        super().__init__(layout, -1 if comm == MPI.COMM_NULL else comm.rank, local, dtype)
        self.comm = comm
        self.over = comm if over is None else over
        self.ranks = ranks
        self.base = base
        self.component_axes: tuple[int, ...] = ()
        self._handle = -1 if comm == MPI.COMM_NULL else comm.py2f()
        self._plans: dict[tuple[str, ...], _core.Plan] = {}
        self._keeps: object = None

    @property
    def _array(self) -> ArrayBase:
        return self

    # ---- the whole ----

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the whole array."""
        return self.layout.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.layout.ndim

    @property
    def size(self) -> int:
        """Number of elements of the whole array."""
        return math.prod(self.layout.shape)

    @property
    def itemsize(self) -> int:
        """Size of one element, in bytes."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Size of all elements of the whole array, in bytes."""
        return self.size * self.itemsize

    # ---- out ----

    def export(self, file: str | os.PathLike[str] | IO[Any], version: str | tuple[int, ...] | None = None) -> None:
        """Writes the `json` of each process to a file that the command ``dapbridge`` reads.

        Process 0 of `comm` writes the file. Collective on `comm`.

        Parameters
        ----------
        file
            The path of a file, which is replaced, or an open file with a file descriptor, such as sys.stdout. The
            description is appended to an open file. Only the argument of process 0 is used.
        version
            Version of the protocol: "0.10.0", "0.9.0" or (0, 0, 1), the same on all processes. None means 0.10, or 0.9
            if only 0.9 can express the array.

        Raises
        ------
        UnsupportedError
            The version cannot express the array.
        VersionError
            The version is unknown.
        LibraryError
            The file cannot be written.

        Examples
        --------
        >>> a = dapbridge.zeros((4, 6), MPI.COMM_SELF)
        >>> a.export("a.json")  # then, in a shell: dapbridge explain a.json
        """
        require_held(self, "export()")
        write_document(self, self.comm, file, version)

    # ---- halos ----

    def halo_update(self, allow_empty: bool = False) -> None:
        """Fills communication padding, ghosts and copies with the owners' values. Collective on `comm`.

        The first update makes a plan. The array keeps this plan for later updates, which are therefore faster.

        Parameters
        ----------
        allow_empty
            True if an array without anything to fill is allowed. For such an array the update does nothing.

        Raises
        ------
        ArgumentError
            There is nothing to fill.
        ArrayBufferError
            The array is read-only.
        """
        require_held(self, "halo_update()")
        if self._local is not None:
            self._in_place("halo", {"allow_empty": True} if allow_empty else {}).run(self._local, self._local)

    @spelled("halo_reverse()", lambda array: array.comm)
    def halo_reverse(self, combine: str = "sum", padding: str = "keep", allow_empty: bool = False) -> None:
        """Adds the values in padding and ghosts to the elements on the owning processes. Collective on `comm`.

        Parameters
        ----------
        combine
            How values are combined: "sum", "max" or "min". Complex elements allow only "sum".
        padding
            What the padding and ghosts contain afterwards: unchanged values ("keep"), 0 ("clear"), or the owners' new
            values ("refresh").
        allow_empty
            True if an array without anything to add is allowed.

        Raises
        ------
        ArgumentError
            An argument is invalid or differs between the processes, or there is nothing to add.
        ArrayBufferError
            The array is read-only.
        """
        require_held(self, "halo_reverse()")
        if self._local is not None:
            with agreed(self.comm, "halo_reverse()"):
                options = plan_options(combine=combine, padding=padding, allow_empty=allow_empty)
            self._in_place("halo_reverse", options).run(self._local, self._local)

    def _in_place(self, name: str, options: dict[str, Any]) -> _core.Plan:
        require_mpi()
        key = (name, *options.values())
        if key not in self._plans:
            create = _core.Plan.halo if name == "halo" else _core.Plan.halo_reverse
            side = (self.layout, self._local, None, None, None)
            self._plans[key] = create(self._handle, side, 0, options)
        return self._plans[key]

    def check_copies(self) -> None:
        """Checks that each copy of an element equals the element on the owning process. Collective on `comm`.

        Raises
        ------
        ArrayBufferError
            A copy differs from the element on the owning process.
        """
        require_mpi()
        require_held(self, "check_copies()")
        if self._local is not None:
            _core.replicas_check(self._handle, self.layout, self._local)

    # ---- as a sequence ----

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-dimensional array")
        return self.shape[0]

    # ---- in words and pictures ----

    def explain(self, routine: str | None = None) -> str:
        """Explains whether ScaLAPACK could use the array in place, and why or why not. Not collective.

        Parameters
        ----------
        routine
            Name of a routine whose requirements must also be met, such as "pdsyevd".

        Raises
        ------
        ArgumentError
            The routine is unknown.
        """
        can, reason, form = _core.matrix_explain(self.layout, self._local, self.rank, routine)
        return f"shared: {form}" if can else f"moved: {reason}"

    def __repr__(self) -> str:
        place = f"rank {self.rank}" if self.rank >= 0 else "no part here"
        return f"<dapbridge.Array {self.layout.summary()}; {self.dtype}; {place}>"

    def draw(self, plane: Sequence[int | None] | None = None) -> str:
        """Draws which process owns which elements, as plain text. Not collective.

        Parameters
        ----------
        plane
            One entry for each axis: None for the one or two axes that are drawn, and an index for each other axis. By
            default the first two axes are drawn, at index 0 of the others. `dapbridge.draw.svg` draws a plane as a
            picture.
        """
        return self.layout.draw(plane)

    def _repr_svg_(self) -> str:
        return svg(self.layout)

    # ---- what cannot be ----

    def __array__(self, dtype: npt.DTypeLike = None, copy: bool | None = None) -> NDArray:
        if self.over.size > 1:
            raise TypeError(
                "a distributed array is not a numpy array: gather() makes one of all elements, "
                ".local is one of those of this process"
            )
        return as_numpy(owned_in_order(self)[0], self.local, dtype, copy)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            "a distributed array cannot be pickled or copied by one process: its elements are on several; "
            "use gather(), copy(), or pickle .local"
        )

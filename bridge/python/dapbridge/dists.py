"""Distributions of one axis of an array.

The argument ``dist`` of a function has one entry for each axis: a name, or a call of one of the functions below. If
there are fewer entries than axes, the last axes are not distributed.

============================  ======================================================================
``"block"``, ``block()``      contiguous parts; the first processes may have one element more
``"cyclic"``, ``cyclic()``    blocks of equal size, dealt out round robin, as in ScaLAPACK
``"local"``, ``local()``      not distributed
``"replicated"``              each process along the axis has all elements
``"partial"``                 each process has an addend of each element; only for sources of moves
``padded(1)``                 blocks with copies of the neighbours' elements
``unstructured(indices)``     on each process, the elements with the listed global indices
============================  ======================================================================

The names of the package d2o can also be used: ``"equal"`` and ``"freeform"`` mean ``"block"``, and ``"not"`` means
``"replicated"``. ``"fftw"`` means blocks of ceil(size / processes) elements, which dapbridge calls ``"ceil"``. In
`dapbridge.array`, blocks have the lengths of the processes' parts.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from ._errors import ArgumentError
from ._integers import integer, integers

if TYPE_CHECKING:
    from ._core import DistTuple

Integers = npt.ArrayLike


@dataclass(frozen=True, repr=False)
class Dist:
    """The distribution of one axis of any size. Create one with the functions of this module, such as `cyclic`."""

    kind: str
    lengths: tuple[int, ...] | None = None
    block_size: int = 1
    first_owner: int = 0
    halo: int = 0
    boundary: tuple[int, int] = (0, 0)
    #: None means the value in the communicator's Cartesian topology, or False if there is no topology.
    periodic: bool | None = None
    wraps: bool | None = None
    indices: Any = field(default=None, compare=False)
    owned: Any = field(default=None, compare=False)
    one_to_one: bool = False

    @property
    def is_distributed(self) -> bool:
        """True if there can be more than one process along the axis."""
        return self.kind != "local"

    def procs(self) -> int | None:
        """Returns the number of processes along the axis if the distribution fixes it, otherwise None."""
        if not self.is_distributed:
            return 1
        if self.lengths is not None:
            return len(self.lengths)
        return len(self.indices) if self.has_all_lists else None

    @property
    def has_all_lists(self) -> bool:
        """True if an unstructured axis has the lists of all processes, not only the list of this process."""
        return isinstance(self.indices, list)

    def padding(self, coord: int, procs: int) -> tuple[int, int]:
        """Returns the widths of the communication padding at both ends of the part of the process at `coord`.

        Parameters
        ----------
        coord
            Coordinate of the process along the axis.
        procs
            Number of processes along the axis.
        """
        return (
            self.halo if coord > 0 or self.wraps else 0,
            self.halo if coord < procs - 1 or self.wraps else 0,
        )

    def entry(self, size: int, procs: int) -> DistTuple:
        """Returns the tuple that describes an axis with this distribution to the compiled module.

        Parameters
        ----------
        size
            Number of elements along the axis.
        procs
            Number of processes along the axis.
        """
        kind = {"local": "even", "block": "even"}.get(self.kind, self.kind)
        return (
            "lengths" if kind == "even" and self.lengths is not None else kind,
            size,
            procs,
            self.lengths,
            self.block_size,
            self.first_owner,
            self.halo,
            self.boundary,
            bool(self.periodic),
            bool(self.wraps),
            self.indices,
            self.one_to_one,
            self.owned,
        )

    def with_lengths(self, lengths: Sequence[int]) -> Dist:
        """Returns the same distribution, with blocks of these lengths.

        Parameters
        ----------
        lengths
            Number of elements on each process along the axis.
        """
        return replace(self, lengths=integers(lengths, "lengths"))

    def as_ring(self) -> Dist:
        """Returns this distribution for an axis along a periodic dimension of a topology.

        Padding wraps around unless `wraps` is False or there is boundary padding.
        """
        wraps = self.halo > 0 and self.boundary == (0, 0) if self.wraps is None else self.wraps
        return replace(self, periodic=True, wraps=wraps)

    def __repr__(self) -> str:
        """Returns the call that makes this distribution."""
        if self.kind == "ceil":
            return repr(self.kind)
        is_padded = bool(self.halo or any(self.boundary) or self.periodic)
        lengths = None if self.lengths is None else list(self.lengths)
        shown: list[str] = []
        if self.kind == "unstructured":
            shown.append(_shown(self.indices))
        elif is_padded:
            shown.append(str(self.halo))
        elif self.kind == "cyclic" and (self.block_size, self.first_owner) != (1, 0):
            shown.append(str(self.block_size))
        elif lengths is not None:
            shown.append(str(lengths))
        keywords = {
            "first_owner": self.first_owner or None,
            "boundary": self.boundary if any(self.boundary) else None,
            "periodic": None if self.wraps else self.periodic,
            "wraps": self.wraps if self.wraps or self.periodic else None,
            "lengths": lengths if is_padded else None,
            "owned": None if self.owned is None else _shown(self.owned),
            "one_to_one": self.one_to_one or None,
        }
        shown += [f"{name}={value}" for name, value in keywords.items() if value is not None]
        return f"{'padded' if is_padded else self.kind}({', '.join(shown)})"


def _shown(values: Any) -> str:
    """Returns lists in Python's notation. Long lists are cut."""
    if isinstance(values, list) and any(np.ndim(v) for v in values):
        return f"[{', '.join(_shown(v) for v in values[:_MANY])}{', ...' if len(values) > _MANY else ''}]"
    first = np.asarray(values)[:_MANY].tolist()
    return f"{first}" if len(values) <= _MANY else f"{str(first)[:-1]}, ...]"


#: Entries of a list that are shown.
_MANY = 12
DistLike = Union[str, Dist]


def block(lengths: Sequence[int] | None = None) -> Dist:
    """Distributes an axis in contiguous blocks, one for each process.

    Parameters
    ----------
    lengths
        Number of elements of each process along the axis. None means numbers as even as possible; the first processes
        may have one element more. In `dapbridge.array`, None means the numbers of elements in the processes' parts.

    Examples
    --------
    >>> dapbridge.block()
    block()
    >>> dapbridge.block([3, 0, 5])
    block([3, 0, 5])
    """
    return Dist("block", lengths=None if lengths is None else integers(lengths, "lengths"))


def padded(
    halo: int,
    boundary: tuple[int, int] = (0, 0),
    periodic: bool | None = None,
    wraps: bool | None = None,
    lengths: Sequence[int] | None = None,
) -> Dist:
    """Distributes an axis in contiguous blocks with communication padding: copies of the neighbours' elements.

    Parameters
    ----------
    halo
        Number of padding elements on each side of an interface between processes.
    boundary
        Numbers of boundary padding elements at the two outer edges. These elements are owned, and the size of the axis
        includes them.
    periodic
        True if the axis is a ring. The layout records and exports this property. None means True if `wraps` is True,
        and otherwise the value in the communicator's Cartesian topology.
    wraps
        True if a ring also has communication padding at the outer edges, which repeats the elements at the other end.
        This argument is required with ``periodic=True``, unless there is boundary padding. None means that the padding
        wraps around only along a periodic dimension of a topology.
    lengths
        Number of elements that each process along the axis owns. None means numbers as even as possible.

    Raises
    ------
    ArgumentError
        `periodic` and `wraps` contradict each other, or `wraps` is missing.

    Examples
    --------
    >>> dapbridge.zeros(5, MPI.COMM_SELF, dapbridge.padded(1, wraps=True)).local.shape
    (7,)
    """
    low, high = integers(boundary, "boundary")
    width = integer(halo, "halo")
    if periodic and wraps is None and width and not (low or high):
        raise ArgumentError(
            "padded: periodic=True does not say whether padding wraps around the ends: give wraps=True (the first "
            "process has copies of the last one's elements), or wraps=False (only that the axis is a ring is recorded)"
        )
    if wraps and periodic is not None and not periodic:
        raise ArgumentError("padded: wraps=True is for periodic axes, and periodic is False")
    return Dist(
        "block",
        lengths=None if lengths is None else integers(lengths, "lengths"),
        halo=width,
        boundary=(low, high),
        periodic=True if wraps else None if periodic is None else bool(periodic),
        wraps=None if wraps is None else bool(wraps),
    )


def cyclic(block_size: int = 1, first_owner: int = 0) -> Dist:
    """Distributes an axis in blocks that are dealt out round robin.

    Parameters
    ----------
    block_size
        Number of elements of a block.
    first_owner
        Coordinate along the axis of the process that owns the first block, counted from 0.
    """
    return Dist("cyclic", block_size=integer(block_size, "block_size"), first_owner=integer(first_owner, "first_owner"))


def unstructured(
    indices: Integers | Sequence[Integers],
    owned: Any = None,
    one_to_one: bool = False,
) -> Dist:
    """Distributes an axis by lists of global indices, such as the indices of a mesh's nodes.

    Parameters
    ----------
    indices
        This process's list of global indices, counted from 0. `indices` can also be a list (not a tuple or an array) of
        the lists of all processes along the axis. An index may be in several lists. One process then owns the element,
        and the others have it as a ghost.
    owned
        The entries of this process's list that the process owns: either the number of leading entries, or a bool for
        each entry. If `indices` contains the lists of all processes, `owned` is a list with one number for each
        process. By default, the first process whose list contains an index owns the element, and the others have
        copies. Reductions do not count the copies, and `Array.halo_update` fills them.
    one_to_one
        True if no index is in two lists. Lists that overlap then raise an error.

    Raises
    ------
    TypeError
        `indices` is not a list of integers.
    ArgumentError
        `owned` does not have the length of `indices`.

    Examples
    --------
    >>> dapbridge.unstructured([[0, 2, 4], [1, 3]]).procs()
    2
    """
    if isinstance(indices, list) and indices and not all(np.ndim(i) == 0 for i in indices):
        lists = [_indices(i) for i in indices]
        counts = None if owned is None else list(integers(owned, "owned"))
        return Dist("unstructured", indices=lists, owned=counts, one_to_one=one_to_one)
    own = _indices(indices)
    flags = None
    if owned is not None:
        flags = np.arange(len(own)) < integer(owned, "owned") if np.ndim(owned) == 0 else np.array(owned, np.bool_)
        if flags.shape != own.shape:
            raise ArgumentError(f"unstructured: {len(flags)} flags in owned for {len(own)} indices")
    return Dist("unstructured", indices=own, owned=flags, one_to_one=one_to_one)


def _indices(values: Any) -> np.ndarray[Any, np.dtype[Any]]:
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64).reshape(-1)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(f"indices must be a list of integers, not {array.ndim}-d of {array.dtype}")
    return np.ascontiguousarray(array, np.int64)


def replicated() -> Dist:
    """Puts all elements of an axis on every process along the axis. All these processes have the same elements."""
    return Dist("replicated")


def partial() -> Dist:
    """Distributes an axis as partial sums. Each process along the axis has an addend of each element of the array.

    The value of an element is the sum of its addends. An array with such an axis can only be the source of moves.
    """
    return Dist("partial")


def local() -> Dist:
    """Leaves an axis undistributed."""
    return Dist("local")


_by_name = {
    "block": block(),
    "equal": block(),
    "freeform": block(),
    "ceil": Dist("ceil"),
    "fftw": Dist("ceil"),
    "cyclic": cyclic(),
    "local": local(),
    "replicated": replicated(),
    "not": replicated(),
    "partial": partial(),
}


_OF_ARGUMENTS = {"padded": "padded(1), with its width", "unstructured": "unstructured(indices), with its list"}


def as_dists(dist: DistLike | Sequence[DistLike] | None, ndim: int) -> list[Dist]:
    """Returns the entries of a ``dist`` argument for all axes. None means blocks along the first axis."""
    if dist is None:
        dist = ["block"] if ndim else []
    if not isinstance(dist, (str, Dist)) and (isinstance(dist, (type, np.dtype)) or not hasattr(dist, "__iter__")):
        _as_dist(dist)
    entries = [dist] if isinstance(dist, (str, Dist)) else list(dist)
    if len(entries) > ndim:
        raise ArgumentError(f"dist has {len(entries)} entries for {ndim} axes")
    return [_as_dist(d) for d in entries] + [local()] * (ndim - len(entries))


def _as_dist(entry: Any) -> Dist:
    if isinstance(entry, Dist):
        return entry
    kind = _type_named(entry)
    if kind is not None:
        raise ArgumentError(f"dist is {entry!r}, an element type, and it says how axes are distributed: write dtype={kind}")
    if not isinstance(entry, str):
        raise ArgumentError(
            f"dist: {entry!r} is neither a name nor one of block(), padded(), cyclic()...; "
            "of several axes dist is a list, such as ['block', 'cyclic']"
        )
    if entry in _OF_ARGUMENTS:
        raise ArgumentError(f"dist: {entry!r} is not all: write dapbridge.{_OF_ARGUMENTS[entry]}")
    if entry not in _by_name:
        near = difflib.get_close_matches(entry, [*_by_name, *_OF_ARGUMENTS], 1)
        advice = f"; did you mean {near[0]!r}?" if near else ""
        raise ArgumentError(f"dist: {entry!r} is not one of {', '.join(map(repr, _by_name))}{advice}")
    return _by_name[entry]


def _type_named(entry: Any) -> str | None:
    """Returns an element type that was passed instead of a distribution, in Python's notation."""
    if isinstance(entry, str) and (entry in _by_name or entry in _OF_ARGUMENTS):
        return None
    try:
        kind = np.dtype(entry) if isinstance(entry, (str, type, np.dtype)) else None
    except TypeError:
        return None
    return None if kind is None or kind == object else f"np.{kind.name}"

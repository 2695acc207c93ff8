"""Functions that make arrays from objects of other libraries, such as objects with ``__distarray__``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

from . import _core
from ._comms import agreed, text_of
from ._errors import ArgumentError, ArrayBufferError, DimError, LayoutError, LibraryError, VersionError
from ._foreign import foreign
from ._given import elements_of
from ._integers import integers
from ._keywords import spelled_on
from .array import Array
from .exports import version_text


@spelled_on("dapbridge.from_dap()")
def from_dap(obj: Any, comm: MPI.Comm, rules: str | None = None) -> Array:
    """Makes an array from an object with ``__distarray__()``. No element is copied or moved. Collective on `comm`.

    Parameters
    ----------
    obj
        The object, or the dictionary that its ``__distarray__()`` returns. The array uses the object's buffer.
    comm
        A communicator with exactly the array's processes.
    rules
        The version of the protocol by whose rules the object is read. Needed only if the object names an unknown
        version. None means the version that the object names.

    Raises
    ------
    VersionError
        The version is unknown or absent.
    DimError
        A dimension dictionary breaks a rule of the protocol. The message names the process, the axis and the key.
    LayoutError
        The processes' dictionaries contradict each other.
    ArrayBufferError
        A buffer does not match its dictionaries, or has an unknown element type.

    Examples
    --------
    >>> class Producer:
    ...     def __distarray__(self):
    ...         dim = {"dist_type": "b", "size": 3, "proc_grid_size": 1, "proc_grid_rank": 0,
    ...                "start": 0, "stop": 3}
    ...         return {"__version__": "0.10.0", "buffer": np.arange(3.0), "dim_data": (dim,)}
    >>> dapbridge.from_dap(Producer(), MPI.COMM_SELF).gather()
    array([0., 1., 2.])
    """
    with agreed(comm, "dapbridge.from_dap()"):
        local = _read(obj, rules)
    return Array(_core.assemble(comm.py2f(), rules, local, None), local, comm)


def _read(obj: Any, rules: str | None) -> _core.Local:
    export = _export_of(obj)
    if "__version__" not in export:
        raise VersionError("required key __version__ is absent", rule=1)
    given = export["__version__"]
    version = version_text(given)
    dialect = _core.dialect(version if rules is None else rules)
    if dialect is None:
        if rules is not None:
            raise VersionError(f"rules {rules!r} are of no known version", rule=2)
        raise VersionError(
            f"__version__ {given!r} is not 0.0.1, 0.9.* or 0.10.*, and no rules to read it by are named",
            rule=2 if isinstance(given, str) or version != repr(given) or version in ("()", "[]") else 1,
        )
    _, _, keys, types, has_empty = dialect
    key = str(keys["dim_data"])
    for required in (key, "buffer"):
        if required not in export:
            raise LayoutError(f"required key {required} is absent", rule=1)
    dims = _sequence(export[key], key)
    read = [_dim(axis, d, keys, types, has_empty) for axis, d in enumerate(dims)]
    buffer, typestr = _buffer(export["buffer"])
    return _core.Local.of_dims(version, tuple(read), buffer, typestr)


def _export_of(obj: Any) -> Mapping[str, Any]:
    if not hasattr(obj, "__distarray__"):
        if isinstance(obj, Mapping):
            return obj
        hint = "; dapbridge.array() takes numpy arrays" if isinstance(obj, np.ndarray) else ""
        raise TypeError(f"{type(obj).__name__} has no __distarray__(), and is not a dictionary{hint}")
    try:
        export = obj.__distarray__()
    except Exception as error:
        text = f"__distarray__() of {type(obj).__name__} raised {text_of(error)}"
        raise LibraryError(text) from error
    if not isinstance(export, Mapping):
        raise TypeError(
            f"__distarray__() of {type(obj).__name__} returned {type(export).__name__}, not a dictionary"
        )
    return export


def _sequence(value: Any, key: str) -> list[Any]:
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise LayoutError(f"{key} is {type(value).__name__}, not a sequence of dictionaries", rule=3)
    return list(value)


def _dim(
    axis: int,
    dim: Any,
    keys: dict[str, str | None],
    types: dict[str | None, tuple[str, bool, bool]],
    has_empty: bool,
) -> _core.DimTuple:
    if not isinstance(dim, Mapping):
        raise DimError(f"axis {axis} is {type(dim).__name__}, not a dictionary", rule=3)
    if not dim and has_empty:
        return ("", None, None, None, None, None, None, None, None, None, None)
    if keys["dist_type"] not in dim:
        raise DimError(f"axis {axis}: required key {keys['dist_type']} is absent", rule=1)
    name = dim[keys["dist_type"]]
    if not isinstance(name, (str, type(None))) or name not in types:
        known = ", ".join(repr(t) for t in types)
        raise DimError(f"axis {axis}: {keys['dist_type']} is {name!r}, not one of {known}", rule=1)
    letter, has_padding, has_block_size = types[name]

    def value(key: str, letters: str) -> Any:
        if keys[key] not in dim or keys[key] is None or letter not in letters:
            return None
        found = dim[keys[key]]
        if found is None:
            raise DimError(f"axis {axis}: {keys[key]} is None", rule={"padding": 10, "indices": 17}.get(key, 3))
        return found

    return (
        letter,
        value("size", "bcun"),
        value("proc_grid_size", "bcu"),
        value("proc_grid_rank", "bcu"),
        value("start", "bc"),
        value("stop", "b"),
        value("padding", "bn") if has_padding else None,
        value("periodic", "bn"),
        value("block_size", "c") if has_block_size else None,
        _indices(axis, keys["indices"], value("indices", "u")),
        value("one_to_one", "u"),
    )


def _indices(axis: int, key: str | None, value: Any) -> Any:
    """Returns index lists as an array of this machine's integers, or unchanged if the library must refuse them."""
    if value is None:
        return None
    array = np.asarray(value)
    if array.size == 0 and array.ndim == 1 and isinstance(value, (list, tuple)):
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise DimError(
            f"axis {axis}: {key} is {type(value).__name__} with {array.ndim} axes and type {array.dtype}, "
            "not a list of integers",
            rule=17,
        )
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))


def _buffer(value: Any) -> tuple[Any, str | None]:
    """Returns the buffer of the elements, and numpy's name of their type if there is one."""
    if isinstance(value, np.ndarray):
        value = elements_of(value) if isinstance(value, np.ma.MaskedArray) else np.asarray(value)
        return value, value.dtype.str
    try:
        memoryview(value)
        return value, None
    except TypeError:
        pass
    if hasattr(value, "__array_interface__") or hasattr(value, "__array_struct__"):
        array = np.asarray(value)
        return array, array.dtype.str
    raise ArrayBufferError(
        f"buffer is {type(value).__name__}, which has neither the buffer protocol nor __array_interface__"
    )


# ---- others ----


@spelled_on("dapbridge.from_mpi4py_fft()")
def from_mpi4py_fft(distarray: Any, comm: MPI.Comm | None = None) -> Array:
    """Makes an array from a DistArray of mpi4py-fft, in the DistArray's memory. Collective on `comm`.

    The axes of a tensor field's components come first, and are not distributed. These axes become the array's
    `component_axes`.

    Parameters
    ----------
    distarray
        A pencil of mpi4py_fft: a `DistArray`, or the result of `newDistArray`.
    comm
        A communicator with the pencil's processes, in any order. None means MPI.COMM_WORLD.

    Raises
    ------
    ArgumentError
        The object is not a pencil, or `comm` does not contain the pencil's processes.
    """
    comm = MPI.COMM_WORLD if comm is None else comm
    with agreed(comm, "dapbridge.from_mpi4py_fft()"):
        if not hasattr(distarray, "pencil") or not hasattr(distarray, "rank"):
            raise ArgumentError(_no_pencil(distarray))
        pencil, rank = distarray.pencil, distarray.rank
        mine = distarray.view(np.ndarray)
        first = rank if pencil is not None else mine.ndim
        dims = [_block(extent, 1, 0, 0, extent) for extent in mine.shape[:first]]
        for k, extent in enumerate(mine.shape[first:]):
            along, start = pencil.subcomm[k], pencil.substart[k]
            dims.append(_block(pencil.shape[k], along.size, along.rank, start, start + extent))
        local = _core.Local.of_dims("0.10.0", tuple(dims), mine, mine.dtype.str)
    array = Array(_core.assemble(comm.py2f(), None, local, None), local, comm)
    array.component_axes = tuple(range(rank))
    return array


def _no_pencil(given: Any) -> str:
    hint = ", dapbridge.from_dap(obj, comm) objects with __distarray__()" if hasattr(given, "__distarray__") else ""
    return (
        f"a {type(given).__name__} has no pencil: from_mpi4py_fft() takes a DistArray of mpi4py_fft; "
        f"dapbridge.array(local, comm, dist) takes this process's part as a numpy array{hint}"
    )


def _block(size: int, procs: int, coord: int, start: int, stop: int) -> _core.DimTuple:
    return ("b", size, procs, coord, start, stop, None, None, None, None, None)


@spelled_on("dapbridge.from_partitioned()")
def from_partitioned(obj: Any, comm: MPI.Comm) -> Array:
    """Makes a read-only array from an object with ``__partitioned__``, in the object's memory. Collective on `comm`.

    Each process must have exactly one partition.

    Parameters
    ----------
    obj
        The object, or the dictionary in its attribute ``__partitioned__``.
    comm
        A communicator of the processes that have the partitions.

    Raises
    ------
    LayoutError
        A process does not have exactly one partition, or the partitions do not form an array.
    """
    with agreed(comm, "dapbridge.from_partitioned()"):
        described = obj if isinstance(obj, Mapping) else obj.__partitioned__
        described = described() if callable(described) else described
        mine = _partitions_here(described, comm.rank)
        if len(mine) != 1:
            raise LayoutError(f"{len(mine)} partitions on this process, not one")
        (position, partition), tiling = mine[0], described["partition_tiling"]
        get = described.get("get")
        data = np.asarray(partition["data"] if get is None else get(partition["data"])).view()
        data.flags.writeable = False
        dims = [
            _block(size, procs, place, first, first + extent)
            for size, procs, place, first, extent in zip(
                described["shape"], tiling, position, partition["start"], partition["shape"]
            )
        ]
        local = _core.Local.of_dims("0.10.0", tuple(dims), data, data.dtype.str)
    return Array(_core.assemble(comm.py2f(), None, local, None), local, comm)


def _partitions_here(described: Mapping[str, Any], rank: int) -> list[tuple[Any, Any]]:
    """Returns a pair (position, partition) for each partition that this process has."""
    partitions = described["partitions"]
    if described.get("locals") is not None:
        return [(p, partitions[p]) for p in described["locals"]]
    return [(p, part) for p, part in partitions.items() if _is_here(part.get("location"), rank)]


def _is_here(location: Any, rank: int) -> bool:
    places = location if isinstance(location, (list, tuple)) else [location]
    return any(isinstance(p, (int, np.integer)) and p == rank for p in places)


@spelled_on("dapbridge.from_scalapack()")
def from_scalapack(desc: Sequence[int], local: Any, comm: MPI.Comm, op: str = "N") -> Array:
    """Makes an array from a ScaLAPACK matrix, in the matrix's memory. Collective on `comm`.

    Parameters
    ----------
    desc
        The array descriptor of nine integers.
    local
        This process's part: a Fortran-ordered numpy array, or a buffer with columns of LLD elements.
    comm
        A communicator of the processes of the BLACS context.
    op
        "N": the array is the matrix. "T": the array is the transposed matrix.

    Raises
    ------
    ArgumentError
        An entry of the descriptor is invalid. The message names the entry.
    ArrayBufferError
        The local part does not match the descriptor, or ScaLAPACK does not have its element type.
    """
    from . import _scalapack

    with agreed(comm, "dapbridge.from_scalapack()"):
        words = list(integers(desc, "desc"))
        if len(words) != 9:
            raise ArgumentError(f"desc has {len(words)} integers, not 9")
    layout, array = _scalapack.import_matrix(comm.py2f(), words, local, op)
    return Array(layout, array, comm)


def from_petsc(obj: Any, comm: MPI.Comm | None = None) -> Array:
    """Makes an array from a petsc4py object, usually in the object's memory. Collective on the object's communicator.

    * A global vector of a DMDA gives an array with an axis for each axis of the DMDA, x last. If there are several
      degrees of freedom, they form an additional axis.
    * A local vector of a DMDA gives an array with the same axes, and with the vector's ghost points as padding. The
      call is then collective on the DMDA's communicator.
    * Any other vector gives an array with one axis, distributed in blocks.
    * A MATDENSE gives an array with two axes, in Fortran order, with a range of rows on each process. A MATSCALAPACK
      gives a read-only copy.
    * A DMDA gives a new array of zeros with the layout of the DMDA's local vectors.

    The object must not be used while the array uses the object's memory. The object can be used again when no `Array`
    and no numpy view refers to this memory any more.

    Parameters
    ----------
    obj : petsc4py.PETSc.Vec, Mat or DMDA
        The object. The array can be written to if the object is not locked.
    comm
        The array's communicator, with the same processes as the object's. None means MPI.COMM_WORLD or MPI.COMM_SELF if
        one of them has these processes, and otherwise a duplicate of the object's communicator, which is never freed.

    Raises
    ------
    TypeError
        The object is not a Vec, a Mat or a DMDA.
    ArgumentError
        The object cannot be read, for example because a matrix is not assembled, or `comm` has other processes.
    UnsupportedError
        The type of the vector or matrix is not supported, or the DMDA has twisted boundaries or an unusual order of
        processes.
    """
    from . import petsc

    return petsc.from_petsc(obj, comm)



def converter_of(obj: Any) -> Callable[[Any, MPI.Comm], Array] | None:
    """Returns the function of this module that makes an array from an object like `obj`, or None."""
    kind = foreign(obj)
    functions: dict[str, Callable[[Any, MPI.Comm], Array]] = {
        "from_dap": from_dap,
        "from_mpi4py_fft": from_mpi4py_fft,
        "from_partitioned": from_partitioned,
        "from_petsc": from_petsc,
    }
    return None if kind is None else functions.get(kind.function)

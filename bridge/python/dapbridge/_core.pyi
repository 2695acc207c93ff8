"""The compiled part of the package: layouts, local arrays and plans.

Communicators are Fortran handles (``comm.py2f()``). A distributed array is always passed as two arguments: its Layout,
and this process's Local. Collective functions release the interpreter's lock, and raise the same error on every
process.
"""
import os
from collections.abc import Sequence
from typing import IO, Any, Final, final

from mpi4py import MPI

Buffer = Any
"""Any object with the buffer protocol, for which older type checkers have no name."""

DimTuple = tuple[
    str,  # dist_type: 'b', 'c', 'u', 'n', or '' for the empty dictionary
    Any,  # size
    Any,  # proc_grid_size
    Any,  # proc_grid_rank
    Any,  # start
    Any,  # stop
    Any,  # padding: None or a sequence of two
    Any,  # periodic
    Any,  # block_size
    Any,  # indices: None or a buffer of integers
    Any,  # one_to_one
]
"""One dimension dictionary. Integers are any objects with __index__ except bool. None means that the key is absent."""

DistTuple = tuple[
    str,  # kind: 'even' 'ceil' 'lengths' 'cyclic' 'unstructured' 'replicated' 'partial'
    int,  # size
    int,  # procs
    Sequence[int] | None,  # lengths
    int,  # block_size
    int,  # first_owner
    int,  # halo
    tuple[int, int],  # boundary
    bool,  # periodic
    bool,  # wraps
    Sequence[Buffer] | None,  # indices
    bool,  # one_to_one
    Sequence[int] | None,  # owned
]
"""One axis of a new layout, a dap_dist."""

PartTuple = tuple[Sequence[int] | None, Sequence[int] | None, Sequence[int] | None]
"""axes, start, shape of a dap_part."""

VERSION: Final[str]
STATUSES: Final[tuple[str, ...]]
"""Names of dap_status, by number."""

def mpi_library_version() -> str: ...
def mpi_library_path() -> str:
    """Returns the path of the MPI library with which this module was loaded."""

def dialect(version: str, /) -> tuple[str, bool, dict[str, str | None], dict[str | None, tuple[str, bool, bool]], bool] | None:
    """Returns the keys and types of a protocol version. None means that the version is unknown.

    The tuple contains the exported version, whether this version is a tuple of integers, the keys' names by their
    canonical names (dim_data, dist_type, size, ...), the values of dist_type with (canonical type, has padding, has
    block size), and whether {} stands for an undistributed axis.
    """

def build_info() -> str:
    """dap_build_info(): "key: value\
" for each key."""

def dtype_typestr(name: str, /) -> str:
    """numpy's typestr of a type by its name ("float64" -> "<f8")."""

def agree(comm: int, function: str, status: int, text: str, rule: int = 0) -> None:
    """dap_agree_call(): raises the error (status != 0) of the lowest rank that has one on all processes. Collective.

    If a rule of the protocol was broken, its number is added to the text.
    """

def agree_word(comm: int, name: str, word: int) -> None:
    """dap_agree_words() of one word: raises on all processes if it differs, and names the lowest rank. Collective."""

def fail(status: int, text: str) -> None:
    """Raises the library's exception for a status."""

def assemble(comm: int, rules: str | None, local: Local, owned: Sequence[Buffer | None] | None) -> Layout:
    """dap_layout_assemble_ghosted(). Collective."""

def relabel(source: Layout, target: Layout) -> tuple[list[int], int, int]: ...
def replicas_check(comm: int, layout: Layout, local: Local) -> None: ...
def wait_limit(comm: int, seconds: float) -> None:
    """dap_wait_limit(). Collective."""

def export(comm: int, version: str | None, layout: Layout, local: Local | None, file: Any) -> None:
    """dap_layout_export(). file: on process 0 an object with fileno(); on others it may be None. Collective."""

def file_save(comm: int, layout: Layout, local: Local | None, path: bytes, options: dict[str, Any]) -> None:
    """dap_file_save(). options: the members of dap_file_options by name, without those that are left at their defaults;
    format "npy", "raw" or another module's object; mode "w", "r+" or "a"; order "C" or "F"; part a PartTuple. Collective."""

def file_load(comm: int, layout: Layout, local: Local | None, path: bytes, options: dict[str, Any]) -> None:
    """dap_file_load(). Collective."""

def file_query(comm: int, path: bytes, options: dict[str, Any]) -> dict[str, Any]:
    """dap_file_query(): the members of dap_file_info by name, without ndim, and the layout. Collective."""

def lookup(comm: int, layout: Layout, indices: Buffer) -> tuple[bytes, bytes]:
    """indices: int64, (count, ndim); ranks as int32, positions as int64. Collective."""

def set_log(function: Any, /) -> None:
    """dap_log_set() with a callable that accepts one str. None means no log."""

def set_call_site(function: Any, /) -> None:
    """dap_call_site_set() with a callable that returns a str. None means the library's name of the function."""

def matrix_explain(layout: Layout, local: Local | None, rank: int, routine: str | None) -> tuple[bool, str, str]:
    """Returns (bool, reason, description): whether ScaLAPACK could use the array in place. Not collective."""

@final
class Layout:
    def __new__(cls, dists: Sequence[DistTuple], ranks: Sequence[int] | None = None) -> Layout: ...
    ndim: Final[int]
    shape: Final[tuple[int, ...]]
    grid: Final[tuple[int, ...]]
    nprocs: Final[int]
    is_row_major: Final[bool]
    def coords(self, rank: int, /) -> tuple[int, ...]: ...
    def rank(self, coords: Sequence[int], /) -> int: ...
    def axis(self, axis: int, /) -> dict[str, Any]:
        """Returns the properties of an axis by name."""
    def knows(self, axis: int, coord: int) -> bool: ...
    def owned(self, axis: int, coord: int) -> int: ...
    def extent(self, axis: int, coord: int) -> int: ...
    def halo(self, axis: int, coord: int) -> tuple[int, int]: ...
    def runs(self, axis: int, coord: int) -> list[tuple[int, int, int]]:
        """Returns (global, local, length) for each range of elements that are owned and contiguous in the buffer."""
    def is_owned(self, axis: int, coord: int) -> bytes:
        """Returns one byte for each position of the local buffer: 1 if the position is owned, otherwise 0."""
    def dim(self, version: str | None, axis: int, coord: int) -> DimTuple:
        """One dimension dictionary. indices is a Local with one axis, which exports its buffer and keeps the layout."""
    def locate(self, indices: Buffer, /) -> tuple[bytes, bytes]:
        """Returns the rank and the position of the elements with these global indices, without communication."""
    def globalize(self, rank: int, positions: Buffer) -> tuple[bytes, bytes]:
        """positions: int64, (count, ndim). Returns global indices as int64, and a byte for each: 1 if it is owned."""
    def part(self, part: PartTuple, /) -> tuple[Layout, list[int]]: ...
    def reorder(self, ranks: Sequence[int], /) -> Layout:
        """Makes a layout with the same distributions and other ranks, given in row-major order on the grid."""
    def blocks(self, axis: int, /) -> tuple[int, int, int]: ...
    def describe(self) -> str: ...
    def summary(self) -> str: ...
    @classmethod
    def parse(cls, text: str) -> Layout:
        """Makes a layout from a short description, such as "100x80 on 2x2: b, c(8)"."""
    def format(self) -> str:
        """Returns a short description, from which parse() makes an equal layout."""
    def draw(self, plane: Sequence[int | None] | None = None) -> str:
        """Draws which process owns which elements, as plain text.

        plane: one entry for each axis: None for the one or two axes that are drawn, an index for each other axis.
        """
    def export(
        self, file: str | os.PathLike[str] | IO[Any], comm: MPI.Comm, version: str | tuple[int, ...] | None = None
    ) -> None:
        """Writes the dictionaries of all processes, and the shapes of their buffers, as a document, which the
        command ``dapbridge`` reads. Process i of the layout is rank i of `comm`; process 0 writes. Collective on
        `comm`.

        file: a path, or an open file with a file descriptor, to which the document is appended. version: "0.10.0",
        "0.9.0" or (0, 0, 1); None: 0.10, or 0.9 if only 0.9 can express the layout.

        ArgumentError: `comm` has more or fewer processes than the layout. UnsupportedError: the version cannot
        express the layout. LibraryError: the file cannot be written.
        """
    def _repr_svg_(self, plane: Sequence[int | None] | None = None, /) -> str:
        """Draws which process owns which elements, as an SVG picture for notebooks."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Local:
    """A dap_array. It exports its buffer, so that numpy.asarray(local) is a view that keeps it alive."""
    @classmethod
    def make(cls, layout: Layout, rank: int, dtype: str, order: str) -> Local:
        """dap_array_init() with a new buffer of zeros."""
    @classmethod
    def wrap(cls, layout: Layout, rank: int, buffer: Buffer, typestr: str | None = None) -> Local:
        """Dictionaries of the layout over a caller's buffer of any strides, which must match the layout.
        typestr: numpy's name, for types and byte orders that the buffer's format cannot express."""
    @classmethod
    def of_dims(cls, version: str, dims: Sequence[DimTuple], buffer: Buffer, typestr: str | None = None) -> Local:
        """A foreign array. The keys are stored as given, and not checked against each other."""
    @classmethod
    def alloc(cls, comm: int, layout: Layout, dtype: str, order: str, contiguous: bool) -> tuple[Local, bool]:
        """dap_array_alloc(). The bool says whether the memory is shared. Collective."""
    ndim: Final[int]
    shape: Final[tuple[int, ...]]
    strides: Final[tuple[int, ...]]
    typestr: Final[str]
    dtype: Final[str]
    itemsize: Final[int]
    nbytes: Final[int]
    address: Final[int]
    readonly: Final[bool]
    swapped: Final[bool]
    version: Final[str]
    dims: Final[tuple[DimTuple, ...]]
    owner: Final[Any]
    """The object that was given as buffer, or None."""
    def check(self) -> None: ...
    def match(self, layout: Layout, rank: int) -> None: ...
    def overlaps(self, other: Local, /) -> bool: ...
    def copy_to(self, other: Local, /) -> None: ...
    def part(self, layout: Layout, rank: int, part: PartTuple) -> Local | None: ...
    def json(self) -> str:
        """dap_array_json()."""
    def __buffer__(self, flags: int) -> memoryview: ...

@final
class Plan:
    """One dap_plan. A side is (layout or None, local or None, part or None, ranks or None, dtype or None):
    dtype is needed if local is None."""
    @classmethod
    def create(cls, comm: int, source: SideTuple, target: SideTuple, itemsize: int, options: dict[str, Any]) -> Plan: ...
    @classmethod
    def halo(cls, comm: int, side: SideTuple, itemsize: int, options: dict[str, Any]) -> Plan: ...
    @classmethod
    def halo_reverse(cls, comm: int, side: SideTuple, itemsize: int, options: dict[str, Any]) -> Plan: ...
    def run(self, source: Local | Buffer | None, target: Local | Buffer | None) -> None:
        """If a buffer does not match the plan (shape, strides, type, read-only), it becomes NULL on this process, and
        the others also raise an error. This process raises an error about the buffer."""
    def begin(self, source: Local | Buffer | None, target: Local | Buffer | None) -> None:
        """Keeps both buffers alive until end()."""
    def end(self) -> None: ...
    def run_many(self, sources: Sequence[Local | Buffer | None], targets: Sequence[Local | Buffer | None]) -> None: ...
    is_begun: Final[bool]
    is_broken: Final[bool]
    stats: Final[dict[str, int]]
    """dap_plan_stats by name."""
    def describe(self) -> str: ...
    def destroy(self) -> None:
        """Frees the plan. A second call does nothing. Collective if a run has begun."""

SideTuple = tuple[Layout | None, Local | None, PartTuple | None, Sequence[int] | None, str | None]
"""plan options: the members of dap_plan_options by name; alpha and beta as complex numbers, combine '' 'sum' 'max' 'min',
padding '' 'clear' 'refresh'."""

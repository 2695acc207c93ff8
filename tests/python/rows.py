"""Reads the named layouts of tests/support/layouts.c, and deals out arrays by the model of tests/support/brute.c.

build/python/dap_test_rows.so contains both. The model deals out elements one by one, and shares nothing with
dapbridge."""

import ctypes
import functools
from ctypes import POINTER, c_bool, c_char, c_char_p, c_int, c_int64, c_uint, c_uint64, c_void_p
from pathlib import Path

import numpy as np

import dapbridge as db

_library = ctypes.CDLL(str(Path(db.__file__).parents[1] / "dap_test_rows.so"))

#: Kinds of dap_dist.
EVEN, CEIL, LENGTHS, CYCLIC, LISTS, COPIES, PARTIAL = range(7)
#: The most elements and processes along an axis, and axes: BRUTE_SIZE, BRUTE_PROCS and DAP_MAX_NDIM.
SIZE, PROCS, NDIM = 256, 32, 8


# ---- structures of C, declared again ----------------------------------------------------------------------------


def _struct(name, **members):
    return type(name, (ctypes.Structure,), {"_fields_": list(members.items())})


#: struct dap_dist of dapbridge/dist.h
_Dist = _struct(
    "_Dist",
    kind=c_int,
    procs=c_int,
    size=c_int64,
    lengths=POINTER(c_int64),
    block_size=c_int64,
    first_owner=c_int,
    halo=c_int64,
    boundary=c_int64 * 2,
    periodic=c_bool,
    wraps=c_bool,
    indices=POINTER(POINTER(c_int64)),
    one_to_one=c_bool,
    owned=POINTER(c_int64),
    is_owned=POINTER(POINTER(c_bool)),
)
#: struct brute_axis of tests/support/brute.h
_Axis = _struct(
    "_Axis",
    kind=c_char,
    whole=c_bool,
    size=c_int64,
    procs=c_int,
    owner=c_int * SIZE,
    local=c_int64 * SIZE,
    owned=c_int64 * PROCS,
    halo=c_int64 * 2 * PROCS,
    extent=c_int64 * PROCS,
    held=c_int64 * SIZE * PROCS,
)
#: struct random_memory of tests/support/brute.h
_Memory = _struct(
    "_Memory",
    lengths=c_int64 * PROCS,
    lists=c_int64 * SIZE * PROCS,
    indices=c_void_p * PROCS,
    owned=c_int64 * PROCS,
    flags=c_bool * SIZE * PROCS,
    is_owned=c_void_p * PROCS,
)
#: struct brute_array of tests/support/brute.h
_Model = _struct(
    "_Model", ndim=c_int, nprocs=c_int, count=c_int64, axes=_Axis * NDIM, ranks=c_int * PROCS, places=c_int * PROCS
)
#: struct random_array of tests/support/random_array.h
_Array = _struct(
    "_Array", ndim=c_int, nprocs=c_int, dists=_Dist * NDIM, memory=_Memory * NDIM, model=_Model
)
#: struct case_layout of tests/support/case.h
_Layout = _struct(
    "_Layout",
    why=c_char_p,
    ndim=c_int,
    size=c_int64 * 4,
    axes=c_uint,
    cut=c_int * 4,
    block=c_int64 * 4,
    halo=c_int64 * 4,
    boundary=c_int64 * 2 * 4,
    periodic=c_bool * 4,
    wraps=c_bool * 4,
    shuffled=c_bool,
    transposed=c_bool,
    assembled=c_bool,
)
#: struct test_random of tests/support/random.h
_Random = _struct("_Random", state=c_uint64)

_library.case_try.restype = c_bool
_library.brute_deal.restype = c_bool
_library.test_random_init.restype = _Random
_library.test_random_init.argtypes = [c_uint64]
COUNT = c_int.in_dll(_library, "named_layout_count").value
_layouts = (_Layout * COUNT).in_dll(_library, "named_layouts")
_array = _Array()  # the row that was dealt out last


class Axis:
    """An axis that the model has dealt out. For each coordinate, `held` has the index at each position of the buffer,
    `owned` whether the process owns it, and `halo` the widths of the padding."""

    def __init__(self, axis):
        owner, local, held = (np.array(x) for x in (axis.owner, axis.local, axis.held))
        self.size, self.whole = axis.size, axis.whole
        self.halo = [tuple(axis.halo[c]) for c in range(axis.procs)]
        self.held = [held[c, : axis.extent[c]] for c in range(axis.procs)]
        self.owned = [(owner[h] == c) & (local[h] == np.arange(len(h))) for c, h in enumerate(self.held)]


# ---- named layouts ----------------------------------------------------------------------------------------------


class Row:
    """A row of layouts.c, dealt out to a number of processes. With `shape` it has other sizes."""

    def __init__(self, number, nprocs, shape=None):
        row = _Layout.from_buffer_copy(_layouts[number])
        self.name, self.is_assembled = row.why.decode(), row.assembled
        is_legal = _deal_row(row, number, nprocs) if shape is None else _deal_sizes(row, number, nprocs, shape)
        assert is_legal, f"{self.name}: illegal or too long on {nprocs} processes; shape: {shape or 'its own'}"
        dists, self.axes = _array.dists[: row.ndim], [Axis(axis) for axis in _array.model.axes[: row.ndim]]
        self.shape = tuple(d.size for d in dists)
        self.grid = [d.procs for d in dists]
        self.ranks = _array.model.ranks[:nprocs]
        assert _array.nprocs == nprocs and _array.model.count == np.prod(self.shape), "a structure in C has changed"
        has_flags = any(d.is_owned for d in dists)
        self._cuts = [_cut(d, axis, has_flags) for d, axis in zip(dists, self.axes)]

    def dists(self, rank):
        """Returns the argument of zeros() on a process. Ranks are in row-major order there."""
        return [cut(c) for cut, c in zip(self._cuts, np.unravel_index(rank, self.grid))]

    def places(self, rank):
        """Returns each axis, and the coordinate of the process along it."""
        return zip(self.axes, np.unravel_index(self.ranks.index(rank), self.grid))


def _deal_row(row, number, nprocs):
    random = _library.test_random_init(number)
    return _library.case_try(ctypes.byref(row), nprocs, ctypes.byref(random), ctypes.byref(_array))


def _deal_sizes(row, number, nprocs, shape):
    """Deals out a row with other sizes. Padding that does not fit is left out, and if axes are missing, all others are
    distributed."""
    if len(shape) < row.ndim:
        row.axes = 0
    row.ndim = len(shape)
    row.size[: row.ndim] = shape
    if _deal_row(row, number, nprocs):
        return True
    row.halo, row.boundary = type(row.halo)(), type(row.boundary)()
    return _deal_row(row, number, nprocs)


def _cut(d, axis, has_flags):
    """Returns a function that describes an axis to the process at a coordinate."""
    if d.kind == LISTS:
        return _lists(d, has_flags)
    made = {CYCLIC: db.cyclic(d.block_size, d.first_owner), COPIES: "replicated", PARTIAL: "partial"}.get(d.kind)
    if d.kind == CEIL and not (d.halo or any(d.boundary) or d.periodic):
        made = "ceil"
    lengths = None if d.kind == EVEN else [int(flags.sum()) for flags in axis.owned]
    made = made or db.padded(d.halo, tuple(d.boundary), d.periodic, d.wraps, lengths)
    return lambda c: made


def _lists(d, has_flags):
    """Describes lists of all processes, or if there are flags of owners, the process's own list."""
    lengths = d.lengths[: d.procs]
    lists = [d.indices[c][:n] for c, n in enumerate(lengths)]
    counts = d.owned[: d.procs] if d.owned else None
    if not has_flags:
        return lambda c: db.unstructured(lists, owned=counts)
    flags = [d.is_owned[c][:n] for c, n in enumerate(lengths)] if d.is_owned else counts or [None] * d.procs
    return lambda c: db.unstructured(lists[c], owned=flags[c])


# ---- other arrays -----------------------------------------------------------------------------------------------


def axis_of(layout, k):
    """Deals out an axis of any layout, as the library describes it. Returns None if the axis is too large, has uneven
    padding, as windows have, or has lists that only other processes know."""
    facts, coords = layout.axis(k), range(layout.grid[k])
    if facts["size"] > SIZE or len(coords) > PROCS:
        return None
    if facts["replicated"] or facts["partial"]:
        return _deal(COPIES, facts["size"], len(coords))
    if facts["dist_type"] == "c":
        return _deal(CYCLIC, facts["size"], len(coords), (), facts["block_size"], facts["first_owner"])
    if facts["dist_type"] == "b":
        owned, halo = (tuple(f(k, c) for c in coords) for f in (layout.owned, layout.halo))
        width = max(map(max, halo))
        if max(owned) + 2 * width > SIZE:
            return None
        axis = _deal(LENGTHS, facts["size"], len(coords), owned, 1, 0, width, halo[0][0] > 0)
        return axis if axis and tuple(axis.halo) == halo else None
    if not all(layout.knows(k, c) for c in coords):
        return None
    lists = [np.array(layout.dim(None, k, c)[9], np.int64) for c in coords]
    flags = [np.frombuffer(layout.is_owned(k, c), bool) for c in coords] if facts["owners_given"] else None
    d = _Dist(LISTS, len(coords), facts["size"], (c_int64 * len(coords))(*map(len, lists)))
    d.indices = (POINTER(c_int64) * len(coords))(*(x.ctypes.data_as(POINTER(c_int64)) for x in lists))
    if flags:
        d.is_owned = (POINTER(c_bool) * len(coords))(*(x.ctypes.data_as(POINTER(c_bool)) for x in flags))
    return _dealt(d)


@functools.lru_cache(256)
def _deal(kind, size, procs, lengths=(), block_size=1, first_owner=0, halo=0, wraps=False):
    lengths = (c_int64 * procs)(*lengths)
    return _dealt(_Dist(kind, procs, size, lengths, block_size, first_owner, halo, periodic=wraps, wraps=wraps))


def _dealt(dist):
    axis = _Axis()
    return Axis(axis) if _library.brute_deal(ctypes.byref(dist), ctypes.byref(axis)) else None

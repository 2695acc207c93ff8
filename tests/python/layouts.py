"""Makes the named layouts of tests/support/layouts.c that Python can describe. test_layouts.py tests all of them in
moves, slices, files and linear algebra; other tests take some by their names."""

from dataclasses import dataclass

import numpy as np
from maps import fill, ramp
from mpi4py import MPI

import dapbridge as db

# ---- cuts of an axis of n elements over p processes, of which this one is at coordinate c ---------------------


def whole(n, p, c):
    return "local"


def even(n, p, c):
    return "block"


def ceil(n, p, c):
    return "ceil"


def copies(n, p, c):
    return "replicated"


def holes(n, p, c):
    """Cuts so that every second process has no elements."""
    lengths = np.zeros(p, int)
    lengths[::2] = [len(part) for part in np.array_split(np.arange(n), (p + 1) // 2)]
    return db.block(lengths)


def last(n, p, c):
    return db.block([0] * (p - 1) + [n])


def irregular(halo):
    def cut(n, p, c):
        weights = np.resize([1, 3, 2], p)
        lengths = np.diff(np.cumsum(weights) * n // weights.sum(), prepend=0)
        return db.padded(halo, lengths=lengths) if min(lengths) >= halo > 0 else db.block(lengths)

    return cut


def padded(halo, **more):
    """Cuts with padding, which is not wider than the parts."""

    def cut(n, p, c):
        width = min(halo, n // p)
        return db.padded(width, **more) if width else "block"

    return cut


def cyclic(block):
    return lambda n, p, c: db.cyclic(block)


def rotated(block):
    return lambda n, p, c: db.cyclic(block, first_owner=p - 1)


def parts_of(order, p):
    return [list(part) for part in np.array_split(order, p)]


def shuffled(n, p):
    return parts_of(np.random.default_rng(n).permutation(n), p)


def falling(n, p, c):
    return db.unstructured(parts_of(np.arange(n)[::-1], p))


def lists(n, p, c):
    return db.unstructured(shuffled(n, p))


def own_lists(n, p, c):
    """Gives each process a list that only it knows."""
    return db.unstructured(shuffled(n, p)[c])


def one_holder(n, p, c):
    return db.unstructured([[]] * (p - 1) + shuffled(n, 1))


def overlaps(n, p, c):
    """Lists some of the next process's indices, too. The first process that lists an index owns it."""
    found = shuffled(n, p)
    return db.unstructured(found[c] + found[(c + 1) % p][: 2 * (p > 1)])


def ghosts(n, p, c):
    found = shuffled(n, p)
    more = [found[(k + 1) % p][: 2 * (p > 1)] for k in range(p)]
    return db.unstructured([a + b for a, b in zip(found, more)], owned=[len(a) for a in found])


def ghosts_between(n, p, c):
    """Lists one of the next process's indices at the second place."""
    found = shuffled(n, p)
    more = found[(c + 1) % p][: 1 * (p > 1)]
    flags = np.insert(np.ones(len(found[c]), bool), [min(1, len(found[c]))] * len(more), False)
    return db.unstructured(found[c][:1] + more + found[c][1:], owned=flags)


# ---- the table ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    shape: tuple
    cuts: list
    order: str = "C"
    #: whether to take the copy of a transpose, whose processes are in another order
    turned: bool = False


LAYOUTS = {
    # one axis
    "a line in even parts": Row((17,), [even]),
    "a line with fewer elements than processes": Row((2,), [even]),
    "a line without elements": Row((0,), [even]),
    "equal parts, then a shorter one, then none": Row((13,), [ceil]),
    "parts of other lengths, padded": Row((31,), [irregular(1)]),
    "every second process has nothing": Row((9,), [holes]),
    "all on the last process": Row((9,), [last]),
    "padding as wide as the parts": Row((12,), [padded(2)]),
    "a ring": Row((30,), [padded(2, wraps=True)]),
    "boundary padding of other widths at both ends": Row((23,), [padded(1, boundary=(1, 2))]),
    "single elements in turn": Row((35,), [cyclic(1)]),
    "blocks in turn from the last process on": Row((35,), [rotated(3)]),
    "a block larger than the line": Row((5,), [cyclic(64)]),
    "falling lists": Row((31,), [falling]),
    "lists in no order, assembled": Row((35,), [own_lists]),
    "lists of one process alone": Row((9,), [one_holder]),
    "lists that share indices, assembled": Row((29,), [overlaps]),
    "ghosts behind": Row((29,), [ghosts]),
    "ghosts among owned nodes, assembled": Row((31,), [ghosts_between]),
    "a copy on every process": Row((17,), [copies]),
    # matrices
    "blocks": Row((11, 13), [even, even]),
    "rows": Row((19, 7), [even, whole]),
    "rows in F order": Row((12, 6), [even, whole], "F"),
    "columns": Row((7, 19), [whole, even]),
    "columns that are padded, in F order": Row((7, 19), [whole, padded(2)], "F"),
    "no rows": Row((0, 7), [even, whole]),
    "fewer rows than processes": Row((2, 5), [cyclic(1), whole]),
    "square blocks in turn": Row((37, 41), [cyclic(4), cyclic(4)], "F"),
    "blocks in turn from the last processes on": Row((17, 19), [rotated(3), rotated(2)]),
    "padded rows": Row((12, 6), [padded(1), whole]),
    "a plane with corners, ranks in another order": Row((18, 20), [padded(2), padded(1)], turned=True),
    "a torus": Row((18, 20), [padded(2, wraps=True), padded(1, wraps=True)]),
    "a tube with boundary padding": Row((18, 20), [padded(1, wraps=True), padded(1, boundary=(1, 1))]),
    "irregular rows, columns with empty processes": Row((29, 15), [irregular(0), holes], "F"),
    "lists of rows": Row((11, 6), [lists, whole]),
    "lists of rows, padded columns": Row((11, 18), [lists, padded(2)]),
    "lists of both, ranks in another order": Row((13, 11), [lists, lists], turned=True),
    "ghosts times ghosts": Row((13, 17), [ghosts, ghosts]),
    "copies of rows": Row((7, 6), [copies, whole]),
    "copies of rows, cyclic columns": Row((7, 26), [copies, cyclic(2)]),
    # more axes
    "a box with edges and corners": Row((12, 13, 14), [padded(2), padded(1), padded(1)]),
    "a ring, nodes and copies": Row((12, 7, 5), [padded(2, wraps=True), ghosts, copies]),
    "components of a box": Row((7, 8, 6, 3), [even, padded(1), padded(1), whole], "F"),
}
MATRICES = [name for name, row in LAYOUTS.items() if len(row.shape) == 2]


def make(comm, name, shape=None, dtype=float):
    """Makes zeros in the layout, with its own shape or another one. A vector is cut like the axis that is
    distributed."""
    row = LAYOUTS[name]
    shape = row.shape if shape is None else shape
    cuts = row.cuts
    if len(shape) < len(cuts):
        cuts = [cut for cut in cuts if cut is not whole][: len(shape)]
    if row.turned:
        shape, cuts = shape[::-1], cuts[::-1]
    is_cut = [cut is not whole for cut in cuts]
    extents = iter(MPI.Compute_dims(comm.size, sum(is_cut)))
    grid = [next(extents) if cut else 1 for cut in is_cut]
    place = np.unravel_index(comm.rank, grid)
    a = db.zeros(shape, comm, [cut(*at) for cut, *at in zip(cuts, shape, grid, place)], dtype, grid, row.order)
    return a.T.copy() if row.turned else a


def distributed(comm, values, name="rows"):
    """Makes an array of these elements in the layout."""
    return fill(make(comm, name, values.shape, values.dtype), values)


def numbered(comm, name, dtype=float):
    """Makes an array with the layout's own shape. Returns it with its elements."""
    values = ramp(LAYOUTS[name].shape, dtype)
    return distributed(comm, values, name), values

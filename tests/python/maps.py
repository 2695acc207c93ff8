"""Makes arrays for tests, and compares each element with the place that the layout gives for it."""

import functools
import re

import numpy as np
import rows
from mpi4py import MPI

import dapbridge


def ramp(shape, dtype=float):
    """Returns a numpy array in which each element is its number in C order. Complex ones have an imaginary part,
    too."""
    count = int(np.prod(shape))
    numbers = np.arange(count).reshape(shape)
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        numbers = numbers + (numbers + 0.5) * 1j
    return numbers.astype(dtype)


#: The rows of layouts.c from which layouts were made.
MADE: dict[dapbridge.Layout, rows.Row] = {}


def _parts(array):
    """Returns for each axis the index at each position of the local buffer, whether it is owned, and whether the axis
    is replicated. The model of tests/support/brute.c deals out all arrays that it can."""
    if array.layout in MADE:
        dealt = MADE[array.layout].places(array.rank)
    else:
        dealt = [(rows.axis_of(array.layout, k), c) for k, c in enumerate(array.coords)]
    found = []
    for k, (axis, c) in enumerate(dealt):
        is_replicated = array.layout.axis(k)["replicated"]
        if axis is None:
            indices = array.indices()[k]
            found.append((indices, np.isin(np.arange(len(indices)), array.owned_positions()[k]), is_replicated))
        else:
            found.append((axis.held[c], axis.owned[c], is_replicated))
    return found


def expected(array, whole):
    """Returns the expected local buffer, by the indices of its positions."""
    return whole[np.ix_(*(indices for indices, _, _ in _parts(array)))] if array.ndim else whole[()]


def owned_mask(array, replicas=False):
    """Returns which positions of the local buffer are owned; with `replicas` also all along a replicated axis."""
    flags = [owned | (replicas and is_replicated) for _, owned, is_replicated in _parts(array)]
    return functools.reduce(np.multiply.outer, flags, np.True_)


def check(array, whole, copies=False, tolerance=0):
    """Checks that each element that this process owns, or with `copies` each in its buffer, is that of `whole`.
    Computed elements must also have the type of `whole`, and may differ up to the tolerance."""
    whole = np.asarray(whole)
    assert array.shape == whole.shape
    if array.rank < 0:
        return
    wanted, found = expected(array, whole), array.local
    assert found.shape == np.shape(wanted)
    mask = np.ones(found.shape, bool) if copies else np.broadcast_to(owned_mask(array), found.shape)
    if tolerance:
        assert array.dtype == whole.dtype
        np.testing.assert_allclose(found[mask], np.asarray(wanted)[mask], rtol=tolerance, atol=tolerance)
    else:
        np.testing.assert_array_equal(found[mask], np.asarray(wanted)[mask])


def fill(array, whole):
    """Sets the elements that this process owns, and those along replicated axes. Spoils padding and ghosts."""
    if array.rank < 0:
        return array
    local = array.local
    local[...] = np.zeros((), local.dtype)
    mask = np.broadcast_to(owned_mask(array, replicas=True), local.shape)
    local[mask] = np.asarray(expected(array, whole))[mask]
    return array


KINDS = ("block", "ceil", "lengths", "cyclic", "rotated", "padded", "lists", "replicated")


def random_dist(random, size, procs, kinds=KINDS):
    """Returns a distribution of an axis over `procs` processes. It depends only on the state of `random`."""
    kind = random.choice(kinds)
    even = size // procs
    if kind == "lengths":
        cuts = sorted(random.integers(0, size + 1, procs - 1))
        return dapbridge.block(np.diff([0, *cuts, size]))
    if kind == "cyclic":
        return dapbridge.cyclic(int(random.integers(1, 4)))
    if kind == "rotated":
        return dapbridge.cyclic(int(random.integers(1, 3)), int(random.integers(procs)))
    if kind == "padded" and even >= 2:
        return dapbridge.padded(int(random.integers(1, even)), wraps=bool(random.integers(2)) and procs > 1)
    if kind == "lists" and size:
        order = random.permutation(size)
        cuts = sorted(random.integers(0, size + 1, procs - 1))
        return dapbridge.unstructured([list(part) for part in np.split(order, cuts)])
    return {"ceil": "ceil", "replicated": "replicated"}.get(kind, "block")


def random_array(random, comm, shape, dtype=float, kinds=KINDS, whole_axes=0):
    """Makes zeros in a random layout. `random` must have the same state on all processes. The last axes may be
    whole."""
    cut = len(shape) - whole_axes
    grid = random_grid(random, comm.size, cut) + [1] * whole_axes
    dist = [random_dist(random, n, p, kinds) for n, p in zip(shape[:cut], grid)] + ["local"] * whole_axes
    order = str(random.choice(["C", "F"]))
    return dapbridge.zeros(shape, comm, dist, dtype, grid, order, bool(random.integers(2)))


def random_grid(random, procs, ndim):
    """Returns extents whose product is the number of processes."""
    grid = [1] * ndim
    for factor in {1: [], 2: [2], 3: [3], 4: [2, 2]}.get(procs, [procs]):
        grid[random.integers(ndim)] *= factor
    return grid


def same_error(comm, kind, call, words=""):
    """Calls, expects an error of a kind with the same text on all processes, and returns it.

    `words` are parts of the text in their order, with "|" between them."""
    error = None
    try:
        call()
    except Exception as e:
        error = e
    found = comm.allgather((type(error).__name__, str(error)))
    assert len(set(found)) == 1, found
    assert isinstance(error, kind), found[0]
    assert re.search(".*".join(map(re.escape, words.split("|"))), str(error), re.DOTALL), (words, str(error))
    return error


class Pretender:
    """Pretends to be a communicator, but not one of mpi4py's."""

    rank, size, group = 0, 1, MPI.COMM_SELF.group

    def py2f(self):
        return MPI.COMM_WORLD.py2f()

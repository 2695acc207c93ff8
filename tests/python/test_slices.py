"""Tests slices: their elements, and whether they are windows of the same memory."""

import numpy as np
import pytest
from layouts import distributed, numbered
from maps import check, fill, ramp, random_array

import dapbridge

KEYS = [
    np.s_[2:9],
    np.s_[3],
    np.s_[-1],
    np.s_[:, 1:4],
    np.s_[:, 2],
    np.s_[..., 0],
    np.s_[4, ...],
    np.s_[5, 3],
    np.s_[None, 1:5, None, 2],
    np.s_[...],
    np.s_[3:3],
    np.s_[6:2, 1:],
    np.s_[1:, 1:],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("name", ["blocks of a plane", "blocks of other sizes in turn from the last processes on"])
def test_keys(comm, name, key):
    a, whole = numbered(comm, name)
    part = a[key]
    check(part, whole[key])
    check(part.redistribute("cyclic") if part.ndim else part, whole[key])


def test_blocks_are_windows(comm):
    a = dapbridge.from_global(ramp((12, 6)), comm)
    for part in (a[2:11, 1:5], a[:, 3], a[None, ..., 2:], a[7]):
        assert part.base is a
        assert part.local.size == 0 or np.shares_memory(part.local, a.local)
    part = a[2:11, 1:5]
    if part.rank >= 0:
        part.local[...] = -1
    wanted = ramp((12, 6))
    wanted[2:11, 1:5] = -1
    check(a, wanted)


def test_cut_blocks_are_moved(comm):
    a = dapbridge.from_global(ramp((24,)), comm, dapbridge.cyclic(3))
    part = a[1:20]
    assert (part.base is None) == (comm.size > 1)
    check(part, np.arange(1.0, 20))
    assert part.redistribute("block").layout.shape == (19,)
    later = dapbridge.from_global(ramp((24,)), comm, dapbridge.cyclic(3, first_owner=comm.size - 1))[1:20]
    assert later.layout.axis(0)["first_owner"] == comm.size - 1
    check(later, np.arange(1.0, 20))


def test_lists_are_moved_where_they_must(comm):
    random = np.random.default_rng(5)
    lists = np.array_split(random.permutation(20), comm.size)
    whole = ramp((20, 3))
    a = fill(dapbridge.zeros((20, 3), comm, dapbridge.unstructured([list(i) for i in lists])), whole)
    check(a[4:15], whole[4:15])
    own = dapbridge.array(whole[lists[comm.rank]], comm, dapbridge.unstructured(lists[comm.rank]))
    check(own, whole)
    check(own[4:15, 1:], whole[4:15, 1:])
    check(own[:, 1], whole[:, 1])
    check(own[7], whole[7])


def check_ranks(comm, part):
    """Checks that the part's process i is process ranks[i] of all, and that its communicator has this order."""
    ranks = part.ranks or list(range(part.layout.nprocs))
    found = comm.allgather((part.rank, part.comm.rank if part.comm else -1))
    for r in range(comm.size):
        if found[r][0] >= 0:
            assert ranks[found[r][0]] == r
        assert (found[r][1] >= 0) == (r in ranks)


@pytest.mark.parametrize("seed", range(20))
def test_slices_of_slices(comm, seed):
    """Slices arrays whose processes may be in another order: windows and moved parts, down to one process."""
    random = np.random.default_rng(100 + seed)
    whole = ramp(tuple(int(n) for n in random.integers(6, 12, 3)), "i4")
    part = fill(random_array(random, comm, whole.shape, "i4"), whole)
    if seed % 2:
        axes = (2, 0, 1)
        part, whole = part.transpose(axes).copy(), whole.transpose(axes)
    for depth in range(4):
        key = tuple(slice(int(random.integers(0, 1 + n // 2)), n) for n in whole.shape)
        part, whole = part[key], whole[key]
        if depth == 2:
            part, whole = part[-1], whole[-1]
        check(part, whole)
        check_ranks(comm, part)
        check(part.redistribute("cyclic"), whole)
        check(part + 1, whole + 1)


KEYS_OF_GRIDS = {
    "one plane, then one line": lambda a: a[-1][-1],
    "one plane, then a part of it": lambda a: a[-1][3:],
    "one line": lambda a: a[-1, -1],
    "one element": lambda a: a[-1][-1][2],
    "one plane, of ranks in another order": lambda a: a[-1],
}


@pytest.mark.parametrize("key", KEYS_OF_GRIDS)
def test_ranks_of_slices(comm, key):
    """Slices of a grid can be on its last processes, or on all in another order."""
    whole = ramp((4, 6, 5))
    grid = (2, comm.size // 2, 1) if comm.size % 2 == 0 else (comm.size, 1, 1)
    a = fill(dapbridge.zeros(whole.shape, comm, ["block"] * 3, grid=grid), whole)
    if "order" in key:
        a, whole = a.transpose(2, 1, 0).copy(), whole.T
    part, wanted = KEYS_OF_GRIDS[key](a), KEYS_OF_GRIDS[key](whole)
    check(part, wanted)
    check_ranks(comm, part)
    np.testing.assert_array_equal(part.gather(), wanted)


@pytest.mark.parametrize("first", (0, 1))
def test_moved_slices_keep_their_first_owner(comm, first):
    """They also keep the order of ranks."""
    first = first % comm.size
    whole = ramp((24, 2))
    a = fill(dapbridge.zeros(whole.shape, comm, dapbridge.cyclic(3, first_owner=first)), whole)
    part = a[1:20]
    assert part.layout.axis(0).get("first_owner", 0) == first
    check(part, whole[1:20])
    if comm.size % 2 == 0:
        grid = (2, comm.size // 2)
        a = dapbridge.zeros((24, 10), comm, [dapbridge.cyclic(3), dapbridge.cyclic(2)], grid=grid)
        turned = fill(a, ramp((24, 10))).T.copy()
        part = turned[:, 1:20]
        check(part, ramp((24, 10)).T[:, 1:20])
        check_ranks(comm, part)
        assert (part.ranks or list(range(comm.size))) == (turned.ranks or list(range(comm.size)))


def test_of_processes_that_have_none(comm):
    a = dapbridge.from_global(ramp((4 * comm.size, 3)), comm)
    row = a[1]
    assert (row.rank == 0) == (comm.rank == 0)
    assert bool(row.comm) == (comm.rank == 0)
    wanted = ramp((4 * comm.size, 3))[1]
    found = row.gather(comm.size - 1)
    if comm.rank == comm.size - 1:
        np.testing.assert_array_equal(found, wanted)
    else:
        assert found is None
    spread = row.redistribute("block")
    assert spread.comm.size == comm.size
    check(spread, wanted)
    if row.rank < 0:
        with pytest.raises(dapbridge.ArgumentError):
            row.__distarray__()


def on_two_rows(comm, whole):
    """Makes an array on a grid with two rows of processes, if their number is even."""
    rows = 2 - comm.size % 2
    return dapbridge.from_global(whole, comm, ["block", "block"], grid=(rows, comm.size // rows, 1))


def test_of_slices_on_some_processes(comm):
    whole = ramp((6, 8, 2))
    part = on_two_rows(comm, whole)[-1][-1]
    assert part.ranks == (None if comm.size == 1 else [comm.size - 1])
    np.testing.assert_array_equal(part.gather(), whole[-1, -1])
    check(part, whole[-1, -1])


def test_of_processes_in_another_order(comm):
    """Windows of a copied transpose have their processes in its order, even with other axes."""
    whole = ramp((6, 8, 2)).transpose(1, 0, 2)
    turned = on_two_rows(comm, ramp((6, 8, 2))).transpose(1, 0, 2).copy()
    for key in (np.s_[1:, 1:], np.s_[1:, :, 1], np.s_[None, :, 2:]):
        part = turned[key]
        assert part.base is turned
        np.testing.assert_array_equal(part.gather(), whole[key])
        check(part, whole[key])


def test_groups_are_made_once(comm):
    a = dapbridge.from_global(ramp((4 * comm.size, 3)), comm)
    for _ in range(300):
        for i in range(comm.size):
            a[4 * i]


# ---- steps and lists, which do not give windows ---------------------------------------------------------------

PICKS = {
    "backwards": np.s_[::-1],
    "every second": np.s_[::2],
    "every third backwards": np.s_[9:1:-3],
    "both axes": np.s_[::-1, 1::2],
    "one element by a step": np.s_[5::20],
    "nothing by a step": np.s_[9:2:2],
    "a list": [3, 0, 3, -1, 7],
    "an array of columns": np.s_[:, np.array([4, 1, 1, 5])],
    "a list and an ellipsis": np.s_[..., [2, 0]],
    "a list and a step": np.s_[::-2, [2, 0]],
    "a mask": np.arange(11) % 3 == 1,
    "a mask of nothing": np.zeros(11, bool),
    "an empty list": np.s_[:, []],
    "a step after an integer": np.s_[4, ::-1],
    "a step before an integer": np.s_[::3, 2],
    "a step and a new axis": np.s_[None, ::2, None, 1:4],
    "a step after an ellipsis": np.s_[..., ::-2],
    "more than there are": [i % 11 for i in range(40)],
}


@pytest.mark.parametrize("layout", ["blocks of a plane", "padded rows", "lists of rows"])
@pytest.mark.parametrize("name", PICKS)
def test_picks(comm, name, layout):
    """Results must equal numpy's, be new arrays, and keep the kind of distribution."""
    whole, key = ramp((11, 6)), PICKS[name]
    a = distributed(comm, whole, layout)
    found = a[key]
    check(found, whole[key], copies=layout != "lists of rows")
    np.testing.assert_array_equal(found.gather(), whole[key])
    assert (found * 2 + 1).shape == np.shape(whole[key])
    check(a, whole)


@pytest.mark.parametrize("seed", range(12))
def test_random_picks(comm, seed):
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(5, 10, 3))
    whole = ramp(shape, "i4")
    a = fill(random_array(random, comm, shape, "i4"), whole)
    turned = a.transpose(2, 0, 1).copy()  # its processes are in another order
    for x, y in ((a, whole), (turned, whole.transpose(2, 0, 1))):
        key = [slice(None, None, int(random.choice([-2, -1, 1, 2]))) for _ in shape]
        axis = int(random.integers(3))
        check(x[tuple(key)], y[tuple(key)])
        key[axis] = random.integers(-5, 5, 7)
        check(x[tuple(key)], y[tuple(key)])
        part = x[1:4][::-1]
        np.testing.assert_array_equal(part.gather(), y[1:4][::-1])


def test_picks_are_not_windows(comm):
    a = dapbridge.from_global(ramp((11, 6)), comm)
    with pytest.raises(TypeError, match=r"in \.local or \.owned"):
        a[::2] *= 2
    check(a, ramp((11, 6)))

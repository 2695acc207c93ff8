"""Slices: the elements, and whether they are windows of the same memory."""

import numpy as np
import pytest
from maps import check, fill, ramp

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
@pytest.mark.parametrize(
    "dist",
    [["block"], ["local", "block"], ["block", "cyclic"], [dapbridge.cyclic(2)], [dapbridge.padded(1)]],
    ids=repr,
)
def test_elements(comm, dist, key):
    whole = ramp((11, 6))
    a = dapbridge.from_global(whole, comm, dist)
    part = a[key]
    check(part, whole[key])
    np.testing.assert_array_equal(part.gather(), whole[key])
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


def test_groups_are_made_once(comm):
    a = dapbridge.from_global(ramp((4 * comm.size, 3)), comm)
    for _ in range(300):
        for i in range(comm.size):
            a[4 * i]

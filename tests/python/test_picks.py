"""Elements picked by slices with steps, and by lists of indices, against numpy's."""

import re

import numpy as np
import pytest
from maps import check, fill, ramp, random_array, same_error

import dapbridge

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
PICKED_LAYOUTS = {
    "block": ["block"], "columns": ["local", "block"], "grid": ["block", dapbridge.cyclic(2)],
    "cyclic": [dapbridge.cyclic(2)], "padded": [dapbridge.padded(1)], "replicated": ["replicated"],
    "lists": [dapbridge.unstructured],
}  # fmt: skip


@pytest.mark.parametrize("layout", PICKED_LAYOUTS)
@pytest.mark.parametrize("name", PICKS)
def test_picks(comm, name, layout):
    """As numpy's, as an array of its own, with the distribution's kind."""
    whole, dist, key = ramp((11, 6)), list(PICKED_LAYOUTS[layout]), PICKS[name]
    if layout == "lists":
        dist[0] = dapbridge.unstructured(np.random.default_rng(3).permutation(11)[comm.rank :: comm.size])
    a = fill(dapbridge.zeros(whole.shape, comm, dist), whole)
    found = a[key]
    check(found, whole[key], copies=layout != "lists")
    np.testing.assert_array_equal(found.gather(), whole[key])
    assert (found * 2 + 1).shape == np.shape(whole[key])
    check(a, whole)


@pytest.mark.parametrize("seed", range(12))
def test_random_picks(comm, seed):
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(5, 10, 3))
    whole = ramp(shape, "i4")
    a = fill(random_array(random, comm, shape, "i4"), whole)
    turned = a.transpose(2, 0, 1).copy()  # whose processes are in another order
    for x, y in ((a, whole), (turned, whole.transpose(2, 0, 1))):
        key = [slice(None, None, int(random.choice([-2, -1, 1, 2]))) for _ in shape]
        axis = int(random.integers(3))
        check(x[tuple(key)], y[tuple(key)])
        key[axis] = random.integers(-5, 5, 7)
        check(x[tuple(key)], y[tuple(key)])
        part = x[1:4][::-1]
        np.testing.assert_array_equal(part.gather(), y[1:4][::-1])


def test_eigenvectors_in_descending_order(comm):
    """What is done with eigh and svd: the last ones first, and some of them."""
    vt = dapbridge.from_global(ramp((6, 4)), comm)
    np.testing.assert_array_equal((vt[::-1] @ ramp((4,))).gather(), ramp((6, 4))[::-1] @ ramp((4,)))
    np.testing.assert_array_equal(vt[np.arange(3)].gather(), ramp((6, 4))[:3])
    np.testing.assert_array_equal(vt[:, ::-1][:2].gather(), ramp((6, 4))[:2, ::-1])


def test_picks_are_not_windows(comm):
    a = dapbridge.from_global(ramp((11, 6)), comm)
    with pytest.raises(TypeError, match=r"in \.local or \.owned"):
        a[::2] *= 2
    check(a, ramp((11, 6)))

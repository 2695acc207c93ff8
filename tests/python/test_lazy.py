"""Tests lazy views, by themselves and in plans."""

import numpy as np
import pytest
from maps import check, fill, ramp, random_array, same_error

import dapbridge

VIEWS = {
    "T": lambda a: a.T,
    "conj conj": lambda a: a.conj().conj(),
    "T conj": lambda a: a.T.conj(),
    "T astype f4": lambda a: a.T.astype("f4"),
    "transpose": lambda a: a.transpose(1, 2, 0),
    "transpose tuple": lambda a: a.transpose((2, 0, -2)).conj(),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.filterwarnings("ignore:Casting complex values to real")
def test_elements(comm, name, seed):
    random = np.random.default_rng(seed)
    whole = ramp((6, 7, 8), "c16")
    a = fill(random_array(random, comm, whole.shape, "c16"), whole)
    view, wanted = VIEWS[name](a), VIEWS[name](whole)
    assert (view.shape, view.dtype, view.ndim, view.size) == (
        wanted.shape,
        wanted.dtype,
        wanted.ndim,
        wanted.size,
    )
    copy = view.copy()
    assert copy.dtype == wanted.dtype
    check(copy, wanted)
    assert copy.comm is a.comm
    check(view.redistribute("cyclic"), wanted)
    np.testing.assert_array_equal(view.gather(), wanted)
    b = dapbridge.zeros(wanted.shape, comm, ["local", "block"], wanted.dtype)
    with dapbridge.Plan(view, b, alpha=2) as plan:
        plan(view, b)
        check(b, 2 * wanted)
        plan(a, b)
        plan()
    check(b, 2 * wanted)


def test_targets(comm):
    whole = ramp((8, 6), "c16")
    a = dapbridge.from_global(whole, comm)
    b = dapbridge.zeros((6, 8), comm, "cyclic", "c16")
    with dapbridge.Plan(a, b.T) as plan:
        plan(a, b)
    check(b, whole.T)
    with dapbridge.Plan(a.T, b.conj()) as plan:
        plan(a, b)
    check(b, whole.T.conj())
    with dapbridge.Plan(a.T.conj(), b.conj()) as plan:
        plan()
    check(b, whole.T)


def test_casts_saturate(comm):
    a = dapbridge.from_global(np.array([-300.0, -1.7, 0.4, 200.0, 1e9, np.nan]), comm)
    np.testing.assert_array_equal(a.astype("i1").gather(), [-128, -1, 0, 127, 127, 0])
    np.testing.assert_array_equal(a.astype(bool).gather(), [True, True, True, True, True, True])


def test_refused(comm):
    a = dapbridge.zeros((4, 6), comm)
    b = dapbridge.zeros((6, 4), comm, dtype="f4")
    same_error(comm, dapbridge.ArgumentError, lambda: dapbridge.Plan(a.T.astype("i4"), b), "float32")
    same_error(comm, dapbridge.ArgumentError, lambda: dapbridge.Plan(a, b.T.astype("f8")), "astype()")
    plan = dapbridge.Plan(a.T, b, lossy=True)
    with pytest.raises(dapbridge.ArgumentError, match="lazy view"):
        plan(a.conj(), b)

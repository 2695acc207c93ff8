"""Arithmetic that is refused, with the same words on every process."""

import re

import numpy as np
import pytest
from maps import check, ramp, same_error

import dapbridge


def blocks(comm):
    return dapbridge.zeros((4 * comm.size, 4), comm)


REFUSED = {
    # what a user tries, and words of the text; the same on all processes
    "another layout": (lambda a: a + a.redistribute("cyclic"), r"redistribute one, b\.redistribute\(a\)"),
    "another layout of out": (lambda a: np.sin(a, out=a.redistribute("cyclic")), "laid out otherwise"),
    "a transposed copy": (lambda a: a @ a.T + (a @ a.T).T.copy(), "laid out otherwise"),
    "other shapes": (lambda a: a + a[:2], "broadcast"),
    "out of another shape": (lambda a: np.add(a, 1, out=a[:1]), "out has another one|laid out|shape"),
    "None": (lambda a: a == None, "neither an array nor a number"),  # noqa: E711
    "a text": (lambda a: a + "1", "neither an array nor a number"),
    "masked": (lambda a: a + np.ma.masked_array(np.ones(4), [1, 0, 0, 0]), r"\.filled\(x\)"),
    "numpy out": (lambda a: np.sin(a, out=np.zeros(a.shape)), "out is ndarray"),
    "order": (lambda a: np.sin(a, order="F"), "order= is not"),
    "lossy": (lambda a: np.add(a, 1j, out=a), "complex128"),
    "where of numbers": (lambda a: np.sin(a, where=a), "not bool"),
    "partial sums": (lambda a: 1 + dapbridge.zeros((4, 4), a.comm, ["local", "partial"]), r"redistribute\(\) adds"),
    "objects": (lambda a: a + 10**30, "object"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(comm, name):
    call, words = REFUSED[name]
    if "layout" in name or name == "a transposed copy":
        if comm.size == 1:
            pytest.skip("one process has one layout")
    error = same_error(comm, (ValueError, dapbridge.UnsupportedError), lambda: call(blocks(comm)))
    assert re.search(words, str(error)), str(error)


def test_a_part_is_not_the_whole(comm):
    """A numpy array that could be this process's part, or broadcast to the whole."""
    a = dapbridge.zeros((comm.size, 4), comm)
    if comm.size == 1:
        check(a + np.ones((1, 4)), np.ones((1, 4)))
        return
    error = same_error(comm, dapbridge.ArgumentError, lambda: a + np.ones((1, 4)))
    assert ".local" in str(error) and "broadcast_to" in str(error)
    check(a + np.broadcast_to(np.ones((1, 4)), a.shape), np.ones(a.shape))


@pytest.mark.parametrize("wrong", ["x", None, 1j, np.ones(3)], ids=str)
def test_one_process_errs(comm, wrong):
    a = blocks(comm)
    given = wrong if comm.rank == comm.size - 1 else 2.0

    def call():
        a.__iadd__(given)

    same_error(comm, dapbridge.Error, call)
    check(a + 1, np.ones(a.shape))


def test_processes_call_others(comm):
    if comm.size == 1:
        pytest.skip("one process")
    a = blocks(comm)
    kind = f"({4 * comm.size} x 4 float64, int)"
    error = same_error(comm, dapbridge.ArgumentError, lambda: a + 1 if comm.rank else a * 1)
    assert f"numpy.add{kind}" in str(error) and f"numpy.multiply{kind}" in str(error)
    same_error(comm, dapbridge.ArgumentError, lambda: a + (1.0 if comm.rank else 1))
    same_error(comm, dapbridge.ArgumentError, lambda: (a.conj() if comm.rank else a) + 1)


SAME = {
    "a sum of the part": lambda a, mine: a / (1.0 + mine),
    "an integer": lambda a, mine: a * mine,
    "numpy's number": lambda a, mine: a + np.float32(mine),
    "a numpy array": lambda a, mine: a + np.full(4, mine),
    "a list": lambda a, mine: a + [mine, 0, 0, 0],
    "a mask": lambda a, mine: np.sin(a, where=np.full(4, mine == 0)),
    "a limit": lambda a, mine: np.clip(a, 0, mine),
    "a number for where": lambda a, mine: np.where(a > 0, a, mine),
    "a value to fill in": lambda a, mine: np.full_like(a, mine),
    "out on one process": lambda a, mine: np.sin(a, **({"out": a} if mine else {})),
}


@pytest.mark.parametrize("name", SAME)
def test_numbers_that_differ(comm, name):
    """Numbers are the same on every process, or all are told that they are not."""
    a = blocks(comm)
    SAME[name](a, 0)
    if comm.size > 1:
        mine = 1 if comm.rank == comm.size - 1 else 0
        error = same_error(comm, dapbridge.ArgumentError, lambda: SAME[name](a, mine))
        assert "this process is in numpy." in str(error)


def test_unchecked_arrays_may_differ(comm):
    a = blocks(comm)
    dapbridge.check_operands = False
    try:
        check(a + np.where(np.arange(4) < 4, 1.0, comm.rank), np.ones(a.shape))
        a + np.full(4, comm.rank)
    finally:
        dapbridge.check_operands = True


def test_in_place_on_a_slice(comm):
    """Python assigns the slice that it has changed, and no other value."""
    whole = ramp((4 * comm.size, 4))
    a = dapbridge.from_global(whole, comm)
    a[1:3] *= 2
    whole[1:3] *= 2
    a[:, 1] += 5
    whole[:, 1] += 5
    check(a, whole)
    with pytest.raises(TypeError, match=r"in \.local or \.owned"):
        a[0] = 5
    same_error(comm, dapbridge.ArgumentError, lambda: a.__setitem__(slice(0, 1), a[1:2]))
    check(a, whole)


METHODS = {
    "outer": lambda a: np.add.outer(a, a),
    "accumulate": lambda a: np.add.accumulate(a),
    "reduceat": lambda a: np.add.reduceat(a, [0]),
    "at": lambda a: np.add.at(a, [0], 1),
    "reduce of what is no reduction": lambda a: np.subtract.reduce(a),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_ufuncs(comm, name):
    with pytest.raises(TypeError, match=r"not for distributed arrays: use \.local"):
        METHODS[name](blocks(comm))


def test_reduce_is_a_reduction(comm):
    whole = ramp((4 * comm.size, 4))
    a = dapbridge.from_global(whole, comm)
    check(np.add.reduce(a), np.add.reduce(whole))
    assert np.maximum.reduce(a, axis=None) == whole.max()

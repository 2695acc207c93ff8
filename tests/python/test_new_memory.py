"""Tests the memory of new arrays. Results of moves are not zeroed first, but every element must be defined."""

import numpy as np
import pytest
from layouts import LAYOUTS, MATRICES, make
from maps import expected, owned_mask, ramp, same_error

import dapbridge

SHAPE = (12, 10)
POISON = 0xEE  # every byte of memory from numpy.empty()


@pytest.fixture
def poisoned(monkeypatch):
    """Fills memory of numpy.empty() with bytes that no test expects."""
    empty = np.empty

    def filled(shape, *args, **options):
        values = empty(shape, *args, **options)
        if values.size and values.dtype.kind != "O":
            values.reshape(-1).view(np.uint8)[...] = POISON
        return values

    monkeypatch.setattr(np, "empty", filled)


@pytest.fixture
def whole():
    return np.random.default_rng(7).standard_normal(SHAPE) + 3


def expect(array, whole, fills=False):
    """Owned elements and replicas must be those of `whole`, and so must padding if it is filled; otherwise it is 0.
    Moves always fill ghosts in lists."""
    fills = fills or any(array.layout.axis(k)["dist_type"] == "u" for k in range(array.ndim))
    mask, wanted = owned_mask(array, replicas=True), expected(array, whole)
    mask = np.broadcast_to(mask, array.local.shape)
    np.testing.assert_array_equal(array.local[mask], wanted[mask])
    rest = array.local[~mask]
    assert np.all((rest == 0) | (fills & (rest == wanted[~mask])))
    assert array.local.size == 0 or array.local.ctypes.data % 64 == 0


@pytest.mark.parametrize("name", [name for name in MATRICES if "another order" not in name])
def test_results_are_defined_everywhere(comm, poisoned, name):
    layout, whole = make(comm, name).layout, ramp(LAYOUTS[name].shape) + 1
    moved = dapbridge.from_global(whole if comm.rank == 0 else None, comm, "cyclic").redistribute(layout)
    expect(moved, whole)
    expect(moved.copy(), whole)
    expect(moved.astype(np.float32).copy(), whole.astype(np.float32))
    np.testing.assert_array_equal(moved.gather(), whole)
    root = moved.gather(comm.size - 1)
    assert (root is None) == (comm.rank != comm.size - 1)
    if root is not None:
        np.testing.assert_array_equal(root, whole)
        assert root.size == 0 or root.ctypes.data % 64 == 0


@pytest.mark.parametrize("dist", [["block"], [dapbridge.padded(2), dapbridge.padded(1)], ["replicated"]], ids=repr)
def test_what_is_made_has_its_padding(comm, poisoned, whole, dist):
    expect(dapbridge.from_global(whole if comm.rank == 0 else None, comm, dist), whole, fills=True)


def test_plans_that_read_the_target_begin_with_zeros(comm, poisoned, whole):
    a = dapbridge.from_global(whole if comm.rank == 0 else None, comm)
    expect(a.redistribute(["local", "block"], beta=1), whole)
    expect(a.redistribute(["local", "block"], combine="sum"), whole)


def test_slices_that_are_moved(comm, poisoned, whole):
    a = dapbridge.from_global(whole.ravel() if comm.rank == 0 else None, comm, dapbridge.cyclic(3))
    part = a[1:80]  # cut within blocks
    assert part.base is None or comm.size == 1
    np.testing.assert_array_equal(part.gather(), whole.ravel()[1:80])


def test_scalars_and_arrays_without_elements(comm, poisoned, whole):
    a = dapbridge.from_global(whole if comm.rank == 0 else None, comm)
    assert float(a[3, 4].gather()) == whole[3, 4]
    none = dapbridge.from_global(np.zeros((0, 5)) if comm.rank == 0 else None, comm, ["cyclic", "local"])
    assert none.copy().local.shape == (0, 5) and none.gather().shape == (0, 5)


CALLS = {  # each call makes new memory
    "copy": lambda a: a.copy(),
    "redistribute": lambda a: a.redistribute("cyclic"),
    "gather": lambda a: a.gather(),
    "from_global": lambda a: dapbridge.from_global(np.ones(SHAPE), a.comm),
}


@pytest.mark.parametrize("name", CALLS)
def test_one_process_lacks_memory(comm, monkeypatch, name):
    a = dapbridge.zeros(SHAPE, comm, [dapbridge.cyclic(4)])
    empty = np.empty

    def refuse(shape, dtype=float, *args, **options):
        if dtype is np.uint8:
            raise MemoryError("none left")
        return empty(shape, dtype, *args, **options)

    with monkeypatch.context() as patch:
        if comm.rank == comm.size - 1:
            patch.setattr(np, "empty", refuse)
        error = same_error(comm, dapbridge.OutOfMemoryError, lambda: CALLS[name](a))
    assert error.rank == comm.size - 1 and "none left" in str(error)
    CALLS[name](a)


def test_one_process_lacks_memory_for_an_option(comm, last):
    class Option:
        def __bool__(self):
            raise MemoryError("none left")

    options = {"lossy": Option()} if last else {}
    args = comm.py2f(), b"absent.npy", options
    error = same_error(comm, dapbridge.OutOfMemoryError, lambda: dapbridge._core.file_query(*args), "none left")
    assert error.rank == comm.size - 1

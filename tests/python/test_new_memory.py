"""The memory of new arrays: results of moves are not zeroed first, yet every element of them is defined."""

import numpy as np
import pytest
from maps import same_error

import dapbridge

SHAPE = (12, 10)
POISON = 0xEE  # in every byte that numpy.empty() gives


def halves(comm):
    """Lists of rows, of which each process has its own and one ghost of the next process."""
    own = np.arange(comm.rank, SHAPE[0], comm.size)
    ghost = (comm.rank + 1) % comm.size
    return dapbridge.unstructured(np.append(own, ghost), owned=len(own)) if comm.size > 1 else "block"


TARGETS = {  # why: distributions, given the communicator
    "every element is written": lambda comm: ["block", "cyclic"],
    "padding of one axis": lambda comm: [dapbridge.padded(1), "local"],
    "padding of both axes, whose corners are of both": lambda comm: [dapbridge.padded(2), dapbridge.padded(1)],
    "padding round the ends": lambda comm: [dapbridge.padded(1, wraps=True)],
    "boundary padding has no owner": lambda comm: [dapbridge.padded(1, boundary=(2, 1))],
    "ghosts in a list": lambda comm: [halves(comm)],
    "processes beyond the first own nothing, but have replicas": lambda comm: ["replicated", "local"],
    "replicas along one axis, padding along the other": lambda comm: ["replicated", dapbridge.padded(1)],
}


@pytest.fixture
def poisoned(monkeypatch):
    """numpy.empty() with bytes that no test expects."""
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
    """Owned elements and replicas are those of `whole`, and so is padding if it is filled; else it is 0. Moves fill
    ghosts in lists always."""
    fills = fills or any(array.layout.axis(k)["dist_type"] == "u" for k in range(array.ndim))
    index = np.ix_(*array.indices())
    is_set = np.ones((1,) * array.ndim, bool)
    for k, positions in enumerate(array.owned_positions()):
        flags = np.zeros(array.local.shape[k], bool)
        flags[positions] = True
        if array.layout.axis(k)["replicated"]:
            flags[...] = True
        is_set = is_set & flags.reshape([-1 if j == k else 1 for j in range(array.ndim)])
    np.testing.assert_array_equal(array.local[is_set], whole[index][is_set])
    rest = array.local[~is_set]
    filled = whole[index][~is_set]
    assert np.all((rest == 0) | (fills & (rest == filled)))
    assert array.local.size == 0 or array.local.ctypes.data % 64 == 0


@pytest.mark.parametrize("why", TARGETS)
def test_results_are_defined_everywhere(comm, poisoned, whole, why):
    dist = TARGETS[why](comm)
    given = whole if comm.rank == 0 else None
    made = dapbridge.from_global(given, comm, dist)
    expect(made, whole, fills=True)
    moved = dapbridge.from_global(given, comm, "cyclic").redistribute(dist)
    expect(moved, whole)
    expect(moved.copy(), whole)
    expect(moved.astype(np.float32).copy(), whole.astype(np.float32))
    np.testing.assert_array_equal(moved.gather(), whole)
    root = moved.gather(comm.size - 1)
    assert (root is None) == (comm.rank != comm.size - 1)
    if root is not None:
        np.testing.assert_array_equal(root, whole)
        assert root.ctypes.data % 64 == 0


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


CALLS = {  # each makes new memory
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

"""Tests layouts without arrays, and which arguments array() compares between processes."""

import numpy as np
import pytest
from maps import same_error

import dapbridge


def test_layout_is_that_of_arrays(comm):
    for dist in (None, "cyclic", ["block", dapbridge.padded(1)], ["local", dapbridge.cyclic(3)]):
        alone = dapbridge.layout((12, 9), comm.size, dist)
        assert alone == dapbridge.zeros((12, 9), comm, dist).layout
    assert dapbridge.layout(5, comm.size) == dapbridge.zeros(5, comm).layout


def test_layout_of_more_processes_than_there_are():
    layout = dapbridge.layout((6, 8), 6, ["block", dapbridge.cyclic(2)], grid=(3, 2))
    assert (layout.shape, layout.grid, layout.nprocs) == ((6, 8), (3, 2), 6)
    assert dapbridge.layout(5, 2, dapbridge.unstructured([[0, 2, 4], [1, 3]])).owned(0, 1) == 2
    with pytest.raises(dapbridge.ArgumentError, match="4 processes, but 3 x any"):
        dapbridge.layout((6, 8), 4, ["block", "block"], grid=(3, 0))
    with pytest.raises(dapbridge.DimError, match="not a list for each of 2 processes"):
        dapbridge.layout(5, 2, dapbridge.unstructured([0, 2, 4]))


def test_layout_is_a_target_and_a_side(comm):
    whole = np.arange(35.0).reshape(7, 5)
    a = dapbridge.from_global(whole if comm.rank == 0 else None, comm)
    target = dapbridge.layout((7, 5), comm.size, ["cyclic", "cyclic"])
    b = a.redistribute(target)
    assert b.layout == target
    np.testing.assert_array_equal(b.gather(), whole)
    c = dapbridge.zeros((7, 5), comm, ["cyclic", "cyclic"])
    with dapbridge.Plan(a, (target, float)) as plan:
        plan(a, c)
    np.testing.assert_array_equal(c.gather(), whole)


def test_pictures_of_layouts_and_arrays_are_the_same(comm):
    a = dapbridge.zeros((12, 9), comm, ["block", "cyclic"])
    assert a.layout._repr_svg_() == a._repr_svg_()
    assert a.layout._repr_svg_().startswith("<svg ")


# ---- arrays of 0 axes -------------------------------------------------------------------------------

NO_AXES = {
    "zeros": lambda c: dapbridge.zeros((), c),
    "empty": lambda c: dapbridge.empty((), c),
    "replicated": lambda c: dapbridge.zeros((), c, "replicated"),
    "full": lambda c: dapbridge.full((), 3.0, c),
    "array": lambda c: dapbridge.array(3.0, c),
    "array of numpy": lambda c: dapbridge.array(np.array(3), c),
    "from_global": lambda c: dapbridge.from_global(3.0, c),
    "from_function": lambda c: dapbridge.from_function(lambda: 3.0, (), c),
    "redistribute": lambda c: dapbridge.zeros((c.size, 2), c)[c.size - 1, 1].redistribute("block"),
    "a layout": lambda c: dapbridge.layout((), c.size),
    "on a grid": lambda c: dapbridge.zeros((), c, grid=()),
    "a topology": lambda c: dapbridge.zeros((), c.Create_cart((c.size,))),
}


@pytest.mark.parametrize("name", NO_AXES)
def test_no_axes(comm, name):
    """On several processes all must raise the same error, which names an alternative."""
    if comm.size == 1:
        if name not in ("replicated", "redistribute"):
            assert NO_AXES[name](comm).shape == ()
        return
    error = same_error(comm, dapbridge.ArgumentError, lambda: NO_AXES[name](comm))
    assert "0 axes" in str(error) and "number itself" in str(error) and "(1,) with dist 'replicated'" in str(error)
    a = dapbridge.zeros((2 * comm.size, 3), comm) + 3.0
    one = dapbridge.full((1,), 3.0, comm, "replicated")
    assert (a + one).gather().sum() == 36 * comm.size and one.local[0] == 3


# ---- values that would be lost -----------------------------------------------------------------------

NOT_INTEGERS = {
    "shape": lambda comm, n: dapbridge.zeros((n, 12), comm),
    "shape, one": lambda comm, n: dapbridge.zeros(n, comm),
    "shape of full": lambda comm, n: dapbridge.full((12, n), 0.0, comm),
    "shape of a layout": lambda comm, n: dapbridge.layout((n, 12), 1),
    "grid": lambda comm, n: dapbridge.zeros((12, 12), comm, ["block", "block"], grid=(n, 1)),
    "lengths": lambda comm, n: dapbridge.block([n]),
    "halo": lambda comm, n: dapbridge.padded(n),
    "boundary": lambda comm, n: dapbridge.padded(1, boundary=(n, 0)),
    "block_size": lambda comm, n: dapbridge.cyclic(n),
    "first_owner": lambda comm, n: dapbridge.cyclic(1, n),
    "owned": lambda comm, n: dapbridge.unstructured([0, 1], owned=n),
    "owned of lists": lambda comm, n: dapbridge.unstructured([[0, 1]], owned=[n]),
    "axes": lambda comm, n: dapbridge.zeros((4, 4), comm).transpose(0, n),
    "root": lambda comm, n: dapbridge.from_global([1.0], comm, root=n),
    "root of gather": lambda comm, n: dapbridge.zeros(4, comm).gather(n),
}


@pytest.mark.parametrize("what", NOT_INTEGERS)
@pytest.mark.parametrize("number", [12.7, 1.0, np.float64(1), "1", 1j, None], ids=repr)
def test_numbers_are_not_rounded(comm, what, number):
    if number is None and what in ("owned", "root of gather"):
        return  # the default
    with pytest.raises((TypeError, dapbridge.ArgumentError), match="integer|None"):
        NOT_INTEGERS[what](comm, number)


@pytest.mark.parametrize("number", [np.int8(12), np.uint64(12), np.array(12)], ids=repr)
def test_whatever_is_an_integer_is_one(comm, number):
    assert dapbridge.zeros((number, 12), comm).shape == dapbridge.zeros([12, number], comm).shape == (12, 12)
    assert dapbridge.zeros(number, comm).shape == (12,)


@pytest.mark.parametrize("values, wanted", [("?", "f8"), ("i4", "f8"), ("f4", "f8"), ("f8", "f8"), ("c8", "c16"), ("c16", "c16")])
def test_from_function_has_the_values_type(comm, values, wanted):
    def function(i, j):
        return (i + 3 * j * (1j if values[0] == "c" else 1)).astype(values)

    a = dapbridge.from_function(function, (5, 4), comm)
    assert a.dtype == np.dtype(wanted)
    np.testing.assert_array_equal(a.gather(), np.fromfunction(function, (5, 4), dtype=int))


def test_from_function_of_values_that_differ_between_processes(comm):
    """The result has a type that can hold all values, also on processes without elements."""
    a = dapbridge.from_function(lambda i: i * (1j if comm.rank == comm.size - 1 else 1), 4 * comm.size, comm)
    assert a.dtype == np.dtype("c16")


COMPLEX_INTO_REAL = {
    "from_function": lambda comm: dapbridge.from_function(lambda i: np.exp(1j * i), 4, comm, dtype=float),
    "from_function, int": lambda comm: dapbridge.from_function(lambda i: i * 1j, 4, comm, dtype=int),
    "from_function, on one process": lambda comm: dapbridge.from_function(
        lambda i: i * (1j if comm.rank == comm.size - 1 else 1), 4, comm, dtype=float),
    "full": lambda comm: dapbridge.full(4, np.complex128(1j), comm, dtype=np.float32),
    "full, of Python": lambda comm: dapbridge.full(4, 1j, comm, dtype=float),
    "from_global": lambda comm: dapbridge.from_global(np.ones(4) * 1j, comm, dtype=float),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPLEX_INTO_REAL)
def test_imaginary_parts_are_not_lost(comm, name):
    error = same_error(comm, dapbridge.ArgumentError, lambda: COMPLEX_INTO_REAL[name](comm))
    assert "imaginary parts" in str(error)


def test_padding_of_a_ring_is_said_to_wrap_or_not(comm):
    with pytest.raises(dapbridge.ArgumentError, match="wraps=True .*wraps=False"):
        dapbridge.padded(1, periodic=True)
    with pytest.raises(dapbridge.ArgumentError, match="periodic is False"):
        dapbridge.padded(1, periodic=False, wraps=True)
    n = 3 * comm.size
    for dist, wraps in ((dapbridge.padded(1, periodic=True, wraps=True), True), (dapbridge.padded(1, wraps=True), True),
                        (dapbridge.padded(1, periodic=True, wraps=False), False)):  # fmt: skip
        a = dapbridge.from_function(lambda i: 1.0 * i, n, comm, dist)
        assert a.layout.axis(0)["periodic"]
        a.local[...] = np.where(np.isin(np.arange(a.local.size), a.owned_positions()[0]), a.local, -1)
        a.halo_update(allow_empty=True)
        first = 3 * comm.rank - int(wraps or comm.rank > 0)
        last = 3 * comm.rank + 3 + int(wraps or comm.rank < comm.size - 1)
        np.testing.assert_array_equal(a.local, np.arange(first, last) % n)
    assert dapbridge.padded(0, periodic=True).periodic and dapbridge.padded(1, (1, 1), periodic=True).boundary == (1, 1)

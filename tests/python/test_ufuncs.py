"""Compares numpy's ufuncs and operators on distributed arrays with the same of the whole numpy arrays."""

import operator

import numpy as np
import pytest
from maps import check, fill, ramp, random_array, same_error

import dapbridge

TYPES = ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]
def squared(x):
    """Returns a square part, which can be added to its transpose."""
    n = min(x.shape)
    return x[(slice(n),) * x.ndim] + 0


OPERATIONS = {
    # Expressions that users write, by name, of two arrays of small non-negative integers.
    "sum": lambda a, b: a + b,
    "difference from a number": lambda a, b: 2.5 - a,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a / (b + 1),
    "power": lambda a, b: a**2,
    "integer power": lambda a, b: b ** (a != 0),
    "negative": lambda a, b: -(a + 1.0),
    "abs of complex": lambda a, b: abs(a * 1j - b),
    "sine": lambda a, b: np.sin(a),
    "of three": lambda a, b: np.exp(-(a * a + b * b) * 0.1),
    "two arguments": lambda a, b: np.add(a, b * 1.5),
    "equal": lambda a, b: a == b,
    "unequal to a number": lambda a, b: a != 3,
    "logical": lambda a, b: (a == b) | ~(a != 1),
    "numpy number first": lambda a, b: np.float64(3) + a,
    "number of no axes": lambda a, b: np.array(3) + a,
    "dtype": lambda a, b: np.multiply(a, b, dtype=np.complex128),
    "first of two results": lambda a, b: np.frexp(a.astype("f8") + 0.0)[0],
    "second of two results": lambda a, b: np.frexp(a.astype("f8") + 0.0)[1],
    "transposed, twice": lambda a, b: (a.T + b.T).T + 0,
    "and its transpose": lambda a, b: squared(a) + squared(a).T,
    "transpose first": lambda a, b: squared(a).T * squared(b),
    "lazy ones in two layouts": lambda a, b: squared(a).astype("c16") - squared(b).T.conj(),
    "conjugate and cast": lambda a, b: a.conj() + b.astype("c16"),
    "clipped": lambda a, b: np.clip(a.astype("f8"), 1, None),
    "where": lambda a, b: np.where(a == b, a, 0 * b),
    "close": lambda a, b: np.isclose(a, b),
    "rounded": lambda a, b: np.round(a * 0.77, 1),
    "real part": lambda a, b: np.real(a * 2j + b),
    "angle": lambda a, b: np.angle(a * 2j + b + 1),
}


def numbers(shape, dtype, seed):
    return np.random.default_rng(seed).integers(0, 5, shape).astype(dtype)


def pair(random, comm, shape, dtype, other):
    """Makes two arrays with one layout and spoilt padding and ghosts. Returns them with their wholes."""
    a = random_array(random, comm, shape, dtype)
    b = dapbridge.like(a, other)
    wholes = numbers(shape, dtype, 1), numbers(shape, other, 2)
    return fill(a, wholes[0]), fill(b, wholes[1]), *wholes


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.filterwarnings("ignore:Casting complex values to real")
def test_operations(comm, name, seed):
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(1, 8, random.integers(1, 4)))
    dtype, other = random.choice(TYPES, 2)
    a, b, first, second = pair(random, comm, shape, dtype, other)
    words = f"seed {seed}: {shape}, {dtype}, {other}; {a.layout.summary()}"
    try:
        wanted = OPERATIONS[name](first, second)
    except TypeError:  # numpy lacks this operation for these types
        same_error(comm, ValueError, lambda: OPERATIONS[name](a, b))
        return
    try:
        found = OPERATIONS[name](a, b)
        assert isinstance(found, dapbridge.Array) and found.dtype == wanted.dtype
        check(found, wanted)
    except Exception as e:
        e.add_note(words)
        raise


IN_PLACE = {
    "+=": lambda a, b: operator.iadd(a, b),
    "*= number": lambda a, b: operator.imul(a, 2),
    "-= transposed": lambda a, b: operator.isub(a, b),
    "out": lambda a, b: np.sin(a, out=a),
    "out, of others": lambda a, b: np.add(b, 1, out=a),
    "out and where": lambda a, b: np.multiply(a, b, out=a, where=a == b),
    "out, cast": lambda a, b: np.add(a, b * 1.5, out=a, casting="unsafe"),
    "number to out": lambda a, b: np.add(1, 2, out=a),
}


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("seed", range(2))
def test_in_place(comm, name, seed):
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(0, 8, random.integers(1, 4)))
    a, b, first, second = pair(random, comm, shape, "f8", "f4")
    place = a.local.ctypes.data
    assert IN_PLACE[name](a, b) is a and a.local.ctypes.data == place
    check(a, IN_PLACE[name](first, second))


@pytest.mark.parametrize("seed", range(4))
def test_padding_follows(comm, seed):
    """If padding, ghosts and copies were up to date, they must be so in results."""
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(0, 9, random.integers(1, 4)))
    a, b, first, second = pair(random, comm, shape, "f8", "i4")
    a.halo_update(allow_empty=True)
    b.halo_update(allow_empty=True)
    check(np.sqrt(a) * 2 + b, np.sqrt(first) * 2 + second, copies=True)
    a += b
    check(a, first + second, copies=True)


LISTS = {
    # Lists of three processes, and how many indices each owns. The rest are ghosts.
    "ghosts at the end": ([[0, 1, 2, 3], [3, 4, 2], [5, 6, 4, 0]], [3, 2, 2]),
    "no ghosts on one": ([[6, 5], [4, 3, 2, 6], [1, 0, 2]], [2, 3, 2]),
    "nothing but ghosts": ([[0, 1, 2, 3, 4, 5, 6], [2, 3], []], [7, 0, 0]),
}


@pytest.mark.parametrize("name", LISTS)
def test_ghosts(comm, name):
    if comm.size != 3:
        pytest.skip("lists of three processes")
    lists, owned = LISTS[name]
    whole = ramp((7, 2)) + 1
    a = fill(dapbridge.zeros((7, 2), comm, [dapbridge.unstructured(lists, owned)]), whole)
    check(1 / a, 1 / whole)
    a.halo_update(allow_empty=True)
    check(1 / a, 1 / whole, copies=True)


def uneven(comm):
    """Makes an axis whose owned elements have uneven places: each process owns all except every third of its list."""
    size = 6 * comm.size
    mine = (np.arange(6) + 6 * comm.rank)[::-1]
    ghosts = (mine[:2] + 6) % size
    if comm.size == 1:
        return dapbridge.unstructured(mine), size
    listed = np.insert(mine, [2, 4], ghosts)
    return dapbridge.unstructured(listed, np.insert(np.ones(6, bool), [2, 4], False)), size


def test_uneven_places(comm):
    dist, size = uneven(comm)
    a = dapbridge.zeros(size, comm, dist)
    whole = np.arange(1.0, size + 1)
    fill(a, whole)
    check(1 / a, 1 / whole)
    a *= 2
    check(a, 2 * whole)
    check(np.multiply(a, a, out=a, where=a > 6), np.where(whole > 3, 4 * whole * whole, 2 * whole))


def test_warnings_are_of_elements(comm):
    """If warnings are errors, a warning about one process's elements is an error of all. Padding never warns."""
    a = dapbridge.full((4 * comm.size, 3), 1.0, comm, [dapbridge.padded(1)])
    a.local[...] = 0.0
    a.owned[...] = 1.0
    check(np.log(1 / a), np.zeros(a.shape))
    if comm.rank == comm.size - 1:
        a.owned[1] = 0.0
    same_error(comm, dapbridge.Error, lambda: 1 / a)
    with np.errstate(divide="ignore"):
        assert not np.isfinite(1 / a).all()


def test_powers_of_padding(comm):
    """numpy refuses negative powers of integers, which padding can contain."""
    a = dapbridge.full((4 * comm.size,), 2, comm, dapbridge.padded(1))
    b = dapbridge.full((4 * comm.size,), -1, comm, dapbridge.padded(1))
    b.owned[...] = 3
    check(a**b, np.full(a.shape, 8))


def test_out_in_memory_of_an_operand(comm):
    """Padding must also be computed from the operand's old values."""
    whole = np.arange(1.0, 4 * comm.size + 1)
    like = dapbridge.zeros(whole.shape, comm, dapbridge.padded(1))
    memory = np.zeros(like.local.size + 1)
    a, out = (dapbridge.array(memory[k:][: like.local.size], comm, dapbridge.padded(1)) for k in (0, 1))
    fill(a, whole).halo_update(allow_empty=True)
    np.multiply(a, 3, out=out)
    check(out, whole * 3, copies=True)


# ---- operands of other shapes ------------------------------------------------------------------------------



def distances(x, products):
    """Returns squared distances of rows, a sum whose shape none of its terms has."""
    squares = (x * x).sum(1)
    sums = squares[:, None] + squares[None, :]
    if isinstance(sums, dapbridge.Array):
        assert not any(sums.layout.axis(k)["replicated"] for k in range(2))
    return sums - 2 * products(sums)


BROADCAST = {
    "row of a numpy array": lambda a, whole: (a * whole[1], whole * whole[1]),
    "column of a numpy array": lambda a, whole: (
        np.broadcast_to(whole[:, :1], a.shape) - a, whole[:, :1] - whole,
    ),
    "the whole numpy array": lambda a, whole: (a == whole, whole == whole),
    "row": lambda a, whole: (a + a[1], whole + whole[1]),
    "row of one": lambda a, whole: (a[2:3] + a, whole[2:3] + whole),
    "column": lambda a, whole: (a - a[:, 1:2], whole - whole[:, 1:2]),
    "element": lambda a, whole: (a * a[0, 1], whole * whole[0, 1]),
    "means": lambda a, whole: (a - a.mean(0), whole - whole.mean(0)),
    "sums that stay": lambda a, whole: (a / a.sum(1, keepdims=True), whole / whole.sum(1, keepdims=True)),
    "vectors of other layouts": lambda a, whole: (
        a + dapbridge.from_global(whole[0], a.over, "cyclic") + dapbridge.from_global(whole[:, 1:2], a.over, "cyclic"),
        whole + whole[0] + whole[:, 1:2],
    ),
    "column and row": lambda a, whole: (a[:, :1] * a[:1], whole[:, :1] * whole[:1]),
    "row and column": lambda a, whole: (a[2] - a[:, 1:2] * 2.0, whole[2] - whole[:, 1:2] * 2.0),
    "column and a row of numpy": lambda a, whole: (a[:, :1] * whole[1], whole[:, :1] * whole[1]),
    "distances": lambda a, whole: (
        distances(a, lambda d: (a @ a.T).redistribute(d)), distances(whole, lambda d: whole @ whole.T),
    ),
    "of a transposed one": lambda a, whole: (a.T * whole[:, 0], whole.T * whole[:, 0]),
    "where": lambda a, whole: (np.where(a > 7, a, a[0]), np.where(whole > 7, whole, whole[0])),
}


@pytest.mark.parametrize("name", BROADCAST)
@pytest.mark.parametrize("seed", range(2))
def test_broadcast(comm, name, seed):
    random = np.random.default_rng(seed)
    whole = ramp((int(random.integers(4, 9)), int(random.integers(3, 9)))) + 1
    a = fill(random_array(random, comm, whole.shape), whole)
    try:
        found, wanted = BROADCAST[name](a, whole)
        check(found, wanted)
    except Exception as e:
        e.add_note(f"seed {seed}: {a.layout.summary()}")
        raise


@pytest.mark.parametrize("seed", range(3))
def test_transposed_grids(comm, seed):
    """Tests copies of transposed arrays, whose ranks are not in the order of the grid."""
    random = np.random.default_rng(seed)
    whole = ramp((6, 7, 2)) + 1
    grid = {4: (2, 2, 1), 6: (2, 3, 1)}.get(comm.size, (1, comm.size, 1))
    dist = [dapbridge.padded(1), dapbridge.cyclic(2)][:: 1 - 2 * int(random.integers(2))]
    a = fill(dapbridge.zeros(whole.shape, comm, dist, grid=grid), whole)
    axes = tuple(int(k) for k in random.permutation(3))
    turned, wanted = a.transpose(axes).copy(), whole.transpose(axes)
    check(turned + wanted, 2 * wanted)
    for axis in (0, 1, 2, (0, 2)):
        check(turned - turned.max(axis, keepdims=True), wanted - wanted.max(axis, keepdims=True))
    check(turned * turned[:, :1] - turned.min((0, 1)), wanted * wanted[:, :1] - wanted.min((0, 1)))


def test_slices_on_different_processes(comm, several):
    """Equal layouts on different processes cannot be combined in one call."""
    a = dapbridge.from_global(ramp((3 * comm.size, 4)), comm)
    first, last = a[0], a[-1]
    assert first.layout == last.layout
    same_error(comm, dapbridge.ArgumentError, lambda: first + last, "laid out otherwise")


# ---- arrays without axes --------------------------------------------------------------------------------------

NO_AXES = {
    # Expressions of two elements, which are on different processes if there are several.
    "a sum": lambda x, y, a: x + y,
    "with a number": lambda x, y, a: 2 * x - 1,
    "a comparison": lambda x, y, a: x < y,
    "lazy": lambda x, y, a: x.T * y.conj(),
    "in place": lambda x, y, a: operator.iadd(x + 0, y),
    "where": lambda x, y, a: np.where(x < y, x, y),
    "where of all": lambda x, y, a: np.where(a > 3, x, y),
    "with all": lambda x, y, a: a * x + y,
    "product": lambda x, y, a: np.dot(x, y),
    "with a reduction": lambda x, y, a: x / a.max() + y,
    "equal": lambda x, y, a: np.array_equal(x, y),
    "inner product": lambda x, y, a: np.vdot(x, y),
    "sum of one": lambda x, y, a: y.sum(),
}


@pytest.mark.parametrize("name", NO_AXES)
def test_no_axes(comm, name):
    """Arrays of no axes, each on one process, are operands like numbers."""
    whole = ramp((2 * comm.size, 3)) + 1
    a = dapbridge.from_global(whole, comm)
    for first, second in (((0, 0), (-1, 2)), ((-1, 1), (0, 1)), ((1, 0), (0, 0))):
        found = NO_AXES[name](a[first], a[second], a)
        wanted = NO_AXES[name](whole[first], whole[second], whole)
        if isinstance(found, dapbridge.Array):
            assert found.dtype == wanted.dtype and found.shape == np.shape(wanted)
            np.testing.assert_array_equal(found.gather(), wanted)
        else:
            assert set(comm.allgather(found)) == {wanted}


def test_no_axes_out(comm):
    """`out` keeps its own process."""
    a = dapbridge.from_global(np.arange(3.0 * comm.size), comm)
    out = a[0]
    assert np.add(a[-1], a[1], out=out) is out
    assert a[0].gather() == a.gather()[0] == 3 * comm.size

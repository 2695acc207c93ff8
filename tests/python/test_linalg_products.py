"""Compares products with numpy's, checks their layouts, and checks that integers are exact."""

import numpy as np
import pytest
from layouts import distributed
from maps import check
from matrices import TYPES, random, tolerance

import dapbridge as db

#: Distributions over processes of rows, of columns and of a grid; with padding, lists and copies.
SAMPLE = ["rows", "columns", "square blocks in turn", "padded rows", "lists of rows", "copies of rows"]


def variants(a):
    return {"N": a, "T": a.T, "C": a.T.conj(), "conj": a.conj()}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", SAMPLE)
def test_matmul(comm, name, dtype):
    """Multiplies a matrix with vectors, and in one type with a matrix. Each is plain, transposed and conjugate."""
    a, b, x = random((9, 9), dtype), random((9, 9), dtype, 2), random((9,), dtype, 3)
    left, right, vector = variants(distributed(comm, a, name)), variants(distributed(comm, b)), distributed(comm, x, name)
    for i, y in variants(a).items():
        check(left[i] @ vector, y @ x, tolerance=tolerance(dtype))
        check(vector @ left[i], x @ y, tolerance=tolerance(dtype))
        for j, z in variants(b).items() if dtype == np.complex128 and name in SAMPLE[1:3] else ():
            check(left[i] @ right[j], y @ z, tolerance=tolerance(dtype))
    check(left["N"] @ right["N"], a @ b, tolerance=tolerance(dtype))
    np.testing.assert_allclose(vector @ vector, x @ x, rtol=tolerance(dtype))
    np.testing.assert_allclose(vector.conj() @ vector, x.conj() @ x, rtol=tolerance(dtype))


def test_rows_stay_rows(comm):
    a, b = distributed(comm, random((13, 7)), "irregular rows, columns with empty processes"), random((7, 10))
    rows = a.redistribute([db.block([13] + [0] * (comm.size - 1)), "local"])
    c = rows @ distributed(comm, b)
    assert [c.layout.owned(0, i) for i in range(comm.size)] == [13] + [0] * (comm.size - 1)
    assert c.layout.grid == (comm.size, 1)


def lists_of(comm, size, procs, coord, ghosts=0):
    """Returns a process's shuffled list, which ends with some indices that others own."""
    parts = np.array_split(np.random.default_rng(size).permutation(size), procs)
    others = np.concatenate([p for c, p in enumerate(parts) if c != coord] or [np.zeros(0, int)])
    return np.concatenate([parts[coord], others[:ghosts]]), len(parts[coord])


def listed(comm, values, axis, ghosts=0, grid=None):
    """Makes a matrix with an axis in lists that only their processes know."""
    grid = grid or ((comm.size, 1), (1, comm.size))[axis]
    coord = np.unravel_index(comm.rank, grid)[axis]
    mine, owned = lists_of(comm, values.shape[axis], grid[axis], coord, ghosts)
    dist = [db.cyclic(2), db.cyclic(2)]
    dist[axis] = db.unstructured(mine, owned=owned)
    a = db.zeros(values.shape, comm, dist, values.dtype, grid)
    a.local[...] = values[np.ix_(*a.indices())]
    return a, mine[:owned]


def has_lists(product, axis, mine):
    np.testing.assert_array_equal(product.indices()[axis], mine)
    assert product.layout.axis(axis)["dist_type"] == "u"


@pytest.mark.parametrize("ghosts", (0, 2))
@pytest.mark.parametrize("largest", (1, 2**60), ids=("floats", "integers"))
def test_lists_stay_lists(comm, ghosts, largest):
    """Rows are distributed like those of the left operand, and columns like those of the right one, without ghosts."""
    a, b, x = random((13, 7)), random((7, 13), seed=2), random((13,), seed=3)
    if largest > 1:
        a, b, x = ((y * largest).astype(np.int64) for y in (a, b, x))
    rows, mine = listed(comm, a, 0, ghosts)
    columns, other = listed(comm, b, 1, ghosts)
    tolerance = 0 if largest > 1 else 1e-9
    has_lists(check_of(rows @ distributed(comm, b, "square blocks in turn"), a @ b, tolerance), 0, mine)
    has_lists(check_of(distributed(comm, a, "columns") @ columns, a @ b, tolerance), 1, other)
    has_lists(check_of(a @ columns, a @ b, tolerance), 1, other)
    has_lists(check_of(rows @ x[:7], a @ x[:7], tolerance), 0, mine)
    has_lists(check_of(columns.T @ distributed(comm, x[:7]), b.T @ x[:7], tolerance), 0, other)
    has_lists(check_of(distributed(comm, x[:7]) @ columns, x[:7] @ b, tolerance), 0, other)
    has_lists(check_of(rows @ columns, a @ b, tolerance), 0, mine)


def test_lists_on_a_grid_of_two(comm):
    if comm.size != 4:
        pytest.skip("a grid of 2 x 2")
    a, b = random((8, 6)), random((6, 9), seed=2)
    rows, mine = listed(comm, a, 0, grid=(2, 2))
    columns, other = listed(comm, b, 1, grid=(2, 2))
    product = check_of(rows @ columns, a @ b)
    has_lists(product, 0, mine), has_lists(product, 1, other)
    turned = check_of(columns.T @ rows.T, b.T @ a.T)  # lists move to other axes, whose processes do not know them
    assert [turned.layout.axis(k)["dist_type"] for k in (0, 1)] == ["b", "b"]


def check_of(found, wanted, tolerance=1e-9):
    check(found, wanted, tolerance=tolerance)
    return found


#: Pairs of element types, and the largest element. Sums of large ones exceed 2^53, and some overflow as in numpy.
INTEGERS = [
    ("i4", "i8", 5), ("?", "?", 2), ("u1", "u1", 255), ("i1", "i4", 127), ("i8", "i8", 2**28), ("i8", "i8", 2**62),
    ("u8", "u8", 2**63), ("u8", "?", 2**60), ("i2", "u4", 2**15 - 1), ("i8", "i2", 2**60), ("u8", "u2", 2**40),
]  # fmt: skip


def integers(random, shape, dtype, largest):
    """Returns elements of all magnitudes up to the largest one, which the type can hold."""
    top = 1 if dtype == "?" else min(largest, np.iinfo(dtype).max)
    least = -top if np.dtype(dtype).kind == "i" else 0
    return random.integers(least, top, shape, np.uint64 if dtype == "u8" else np.int64, True).astype(dtype)


PAIRS = [
    ("rows", "columns"), ("square blocks in turn", "padded rows"), ("lists of rows", "rows in F order"),
    ("irregular rows, columns with empty processes", "copies of rows"),
    ("copies of rows", "blocks of other sizes in turn from the last processes on"),
]  # fmt: skip
#: All pairs of types, each in one pair of layouts; one pair with large elements in two.
INTEGER_CASES = [(*INTEGERS[i], PAIRS[i % len(PAIRS)]) for i in range(len(INTEGERS))]
INTEGER_CASES += [("i8", "i8", 2**61, pair) for pair in PAIRS[:2]]


@pytest.mark.parametrize("left, right, largest, layouts", INTEGER_CASES, ids=str)
def test_integers(comm, left, right, largest, layouts):
    """Every product must have numpy's type, and all bits of numpy's elements."""
    generator = np.random.default_rng(largest % 97)
    a, b = integers(generator, (7, 5), left, largest), integers(generator, (5, 9), right, largest)
    x, y = integers(generator, 5, right, largest), integers(generator, 7, left, largest)
    given, other = distributed(comm, a, layouts[0]), distributed(comm, b, layouts[1])
    rows, columns = distributed(comm, x), distributed(comm, y, layouts[0])
    products = [
        (given @ other, a @ b), (other.T @ given.T, b.T @ a.T), (given.T @ columns, a.T @ y), (given @ rows, a @ x),
        (columns @ given, y @ a), (given @ b, a @ b), (a @ other, a @ b), (given @ x, a @ x), (a @ rows, a @ x),
        (columns @ a, y @ a), (y @ given, y @ a), (np.dot(given, other), a @ b), (given @ given.T, a @ a.T),
    ]  # fmt: skip
    for found, wanted in products:
        check(found, wanted)
        assert found.dtype == wanted.dtype
    z = distributed(comm, a[0].astype(left), layouts[1])
    numbers = [
        (rows @ z, x @ a[0]), (z @ x, a[0] @ x), (np.dot(x, z), x @ a[0]), (np.vdot(z, z), np.vdot(a[0], a[0])),
        (np.inner(z, rows), np.inner(a[0], x)),
    ]  # fmt: skip
    for found, wanted in numbers:
        assert found == wanted and found.dtype == wanted.dtype
        assert len(set(comm.allgather(found.tobytes()))) == 1


def test_negative_integers(comm):
    """A negative element has the largest magnitude."""
    a, b = np.full((3, 4), -(2**60) - 1), np.ones((4, 2), "i8")
    check(distributed(comm, a) @ distributed(comm, b), a @ b)


def test_integers_of_many(comm):
    """The inner extent is processed in pieces."""
    from dapbridge import _integer_products

    before, _integer_products._AT_ONCE = _integer_products._AT_ONCE, 999
    try:
        a = integers(np.random.default_rng(4), (11, 83), "i8", 2**40)
        given = distributed(comm, a, "square blocks in turn")
        turned = distributed(comm, a.T.copy(), "blocks of a plane")
        check(given @ turned, a @ a.T)
        check(turned @ a[:, 0], a.T @ a[:, 0])
    finally:
        _integer_products._AT_ONCE = before


def test_integers_of_nothing(comm):
    for m, k, n in ((0, 3, 2), (3, 0, 2), (3, 2, 0)):
        a, b = np.ones((m, k), "i8"), np.ones((k, n), "i4")
        check(db.from_global(a, comm) @ db.from_global(b, comm), a @ b)


def test_integers_that_do_not_fit(comm):
    a = db.full((4, 5), 2**40, comm)
    for b in (db.full((4, 3), 2**40, comm), np.full((4, 3), 2**40)):
        with pytest.raises(db.Error, match="5.*4|4.*5") as error:
            a @ b
        assert len(set(comm.allgather(str(error.value)))) == 1

"""Products and norms against numpy, in all layouts."""

import numpy as np
import pytest

import dapbridge as db
from matrices import SAMPLE, check, distributed, random, regular, tolerance


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_matmul(comm, name, dtype):
    a, b = random((13, 7), dtype), random((7, 10), dtype, 2)
    for other in (name, "uneven columns"):
        check(distributed(comm, a, name) @ distributed(comm, b, other), a @ b, tolerance(dtype))


def test_rows_stay_rows(comm):
    a, b = distributed(comm, random((13, 7)), "uneven"), distributed(comm, random((7, 10)), "row slabs")
    c = a @ b
    assert [c.layout.owned(0, i) for i in range(comm.size)] == [
        a.layout.owned(0, i) for i in range(comm.size)
    ]
    assert c.layout.grid == (comm.size, 1)


def lists_of(comm, size, procs, coord, ghosts=0):
    """A process's list, shuffled, and at its end some that others own."""
    parts = np.array_split(np.random.default_rng(size).permutation(size), procs)
    others = np.concatenate([p for c, p in enumerate(parts) if c != coord] or [np.zeros(0, int)])
    return np.concatenate([parts[coord], others[:ghosts]]), len(parts[coord])


def listed(comm, values, axis, ghosts=0, grid=None):
    """A matrix with an axis by lists that only their processes know."""
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
    """Rows as those of the left operand, columns as those of the right one, without ghosts."""
    a, b, x = random((13, 7)), random((7, 13), seed=2), random((13,), seed=3)
    if largest > 1:
        a, b, x = ((y * largest).astype(np.int64) for y in (a, b, x))
    rows, mine = listed(comm, a, 0, ghosts)
    columns, other = listed(comm, b, 1, ghosts)
    tolerance = 0 if largest > 1 else 1e-9
    has_lists(check_of(rows @ distributed(comm, b, "cyclic"), a @ b, tolerance), 0, mine)
    has_lists(check_of(distributed(comm, a, "column slabs") @ columns, a @ b, tolerance), 1, other)
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
    turned = check_of(columns.T @ rows.T, b.T @ a.T)  # lists go to other axes, whose processes do not know them
    assert [turned.layout.axis(k)["dist_type"] for k in (0, 1)] == ["b", "b"]


def check_of(found, wanted, tolerance=1e-9):
    check(found, wanted, tolerance)
    return found


def _variants(a):
    return {"N": a, "T": a.T, "C": a.T.conj(), "conj": a.conj()}


@pytest.mark.parametrize("dtype", (np.float64, np.complex128))
@pytest.mark.parametrize("name", ("row slabs in F order", "cyclic"))
def test_matmul_of_lazy_views(comm, name, dtype):
    a, b = random((9, 9), dtype), random((9, 9), dtype, 2)
    left, right = _variants(distributed(comm, a, name)), _variants(distributed(comm, b))
    for i, x in _variants(a).items():
        for j, y in _variants(b).items():
            check(left[i] @ right[j], x @ y)


def test_transposes_are_not_copied(comm):
    a, b = random((8, 8)), random((8, 8), seed=2)
    report = []
    x = distributed(comm, a, "square blocks")
    c = db.linalg.matmul(x.T, distributed(comm, b, "square blocks"), report=report)
    check(c, a.T @ b)
    assert [u.name for u in report] == ["A", "B", "C"]
    assert report[0].shared and report[0].moved_bytes == 0


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_matrix_by_vector(comm, name, dtype):
    a, x, y = random((13, 7), dtype), random((7,), dtype, 2), random((13,), dtype, 3)
    given = distributed(comm, a, name)
    right, left = distributed(comm, x), distributed(comm, y, name)
    check(given @ right, a @ x, tolerance(dtype))
    check(left @ given, y @ a, tolerance(dtype))
    check(given.T @ left, a.T @ y, tolerance(dtype))
    check(given.T.conj() @ left, a.conj().T @ y, tolerance(dtype))
    check(right @ given.T, x @ a.T, tolerance(dtype))
    check(right @ given.T.conj(), x @ a.T.conj(), tolerance(dtype))
    np.testing.assert_allclose(right @ right, x @ x, rtol=tolerance(dtype))
    np.testing.assert_allclose(right.conj() @ right, x.conj() @ x, rtol=tolerance(dtype))


def test_matmul_with_numpy(comm):
    a, b, x = random((13, 7)), random((7, 10), seed=2), random((7,), seed=3)
    given, other = distributed(comm, a), distributed(comm, b)
    check(given @ b, a @ b)
    check(a @ other, a @ b)
    check(given @ x, a @ x)
    check(x @ other, x @ b)
    check(a @ distributed(comm, x), a @ x)


#: Pairs of element types, and the largest element; sums of large ones exceed 2^53, and some overflow as numpy's do.
INTEGERS = [
    ("i4", "i8", 5), ("?", "?", 2), ("u1", "u1", 255), ("i1", "i4", 127), ("i8", "i8", 2**28), ("i8", "i8", 2**62),
    ("u8", "u8", 2**63), ("u8", "?", 2**60), ("i2", "u4", 2**15 - 1), ("i8", "i2", 2**60), ("u8", "u2", 2**40),
]  # fmt: skip


def integers(random, shape, dtype, largest):
    """Elements of all magnitudes up to the largest one, which the type can hold."""
    top = 1 if dtype == "?" else min(largest, np.iinfo(dtype).max)
    least = -top if np.dtype(dtype).kind == "i" else 0
    return random.integers(least, top, shape, np.uint64 if dtype == "u8" else np.int64, True).astype(dtype)


PAIRS = [
    ("row slabs", "column slabs"), ("cyclic", "padded"), ("unstructured", "blocks in F order"), ("uneven", "replicated"),
    ("replicated", "cyclic, not from 0"),
]  # fmt: skip
#: All pairs of types in one pair of layouts each, and one of large elements in all.
INTEGER_CASES = [(*INTEGERS[i], PAIRS[i % len(PAIRS)]) for i in range(len(INTEGERS))]
INTEGER_CASES += [("i8", "i8", 2**61, pair) for pair in PAIRS]


@pytest.mark.parametrize("left, right, largest, layouts", INTEGER_CASES, ids=str)
def test_integers(comm, left, right, largest, layouts):
    """Every product has numpy's type and numpy's elements, all bits of them."""
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
        check(found, wanted, 0)
    z = distributed(comm, a[0].astype(left), layouts[1])
    numbers = [
        (rows @ z, x @ a[0]), (z @ x, a[0] @ x), (np.dot(x, z), x @ a[0]), (np.vdot(z, z), np.vdot(a[0], a[0])),
        (np.inner(z, rows), np.inner(a[0], x)),
    ]  # fmt: skip
    for found, wanted in numbers:
        assert found == wanted and found.dtype == wanted.dtype
        assert len(set(comm.allgather(found.tobytes()))) == 1


def test_negative_integers(comm):
    """The largest magnitude is that of a negative element."""
    a, b = np.full((3, 4), -(2**60) - 1), np.ones((4, 2), "i8")
    check(distributed(comm, a) @ distributed(comm, b), a @ b, 0)


def test_integers_of_many(comm):
    """The inner extent is passed through in pieces."""
    from dapbridge import _integer_products

    before, _integer_products._AT_ONCE = _integer_products._AT_ONCE, 999
    try:
        a = integers(np.random.default_rng(4), (11, 83), "i8", 2**40)
        given, turned = distributed(comm, a, "cyclic"), distributed(comm, a.T.copy(), "blocks")
        check(given @ turned, a @ a.T, 0)
        check(turned @ a[:, 0], a.T @ a[:, 0], 0)
    finally:
        _integer_products._AT_ONCE = before


def test_integers_of_nothing(comm):
    for m, k, n in ((0, 3, 2), (3, 0, 2), (3, 2, 0)):
        a, b = np.ones((m, k), "i8"), np.ones((k, n), "i4")
        check(db.from_global(a, comm) @ db.from_global(b, comm), a @ b, 0)


def test_integers_that_do_not_fit(comm):
    a = db.full((4, 5), 2**40, comm)
    for b in (db.full((4, 3), 2**40, comm), np.full((4, 3), 2**40)):
        with pytest.raises(db.Error, match="5.*4|4.*5") as error:
            a @ b
        assert len(set(comm.allgather(str(error.value)))) == 1


def test_mixed_types(comm):
    a, b = random((6, 7), np.float32), random((7, 3), np.complex64)
    check(distributed(comm, a) @ distributed(comm, b), a @ b, 1e-5)
    c = random((7, 3))
    check(distributed(comm, a) @ distributed(comm, c), a @ c, 1e-6)


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_norm(comm, name, dtype):
    a = random((13, 7), dtype)
    given = distributed(comm, a, name)
    for kind in (None, "fro", 1, np.inf, 2, -2, "nuc", -1, -np.inf):
        value, expected = np.linalg.norm(given, kind), np.linalg.norm(a, kind)
        np.testing.assert_allclose(value, expected, rtol=tolerance(dtype))
        assert value.dtype == expected.dtype


@pytest.mark.parametrize("name", ("uneven", "replicated", "padded"))
def test_norm_of_vector(comm, name):
    x = random((13,), np.complex128)
    given = distributed(comm, x, name)
    for kind in (None, 2, 1, np.inf):
        np.testing.assert_allclose(db.linalg.norm(given, kind), np.linalg.norm(x, kind))


def test_norms_of_vectors_by_sums(comm):
    """Orders that ScaLAPACK does not have, and norms along an axis."""
    x, a = random((13,), np.complex64), random((6, 5, 4))
    given, box = distributed(comm, x, "uneven"), db.from_global(a, comm, ["block", "cyclic"])
    for kind in (0, -1, 3, 0.5, -2, -np.inf):
        value, expected = db.linalg.norm(given, kind), np.linalg.norm(x, kind)
        np.testing.assert_allclose(value, expected, rtol=1e-5)
        assert value.dtype == expected.dtype
    np.testing.assert_allclose(db.linalg.norm(box), np.linalg.norm(a))
    for axis in (0, 1, -1):
        for kind in (None, 1, 2, 3, np.inf, -np.inf, 0):
            check(db.linalg.norm(box, kind, axis), np.linalg.norm(a, kind, axis))
            check(np.linalg.norm(box, kind, axis, keepdims=True), np.linalg.norm(a, kind, axis, keepdims=True))
    whole = np.arange(12).reshape(3, 4)
    check(db.linalg.norm(db.from_global(whole, comm), axis=1), np.linalg.norm(whole, axis=1))


def test_norms_refused(comm):
    a, x = distributed(comm, random((5, 5))), distributed(comm, random((5,)))
    for kind in (3, "max"):
        with pytest.raises(ValueError, match="not supported"):
            db.linalg.norm(a, kind)
    with pytest.raises(ValueError, match="not supported"):
        db.linalg.norm(x, "fro")
    with pytest.raises(ValueError, match="not one axis"):
        db.linalg.norm(a, axis=(0, 1))
    with pytest.raises(ValueError, match="not a norm of vectors"):
        db.linalg.norm(a, "fro", axis=1)


def test_functions_of_numpy(comm):
    """numpy.linalg's names lead to these functions."""
    a, b = regular(7), random((7, 2), seed=2)
    given, right = distributed(comm, a), distributed(comm, b)
    sym = distributed(comm, a + a.T)
    check(np.linalg.solve(given, right), np.linalg.solve(a, b))
    check(np.linalg.inv(given), np.linalg.inv(a))
    check(np.linalg.pinv(right), np.linalg.pinv(b))
    check(np.dot(given, right), a @ b)
    np.testing.assert_allclose(np.linalg.det(given), np.linalg.det(a))
    np.testing.assert_allclose(np.linalg.cond(given), np.linalg.cond(a))
    np.testing.assert_allclose(np.linalg.eigvalsh(sym), np.linalg.eigvalsh(a + a.T))
    np.testing.assert_allclose(np.linalg.eigh(sym)[0], np.linalg.eigvalsh(a + a.T))
    np.testing.assert_allclose(np.linalg.svd(right, compute_uv=False), np.linalg.svd(b, compute_uv=False))
    np.testing.assert_allclose(np.linalg.svd(right, full_matrices=False)[1], np.linalg.svd(b)[1])
    np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(given)), np.sort_complex(np.linalg.eigvals(a)))
    np.testing.assert_allclose(np.linalg.slogdet(given)[1], np.linalg.slogdet(a)[1])
    check(np.linalg.lstsq(given, right, rcond=None)[0], np.linalg.lstsq(a, b, rcond=None)[0])
    assert np.linalg.matrix_rank(given) == 7 and len(np.linalg.eig(given)) == 2
    q, r = np.linalg.qr(right)
    check(q @ r, b)
    with pytest.raises(NotImplementedError, match="full_matrices=False"):
        np.linalg.svd(right)



def test_shapes_that_do_not_match(comm):
    a, b = distributed(comm, random((5, 6))), distributed(comm, random((5, 6)))
    with pytest.raises(ValueError) as error:
        a @ b
    assert len(set(comm.allgather(str(error.value)))) == 1

"""Products and norms against numpy, in all layouts."""

import numpy as np
import pytest

import dapbridge as db
from matrices import CASES, LAYOUTS, TYPES, check, distributed, random, regular, tolerance


@pytest.mark.parametrize("name, dtype", CASES)
def test_matmul(comm, name, dtype):
    a, b = random((13, 7), dtype), random((7, 10), dtype, 2)
    c = distributed(comm, a, name) @ distributed(comm, b, name)
    check(c, a @ b, tolerance(dtype))


@pytest.mark.parametrize("left", ("row slabs", "column slabs", "cyclic", "uneven"))
@pytest.mark.parametrize("right", LAYOUTS)
def test_matmul_mixed_layouts(comm, left, right):
    a, b = random((13, 7)), random((7, 10), seed=2)
    c = distributed(comm, a, left) @ distributed(comm, b, right)
    check(c, a @ b)


def test_rows_stay_rows(comm):
    a, b = distributed(comm, random((13, 7)), "uneven"), distributed(comm, random((7, 10)), "row slabs")
    c = a @ b
    assert [c.layout.owned(0, i) for i in range(comm.size)] == [
        a.layout.owned(0, i) for i in range(comm.size)
    ]
    assert c.layout.grid == (comm.size, 1)


def _variants(a):
    return {"N": a, "T": a.T, "C": a.T.conj(), "conj": a.conj()}


@pytest.mark.parametrize("dtype", (np.float64, np.complex128))
@pytest.mark.parametrize("name", ("row slabs", "row slabs in F order", "cyclic", "padded"))
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


@pytest.mark.parametrize("name, dtype", CASES)
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


@pytest.mark.parametrize("dtype", (np.int32, np.int64, np.bool_, np.uint8))
def test_integers(comm, dtype):
    a = (np.arange(42).reshape(6, 7) % 5).astype(dtype)
    c = distributed(comm, a) @ distributed(comm, a.T.copy())
    check(c, a.astype(float) @ a.T.astype(float))


def test_mixed_types(comm):
    a, b = random((6, 7), np.float32), random((7, 3), np.complex64)
    check(distributed(comm, a) @ distributed(comm, b), a @ b, 1e-5)
    c = random((7, 3))
    check(distributed(comm, a) @ distributed(comm, c), a @ c, 1e-6)


def test_other_byte_order(comm):
    a = random((6, 6))
    swapped = db.array(distributed(comm, a).local.astype(">f8"), comm, ["block", "local"])
    check(swapped @ swapped, a @ a)


@pytest.mark.parametrize("name, dtype", CASES)
def test_norm(comm, name, dtype):
    a = random((13, 7), dtype)
    given = distributed(comm, a, name)
    for kind in (None, "fro", 1, np.inf, 2, -2, "nuc", -1, -np.inf):
        value, expected = np.linalg.norm(given, kind), np.linalg.norm(a, kind)
        np.testing.assert_allclose(value, expected, rtol=tolerance(dtype))
        assert value.dtype == expected.dtype


@pytest.mark.parametrize("name", ("row slabs", "uneven", "unstructured", "replicated", "padded"))
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

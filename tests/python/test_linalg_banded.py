"""Band matrices, pivoted QR, least squares of any rank and Schur forms against scipy, in all layouts."""

import numpy as np
import pytest
import scipy.linalg

import dapbridge as db
from matrices import SAMPLE, TYPES, check, distributed, random, tolerance, whole

N = 23
WIDTHS = ((1, 1), (2, 1), (0, 3), (0, 0))


def band(lower, upper, dtype):
    """Diagonals, the main one the largest, and NaN where there is no element."""
    ab = random((lower + upper + 1, N), dtype)
    ab[upper] += 4
    i = np.arange(lower + upper + 1)[:, None] - upper + np.arange(N)
    ab[(i < 0) | (i >= N)] = np.nan
    return ab


def diagonals(comm, ab, name):
    """Few rows have no room for padding on each process."""
    return distributed(comm, ab, "column slabs" if name == "padded" else name)


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_solve_banded(comm, name, dtype):
    for i, (lower, upper) in enumerate(WIDTHS):
        ab, b = band(lower, upper, dtype), random((N, 3) if i % 2 else (N,), dtype, 2)
        given = diagonals(comm, ab, name)
        right = distributed(comm, b)
        x = db.linalg.solve_banded((lower, upper), given, right)
        check(x, scipy.linalg.solve_banded((lower, upper), np.nan_to_num(ab), b), tolerance(dtype))
        assert x.layout == right.layout
        check(right, b)


@pytest.mark.parametrize("lower", (True, False))
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_solveh_banded(comm, name, dtype, lower):
    for width in (0, 2):
        ab = band(width, 0, dtype) if lower else band(0, width, dtype)
        main = 0 if lower else -1
        ab[main] = ab[main].real
        b = random((N, 2), dtype, 2)
        x = db.linalg.solveh_banded(diagonals(comm, ab, name), distributed(comm, b, name), lower=lower)
        check(x, scipy.linalg.solveh_banded(np.nan_to_num(ab), b, lower=lower), tolerance(dtype))


def test_solve_banded_with_numpy(comm):
    ab, b = np.nan_to_num(band(1, 2, np.float64)), random((N,), seed=2)
    expected = scipy.linalg.solve_banded((1, 2), ab, b)
    np.testing.assert_allclose(db.linalg.solve_banded((1, 2), distributed(comm, ab), b), expected)
    report = []
    right = distributed(comm, b)
    assert db.linalg.solve_banded((1, 2), ab, right, overwrite_b=True, report=report) is right
    check(right, expected)
    assert [use.name for use in report] == ["AB", "B"] and not report[0].shared


def test_banded_refuses(comm):
    ab, b = distributed(comm, random((3, N))), distributed(comm, random((N,)))
    for numbers in ((1, 2), (-1, 3), (3, 3)):
        with pytest.raises(ValueError, match="lower"):
            db.linalg.solve_banded(numbers, ab, b)
    for numbers in (1, (1, 1, 1), ("a", 1), (1.5, 0.5)):
        with pytest.raises(ValueError, match="l_and_u"):
            db.linalg.solve_banded(numbers, ab, b)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        db.linalg.solve_banded((1, 1), distributed(comm, np.zeros((3, N))), b)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        db.linalg.solveh_banded(distributed(comm, -np.ones((2, N))), b)


@pytest.mark.parametrize("shape", ((17, 9), (9, 17), (12, 12)))
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_qr_with_pivots(comm, name, shape, dtype):
    a, k = random(shape, dtype), min(shape)
    given = distributed(comm, a, name)
    q, r, p = db.linalg.qr(given, pivoting=True)
    Q, R = whole(q), whole(r)
    assert sorted(p) == list(range(shape[1]))
    np.testing.assert_allclose(Q @ R, a[:, p], atol=tolerance(dtype))
    np.testing.assert_allclose(Q.conj().T @ Q, np.eye(k), atol=tolerance(dtype))
    diagonal = np.abs(np.diag(R))
    assert (diagonal[:-1] >= diagonal[1:] * (1 - tolerance(dtype))).all()
    check(given, a)
    only, again = db.linalg.qr(given, "r", pivoting=True, overwrite_a=True)
    np.testing.assert_array_equal(again, p)
    np.testing.assert_allclose(whole(only), R, atol=tolerance(dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_rank_by_qr(comm, dtype):
    """R's diagonal falls from 1 to 1e-3 in steps of 10, and then to rounding."""
    sizes = np.array([1, 1e-1, 1e-2, 1e-3, 0, 0])
    a = (np.linalg.qr(random((9, 6)))[0] * sizes).astype(dtype)
    given = distributed(comm, a, "cyclic")
    for rcond, wanted in ((0.5, 1), (0.05, 2), (5e-4, 4), (-1, 4), (2, 0)):
        q, r, p, rank = db.linalg.qr(given, pivoting=True, rcond=rcond)
        assert rank == wanted and isinstance(rank, int)
        np.testing.assert_allclose(whole(q) @ whole(r), a[:, p], atol=tolerance(dtype))
        assert db.linalg.qr(given, "r", pivoting=True, rcond=rcond)[2] == wanted
    assert len(db.linalg.qr(given, pivoting=True)) == 3
    check(given, a)
    with pytest.raises(db.ArgumentError, match="rcond is of factors with pivoting"):
        db.linalg.qr(given, rcond=1e-3)
    with pytest.raises(db.ArgumentError, match="tolerance"):
        db.linalg.qr(given, pivoting=True, rcond=np.nan)


@pytest.mark.parametrize("shape", ((17, 8), (8, 17)))
@pytest.mark.parametrize("name", ("row slabs", "cyclic", "padded"))
def test_lstsq_of_any_rank(comm, name, shape):
    a = random((shape[0], 3)) @ random((3, shape[1]), seed=5)
    b = random((shape[0], 2), seed=2)
    given, right = distributed(comm, a, name), distributed(comm, b)
    x, residuals, rank, _ = db.linalg.lstsq(given, right, rcond=1e-10)
    check(x, np.linalg.lstsq(a, b, rcond=1e-10)[0], 1e-8)
    assert rank == 3 and len(residuals) == 0
    check(given, a)
    check(right, b)


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_schur(comm, name, dtype):
    n = 13
    a = random((n, n), dtype)
    given = distributed(comm, a, name)
    for output in ("real", "complex"):
        t, z = db.linalg.schur(given, output)
        T, Z = whole(t), whole(z)
        assert T.dtype == (np.result_type(dtype, np.complex64) if output == "complex" else dtype)
        assert t.layout == given.layout
        np.testing.assert_allclose(Z @ T @ Z.conj().T, a, atol=tolerance(dtype))
        np.testing.assert_allclose(Z.conj().T @ Z, np.eye(n), atol=tolerance(dtype))
        np.testing.assert_array_equal(T, np.triu(T, 0 if T.dtype.kind == "c" else -1))
    check(given, a)


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_eig(comm, name, dtype):
    n = 13
    a = random((n, n), dtype)
    given = distributed(comm, a, name)
    w, v = db.linalg.eig(given)
    V = whole(v)
    assert w.dtype == V.dtype == np.result_type(dtype, np.complex64)
    np.testing.assert_allclose(a @ V, V * w, atol=10 * tolerance(dtype))
    np.testing.assert_allclose(np.linalg.norm(V, axis=0), 1, rtol=tolerance(dtype))
    np.testing.assert_allclose(np.sort(w), np.sort(np.linalg.eigvals(a)), atol=20 * tolerance(dtype))
    np.testing.assert_allclose(np.sort(db.linalg.eigvals(given)), np.sort(w), atol=20 * tolerance(dtype))
    assert len(set(comm.allgather(w.tobytes()))) == 1
    check(given, a)


def test_schur_refuses(comm):
    a = distributed(comm, random((5, 5)))
    with pytest.raises(ValueError, match="output"):
        db.linalg.schur(a, "x")
    for function in (db.linalg.schur, db.linalg.eig, db.linalg.eigvals):
        with pytest.raises(ValueError, match="square"):
            function(distributed(comm, random((4, 5))))

"""Linear systems against numpy and scipy, in all layouts."""

import numpy as np
import pytest
import scipy.linalg

import dapbridge as db
from matrices import SAMPLE, TYPES, check, distributed, positive, random, regular, tolerance, whole

N = 13


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_solve(comm, name, dtype):
    a, b = regular(N, dtype), random((N, 3), dtype, 2)
    left = distributed(comm, a, name)
    for right in (distributed(comm, b, name), distributed(comm, b[:, 0].copy(), name)):
        x = db.linalg.solve(left, right)
        check(x, np.linalg.solve(a, whole(right)), tolerance(dtype))
        assert x.layout == right.layout


@pytest.mark.parametrize("name, dtype", SAMPLE[:4])
def test_solve_transposed(comm, name, dtype):
    a, b = regular(N, dtype), random((N, 2), dtype, 2)
    left, right = distributed(comm, a, name), distributed(comm, b)
    t = tolerance(dtype)
    check(db.linalg.solve(left.T, right), np.linalg.solve(a.T, b), t)
    check(db.linalg.solve(left.T.conj(), right), np.linalg.solve(a.conj().T, b), t)
    check(db.linalg.solve(left.conj(), right), np.linalg.solve(a.conj(), b), t)
    check(db.linalg.solve(left, right, transposed=True), np.linalg.solve(a.T, b), t)
    check(db.linalg.solve(left.T, right, transposed=True), np.linalg.solve(a, b), t)
    check(left, a)


@pytest.mark.parametrize("lower", (True, False))
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_solve_positive(comm, name, lower, dtype):
    a, b = positive(N, dtype), random((N, 2), dtype, 2)
    one = np.tril(a) if lower else np.triu(a)
    left, right = distributed(comm, one, name), distributed(comm, b, name)
    x = db.linalg.solve(left, right, assume_a="pos", lower=lower)
    check(x, np.linalg.solve(a, b), tolerance(dtype))
    x = db.linalg.solve(left, right, assume_a="pos", lower=lower, transposed=True)
    check(x, np.linalg.solve(a.T, b), tolerance(dtype))
    x = db.linalg.solve(left.T, right, assume_a="pos", lower=not lower)
    check(x, np.linalg.solve(a.T, b), tolerance(dtype))


@pytest.mark.parametrize("kind", ("sym", "her"))
@pytest.mark.parametrize("lower", (True, False))
@pytest.mark.parametrize("name", ("row slabs", "cyclic"))
def test_solve_indefinite(comm, name, lower, kind):
    a = random((N, N), np.complex128) + 5 * np.diag((-1.0) ** np.arange(N))
    a = a + (a.T if kind == "sym" else a.conj().T)
    b = random((N, 2), np.complex128, 2)
    rubbish = np.triu(random((N, N), seed=7), 1)
    one = np.tril(a) + rubbish if lower else np.triu(a) + rubbish.T
    left = distributed(comm, one, name)
    x = db.linalg.solve(left, distributed(comm, b, name), assume_a=kind, lower=lower)
    check(x, np.linalg.solve(a, b))
    check(left, one)
    for view, wanted in ((left.T, a.T), (left.T.conj(), a.T.conj())):  # whose triangle is the other one
        x = db.linalg.solve(view, distributed(comm, b, name), assume_a=kind, lower=not lower)
        check(x, np.linalg.solve(wanted, b))


def test_solve_with_numpy(comm):
    a, b = regular(N), random((N, 2), seed=2)
    kept = b.copy()
    x = db.linalg.solve(distributed(comm, a, "blocks"), b)
    assert isinstance(x, np.ndarray)
    np.testing.assert_allclose(x, np.linalg.solve(a, b))
    np.testing.assert_array_equal(b, kept)
    y = db.linalg.solve(a, distributed(comm, b))
    check(y, np.linalg.solve(a, b))
    assert db.linalg.solve(distributed(comm, a), b, overwrite_b=True) is b
    np.testing.assert_allclose(b, np.linalg.solve(a, kept))


@pytest.mark.parametrize("shape", ((17, 5), (5, 17), (9, 9)))
@pytest.mark.parametrize("name", ("row slabs", "cyclic", "padded"))
def test_lstsq(comm, name, shape):
    a, b = random(shape), random((shape[0], 3), seed=2)
    x, residuals, rank, s = db.linalg.lstsq(distributed(comm, a, name), distributed(comm, b, name), rcond=None)
    expected, sums, *_ = np.linalg.lstsq(a, b, rcond=None)
    check(x, expected, 1e-8)
    np.testing.assert_allclose(residuals, sums, rtol=1e-8)
    assert (rank, s) == (min(shape), None)


@pytest.mark.parametrize("dtype", TYPES)
def test_lstsq_of_one_right_hand_side(comm, dtype):
    a, b = random((17, 5), dtype), random((17,), dtype, 2)
    expected, sums, *_ = np.linalg.lstsq(a, b, rcond=None)
    for right in (distributed(comm, b), b):
        x, residuals, _, _ = db.linalg.lstsq(distributed(comm, a, "cyclic"), right)
        np.testing.assert_allclose(
            x if isinstance(x, np.ndarray) else whole(x), expected, rtol=10 * tolerance(dtype)
        )
        np.testing.assert_allclose(residuals, sums, rtol=10 * tolerance(dtype))
        assert residuals.dtype == sums.dtype


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_inv(comm, name, dtype):
    a = regular(N, dtype)
    given = distributed(comm, a, name)
    result = db.linalg.inv(given)
    check(result, np.linalg.inv(a), tolerance(dtype))
    assert result.layout == given.layout
    check(given, a)


@pytest.mark.parametrize("name, dtype", SAMPLE[:4])
def test_det(comm, name, dtype):
    a = regular(N, dtype)
    given = distributed(comm, a, name)
    sign, log = db.linalg.slogdet(given)
    expected = np.linalg.slogdet(a)
    np.testing.assert_allclose([sign, log], expected, rtol=tolerance(dtype))
    assert sign.dtype == expected[0].dtype and log.dtype == expected[1].dtype
    np.testing.assert_allclose(db.linalg.det(given), np.linalg.det(a), rtol=tolerance(dtype))
    check(given, a)


def test_det_of_singular(comm):
    a = np.ones((N, N))
    sign, log = db.linalg.slogdet(distributed(comm, a))
    assert (sign, log) == (0, -np.inf)
    assert db.linalg.det(distributed(comm, a)) == 0


@pytest.mark.parametrize("dtype", TYPES)
def test_cond(comm, dtype):
    a = regular(N, dtype)
    given = distributed(comm, a, "cyclic")
    for p in (None, 2, -2, "fro"):
        np.testing.assert_allclose(db.linalg.cond(given, p), np.linalg.cond(a, p), rtol=tolerance(dtype))
    for p in (1, np.inf):
        exact, estimate = np.linalg.cond(a, p), db.linalg.cond(given, p)
        assert exact / 3 <= estimate <= exact * (1 + tolerance(dtype))
    np.testing.assert_allclose(
        db.linalg.cond(distributed(comm, a[:, :5])), np.linalg.cond(a[:, :5]), rtol=tolerance(dtype)
    )


def test_cond_of_singular(comm):
    zero = distributed(comm, np.zeros((N, N)))
    for p in (1, np.inf, "fro"):
        assert db.linalg.cond(zero, p) == np.inf


def test_singular(comm):
    b = distributed(comm, np.ones(N))
    zero = distributed(comm, np.zeros((N, N)), "blocks")
    with pytest.raises(np.linalg.LinAlgError, match="singular") as error:
        db.linalg.solve(zero, b)
    texts = comm.allgather(str(error.value))
    assert len(set(texts)) == 1
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        db.linalg.inv(zero)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite.*symmetric indefinite.*LU"):
        db.linalg.solve(distributed(comm, -positive(N)), b, assume_a="pos")


def test_empty(comm):
    a, b = np.zeros((0, 0)), np.zeros((0, 2))
    check(db.linalg.solve(distributed(comm, a), distributed(comm, b)), b)
    assert db.linalg.det(distributed(comm, a)) == 1
    with pytest.raises(np.linalg.LinAlgError, match="empty"):
        db.linalg.cond(distributed(comm, a))


def test_the_log_tells_when_functions_begin_and_end(comm):
    lines = []
    db.set_log(lines.append)
    db.linalg.solve(distributed(comm, regular(N), "row slabs"), distributed(comm, random((N,), seed=2), "row slabs"))
    with pytest.raises(np.linalg.LinAlgError):
        db.linalg.inv(distributed(comm, np.zeros((N, N)), "row slabs"))
    db.set_log(None)
    told = [line for line in lines if line.startswith("dap_linalg_")]
    solve = [line for line in told if line.startswith("dap_linalg_solve")]
    inverse = [line for line in told if line.startswith("dap_linalg_inverse")]
    assert [line.partition(" after ")[0] for line in solve] == ["dap_linalg_solve begins", "dap_linalg_solve ended"]
    assert solve[1].endswith(" s: OK")
    assert inverse[0] == "dap_linalg_inverse begins" and inverse[1].endswith(" s: NUMERIC"), told

"""Factors that are kept, and refined solutions, against numpy and scipy."""

import copy
import gc
import weakref

import numpy as np
import pytest

import dapbridge as db
from matrices import SAMPLE, TYPES, check, distributed, positive, random, regular, tolerance, whole

N = 13


def transposed(a, trans):
    return {"N": a, "T": a.T, "C": a.conj().T}[trans]


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_lu(comm, name, dtype):
    a, t = regular(N, dtype), tolerance(dtype)
    left = distributed(comm, a, name)
    factors = db.linalg.lu_factor(left)
    check(left, a)
    for k, trans in enumerate("NTC"):
        b = random((N, 3), dtype, 2 + k)
        right = distributed(comm, b, name)
        check(factors.solve(right, trans), np.linalg.solve(transposed(a, trans), b), t)
        check(factors.solve(right, k), np.linalg.solve(transposed(a, trans), b), t)
        check(right, b)
        check(db.linalg.lu_solve(factors, right, trans=k), np.linalg.solve(transposed(a, trans), b), t)
    check(factors.inv(left), np.linalg.inv(a), t)
    sign, log = factors.slogdet()
    np.testing.assert_allclose((sign, log), np.linalg.slogdet(a), rtol=t)
    for p in (1, np.inf):
        exact = np.linalg.cond(a.astype(np.complex128), p)
        assert exact / 4 < factors.cond(p) <= exact * (1 + t)


@pytest.mark.parametrize("lower", (True, False))
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_cholesky(comm, name, lower, dtype):
    a, b, t = positive(N, dtype), random((N, 2), dtype, 2), tolerance(dtype)
    one = np.tril(a) if lower else np.triu(a)
    factors = db.linalg.cho_factor(distributed(comm, one, name), lower)
    for trans in "NTC":
        x = factors.solve(distributed(comm, b), trans)
        check(x, np.linalg.solve(transposed(a, trans), b), t)
    check(db.linalg.cho_solve(factors, distributed(comm, b)), np.linalg.solve(a, b), t)
    np.testing.assert_allclose(factors.slogdet(), np.linalg.slogdet(a), rtol=t)
    assert factors.shape == (N, N) and factors.dtype == dtype


@pytest.mark.parametrize("name", ("row slabs", "square blocks", "padded", "unstructured"))
def test_overwritten_matrices_hold_the_factors(comm, name):
    a, b = regular(N), random((N,), seed=2)
    left, report = distributed(comm, a, name), []
    factors = db.linalg.lu_factor(left, overwrite_a=True, report=report)
    assert [use.name for use in report] == ["A"]
    alive = weakref.ref(left)
    if not report[0].shared:
        left.local[...] = np.nan
    del left
    gc.collect()
    assert alive() is None
    np.testing.assert_allclose(factors.solve(b), np.linalg.solve(a, b))
    right = distributed(comm, b)
    x = factors.solve(right, overwrite_b=True, report=report)
    assert x is right and [use.name for use in report] == ["A", "factors", "B"]
    check(x, np.linalg.solve(a, b))


def test_right_hand_sides_are_converted(comm):
    a = regular(N, np.float32)
    factors = db.linalg.lu_factor(distributed(comm, a))
    x = factors.solve(np.arange(N))
    assert x.dtype == np.float32
    np.testing.assert_allclose(x, np.linalg.solve(a, np.arange(N)), rtol=1e-3)
    with pytest.raises(db.ArgumentError, match="complex"):
        factors.solve(np.ones(N, complex))
    assert db.linalg.lu_factor(distributed(comm, a.astype(int) + 9 * np.eye(N, dtype=int))).dtype == np.float64


def test_the_end_of_factors(comm):
    a = distributed(comm, regular(N))
    with db.linalg.lu_factor(a) as factors:
        assert "13 x 13 float64" in repr(factors)
        with pytest.raises(TypeError, match="pickled"):
            copy.copy(factors)
    assert "destroyed" in repr(factors)
    factors.destroy()
    for use in (lambda: factors.solve(np.ones(N)), factors.slogdet, factors.cond, lambda: factors.inv(a)):
        with pytest.raises(db.ArgumentError, match="factors|destroyed"):
            use()
    db.linalg.lu_factor(a)  # dropped at once, on each process for itself


def test_factors_destroyed_on_one_process(comm):
    a = distributed(comm, regular(N))
    factors = db.linalg.lu_factor(a)
    if comm.rank == comm.size - 1:
        factors.destroy()
    for use in (lambda: factors.solve(np.ones(N)), factors.slogdet, factors.cond, lambda: factors.inv(a)):
        with pytest.raises(db.ArgumentError, match="destroyed"):
            use()
    np.testing.assert_allclose(db.linalg.norm(a), np.linalg.norm(regular(N)))  # nobody waits for anybody


def test_refused_factors(comm):
    a = distributed(comm, np.zeros((N, N)))
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        db.linalg.lu_factor(a)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite.*symmetric indefinite.*LU"):
        db.linalg.cho_factor(a)
    with pytest.raises(db.ArgumentError, match="square|13 x 2"):
        db.linalg.lu_factor(distributed(comm, random((N, 2))))
    factors = db.linalg.lu_factor(distributed(comm, regular(N)))
    with pytest.raises(db.ArgumentError, match="trans"):
        factors.solve(np.ones(N), trans="H")
    with pytest.raises(db.ArgumentError, match="B must be"):
        factors.solve(np.ones(N + 1))
    with pytest.raises(db.ArgumentError, match="norm"):
        factors.cond("fro")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("trans", (0, 1, 2))
def test_refined_lazy_views(comm, dtype, trans):
    a, b, t = regular(N, dtype), random((N,), dtype, 2), tolerance(dtype)
    left = distributed(comm, a, "cyclic")
    views = ((left.T, a.T), (left.T.conj(), a.T.conj()), (left.conj(), a.conj()))
    for view, same in views:
        refined = db.linalg.solve_refined(view, b, trans)
        expected = np.linalg.solve(transposed(same, "NTC"[trans]), b)
        np.testing.assert_allclose(refined.x, expected, rtol=t, atol=t)


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_refined(comm, name, dtype):
    a, b = regular(N, dtype), random((N, 3), dtype, 2)
    scale = 2.0 ** np.arange(-N, N, 2)
    a = (a * scale[:, None]).astype(dtype)
    left, right, report = distributed(comm, a, name), distributed(comm, b, name), []
    result = db.linalg.solve_refined(left, right, report=report)
    wide = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
    exact = np.linalg.solve(a.astype(wide), b.astype(wide))
    off = np.abs(whole(result.x) - exact).max(axis=0) / np.abs(exact).max(axis=0)
    eps = np.finfo(dtype).eps
    assert (off <= result.forward_error + 1e-14).all() and (result.forward_error < 1e4 * eps).all()
    assert (result.backward_error <= 4 * eps).all() and result.forward_error.shape == (3,)
    assert 1e-3 < result.rcond <= 1
    assert [use.name for use in report] == ["A", "B", "X"]
    check(left, a)
    check(right, b)


def test_refined_with_one_right_hand_side(comm):
    a, b = regular(N), random((N,), seed=2)
    left = distributed(comm, a)
    x, forward, backward, rcond = db.linalg.solve_refined(left, b, "T")
    np.testing.assert_allclose(x, np.linalg.solve(a.T, b))
    assert isinstance(x, np.ndarray) and forward.shape == backward.shape == (1,)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        db.linalg.solve_refined(distributed(comm, np.zeros((N, N))), b)
    with pytest.raises(db.ArgumentError, match="trans"):
        db.linalg.solve_refined(left, b, "X")

"""Tests refusals of dapbridge.linalg, the same on all processes. test_one_rank_errs.py tests values of single
options."""

import sys

import numpy as np
import pytest
from layouts import distributed
from maps import check, same_error
from matrices import hermitian, random, regular

import dapbridge as db

la = db.linalg
N = 12


def zero(a):
    return db.like(a)


def infinite(a):
    b = a.copy()
    b.local[...] = np.inf
    return b


def with_one_nan(a):
    whole = regular(N)
    whole[N - 1, 2] = np.nan
    return distributed(a.comm, whole)


ARGUMENT, SINGULAR, UNSUPPORTED = db.ArgumentError, np.linalg.LinAlgError, db.UnsupportedError
#: Rows: the call of a matrix and a vector, the exception, and parts of its text.
REFUSED = {
    "half precision": (lambda a, v: la.inv(a.astype("f2").copy()), UNSUPPORTED, "float32|complex128"),
    "extended precision": (lambda a, v: la.inv(a.astype("g").copy()), UNSUPPORTED, "not supported"),
    "no array": (lambda a, v: la.solve(np.eye(3), np.ones(3)), TypeError, "Array"),
    "masked": (lambda a, v: la.solve(a, np.ma.masked_less(np.arange(N), 2)), ARGUMENT, "masked"),
    **{f"{name} of a vector": (lambda a, v, name=name: getattr(la, name)(v), ValueError, "axes")
       for name in ("inv", "eigh", "svd", "qr", "det", "rank_k")},
    **{f"{name} of a wide matrix": (lambda a, v, name=name: getattr(la, name)(a[:5]), ARGUMENT, "5|12")
       for name in ("inv", "cholesky", "lu", "expm", "schur", "eig", "eigvals", "lu_factor", "eigh")},
    "shapes of a product": (lambda a, v: a[:5] @ a[:5], ValueError, ""),
    "singular": (lambda a, v: la.solve(zero(a), v), SINGULAR, "singular"),
    "singular inverse": (lambda a, v: la.inv(zero(a)), SINGULAR, "singular"),
    "singular factors": (lambda a, v: la.lu_factor(zero(a)), SINGULAR, "singular"),
    "singular lu": (lambda a, v: la.lu(zero(a)), SINGULAR, "singular"),
    "singular refined": (lambda a, v: la.solve_refined(zero(a), v), SINGULAR, "singular"),
    "singular power": (lambda a, v: la.matrix_power(zero(a), -1), SINGULAR, ""),
    "singular triangle": (lambda a, v: la.solve_triangular(zero(a), v), SINGULAR, "A(1, 1)|zero"),
    "singular band": (lambda a, v: la.solve_banded((5, 6), zero(a), v), SINGULAR, "singular"),
    "low rank": (lambda a, v: la.lstsq(zero(a), v), SINGULAR, "full rank|rcond=-1"),
    "negative": (lambda a, v: la.cholesky(zero(a)), SINGULAR, "positive definite"),
    "negative, solved": (lambda a, v: la.solve(zero(a), v, assume_a="pos"), SINGULAR, "positive definite|LU"),
    "negative factors": (lambda a, v: la.cho_factor(zero(a)), SINGULAR, "positive definite|LU"),
    "negative band": (lambda a, v: la.solveh_banded(zero(a), v), SINGULAR, "positive definite"),
    "negative second matrix": (lambda a, v: la.eigh(a, b=zero(a)), SINGULAR, "positive definite"),
    "infinity": (lambda a, v: la.expm(infinite(a)), SINGULAR, "infinity"),
    **{f"NaN, condition number {p}": (lambda a, v, p=p: la.cond(with_one_nan(a), p), SINGULAR, "not finite|(11, 2)")
       for p in (None, 2, -2, 1, np.inf, "fro")},
    "infinity, condition number fro": (lambda a, v: la.cond(infinite(a), "fro"), SINGULAR, "not finite"),
    "empty": (lambda a, v: la.cond(a[:0, :0]), SINGULAR, "empty"),
    "rcond NaN": (lambda a, v: la.qr(a, pivoting=True, rcond=np.nan), ARGUMENT, "tolerance"),
    "norm of factors": (lambda a, v: la.lu_factor(a).cond("fro"), ARGUMENT, "norm"),
    "norm of an axis": (lambda a, v: la.norm(a, "fro", axis=1), ValueError, "norm of vectors"),
    "numbers of diagonals": (lambda a, v: la.solve_banded((1, 2), a, v), ValueError, "lower"),
    "no pair of numbers": (lambda a, v: la.solve_banded((1.5, 0.5), a, v), ValueError, "l_and_u"),
    "second matrix by position": (lambda a, v: la.eigh(a, a), ValueError, "b="),
    "two subsets": (lambda a, v: la.eigh(a, subset_by_index=(0, 1), subset_by_value=(0, 1)), ValueError, "exclude"),
    "full matrices of numpy": (lambda a, v: np.linalg.svd(a[:5]), UNSUPPORTED, "full_matrices=False"),
    "Hermitian pinv of a wide matrix": (lambda a, v: la.pinv(a[:5], hermitian=True), ARGUMENT, "5 x 12"),
    "two tolerances": (lambda a, v: la.matrix_rank(a, tol=1.0, rtol=1.0), ARGUMENT, "only one"),
    "L of LU factors": (lambda a, v: la.lu_factor(a).L, AttributeError, "linalg.lu(a)"),
    "trans of factors": (lambda a, v: la.lu_factor(a).solve(v, trans="H"), ARGUMENT, "trans"),
    "rows of factors": (lambda a, v: la.lu_factor(a).solve(np.ones(N + 1)), ARGUMENT, "B must"),
    "complex beside real factors": (lambda a, v: la.lu_factor(a).solve(np.ones(N, complex)), ARGUMENT, "complex"),
    "complex alpha": (lambda a, v: la.multiply_triangular(a, v, alpha=1j), ARGUMENT, "alpha|real matrices"),
    "complex alpha of Hermitian": (lambda a, v: la.rank_k(a.astype(complex), alpha=1j), ARGUMENT, "alpha"),
    "complex beta of Hermitian": (lambda a, v: la.rank_k(a.astype(complex), beta=1j), ARGUMENT, "beta"),
    "keyword of identity": (lambda a, v: db.identity(4, a.comm, dtyp=int), ARGUMENT, "did you mean|'dtype'"),
    "communicator of eye": (lambda a, v: db.eye(3, 4), TypeError, "comm is int"),
}  # fmt: skip
ON_SEVERAL = {
    "on different processes": (lambda a, v, last: la.solve(a, a[1]), ValueError, "different processes"),
    "product on different processes": (lambda a, v, last: a[1] @ a, ValueError, "different processes"),
    "UPLO differs": (lambda a, v, last: la.eigh(a, "L" if last else "U"), ValueError, ""),
    "rcond differs": (lambda a, v, last: la.pinv(a, rcond=1e-3 if last else 1e-4), ARGUMENT, "differs"),
    "hermitian differs": (lambda a, v, last: la.pinv(a, hermitian=last), ARGUMENT, "differs"),
    "power differs": (lambda a, v, last: la.matrix_power(a, 2 + last), ARGUMENT, "n differs"),
    "offset differs": (lambda a, v, last: db.eye(4, a.comm, k=int(last)), ARGUMENT, "k differs"),
    "a text on one": (lambda a, v, last: la.solve(a, np.array(["x"] * N) if last else np.ones(N)), UNSUPPORTED, "str"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(comm, what):
    call, kind, words = REFUSED[what]
    a, v = distributed(comm, regular(N)), distributed(comm, random((N,)))
    same_error(comm, kind, lambda: call(a, v), words)


@pytest.mark.parametrize("what", ON_SEVERAL)
def test_refused_on_several(comm, several, last, what):
    call, kind, words = ON_SEVERAL[what]
    a, v = distributed(comm, regular(N)), distributed(comm, random((N,)))
    same_error(comm, kind, lambda: call(a, v, last), words)


def test_without_elpa(comm, monkeypatch):
    monkeypatch.setitem(sys.modules, "dapbridge._elpa", None)
    monkeypatch.delattr(db, "_elpa", raising=False)
    same_error(comm, NotImplementedError, lambda: la.eigh(distributed(comm, hermitian(5)), driver="elpa"), "'elpa'|built")


# ---- numpy operands must be the same on every process; a hash checks this -------------------------------------

CALLS = {
    "matmul": lambda a, v: a @ v,
    "matmul from the left": lambda a, v: v @ a,
    "solve": la.solve,
    "factors": lambda a, v: la.lu_factor(a).solve(v),
    "lstsq": la.lstsq,
    "solve_triangular": la.solve_triangular,
    "solve_refined": la.solve_refined,
}
SPOILT = {
    "values": lambda v: v + 1e-13 * (np.arange(N) == 3),
    "order": lambda v: v[::-1],
    "type": lambda v: v.astype("f4"),
    "length": lambda v: v[:5],
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("spoilt", SPOILT)
def test_operands_that_differ(comm, several, last, name, spoilt):
    a, v = distributed(comm, regular(N)), np.arange(1.0, N + 1)
    error = same_error(comm, ARGUMENT, lambda: CALLS[name](a, SPOILT[spoilt](v) if last else v), "every process")
    assert error.rank == comm.size - 1
    CALLS[name](a, v)  # the communicator is still usable


def test_operands_of_any_form_are_equal(comm, monkeypatch):
    a, v = regular(N), np.arange(1.0, N + 1)
    given = distributed(comm, a)
    for form in (np.ascontiguousarray, lambda v: np.repeat(v, 2)[::2]):
        check(given @ (form(v) if comm.rank == 0 else v), a @ v, tolerance=1e-9)
    monkeypatch.setattr(db, "check_operands", False)
    given @ (v + comm.rank)

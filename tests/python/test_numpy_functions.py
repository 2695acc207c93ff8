"""Tests numpy's functions on distributed arrays. They give numpy's results, or are refused on any number of
processes."""

import numpy as np
import pytest
from maps import check, fill, ramp, random_array, same_error
from mpi4py import MPI

import dapbridge


def matrix(comm, shape=(7, 5), dist=("cyclic", "block")):
    whole = ramp(shape)
    return fill(dapbridge.zeros(shape, comm, list(dist)), whole), whole


# ---- equal ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_equal(comm, seed):
    random = np.random.default_rng(seed)
    whole = ramp((int(random.integers(1, 8)), int(random.integers(1, 8))))
    a = fill(random_array(random, comm, whole.shape), whole)
    assert np.array_equal(a, a) is True and np.array_equal(a, a.gather()) is True and np.array_equal(whole, a) is True
    assert np.array_equal(a.T, a.T) is True and (a.T == a.T).all() and not (a.T != a.T).any()
    assert np.array_equiv(a, whole[0]) is bool((whole == whole[0]).all())
    assert np.array_equal(a, whole[:, :-1]) is False
    other = whole.copy()
    other[-1, -1] += 1e-9
    assert np.array_equal(a, other) is False and np.allclose(a, other) is True
    assert np.allclose(a, other, rtol=0, atol=1e-12) is False
    b = fill(dapbridge.like(a), other)
    assert np.array_equal(a, b) is False and np.allclose(a, b) is True


def test_equal_nan(comm):
    whole = np.array([1.0, np.nan] * comm.size)
    a = dapbridge.from_global(whole, comm)
    assert np.array_equal(a, a) is False
    assert np.array_equal(a, a, equal_nan=True) is True and np.allclose(a, whole, equal_nan=True) is True


# ---- like numpy -----------------------------------------------------------------------------------------------

FUNCTIONS = {
    # Calls with a matrix, which return an array or numpy's own result.
    "zeros_like": lambda a: np.zeros_like(a),
    "ones_like, of another type": lambda a: np.ones_like(a, dtype="i4"),
    "full_like": lambda a: np.full_like(a, 7),
    "copy": lambda a: np.copy(a),
    "nan_to_num": lambda a: np.nan_to_num(a * np.nan, nan=5.0),
    "isfinite": lambda a: np.isfinite(a),
    "sinc": lambda a: np.sinc(a * 0.3),
    "clip": lambda a: np.clip(a, 3, 9),
    "trace": lambda a: np.trace(a),
    "trace above": lambda a: a.trace(2),
    "trace below": lambda a: np.trace(a, -3),
    "trace outside": lambda a: np.trace(a, 99),
    "diagonal": lambda a: np.diagonal(a),
    "diagonal above": lambda a: np.diag(a, 1),
    "diagonal below": lambda a: a.diagonal(-2),
    "diagonal outside": lambda a: a.diagonal(-99),
    "vdot": lambda a: np.vdot(a * 1j, a + 1j),
    "shape": lambda a: np.shape(a),
    "ndim": lambda a: np.ndim(a),
    "size": lambda a: np.size(a),
    "result_type": lambda a: np.result_type(a, np.complex64),
    "can_cast": lambda a: np.can_cast(a, np.float32),
    "isrealobj": lambda a: np.isrealobj(a) and not np.iscomplexobj(a),
    "real": lambda a: (a * 1j + 2).real,
    "imag": lambda a: np.imag(a * 1j + 2),
    "round": lambda a: (a * 0.123).round(1),
    "times a number": lambda a: a.dot(2),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", [(7, 5), (5, 7), (1, 3)], ids=str)
def test_functions(comm, name, shape):
    a, whole = matrix(comm, shape)
    found, wanted = FUNCTIONS[name](a), FUNCTIONS[name](whole)
    if isinstance(found, dapbridge.Array):
        assert found.dtype == wanted.dtype
        check(found, wanted)
    else:
        assert found == wanted and len(set(comm.allgather(found))) == 1


@pytest.mark.parametrize("seed", range(6))
def test_vectors(comm, seed):
    random = np.random.default_rng(seed)
    first, second = (random.integers(-5, 5, n).astype("f8") for n in random.integers(1, 9, 2))
    a, b = (fill(random_array(random, comm, x.shape), x) for x in (first, second))
    if a.layout.axis(0)["dist_type"] == "u" and not a.layout.axis(0)["replicated"]:
        same_error(comm, dapbridge.UnsupportedError, lambda: np.outer(a, b))
    else:
        check(np.outer(a, b), np.outer(first, second))
        check(np.outer(a, second), np.outer(first, second))
        check(np.outer(second, a), np.outer(second, first))
    assert np.vdot(a, a) == np.vdot(first, first)
    found = np.vdot(a != 0, a != 0)  # a sum of bytes would count and overflow beyond 127
    assert found == np.vdot(first != 0, first != 0) and isinstance(found, (bool, np.bool_))


def test_transpose(comm):
    a, whole = matrix(comm)
    assert isinstance(np.transpose(a), dapbridge.Lazy)
    check(np.transpose(a).copy(), whole.T)
    check(np.transpose(a, (0, 1)).copy(), whole)


# ---- one process as a numpy array -----------------------------------------------------------------------------

ORDERS = {
    "block": ("block", True),
    "backwards": (dapbridge.unstructured([[3, 2, 1, 0]]), True),
    "shuffled": (dapbridge.unstructured([[3, 0, 2, 1]]), False),
    "permuted": (dapbridge.unstructured([[2, 0, 3, 1]]), False),
    "cyclic": (dapbridge.cyclic(1), True),
    "wraps": (dapbridge.padded(1, wraps=True), True),
    "replicated": ("replicated", True),
}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_as_numpy(comm, name, order):
    """On one process the elements are in the order of their indices. The result is a view if possible."""
    dist, is_view = ORDERS[name]
    whole = ramp((4, 4))
    alone = dapbridge.zeros((4, 4), MPI.COMM_SELF, [dist, dist], order=order)
    fill(alone, whole)
    found = np.asarray(alone)
    np.testing.assert_array_equal(found, whole)
    np.testing.assert_array_equal(np.asarray(alone, "c16"), whole)
    assert np.shares_memory(found, alone.local) == is_view
    assert not np.shares_memory(alone.__array__(copy=True), alone.local)
    if is_view:
        np.testing.assert_array_equal(alone.__array__(copy=False), whole)
    else:
        with pytest.raises(ValueError, match="copy"):
            alone.__array__(copy=False)
    with pytest.raises(ValueError, match="copy"):
        alone.__array__("c16", copy=False)
    with pytest.raises(ValueError, match="copy"):
        alone.T.__array__(copy=False)
    np.testing.assert_array_equal(np.asarray(alone.T), whole.T)


def test_as_numpy_on_many(comm):
    if comm.size == 1:
        pytest.skip("one process")
    a, _ = matrix(comm)
    for x in (a, a.T):
        error = same_error(comm, TypeError, lambda: np.asarray(x))
        assert "gather()" in str(error)

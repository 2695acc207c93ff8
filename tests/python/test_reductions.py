"""Compares reductions over all and some axes with numpy's of the whole array."""

import itertools
import warnings

import numpy as np
import pytest
from maps import check, fill, ramp, random_array, same_error

import dapbridge

REDUCTIONS = {
    "sum": lambda a, **k: a.sum(**k),
    "prod": lambda a, **k: a.prod(**k),
    "min": lambda a, **k: a.min(**k),
    "max": lambda a, **k: a.max(**k),
    "mean": lambda a, **k: a.mean(**k),
    "var": lambda a, **k: a.var(**k),
    "std": lambda a, **k: np.std(a, ddof=1, **k),
    "any": lambda a, **k: a.any(**k),
    "all": lambda a, **k: np.all(a, **k),
    "argmin": lambda a, **k: a.argmin(**k),
    "argmax": lambda a, **k: np.argmax(a, **k),
    "count_nonzero": lambda a, **k: np.count_nonzero(a, **k),
    "ptp": lambda a, **k: np.ptp(a, **k),
}
TYPES = ["?", "i1", "u2", "i8", "f2", "f4", "f8", "f16", "c8", "c16"]


def whole_array(random, shape, dtype):
    """Returns few different values, so that extremes occur in several places. Floating types sometimes contain NaN."""
    whole = random.integers(0, 4, shape).astype(dtype)
    if whole.dtype.kind in "fc":
        whole = whole * whole.dtype.type(0.37)
        if whole.size and random.integers(3) == 0:
            whole.reshape(-1)[random.integers(whole.size)] = np.nan
    if whole.dtype.kind == "c":
        whole = whole + whole.dtype.type(1j) * random.integers(0, 3, shape).astype(whole.real.dtype)
    return whole


def random_axis(random, ndim, name):
    choices = [None, *range(-ndim, ndim)]
    if not name.startswith("arg"):
        choices += [c for n in range(ndim + 1) for c in itertools.combinations(range(ndim), n)]
    return choices[random.integers(len(choices))]


def outcome(call):
    """Returns numpy's result without warnings, or the exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except (ValueError, TypeError) as e:
            return e


def same_bits(comm, number):
    assert len(set(comm.allgather((type(number), number.tobytes())))) == 1


def compare(comm, found, wanted):
    """Compares results, their types, padding and copies. Only the order of sums may change values."""
    if isinstance(wanted, int):
        assert type(found) is int and set(comm.allgather(found)) == {wanted}
        return
    if not isinstance(found, dapbridge.Array):
        assert isinstance(found, np.generic) and np.ndim(wanted) == 0
        same_bits(comm, found)
    else:
        found_all = found.gather()
        assert found.shape == wanted.shape
        check(found, found_all, copies=True)
        found = found_all
    assert found.dtype == wanted.dtype, (found.dtype, wanted.dtype)
    tolerance = 0 if wanted.dtype.kind in "biu" else 16 * np.finfo(wanted.dtype).eps
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_random(comm, name, seed):
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(0 if seed % 3 == 0 else 1, 7, random.integers(1, 4)))
    whole = whole_array(random, shape, str(random.choice(TYPES)))
    a = fill(random_array(random, comm, shape, whole.dtype), whole)
    options = dict(axis=random_axis(random, len(shape), name), keepdims=bool(random.integers(2)))
    wanted = outcome(lambda: REDUCTIONS[name](whole, **options))
    try:
        if isinstance(wanted, Exception):
            same_error(comm, (ValueError, dapbridge.Error), lambda: REDUCTIONS[name](a, **options))
            return
        found = outcome(lambda: REDUCTIONS[name](a, **options))
        if isinstance(found, Exception):
            raise found
        compare(comm, found, wanted)
    except Exception as e:
        e.add_note(f"seed {seed}: {shape}, {whole.dtype}, {options}; {a.layout.summary()}")
        raise


@pytest.mark.parametrize("axis", [0, 1])
def test_large_results(comm, axis):
    """Reduces to more elements than are sent at once."""
    whole = np.random.default_rng(3).normal(size=(700, 700))
    a = dapbridge.from_global(whole, comm, ["block", "block"])
    found = a.sum(axis, keepdims=True)
    np.testing.assert_allclose(found.gather(), whole.sum(axis, keepdims=True), rtol=1e-12, atol=1e-12)
    found = a.mean(axis)
    np.testing.assert_allclose(found.gather(), whole.mean(axis), rtol=1e-12, atol=1e-12)
    check(a.argmax(axis), whole.argmax(axis))


def test_where_results_are(comm):
    """Axes on one process are reduced without a move. Others give a replicated result, or with keepdims a
    distributed one."""
    u = dapbridge.zeros((4 * comm.size, 6, 3), comm, [dapbridge.padded(1)])
    assert u.sum(2).layout == u[:, :, 0].layout
    thin = dapbridge.zeros((4 * comm.size, 1, 1), comm, [dapbridge.padded(1)])
    assert u.sum((1, 2), keepdims=True).layout == thin.layout
    mean = u.mean(0)
    assert mean.local.shape == mean.shape == (6, 3)
    kept = u.max(0, keepdims=True)
    assert kept.local.shape == (1, 6, 3) and kept.layout.grid == u.layout.grid


ONE_ELEMENT = {
    # Distributions of an axis with one element, on all processes or some.
    "cyclic": dapbridge.cyclic(1), "rotated": dapbridge.cyclic(2, 1), "block": "block", "ceil": "ceil",
    "replicated": "replicated", "local": "local", "boundary": dapbridge.padded(0, boundary=(1, 0)), "lists": "lists",
}  # fmt: skip
ROWS = {"padded": dapbridge.padded(1), "lists": "lists"}


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("one", ONE_ELEMENT)
def test_keepdims_of_one_element(comm, rows, one):
    """If the result has the shape of the array, it has its layout, so that both can be operands of one call."""
    grid = (1, comm.size) if rows == "padded" or comm.size < 4 else (2, comm.size // 2)
    size = 4 * comm.size
    dists = [ROWS[rows], ONE_ELEMENT[one]]
    lists = [np.arange(size)[k :: grid[0]] for k in range(grid[0])], [[0], *[[]] * (grid[1] - 1)]
    dists = [dapbridge.unstructured(list(x)) if d == "lists" else d for d, x in zip(dists, lists)]
    if one == "rotated" and grid[1] == 1:
        dists[1] = "cyclic"
    if one == "local":
        grid = (comm.size, 1)
        if rows == "lists":
            dists[0] = dapbridge.unstructured([np.arange(size)[k :: comm.size] for k in range(comm.size)])
    whole = ramp((size, 1)) + 1
    a = fill(dapbridge.zeros((size, 1), comm, dists, grid=grid), whole)
    for reduce in (np.mean, np.max, np.sum):
        check(a - reduce(a, axis=1, keepdims=True), np.zeros(whole.shape))
    check(a - a.argmax(1, keepdims=True), whole)
    check(a / np.linalg.norm(a, axis=1, keepdims=True), np.ones(whole.shape))
    compare(comm, a.mean(1, keepdims=True), whole)
    np.testing.assert_array_equal((a - a.mean(0, keepdims=True)).gather(), whole - whole.mean())


def test_lists(comm):
    """Reduces lists that only their processes know. Ghosts must not count."""
    size = 5 * comm.size
    mine = (np.arange(7) + 5 * comm.rank) % size
    if comm.size == 1:
        mine = mine[:5]
    local = np.stack([mine * 1.0, -mine], axis=1)
    local[5:] = 1e9
    a = dapbridge.array(local, comm, [dapbridge.unstructured(mine, owned=5)])
    whole = np.stack([np.arange(size) * 1.0, -np.arange(size)], axis=1)
    assert a.sum() == whole.sum() and a.argmax() == whole.argmax()
    for axis, keepdims in itertools.product((0, 1), (False, True)):
        compare(comm, a.max(axis, keepdims=keepdims), whole.max(axis, keepdims=keepdims))
        compare(comm, a.argmin(axis, keepdims=keepdims), whole.argmin(axis, keepdims=keepdims))


def test_mean_of_large_halves(comm):
    """The sum exceeds float16, but the mean does not."""
    a = dapbridge.full((2 * comm.size, 3), 60000, comm, dtype="f2")
    for axis in (None, 0, 1):
        compare(comm, a.mean(axis), a.gather().mean(axis))


def test_infinite_variance_does_not_hide(comm):
    """Large offsets must not spoil variances: the mean is subtracted first, as in numpy."""
    whole = np.random.default_rng(1).normal(size=(40, 3)) + 1e8
    a = dapbridge.from_global(whole, comm)
    np.testing.assert_allclose(a.std(0).gather(), whole.std(0), rtol=1e-6)
    np.testing.assert_allclose(a.var(), whole.var(), rtol=1e-6)
    huge = np.array([1e200, -1e200, 3e200] * comm.size)
    with np.errstate(over="ignore"):
        assert dapbridge.from_global(huge, comm).std() == huge.std() == np.inf


def test_same_bits(comm):
    """Numbers and replicated results must have the same bits on all processes, and in each call."""
    whole = np.random.default_rng(5).normal(size=(60, 11)) * 10.0 ** np.arange(-5, 6)
    a = dapbridge.from_global(whole, comm, dapbridge.cyclic(1))
    for f in (lambda: a.sum(), lambda: a.mean(), lambda: a.std(), lambda: a.var()):
        same_bits(comm, f())
        assert f() == f()
    for found in (a.sum(0), a.std(0), a.mean(0)):
        assert len(set(comm.allgather(found.local.tobytes()))) == 1


def test_warnings_of_nothing(comm):
    a = dapbridge.zeros((0, 3), comm)
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        assert np.isnan(a.mean(0).gather()).all()
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        assert np.isnan(dapbridge.full((1,), 3.0, comm).var(ddof=1))


def test_dtype(comm):
    whole = ramp((30, 4), "i1")
    a = dapbridge.from_global(whole, comm)
    for name, dtype in itertools.product(("sum", "mean", "var", "std"), ("f4", "f8", "c16")):
        compare(comm, getattr(a, name)(dtype=dtype), getattr(whole, name)(dtype=dtype))
    compare(comm, a.sum(dtype="i1"), whole.sum(dtype="i1"))

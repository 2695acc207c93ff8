"""Compares chains of slices, lazy views, moves, arithmetic and reductions with the same calls of the whole numpy
array."""

import numpy as np
import pytest
from maps import check, fill, ramp, random_array, random_dist, random_grid

import dapbridge

TYPES = ["i4", "f4", "f8", "c8", "c16"]


def random_key(random, shape):
    """Returns an index expression of integers and slices, some of them empty, sometimes with an ellipsis or None."""
    key = []
    for n in shape:
        lo, hi = sorted(int(i) for i in random.integers(-n, n + 1, 2))
        choices = [slice(None), slice(lo, hi), slice(n // 3, n)]
        if n:
            choices.append(int(random.integers(-n, n)))
        key.append(choices[random.integers(len(choices))])
    if random.integers(4) == 0 and key:
        key[random.integers(len(key)) :] = [Ellipsis]
    if random.integers(4) == 0 and len(shape) < 4:
        key.insert(int(random.integers(len(key) + 1)), None)
    return tuple(key)


def random_dists(random, comm, shape):
    grid = random_grid(random, comm.size, len(shape))
    return [random_dist(random, n, p) for n, p in zip(shape, grid)], grid


def step_slice(random, a, whole):
    key = random_key(random, whole.shape)
    return a[key], whole[key], f"[{key}]"


def step_lazy(random, a, whole):
    """Applies one to three lazy views, and makes an array of them."""
    view, words = a, []
    dtype = None
    for _ in range(random.integers(1, 4)):
        name = random.choice(["T", "conj", "transpose", "astype"])
        if name == "T":
            view, whole = view.T, whole.T
        elif name == "conj":
            view, whole = view.conj(), whole.conj()
        elif name == "transpose":
            axes = tuple(int(k) for k in random.permutation(whole.ndim))
            view, whole = view.transpose(axes), whole.transpose(axes)
            name += str(axes)
        elif dtype is None:
            dtype = str(random.choice(TYPES))
            view, whole = view.astype(dtype), whole.astype(dtype)
            name += f"({dtype})"
        words.append(name)
    way = random.integers(3)
    words.append(("copy", "gather", "redistribute")[way])
    if way == 1:
        np.testing.assert_array_equal(view.gather(), whole)
    if way == 2 and whole.ndim:
        dists, grid = random_dists(random, a.over, whole.shape)
        return view.redistribute(dists, grid=grid), whole, ".".join(words) + f"{dists}"
    return view.copy(), whole, ".".join(words)


def step_redistribute(random, a, whole):
    if not whole.ndim:
        return a.copy(), whole, "copy"
    dists, grid = random_dists(random, a.over, whole.shape)
    return a.redistribute(dists, grid=grid), whole, f"redistribute({dists}, {grid})"


def step_out(random, a, whole):
    if not whole.ndim:
        return a.copy(), whole, "copy"
    out = random_array(random, a.over, whole.shape, whole.dtype)
    return a.redistribute(out=out), whole, f"out={out.layout.summary()}"


def step_gather(random, a, whole):
    root = int(random.integers(a.over.size))
    found = a.gather(root)
    if a.over.rank == root:
        np.testing.assert_array_equal(found, whole)
    else:
        assert found is None
    return a, whole, f"gather({root})"


def step_arithmetic(random, a, whole):
    """Applies exact operations, so that elements can be compared: with itself, a number, or an array that
    broadcasts."""
    way = random.integers(4)
    if way == 0:
        return a + a, whole + whole, "a + a"
    if way == 1:
        a -= 1
        return a, whole - whole.dtype.type(1), "-= 1"
    if way == 2 and whole.ndim and 0 not in whole.shape:
        return np.maximum(a, a[..., :1]), np.maximum(whole, whole[..., :1]), "maximum with a column"
    return np.where(a == a, a, 0 * a), whole.copy(), "where"


def step_reduce(random, a, whole):
    if not whole.ndim or 0 in whole.shape:
        return a.copy(), whole, "copy"
    axis, keepdims = int(random.integers(whole.ndim)), bool(random.integers(2)) or whole.ndim == 1
    name = str(random.choice(["sum", "max", "min"]))
    words = f"{name}({axis}, keepdims={keepdims})"
    dtype = dict(dtype=whole.dtype) if name == "sum" else {}
    return (
        getattr(a, name)(axis, keepdims=keepdims, **dtype),
        getattr(whole, name)(axis, keepdims=keepdims, **dtype),
        words,
    )


STEPS = [step_slice, step_slice, step_lazy, step_redistribute, step_out, step_gather, step_arithmetic, step_reduce]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.filterwarnings("ignore:Casting complex values to real")
def test_chain(comm, seed):
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(0, 9, random.integers(1, 5)))
    whole = ramp(shape, str(random.choice(TYPES)))
    a = fill(random_array(random, comm, shape, whole.dtype), whole)
    words = [a.layout.summary()]
    try:
        for _ in range(8):
            a, whole, word = STEPS[random.integers(len(STEPS))](random, a, whole)
            words.append(word)
            assert a.dtype == whole.dtype
            check(a, whole)
        np.testing.assert_array_equal(a.gather(), whole)
    except Exception as e:
        e.add_note("\n  ".join([f"seed {seed}", *words]))
        raise

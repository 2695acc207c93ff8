"""Makes arrays of known elements in random layouts, and checks PETSc's view of them."""

from __future__ import annotations

import math
from typing import Any

import maps
import numpy as np
from petsc4py import PETSc


def values(shape: tuple[int, ...], dtype: Any = None) -> np.ndarray:
    """Returns an array in which element i of the ravelled array is i + 1."""
    return (1 + np.arange(math.prod(shape))).reshape(shape).astype(dtype or PETSc.ScalarType)


def fill(a: Any) -> np.ndarray:
    """Sets all positions of the buffers to their elements' values. Returns the whole array."""
    whole = values(a.shape, a.dtype)
    if a.local.size:
        a.local[...] = whole[np.ix_(*a.indices())]
    return whole


def check(a: Any, expected: np.ndarray) -> None:
    """Checks the elements that this process owns, and its padding and copies."""
    maps.check(a, expected, copies=True)


BLOCKS = ("block", "lengths", "padded")
ANY = (*BLOCKS, "cyclic", "rotated", "lists")


def random_array(comm: Any, seed: int, kinds: tuple[str, ...], ndim: int, dof_axes: int = 0) -> tuple[Any, np.ndarray]:
    """Makes a random array, with the same layout on every process."""
    random = np.random.default_rng(seed)
    shape = (*random.integers(9, 13, ndim), *random.integers(1, 4, dof_axes))
    a = maps.random_array(random, comm, tuple(map(int, shape)), PETSc.ScalarType, kinds, dof_axes)
    return a, fill(a)


def address(vec: Any) -> int:
    """Returns the address of a vector's memory."""
    return int(vec.getArray(readonly=True).__array_interface__["data"][0])


def buffer_address(a: Any) -> int:
    return int(a.local.__array_interface__["data"][0])


def owned_address(a: Any) -> int:
    return int(a.owned.__array_interface__["data"][0])


def check_points(dm: Any, vec: Any, corners: Any, whole: np.ndarray, order: str, dof_axes: int) -> None:
    """Checks that a vector of a DMDA has the elements of `whole`, in the order of points that the DMDA reports."""
    points = whole.ndim - dof_axes
    along = [np.arange(s, s + n) % size for s, n, size in zip(*corners, dm.getSizes())]  # x first
    dof = math.prod(whole.shape[points:])
    found = vec.getArray(readonly=True).reshape([len(i) for i in along[::-1]] + [dof])
    by_axis = along[::-1] if order == "C" else along
    expected = whole[np.ix_(*by_axis, *[np.arange(n) for n in whole.shape[points:]])]
    if order == "F":
        expected = expected.transpose([*range(points)][::-1] + [*range(points, whole.ndim)])
    np.testing.assert_array_equal(found, expected.reshape(found.shape))


def check_field(f: Any, whole: np.ndarray, order: str, dof_axes: int = 0) -> None:
    grid = whole.shape[: whole.ndim - dof_axes]
    assert f.dm.getSizes() == (grid[::-1] if order == "C" else grid)
    assert f.dm.getDof() == math.prod(whole.shape[len(grid) :])
    if f.global_vec is not None:
        check_points(f.dm, f.global_vec, f.dm.getCorners(), whole, order, dof_axes)
    if f.local is not None:
        check_points(f.dm, f.local, f.dm.getGhostCorners(), whole, order, dof_axes)

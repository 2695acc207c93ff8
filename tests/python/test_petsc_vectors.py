"""Vectors and matrices of PETSc, against petsc4py's own account of their entries."""

import numpy as np
import pytest

PETSc = pytest.importorskip("petsc4py.PETSc")

import dapbridge as db  # noqa: E402
from petsc_cases import (  # noqa: E402
    ANY,
    address,
    buffer_address,
    check,
    fill,
    owned_address,
    random_array,
)


def entries(vec, ao=None):
    """All entries by element, on every process of the vector."""
    scatter, whole = PETSc.Scatter.toAll(vec)
    scatter.scatter(vec, whole)
    found = whole.getArray(readonly=True).copy()
    if ao is None:
        return found
    places = ao.app2petsc(np.arange(len(found), dtype=PETSc.IntType))
    return found[places]


@pytest.mark.parametrize("share", ("if-possible", "never"))
@pytest.mark.parametrize("seed", range(12))
def test_random_layouts(comm, seed, share):
    rng = np.random.default_rng(100 + seed)
    kinds = (("block",), ("lengths",), ("padded",), ("lists",), ANY)[rng.integers(5)]
    a, whole = random_array(comm, seed, kinds, 1 + seed % 3)
    order = str(rng.choice(["C", "F"]))
    with a.petsc_vector(share=share, order=order) as v:
        np.testing.assert_array_equal(entries(v.vec, v.ao), whole.ravel(order))
        assert share != "never" or not v.shared
        if v.shared and a.owned.size:
            assert v.moved_bytes == 0
            assert address(v.vec) == owned_address(a)
        v.vec.scale(2.0)
    check(a, 2 * whole)


def test_elements_and_entries_of_lists(comm):
    lists = [np.arange(12)[c :: comm.size][::-1] for c in range(comm.size)]
    a = db.zeros((12, 2), comm, [db.unstructured(lists), "local"], PETSc.ScalarType)
    whole = fill(a)
    with a.petsc_vector(block_size=2, share="required") as v:
        assert v.ao is not None and v.vec.getBlockSize() == 2
        assert address(v.vec) == buffer_address(a)
        np.testing.assert_array_equal(entries(v.vec, v.ao), whole.ravel())
        v.vec.scale(2.0)
    check(a, 2 * whole)
    with a.petsc_vector(natural=True) as v:
        assert v.ao is None and not v.shared
        np.testing.assert_array_equal(entries(v.vec), 2 * whole.ravel())


def ghosted(comm):
    """Each process has four nodes, and as a ghost the first one of the next process."""
    size = 4 * comm.size
    lists = [np.arange(4 * c, 4 * c + 5) % size for c in range(comm.size)]
    if comm.size == 1:
        lists = [lists[0][:4]]
    return db.zeros((size,), comm, [db.unstructured(lists, owned=[4] * comm.size)], PETSc.ScalarType)


def test_ghosts(comm):
    a = ghosted(comm)
    whole = fill(a)
    with a.petsc_vector(share="required") as v:
        assert v.vec.getLocalSize() == 4
        v.vec.scale(2.0)
        if comm.size > 1:
            v.vec.ghostUpdate()
            with v.vec.localForm() as form:
                np.testing.assert_array_equal(form.getArray(readonly=True), 2 * whole[a.indices()[0]])
        a.local[...] = 1
        v.halo_reverse("sum", "refresh")
    expected = np.ones_like(whole)
    if comm.size > 1:
        expected[::4] = 2
    check(a, expected)


def test_parts(comm):
    a = db.zeros((12, 5, 3), comm, ["block"], PETSc.ScalarType)
    whole = fill(a)
    with a.petsc_vector(part=np.s_[2:9, :, 1]) as v:
        if v.vec is not None:
            np.testing.assert_array_equal(entries(v.vec), whole[2:9, :, 1].ravel())
            v.vec.scale(2.0)
    whole[2:9, :, 1] *= 2
    check(a, whole)


# ---- matrices ----

MATRICES = {
    "rows in F order": (["block", "local"], "F", "dense"),
    "columns in C order": (["local", "block"], "C", "transpose"),
    "rows in C order": (["block", "local"], "C", "shell"),
    "columns in F order": (["local", "block"], "F", "shell"),
    "blocks": (["block", "block"], "C", "dense"),
    "cyclic": (["cyclic", "local"], "F", "dense"),
    "lists": (["lists", "local"], "C", "dense"),
}


def matrix(comm, name, shape):
    dist, order, kind = MATRICES[name]
    grid = None
    if dist[0] == "local":
        grid = (1, comm.size)
    elif dist[1] == "local":
        grid = (comm.size, 1)
    if dist[0] == "lists":
        places = np.random.default_rng(5).permutation(shape[0])
        dist = [db.unstructured([places[c :: comm.size] for c in range(comm.size)]), "local"]
    return db.zeros(shape, comm, dist, PETSc.ScalarType, grid, order), kind


def product(mat, shape, transposed=False):
    x, y = mat.createVecs()
    if transposed:
        x, y = y, x
    start, end = x.getOwnershipRange()
    x.setArray(np.arange(start, end) + 1)
    (mat.multTranspose if transposed else mat.mult)(x, y)
    return entries(y)


@pytest.mark.parametrize("shape", ((9, 9), (12, 7), (6, 13)))
@pytest.mark.parametrize("name", MATRICES)
def test_matrices(comm, name, shape):
    a, kind = matrix(comm, name, shape)
    whole = fill(a)
    with a.petsc_matrix() as m:
        assert m.mat.getSize() == shape
        assert m.moved_bytes == 0 or not m.shared
        if comm.size > 1 and (name != "blocks" or comm.size == 4):
            assert m.shared == (name not in ("blocks", "cyclic", "lists")), m.reason
            assert kind in str(m.mat.getType()).lower()
        np.testing.assert_allclose(product(m.mat, shape), whole @ (1 + np.arange(shape[1])))
        np.testing.assert_allclose(product(m.mat, shape, True), whole.T @ (1 + np.arange(shape[0])))
        scaled = "dense" in m.mat.getType()
        if scaled:
            m.mat.scale(2.0)
    check(a, 2 * whole if scaled else whole)


def test_matrix_forms(comm):
    a, _ = matrix(comm, "rows in C order", (9, 9))
    whole = fill(a)
    with a.petsc_matrix(form="dense", share="never") as m:
        assert "dense" in m.mat.getType()
        start, end = m.mat.getOwnershipRange()
        np.testing.assert_array_equal(m.mat.getDenseArray()[: end - start], whole[start:end])
        m.mat.scale(2.0)
    check(a, 2 * whole)
    with a.petsc_matrix(form="scalapack", block_size=(2, 2)) as m:
        assert m.mat.getType() == "scalapack" and not m.shared
        np.testing.assert_allclose(product(m.mat, (9, 9)), 2 * whole @ (1 + np.arange(9)))
    with pytest.raises(db.ShareError, match="SCALAPACK"):
        a.petsc_matrix(form="scalapack", share="required")
    with pytest.raises(db.ArgumentError):
        a.petsc_matrix(form="sparse")


def test_shared_dense_matrix_is_the_buffer(comm):
    a, _ = matrix(comm, "rows in F order", (12, 7))
    fill(a)
    with a.petsc_matrix(share="required") as m:
        local = m.mat.getDenseArray()
        assert not local.size or local.__array_interface__["data"][0] == buffer_address(a)


def test_a_plane_as_a_matrix(comm):
    a = db.zeros((12, 3, 7), comm, ["block"], PETSc.ScalarType)
    whole = fill(a)
    with a.petsc_matrix(part=np.s_[:, 1, :]) as m:
        np.testing.assert_allclose(product(m.mat, (12, 7)), whole[:, 1] @ (1 + np.arange(7)))
    with pytest.raises(db.UnsupportedError):
        a.petsc_matrix()

"""Compares vectors and matrices of PETSc with petsc4py's view of their entries, and tests PETSc's objects as arrays."""

import numpy as np
import pytest

PETSc = pytest.importorskip("petsc4py.PETSc")

import dapbridge as db  # noqa: E402
from layouts import make  # noqa: E402
from maps import Pretender  # noqa: E402
from petsc_cases import (  # noqa: E402
    ANY,
    address,
    buffer_address,
    check,
    fill,
    owned_address,
    random_array,
    values,
)


def entries(vec, ao=None):
    """Returns all entries by element, on every process of the vector."""
    scatter, whole = PETSc.Scatter.toAll(vec)
    scatter.scatter(vec, whole)
    found = whole.getArray(readonly=True).copy()
    if ao is None:
        return found
    places = ao.app2petsc(np.arange(len(found), dtype=PETSc.IntType))
    return found[places]


@pytest.mark.parametrize("share", ("if-possible", "never"))
@pytest.mark.parametrize("seed", range(8))
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
    """Makes an array of four nodes on each process, and the first one of the next process as a ghost."""
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

#: For each layout, the form of its matrix, and whether it is shared.
MATRICES = {
    "rows in F order": ("dense", True),
    "columns": ("transpose", True),
    "rows": ("shell", True),
    "square blocks in turn": ("dense", False),
    "lists of rows": ("dense", False),
}


def product(mat, shape, transposed=False):
    x, y = mat.createVecs()
    if transposed:
        x, y = y, x
    start, end = x.getOwnershipRange()
    x.setArray(np.arange(start, end) + 1)
    (mat.multTranspose if transposed else mat.mult)(x, y)
    return entries(y)


@pytest.mark.parametrize("shape", ((13, 13), (14, 7)), ids=str)  # blocks of 4 rows in turn, also on 3 processes
@pytest.mark.parametrize("name", MATRICES)
def test_matrices(comm, name, shape):
    a, (kind, shared) = make(comm, name, shape, PETSc.ScalarType), MATRICES[name]
    whole = fill(a)
    with a.petsc_matrix() as m:
        assert m.mat.getSize() == shape
        assert m.moved_bytes == 0 or not m.shared
        if comm.size > 1:
            assert m.shared == shared, m.reason
            assert kind in str(m.mat.getType()).lower()
        np.testing.assert_allclose(product(m.mat, shape), whole @ (1 + np.arange(shape[1])))
        np.testing.assert_allclose(product(m.mat, shape, True), whole.T @ (1 + np.arange(shape[0])))
        scaled = "dense" in m.mat.getType()
        if scaled:
            m.mat.scale(2.0)
    check(a, 2 * whole if scaled else whole)


def test_matrix_forms(comm):
    a = make(comm, "rows", (9, 9), PETSc.ScalarType)
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


def test_a_plane_as_a_matrix(comm):
    a = db.zeros((12, 3, 7), comm, ["block"], PETSc.ScalarType)
    whole = fill(a)
    with a.petsc_matrix(part=np.s_[:, 1, :]) as m:
        np.testing.assert_allclose(product(m.mat, (12, 7)), whole[:, 1] @ (1 + np.arange(7)))
    with pytest.raises(db.UnsupportedError):
        a.petsc_matrix()


# ---- PETSc's objects as arrays, in their memory --------------------------------------------------------------

BOUNDARIES = ("none", "ghosted", "periodic")


def dmda(comm, sizes, dof=1, boundary="none", width=1):
    return PETSc.DMDA().create(
        sizes, dof=dof, boundary_type=(boundary,) * len(sizes), stencil_width=width, comm=comm
    )


def numbered(da, vec, dof):
    """Sets a global vector to the elements of values(). Returns these in the array's shape."""
    starts, lengths = da.getCorners()
    shape = da.getSizes()[::-1]
    whole = values(shape + ((dof,) if dof > 1 else ()))
    window = tuple(slice(s, s + n) for s, n in zip(starts[::-1], lengths[::-1]))
    vec.setArray(whole[window].ravel())
    return whole


@pytest.mark.parametrize("dof", (1, 2))
@pytest.mark.parametrize("sizes", ((12,), (4, 6, 5)), ids=str)
def test_global_vectors(comm, sizes, dof):
    da = dmda(comm, sizes, dof)
    vec = da.createGlobalVec()
    whole = numbered(da, vec, dof)
    before, place = vec.norm(), address(vec)
    a = db.from_petsc(vec)
    assert a.shape == whole.shape and a.dtype == np.dtype(PETSc.ScalarType)
    assert not a.local.size or buffer_address(a) == place
    check(a, whole)
    np.testing.assert_array_equal(a.gather(), whole)
    a.local[...] *= 2
    del a
    assert vec.norm() == pytest.approx(2 * before)


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("sizes", ((12,), (6, 9)), ids=str)
def test_local_vectors(comm, sizes, boundary):
    da = dmda(comm, sizes, 1, boundary)
    vec, mine = da.createLocalVec(), da.createGlobalVec()
    whole = numbered(da, mine, 1)
    da.globalToLocal(mine, vec)
    place = address(vec)
    a = db.from_petsc(vec, comm)
    assert a.comm is comm
    assert buffer_address(a) == place
    if boundary == "ghosted":
        inner = (slice(1, -1),) * len(sizes)
        np.testing.assert_array_equal(a.gather()[inner], whole)
    else:
        check(a, whole)


def test_a_vector(comm):
    vec = PETSc.Vec().create(comm)
    vec.setSizes((3 + comm.rank, PETSc.DECIDE))
    vec.setFromOptions()
    start, end = vec.getOwnershipRange()
    vec.setArray(np.arange(start, end) + 1)
    place = address(vec)
    a = db.from_petsc(vec)
    assert buffer_address(a) == place
    check(a, values((vec.getSize(),)))
    b = a.redistribute("cyclic")
    check(b, values((vec.getSize(),)))


def test_a_dense_matrix(comm):
    mat = PETSc.Mat().createDense((9, 5), comm=comm)
    mat.setUp()
    start, end = mat.getOwnershipRange()
    whole = values((9, 5))
    mat.getDenseArray()[: end - start] = whole[start:end]
    mat.assemble()
    place = mat.getDenseArray().__array_interface__["data"][0]
    a = db.from_petsc(mat)
    assert end == start or buffer_address(a) == place
    check(a, whole)
    a.local[...] *= 2
    del a
    np.testing.assert_array_equal(mat.getDenseArray()[: end - start], 2 * whole[start:end])


def test_a_scalapack_matrix_is_a_copy(comm):
    if comm.size > 1:
        dense = PETSc.Mat().createDense((8, 8), comm=comm)
        dense.setUp()
        dense.assemble()
        a = db.from_petsc(dense.convert("scalapack"))
        assert not a.local.flags.writeable


@pytest.mark.parametrize("dof", (1, 2))
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_a_dmda(comm, boundary, dof):
    da = dmda(comm, (6, 9), dof, boundary, 2 if comm.size < 3 else 1)
    a = db.from_petsc(da)
    assert not a.local.any() and a.local.size == da.createLocalVec().getLocalSize()
    outside = "ghosted" if boundary == "ghosted" else "none"
    outer = 0 if boundary != "ghosted" else da.getStencilWidth()
    assert a.shape[:2] == (9 + 2 * outer, 6 + 2 * outer)
    with a.petsc_field(dm=da, dof_axes=dof - 1, boundary=outside, vectors="local", share="required") as f:
        assert address(f.local) == buffer_address(a)
        f.local.set(1.0)
    assert a.owned.all()


def test_on_some_processes(comm):
    """Arrays outlive PETSc's communicator."""
    half = comm.Split(comm.rank % 2)
    vec = PETSc.Vec().createMPI(6, comm=half)
    vec.set(2.0)
    a = db.from_petsc(vec)
    assert a.comm.size == half.size
    b = a.copy()
    del a
    vec.destroy()
    assert b.gather().sum() == 12
    assert db.from_petsc(PETSc.Vec().createMPI(6, comm=half)).comm == b.comm
    half.Free()


def test_memory_is_given_back_with_the_last_view(comm):
    vec = PETSc.Vec().createMPI((3, PETSc.DECIDE), comm=comm)
    references = vec.getRefCount()
    a = db.from_petsc(vec)
    window = a.local[1:]
    del a
    window[...] = 3
    assert vec.getRefCount() > references
    del window
    assert vec.getRefCount() == references
    assert vec.norm(PETSc.NormType.INFINITY) == 3


@pytest.mark.parametrize("wrong", (5, "world", Pretender()))
@pytest.mark.parametrize("where", ("everywhere", "on the last process"))
def test_what_is_no_communicator(comm, where, wrong):
    """All processes must raise. mpi4py's functions can take any object for a communicator, and end the process."""
    kind = type(wrong).__name__
    given = wrong if where == "everywhere" or comm.rank == comm.size - 1 else comm
    da = PETSc.DMDA().create([12], dof=1, stencil_width=1, comm=comm)
    mat = PETSc.Mat().createDense((4, 4), comm=comm)
    for obj in (PETSc.Vec().createMPI(6, comm=comm), da, da.createGlobalVec(), da.createLocalVec(), mat):
        with pytest.raises(db.ArgumentError, match=f"comm is {kind}, not a communicator of mpi4py"):
            db.from_petsc(obj, given)


def test_what_cannot_be(comm):
    for wrong in (None, np.zeros(3), PETSc.KSP(), comm):
        with pytest.raises(TypeError):
            db.from_petsc(wrong)
    for wrong in (PETSc.Vec(), PETSc.Mat(), PETSc.DM()):
        with pytest.raises(db.ArgumentError):
            db.from_petsc(wrong)
    with pytest.raises(TypeError):
        db.from_petsc(PETSc.DMShell().create(comm))
    sparse = PETSc.Mat().createAIJ((4, 4), comm=comm)
    sparse.setUp()
    sparse.assemble()
    with pytest.raises(db.UnsupportedError, match="aij"):
        db.from_petsc(sparse)
    if comm.size > 1:
        with pytest.raises(db.ArgumentError, match="comm must have the processes of PETSc's object"):
            db.from_petsc(PETSc.Vec().createMPI(6, comm=comm), PETSc.COMM_SELF.tompi4py())

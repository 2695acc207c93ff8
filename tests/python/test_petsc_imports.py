"""PETSc's vectors, matrices and DMDAs as arrays, in their memory."""

import numpy as np
import pytest

PETSc = pytest.importorskip("petsc4py.PETSc")

import dapbridge as db  # noqa: E402
from maps import Pretender  # noqa: E402
from petsc_cases import address, buffer_address, check, check_points, fill, values  # noqa: E402

BOUNDARIES = ("none", "ghosted", "periodic")


def dmda(comm, sizes, dof=1, boundary="none", width=1):
    return PETSc.DMDA().create(
        sizes, dof=dof, boundary_type=(boundary,) * len(sizes), stencil_width=width, comm=comm
    )


def numbered(da, vec, dof):
    """Gives a global vector the elements of values(); returns these, in the array's shape."""
    starts, lengths = da.getCorners()
    shape = da.getSizes()[::-1]
    whole = values(shape + ((dof,) if dof > 1 else ()))
    window = tuple(slice(s, s + n) for s, n in zip(starts[::-1], lengths[::-1]))
    vec.setArray(whole[window].ravel())
    return whole


@pytest.mark.parametrize("dof", (1, 2))
@pytest.mark.parametrize("sizes", ((12,), (6, 9), (4, 6, 5)), ids=str)
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
    a.local[...] = 0
    a.owned[...] = 1 + comm.rank
    a.halo_update()
    del a
    mine.getArray()[...] = 1 + comm.rank
    expected = da.createLocalVec()
    da.globalToLocal(mine, expected)
    if boundary != "ghosted":
        np.testing.assert_array_equal(vec.getArray(), expected.getArray())


def test_there_and_back(comm):
    """A vector of a DMDA as an array, and that as a field on the same DMDA."""
    da = dmda(comm, (6, 9))
    vec = da.createLocalVec()
    place = address(vec)
    a = db.from_petsc(vec)
    whole = fill(a)
    with a.petsc_field(share="required", vectors="local", dm=da) as f:
        assert address(f.local) == place
        check_points(da, f.local, da.getGhostCorners(), whole, "C", 0)
        f.local.scale(2.0)
    check(a, 2 * whole)


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
    """Told to all; mpi4py's functions may take anything for a communicator, and end the process."""
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
        with pytest.raises(db.ArgumentError):
            db.from_petsc(PETSc.Vec().createMPI(6, comm=comm), PETSc.COMM_SELF.tompi4py())

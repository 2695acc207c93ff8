"""Fields of PETSc, against petsc4py's own account of the DMDA and its vectors."""

import numpy as np
import pytest

PETSc = pytest.importorskip("petsc4py.PETSc")

import dapbridge as db  # noqa: E402
from petsc_cases import (  # noqa: E402
    ANY,
    BLOCKS,
    address,
    buffer_address,
    check,
    check_field,
    check_points,
    fill,
    owned_address,
    random_array,
    values,
)


@pytest.mark.parametrize("share", ("if-possible", "never"))
@pytest.mark.parametrize("seed", range(12))
def test_random_layouts(comm, seed, share):
    rng = np.random.default_rng(seed)
    ndim, dof_axes = 1 + seed % 3, int(rng.integers(0, 3))
    kinds = (("block",), ("lengths",), ("padded",), BLOCKS, ANY)[rng.integers(5)]
    a, whole = random_array(comm, seed, kinds, ndim, dof_axes)
    order = str(rng.choice(["C", "F"]))
    width = None if rng.integers(2) else 1
    with a.petsc_field(width=width, order=order, dof_axes=dof_axes, share=share) as f:
        check_field(f, whole, order, dof_axes)
        if share == "never":
            assert not f.shared_global and not f.shared_local
        if f.shared_local and a.local.size:
            assert address(f.local) == buffer_address(a)
        if f.shared_global and a.owned.size:
            assert address(f.global_vec) == owned_address(a)
        if f.shared_global and f.shared_local:
            assert f.moved_bytes == 0
        f.global_vec.scale(2.0)
    check(a, 2 * whole)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("ndim", (1, 2, 3))
def test_padding_that_is_the_stencils_is_shared(comm, order, ndim):
    shape = (12, 5, 4)[:ndim]
    a = db.zeros(shape, comm, [db.padded(1)], PETSc.ScalarType, order=order)
    if order == "F":
        a = db.zeros(
            shape[::-1],
            comm,
            ["local"] * (ndim - 1) + [db.padded(1)],
            PETSc.ScalarType,
            (1,) * (ndim - 1) + (comm.size,),
            "F",
        )
    whole = fill(a)
    with a.petsc_field(share="required") as f:
        assert f.shared_local and f.shared_global and f.moved_bytes == 0
        assert address(f.local) == buffer_address(a)
        assert address(f.global_vec) == owned_address(a)
        check_field(f, whole, order)
        before = f.global_vec.norm()
        f.global_vec.scale(3.0)
        assert f.global_vec.norm() == pytest.approx(3 * before)
    assert f.moved_bytes == 0
    check(a, 3 * whole)


def test_ghost_points_as_petsc_fills_them(comm):
    a, whole = random_array(comm, 7, ("padded",), 2)
    with a.petsc_field(order="C", vectors="local") as f:
        assert f.global_vec is None
        mine = f.dm.createGlobalVec()
        f.dm.localToGlobal(f.local, mine)
        theirs = f.dm.createLocalVec()
        f.dm.globalToLocal(mine, theirs)
        np.testing.assert_array_equal(f.local.getArray(readonly=True), theirs.getArray(readonly=True))
        f.local.scale(2.0)
    check(a, 2 * whole)


def test_halo_of_a_live_view(comm):
    a = db.zeros((12, 5), comm, [db.padded(1)], PETSc.ScalarType)
    a.owned[...] = 1 + comm.rank
    whole = a.gather()
    with a.petsc_field(share="required") as f:
        f.halo()
        check_points(f.dm, f.local, f.dm.getGhostCorners(), whole, "C", 0)
    check(a, whole)


def test_reverse_of_a_live_view(comm):
    a = db.zeros((12, 5), comm, [db.padded(1)], PETSc.ScalarType)
    with a.petsc_field(share="required") as f:
        f.local.set(1.0)
        expected = f.dm.createGlobalVec()
        f.dm.localToGlobal(f.local, expected, PETSc.InsertMode.ADD_VALUES)
        f.halo_reverse("sum", "refresh")
        np.testing.assert_array_equal(
            f.global_vec.getArray(readonly=True), expected.getArray(readonly=True)
        )
        with pytest.raises(db.ArgumentError):
            f.halo_reverse("mean")


@pytest.mark.parametrize("access", ("r", "w", "rw"))
@pytest.mark.parametrize("share", ("if-possible", "never"))
def test_access(comm, access, share):
    a = db.zeros((12, 5), comm, ["block"], PETSc.ScalarType)
    whole = fill(a)
    with a.petsc_field(access=access, share=share, vectors="global") as f:
        moved = not f.shared_global
        if moved and access == "w":
            assert f.global_vec.norm() == 0
        else:
            check_field(f, whole, "C")
        if access != "r":
            f.global_vec.set(5.0)
    check(a, whole if access == "r" else np.full_like(whole, 5))


def test_load_and_store(comm):
    a = db.zeros((12, 5), comm, ["cyclic"], PETSc.ScalarType)
    whole = fill(a)
    with a.petsc_field(vectors="global", share="never") as f:
        assert not f.shared_global and f.reason_global
        a.local[...] *= 2
        f.load()
        check_field(f, 2 * whole, "C")
        f.global_vec.scale(2.0)
        f.store()
        check(a, 4 * whole)
        f.global_vec.scale(2.0)
        f.discard()
        assert not f.is_live
    check(a, 4 * whole)


def test_other_types(comm):
    a = db.zeros((12, 5), comm, ["block"], np.float32)
    whole = fill(a)
    with a.petsc_field(access="r") as f:
        assert not f.shared_global
        check_field(f, whole.astype(PETSc.ScalarType), "C")
    with pytest.raises(db.ArrayBufferError, match="lossy"):
        a.petsc_field()
    with a.petsc_field(lossy=True) as f:
        f.global_vec.scale(2.0)
    check(a, 2 * whole)


def test_of_some_axes(comm):
    a = db.zeros((4, 12, 5), comm, ["local", db.padded(1)], PETSc.ScalarType, (1, comm.size, 1))
    whole = fill(a)
    with a.petsc_field(part=np.s_[2]) as f:
        check_field(f, whole[2], "C")
        f.global_vec.scale(2.0)
    whole[2] *= 2
    check(a, whole)
    with pytest.raises(db.UnsupportedError):
        a.petsc_field(part=np.s_[2, 1:4])


def test_on_some_processes(comm):
    a = db.zeros((12, 5), comm, ["block"], PETSc.ScalarType)
    whole = fill(a)
    with a.petsc_field(part=np.s_[0], vectors="global") as f:
        assert (f.dm is None) == (f.global_vec is None)
        mine = 0 if f.dm is None else f.dm.comm.size
        assert comm.allreduce(mine) == 1
        if f.global_vec is not None:
            f.global_vec.scale(2.0)
    whole[0] *= 2
    check(a, whole)


def test_a_dm_is_used_again(comm):
    a = db.zeros((12, 5), comm, [db.padded(1)], PETSc.ScalarType)
    b = db.like(a)
    whole = fill(a)
    fill(b)
    with a.petsc_field(share="required") as f:
        dm = f.dm
    for array in (a, b):
        with array.petsc_field(dm=dm, share="required") as f:
            assert f.dm.handle == dm.handle
            f.global_vec.scale(2.0)
        check(array, 2 * whole)
    with pytest.raises(db.ArgumentError):
        db.zeros((13, 5), comm, ["block"], PETSc.ScalarType).petsc_field(dm=dm)
    with pytest.raises(db.ArgumentError):
        a.petsc_field(dm=f)


def laplacian(dm):
    """-u_xx - u_yy with five points and u = 0 around the grid."""
    matrix = dm.createMatrix()
    nx, ny = dm.getSizes()
    (x0, y0), (mx, my) = dm.getCorners()
    row, column = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
    for j in range(y0, y0 + my):
        for i in range(x0, x0 + mx):
            row.index = (i, j)
            for di, dj, value in ((0, 0, 4), (1, 0, -1), (-1, 0, -1), (0, 1, -1), (0, -1, -1)):
                if 0 <= i + di < nx and 0 <= j + dj < ny:
                    column.index = (i + di, j + dj)
                    matrix.setValueStencil(row, column, value)
    matrix.assemble()
    return matrix


@pytest.mark.parametrize("dist", (["block"], ["block", "block"], [db.padded(1)], ["cyclic"]), ids=repr)
def test_solve_on_the_dm(comm, dist):
    a = db.zeros((8, 6), comm, dist, PETSc.ScalarType)
    rhs = values((8, 6))
    fill(a)
    with a.petsc_field(width=1) as f:
        ksp = PETSc.KSP().create(f.dm.comm)
        ksp.setOperators(laplacian(f.dm))
        ksp.setTolerances(rtol=1e-12)
        b = f.global_vec.copy()
        ksp.solve(b, f.global_vec)
        assert ksp.getConvergedReason() > 0
    u = np.pad(a.gather(), 1)
    found = 4 * u[1:-1, 1:-1] - u[2:, 1:-1] - u[:-2, 1:-1] - u[1:-1, 2:] - u[1:-1, :-2]
    np.testing.assert_allclose(found, rhs, rtol=1e-8)
    assert ksp.getSolution().getSize() == 48  # still there, as its memory is


def test_a_process_without_petsc4py_is_told_to_all(comm, monkeypatch):
    import dapbridge._petsc4py

    a = db.zeros((12, 5), comm, ["block"], PETSc.ScalarType)

    def module(comm):
        raise ImportError("there is no petsc4py")

    with monkeypatch.context() as patch:
        if comm.rank == comm.size - 1:
            patch.setattr(dapbridge._petsc4py, "module", module)
        for view in (a.petsc_field, a.petsc_vector, a.petsc_matrix):
            expected = ImportError if comm.rank == comm.size - 1 else db.LibraryError
            with pytest.raises(expected, match="no petsc4py"):
                view()
    with a.petsc_field() as f:
        assert f.is_live


@pytest.mark.parametrize("vectors", [None, "global", "local"])
def test_shared_is_of_the_vectors_asked_for(comm, vectors):
    a = db.zeros((3 * comm.size, 4), comm, [db.padded(1)], PETSc.ScalarType)
    with a.petsc_field(width=1, vectors=vectors) as f:
        wanted = ("global", "local") if vectors is None else (vectors,)
        assert f.shared and f.reason == "; ".join(f"{w}: {getattr(f, 'reason_' + w)}" for w in wanted)
        assert "not wanted" not in f.reason
    with a.petsc_field(width=1, vectors=vectors, share="never") as f:
        assert not f.shared


@pytest.mark.parametrize(
    ("options", "entries"),
    (
        ({}, 25),
        ({"matrix_star": True}, 9),
        ({"matrix_width": 1}, 9),
        ({"matrix_width": 1, "matrix_star": True}, 5),
    ),
)
def test_matrices_have_a_stencil_of_their_own(comm, options, entries):
    """A row of a point that is far from all edges; the local vector is the array's buffer as ever."""
    a = db.zeros((9 * comm.size, 7), comm, [db.padded(2), "local"], PETSc.ScalarType)
    with a.petsc_field(width=2, vectors="local", share="required", **options) as f:
        matrix = f.dm.createMatrix()
        first = matrix.getOwnershipRange()[0]
        assert len(matrix.getRow(first + 4 * 7 + 3)[0]) == entries
        assert f.shared_local
        matrix.destroy()


def test_matrix_stencils_that_cannot_be(comm):
    a = db.zeros((9 * comm.size, 7), comm, [db.padded(2), "local"], PETSc.ScalarType)
    with pytest.raises(db.ArgumentError, match="matrix_width 3 exceeds the stencil width 2"):
        a.petsc_field(width=2, matrix_width=3)
    with pytest.raises(db.ArgumentError, match="matrix_width -1 is negative"):
        a.petsc_field(width=2, matrix_width=-1)

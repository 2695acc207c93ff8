"""Compares fields of PETSc with petsc4py's view of the DMDA and its vectors."""

import math

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
)


@pytest.mark.parametrize("share", ("if-possible", "never"))
@pytest.mark.parametrize("seed", range(8))
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
def test_padding_that_is_the_stencils_is_shared(comm, order):
    shape, dist, grid = (12, 5), [db.padded(1), "local"], (comm.size, 1)
    if order == "F":
        shape, dist, grid = shape[::-1], dist[::-1], grid[::-1]
    a = db.zeros(shape, comm, dist, PETSc.ScalarType, grid, order)
    whole = fill(a)
    with a.petsc_field(share="required") as f:
        assert f.shared_local and f.shared_global and f.moved_bytes == 0
        assert address(f.local) == buffer_address(a)
        assert address(f.global_vec) == owned_address(a)
        check_field(f, whole, order)
        f.global_vec.scale(3.0)
    assert f.moved_bytes == 0
    check(a, 3 * whole)


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


@pytest.mark.parametrize("options, entries", [({}, 25), ({"matrix_width": 1, "matrix_star": True}, 5)], ids=str)
def test_matrices_have_a_stencil_of_their_own(comm, options, entries):
    """Checks a row of a point far from all edges. The local vector must still be the array's buffer."""
    a = db.zeros((9 * comm.size, 7), comm, [db.padded(2), "local"], PETSc.ScalarType)
    with a.petsc_field(width=2, vectors="local", share="required", **options) as f:
        matrix = f.dm.createMatrix()
        first = matrix.getOwnershipRange()[0]
        assert len(matrix.getRow(first + 4 * 7 + 3)[0]) == entries
        assert f.shared_local
        matrix.destroy()
    with pytest.raises(db.ArgumentError, match="matrix_width 3.*2"):
        a.petsc_field(width=2, matrix_width=3)


# ---- axes of degrees of freedom -------------------------------------------------------------------------------

#: shape, dist, storage order, dof_axes, order of the field, whether its global vector can be shared
FIELDS = {
    "first axis": ((3, 12, 9), ["local", "block"], "C", (0,), "C", False),
    "first axis, fastest in memory": ((3, 9, 12), ["local", "local", "block"], "F", (0,), "F", True),
    "last axis, by a count": ((12, 9, 3), ["block"], "C", 1, "C", True),
    "two first axes, the other way round": ((2, 3, 12, 9), ["local", "local", "block"], "C", (1, 0), "C", False),
    "padded": ((3, 12, 9), ["local", db.padded(1)], "C", [0], "C", False),
    "axis in the middle": ((12, 3, 9), ["block"], "C", (1,), "C", False),
    "long last axis, by its number": ((3, 12, 20), ["local", "block"], "C", (2,), "C", True),
}


def field_array(comm, shape, dist, order):
    a = db.zeros(shape, comm, dist, PETSc.ScalarType, order=order)
    return a, fill(a)


@pytest.mark.parametrize("case", FIELDS)
def test_fields(comm, case):
    shape, dist, memory, dof_axes, order, shared = FIELDS[case]
    a, whole = field_array(comm, shape, dist, memory)
    count = dof_axes if isinstance(dof_axes, int) else len(dof_axes)
    components = range(len(shape))[-count:] if isinstance(dof_axes, int) else [k % len(shape) for k in dof_axes]
    points = [k for k in range(len(shape)) if k not in components]
    moved = whole.transpose([*points, *components])
    with a.petsc_field(dof_axes=dof_axes) as f:
        assert f.dm.getDof() == math.prod(shape[k] for k in components)
        check_field(f, moved, order, count)
        assert f.shared_global == shared
        if not shared:
            assert f.reason_global
        f.global_vec.scale(2.0)
    check(a, 2 * whole)


def test_the_reason_is_said(comm):
    a, _ = field_array(comm, (3, 12, 9), ["local", "block"], "C")
    with a.petsc_field(dof_axes=(0,)) as f:
        assert "degrees of freedom" in f.reason_global and "degrees of freedom" in f.reason_local
    with pytest.raises(db.ShareError, match="degrees of freedom"):
        a.petsc_field(dof_axes=(0,), share="required")


def test_of_a_part(comm):
    a, whole = field_array(comm, (4, 3, 12, 9), ["local", "local", "block"], "C")
    with a.petsc_field(dof_axes=(1,), part=np.s_[2]) as f:
        check_field(f, whole[2].transpose(1, 2, 0), "C", 1)
    with a.petsc_field(dof_axes=(0,), part=np.s_[:, 1]) as f:
        check_field(f, whole[:, 1].transpose(1, 2, 0), "C", 1)


def test_known_components(comm):
    a, whole = field_array(comm, (3, 12, 9), ["local", "block"], "C")
    a.component_axes = (0,)
    with a.petsc_field() as f:
        check_field(f, whole.transpose(1, 2, 0), "C", 1)
    with a.petsc_field(part=np.s_[1]) as f:
        check_field(f, whole[1], "C")


#: shape, dist, storage order, component axes, options, words of the refusal
REFUSED = {
    "a space axis, where components come first": (
        (3, 12, 9), ["local", "block"], "C", (), {"dof_axes": 1}, r"axis 0 has 3 elements.*dof_axes=\(0,\).*dof_axes=\(2,\)",
    ),
    "the slowest axis, where the fastest is short": (
        (3, 12, 9), ["local", "block"], "F", (), {"dof_axes": 1}, r"dof_axes=\(0,\)",
    ),
    "another axis than the components": (
        (9, 12, 3), ["local", "block"], "C", (0,), {"dof_axes": 1}, r"axis 0 of this array holds.*dof_axes=\(0,\)",
    ),
    "no axis, where there are components": (
        (9, 12, 3), ["local", "block"], "C", (0,), {"dof_axes": 0}, r"no axis .*dof_axes=\(0,\)",
    ),
    "out of bounds": ((3, 12), ["local", "block"], "C", (), {"dof_axes": (2,)}, "axis 2 is out of bounds for 2 axes"),
    "twice": ((3, 12, 9), ["local", "block"], "C", (), {"dof_axes": (0, -3)}, "an axis twice"),
    "fixed": ((3, 12, 9), ["local", "block"], "C", (), {"dof_axes": (0,), "part": np.s_[1]}, "axis 0 is fixed by part"),
    "no axis": ((3, 12, 9), ["local", "block"], "C", (), {"dof_axes": ("x",)}, "str"),
    "distributed": ((12, 9, 3), ["block"], "C", (), {"dof_axes": (0,)}, "axis 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(comm, case):
    shape, dist, memory, components, options, words = REFUSED[case]
    if case == "distributed" and comm.size == 1:
        pytest.skip("nothing is distributed")
    a, _ = field_array(comm, shape, dist, memory)
    a.component_axes = components
    with pytest.raises(db.Error, match=words) as error:
        a.petsc_field(**options)
    assert len(set(comm.allgather(str(error.value)))) == 1

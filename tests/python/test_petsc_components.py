"""Which axes of an array are degrees of freedom of a field of PETSc."""

import math

import numpy as np
import pytest

PETSc = pytest.importorskip("petsc4py.PETSc")

import dapbridge as db  # noqa: E402
from petsc_cases import check, check_field, fill  # noqa: E402

#: shape, dist, storage order, dof_axes, order of the field, whether its global vector can be shared
FIELDS = {
    "first axis": ((3, 12, 9), ["local", "block"], "C", (0,), "C", False),
    "first axis, counted from the end": ((3, 12, 9), ["local", "block"], "C", (-3,), "C", False),
    "first axis, fastest in memory": ((3, 9, 12), ["local", "local", "block"], "F", (0,), "F", True),
    "last axis, by its number": ((12, 9, 3), ["block"], "C", (2,), "C", True),
    "last axis, by a count": ((12, 9, 3), ["block"], "C", 1, "C", True),
    "two first axes": ((2, 3, 12, 9), ["local", "local", "block"], "C", (0, 1), "C", False),
    "two first axes, the other way round": ((2, 3, 12, 9), ["local", "local", "block"], "C", (1, 0), "C", False),
    "three dimensions": ((3, 12, 5, 6), ["local", "block"], "C", (0,), "C", False),
    "padded": ((3, 12, 9), ["local", db.padded(1)], "C", [0], "C", False),
    "axis in the middle": ((12, 3, 9), ["block"], "C", (1,), "C", False),
    "one dimension": ((2, 12), ["local", "block"], "C", (0,), "C", False),
    "cyclic": ((3, 12, 9), ["local", db.cyclic(2)], "C", (0,), "C", False),
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

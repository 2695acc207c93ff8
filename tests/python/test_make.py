"""Layouts without arrays; what array() compares between the processes."""

import numpy as np
import pytest
from maps import same_error

import dapbridge


def test_layout_is_that_of_arrays(comm):
    for dist in (None, "cyclic", ["block", dapbridge.padded(1)], ["local", dapbridge.cyclic(3)]):
        alone = dapbridge.layout((12, 9), comm.size, dist)
        assert alone == dapbridge.zeros((12, 9), comm, dist).layout
    assert dapbridge.layout(5, comm.size) == dapbridge.zeros(5, comm).layout


def test_layout_of_more_processes_than_there_are():
    layout = dapbridge.layout((6, 8), 6, ["block", dapbridge.cyclic(2)], grid=(3, 2))
    assert (layout.shape, layout.grid, layout.nprocs) == ((6, 8), (3, 2), 6)
    assert dapbridge.layout(5, 2, dapbridge.unstructured([[0, 2, 4], [1, 3]])).owned(0, 1) == 2
    with pytest.raises(dapbridge.ArgumentError, match="4 processes, but 3 x any"):
        dapbridge.layout((6, 8), 4, ["block", "block"], grid=(3, 0))
    with pytest.raises(dapbridge.DimError, match="not a list for each of 2 processes"):
        dapbridge.layout(5, 2, dapbridge.unstructured([0, 2, 4]))


def test_layout_is_a_target_and_a_side(comm):
    whole = np.arange(35.0).reshape(7, 5)
    a = dapbridge.from_global(whole if comm.rank == 0 else None, comm)
    target = dapbridge.layout((7, 5), comm.size, ["cyclic", "cyclic"])
    b = a.redistribute(target)
    assert b.layout == target
    np.testing.assert_array_equal(b.gather(), whole)
    c = dapbridge.zeros((7, 5), comm, ["cyclic", "cyclic"])
    with dapbridge.Plan(a, (target, float)) as plan:
        plan(a, c)
    np.testing.assert_array_equal(c.gather(), whole)


def test_pictures_of_layouts_and_arrays_are_the_same(comm):
    a = dapbridge.zeros((12, 9), comm, ["block", "cyclic"])
    assert a.layout._repr_svg_() == a._repr_svg_()
    assert a.layout._repr_svg_().startswith("<svg ")


def test_parts_of_different_types_are_refused(comm):
    kind = np.float32 if comm.rank == comm.size - 1 else np.float64
    if comm.size == 1:
        pytest.skip("needs two processes")
    error = same_error(comm, dapbridge.LayoutError, lambda: dapbridge.array(np.zeros((2, 3), kind), comm))
    assert f"type: float64 on rank 0, float32 on rank {comm.size - 1}" in str(error)
    swapped = np.dtype(float).newbyteorder() if comm.rank else np.dtype(float)
    dapbridge.array(np.zeros((2, 3), swapped), comm)  # byte orders may differ

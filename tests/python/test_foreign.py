"""Passes distributed objects of other libraries in place of numpy arrays. They are converted by their own
description, or refused with the name of the right function."""

import sys
import types

import numpy as np
import pytest
from maps import check, ramp, same_error

import dapbridge


def as_class_of(module, name, **members):
    """Returns a class that pretends to belong to another library. numpy reads its `whole`, or this process's part."""
    return type(name, (), {"__module__": module, "__array__": lambda self, *a, **k: self.part, **members})


def rows(comm, whole):
    first, last = len(whole) * comm.rank // comm.size, len(whole) * (comm.rank + 1) // comm.size
    return first, last, whole[first:last].copy()


def with_distarray(comm, whole, part):
    first, last, part[:] = *rows(comm, whole)[:2], [rows(comm, whole)[2]]
    axes = ({"dist_type": "b", "size": len(whole), "proc_grid_size": comm.size, "proc_grid_rank": comm.rank,
             "start": first, "stop": last}, {})  # fmt: skip
    export = {"__version__": "0.10.0", "buffer": part[0], "dim_data": axes}
    return as_class_of("other", "Producer", part=part[0], __distarray__=lambda self: export)()


def with_partitioned(comm, whole, part):
    first, _, mine = rows(comm, whole)
    part[:] = [mine]
    described = {"shape": whole.shape, "partition_tiling": (comm.size, 1), "locals": [(comm.rank, 0)],
                 "partitions": {(comm.rank, 0): {"start": (first, 0), "shape": mine.shape, "data": mine,
                                                 "location": [comm.rank]}}}  # fmt: skip
    return as_class_of("other", "Frame", part=mine, __partitioned__=described)()


def dictionary(comm, whole, part):
    return with_distarray(comm, whole, part).__distarray__()


@pytest.mark.parametrize("make", [with_distarray, with_partitioned, dictionary])
def test_array_takes_what_says_its_distribution(comm, make):
    whole, part = ramp((4 * comm.size + 1, 3)), []
    x = make(comm, whole, part)
    a = dapbridge.array(x, comm)
    check(a, whole)
    np.testing.assert_array_equal(a.gather(), whole)
    assert np.shares_memory(a.local, part[0])
    error = same_error(comm, dapbridge.ArgumentError, lambda: dapbridge.array(x, comm, "block"))
    assert "makes an array of it" in str(error)


def test_mpi4py_fft(comm):
    mpi4py_fft = pytest.importorskip("mpi4py_fft")
    field = mpi4py_fft.DistArray((8, 6, 4))
    field[:] = comm.rank
    a = dapbridge.array(field, comm)
    assert a.shape == (8, 6, 4) and np.shares_memory(a.local, np.asarray(field))
    error = same_error(comm, dapbridge.ArgumentError, lambda: dapbridge.from_global(field, comm))
    assert "dapbridge.from_mpi4py_fft" in str(error)


def test_petsc4py_in_earnest(comm):
    pytest.importorskip("petsc4py")
    from petsc4py import PETSc

    vec = PETSc.Vec().createMPI(5 * comm.size, comm=comm)
    vec.setArray(np.arange(5) + 5 * comm.rank)
    error = same_error(comm, dapbridge.ArgumentError, lambda: dapbridge.from_global(vec, comm))
    assert "dapbridge.from_petsc" in str(error)
    a = dapbridge.array(vec, comm)
    np.testing.assert_array_equal(a.gather(), np.arange(5 * comm.size))
    del a
    vec.destroy()


class Tensor:
    """Imitates torch's DTensor."""

    device_mesh, placements = None, ()

    def to_local(self):
        raise AssertionError


#: A class, and the name in the error. `part`: used only as a process's part, because numpy reads all of it.
KINDS = {
    "DistArray": (as_class_of("mpi4py_fft.distarray", "DistArray", part=np.zeros(3)), "dapbridge.from_mpi4py_fft"),
    "a class of DistArray": (type("Mine", (as_class_of("mpi4py_fft.distarray", "DistArray"),), {"part": np.zeros(3)}),
                             "dapbridge.from_mpi4py_fft"),
    "Vec": (as_class_of("petsc4py.PETSc", "Vec", part=np.zeros(3)), "dapbridge.from_petsc"),
    "Mat": (as_class_of("petsc4py.PETSc", "Mat", part=np.zeros(3)), "dapbridge.from_petsc"),
    "__distarray__": (as_class_of("other", "A", part=np.zeros(3), __distarray__=lambda self: {}), "dapbridge.from_dap"),
    "__partitioned__": (as_class_of("other", "B", part=np.zeros(3), __partitioned__={}), "dapbridge.from_partitioned"),
    "DTensor": (Tensor, "to_local"),
    "dask": (as_class_of("dask.array.core", "Array", part=np.zeros(3), __dask_graph__=lambda self: {}), "compute"),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_refused_where_a_numpy_array_is_expected(comm, name):
    kind, words = KINDS[name]
    a = dapbridge.full((3, 3), 1.0, comm)
    for call in (lambda: dapbridge.array(kind(), comm, "block"), lambda: dapbridge.from_global(kind(), comm),
                 lambda: dapbridge.full(3, kind(), comm), lambda: dapbridge.from_function(lambda i: kind(), 3, comm),
                 lambda: a @ kind(), lambda: dapbridge.linalg.solve(a, kind())):  # fmt: skip
        error = same_error(comm, dapbridge.ArgumentError, call)
        assert words in str(error) and type(kind()).__name__ in str(error)


@pytest.mark.parametrize("module, name", [("h5py._hl.dataset", "Dataset"), ("zarr.core", "Array"), ("netCDF4._netCDF4", "Variable")])
def test_data_sets_of_files(comm, module, name):
    """A process reads all of a data set. So it is refused as this process's part, and accepted as the whole array."""
    data = as_class_of(module, name, part=np.arange(12.0))()
    error = same_error(comm, dapbridge.ArgumentError, lambda: dapbridge.array(data, comm))
    assert "this process's part" in str(error)
    np.testing.assert_array_equal(dapbridge.from_global(data, comm).gather(), np.arange(12.0))


def test_arrays_of_this_package(comm):
    a = dapbridge.zeros((4, 4), comm)
    for x in (a, a.T):
        for call in (lambda: dapbridge.array(x, comm), lambda: dapbridge.from_global(x, comm)):
            assert "redistribute" in str(same_error(comm, dapbridge.ArgumentError, call))


def test_no_library_is_imported_for_the_question(comm):
    before = set(sys.modules)
    dapbridge.array(np.ones(3), comm)
    dapbridge.array([1.0, 2.0], comm)
    found = {m.partition(".")[0] for m in set(sys.modules) - before}
    assert not found & {"mpi4py_fft", "h5py", "torch", "dask", "zarr"} and isinstance(sys, types.ModuleType)

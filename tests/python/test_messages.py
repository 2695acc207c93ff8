"""What is refused says what was given, what is wanted, and what to call; the same on every process."""

import numpy as np
import pytest
import scipy.sparse

import dapbridge as db


def array(comm, dtype=float):
    return db.zeros((2 * comm.size, 4), comm, dtype=dtype)


class Device:
    """A tensor in the memory of a device, as its library shows it."""

    shape = (2, 4)

    def __init__(self, kind=2):
        self.kind = kind

    def __dlpack_device__(self):
        return self.kind, 1

    def __dlpack__(self, stream=None):
        raise AssertionError("nothing is copied from a device")

    def __array__(self, dtype=None):
        raise TypeError("can't convert cuda:1 device type tensor to numpy")


class OldDevice:
    """The same, of a library without DLPack."""

    __cuda_array_interface__ = {"shape": (2, 4), "typestr": "<f8", "data": (0, False), "version": 3}


def solve_of_a_part(comm):
    """The usual mistake: each process's own rows of the right-hand side."""
    n = 3 * comm.size + 1
    a = db.from_function(lambda i, j: 1.0 * (i == j), (n, n), comm)
    return db.linalg.solve(a, np.ones(len(a.local) + (comm.size == 1)))


def product_of_a_part(comm):
    n = 3 * comm.size + 1
    a = db.from_function(lambda i, j: 1.0 * (i == j), (n, n), comm)
    return a @ np.ones(len(a.local) + (comm.size == 1))


def partial(comm):
    return db.array(np.ones(4), comm, "partial")


def by_rank(comm, first, last):
    return last if comm.rank == comm.size - 1 else first


#: By what was given: the call, the exception, and words for what is wanted and what to call.
REFUSED = {
    "None": (lambda c: db.array(None, c), db.ArgumentError, r"local is None.*np\.empty"),
    "str": (lambda c: db.array("part.npy", c), db.ArgumentError, r"local is 'part.npy', of type str.*np\.load"),
    "bytes": (lambda c: db.array(b"x", c), db.ArgumentError, "local is b'x', of type bytes"),
    "str to from_global": (lambda c: db.from_global("x", c), db.ArgumentError, "a is 'x', of type str"),
    "sparse": (lambda c: db.array(scipy.sparse.eye(3), c), db.ArgumentError, r"sparse dia_\w+.*dense.*toarray\(\).*petsc4py"),
    "sparse to from_global": (lambda c: db.from_global(scipy.sparse.eye(3), c), db.ArgumentError, "sparse"),
    "sparse to linalg": (
        lambda c: db.linalg.solve(array(c), scipy.sparse.eye(3)), db.ArgumentError, r"linalg.solve\(\).*sparse.*toarray"
    ),
    "None to linalg": (lambda c: db.linalg.solve(array(c), None), db.ArgumentError, r"linalg.solve\(\).*None"),
    "masked to linalg": (
        lambda c: db.linalg.solve(array(c), np.ma.masked_less(np.arange(4), 2)), db.ArgumentError, r"masked.*filled"
    ),
    "tensor of a device": (
        lambda c: db.array(Device(), c), db.ArgumentError, r"Device in memory of a device \(CUDA 1\).*host memory only.*cpu\(\)"
    ),
    "tensor of a device without DLPack": (
        lambda c: db.array(OldDevice(), c), db.ArgumentError, r"device \(CUDA\).*host memory only.*cpu\(\)"
    ),
    "tensor of a device to linalg": (
        lambda c: db.linalg.solve(array(c), Device(10)), db.ArgumentError, r"linalg.solve\(\).*ROCm 1.*host memory only"
    ),
    "tensor of a device to from_dlpack": (
        lambda c: db.from_dlpack(Device(7), c), db.ArgumentError, r"Vulkan 1.*host memory only.*cpu\(\)"
    ),
    "no tensor": (lambda c: db.from_dlpack([1.0], c), db.ArgumentError, r"a list has none.*dapbridge\.array\(\)"),
    "type in the place of dist": (
        lambda c: db.zeros((12, 12), c, np.float32), db.ArgumentError, r"element type.*write dtype=np\.float32"
    ),
    "dtype in the place of dist": (
        lambda c: db.zeros((12, 12), c, np.dtype("c8")), db.ArgumentError, r"write dtype=np\.complex64"
    ),
    "name of a type in the place of dist": (
        lambda c: db.zeros((12, 12), c, "float32"), db.ArgumentError, r"'float32', an element type.*dtype=np\.float32"
    ),
    "type in a list of dist": (lambda c: db.zeros((12, 12), c, ["block", int]), db.ArgumentError, r"dtype=np\.int64"),
    "number in the place of dist": (
        lambda c: db.zeros((12, 12), c, 2), db.ArgumentError, r"dist: 2 is neither a name nor.*\['block', 'cyclic'\]"
    ),
    "one number as grid": (lambda c: db.zeros((12, 12), c, grid=4), db.ArgumentError, r"grid is 4.*\(4, 1\)"),
    "fractions as grid": (lambda c: db.zeros((12, 12), c, grid=(1.5, 1)), db.ArgumentError, r"grid is \(1.5, 1\).*integers"),
    "whole float as shape": (lambda c: db.zeros(1e3, c), db.ArgumentError, r"shape is 1000\.0.*float, not an integer; write 1000"),
    "float in a shape": (
        lambda c: db.zeros((12.7, 12), c), db.ArgumentError, r"shape is \(12\.7, 12\): 12\.7 is of type float, not an integer$"
    ),
    "float of numpy in a shape": (lambda c: db.zeros((np.float64(12), 12), c), db.ArgumentError, "float64.*write 12"),
    "str as shape": (lambda c: db.zeros("12", c), db.ArgumentError, "shape is '12'"),
    "float to layout()": (lambda c: db.layout((12.0, 3), 2), db.ArgumentError, "write 12"),
    "complex into real": (
        lambda c: array(c, complex).redistribute(out=array(c)), db.ArgumentError,
        r"out is float64.*complex128.*astype\('float64'\).*lossy=True",
    ),
    "conjugate into real": (
        lambda c: array(c, "c8").conj().redistribute(out=array(c, "f4")), db.ArgumentError, r"out is float32.*complex64"
    ),
    "part of a right-hand side": (
        solve_of_a_part, db.ArgumentError, r"linalg.solve\(\): B must be of \d+ rows.*whole.*every process.*dapbridge\.array\("
    ),
    "part of a vector": (product_of_a_part, db.ArgumentError, r"linalg.matmul\(\): B must be of \d+ rows.*dapbridge\.array\("),
    "partial to norm": (
        lambda c: db.linalg.norm(partial(c)), db.ArgumentError, r"linalg.norm\(\).*partial.*redistribute\('block'\)"
    ),
    "numpy to from_mpi4py_fft": (
        lambda c: db.from_mpi4py_fft(np.ones(3), c), db.ArgumentError, r"ndarray has no pencil.*DistArray.*dapbridge\.array\("
    ),
    "None to from_mpi4py_fft": (lambda c: db.from_mpi4py_fft(None, c), db.ArgumentError, "NoneType has no pencil"),
    "a producer to from_mpi4py_fft": (
        lambda c: db.from_mpi4py_fft(array(c), c), db.ArgumentError, r"from_dap\(obj, comm\)"
    ),
    # keywords
    "a keyword of redistribute": (
        lambda c: array(c).redistribute("block", fil_halos=True), TypeError, r"redistribute\(\).*'fil_halos'; did you mean 'fill_halos'\?"
    ),
    "a keyword of a lazy view": (
        lambda c: array(c).T.redistribute("block", beta_=1), TypeError, r"redistribute\(\).*did you mean 'beta'\?"
    ),
    "a keyword of scalapack": (
        lambda c: array(c).scalapack(acess="r"), TypeError, r"scalapack\(\).*'acess'; did you mean 'access'\?"
    ),
    "a keyword of petsc_field": (
        lambda c: array(c).petsc_field(widht=1), TypeError, r"petsc_field\(\).*'widht'; did you mean 'width'\?"
    ),
    "a keyword of petsc_vector": (lambda c: array(c).petsc_vector(natur=1), TypeError, "did you mean 'natural'"),
    "a keyword of petsc_matrix": (lambda c: array(c).petsc_matrix(from_="any"), TypeError, "did you mean 'form'"),
    "a keyword of Plan.halo": (
        lambda c: db.Plan.halo(array(c), foo=3), TypeError, r"halo\(\) has no keyword 'foo': arrays, allow_empty, memory_bytes"
    ),
    "a keyword of Plan.halo_reverse": (
        lambda c: db.Plan.halo_reverse(array(c), paddings="keep"), TypeError, "did you mean 'padding'"
    ),
    "a keyword of a slice that is elsewhere": (lambda c: array(c)[0].scalapack(acess="r"), TypeError, "did you mean 'access'"),
}  # fmt: skip


@pytest.mark.parametrize("given", REFUSED)
def test_refused(comm, given):
    call, exception, words = REFUSED[given]
    with pytest.raises(exception, match=words) as error:
        call(comm)
    if "elsewhere" not in given:
        assert len(set(comm.allgather(str(error.value)))) == 1


#: By what differs between the processes: the call, and what is said of both of two ranks.
DIFFERENT = {
    "shape": (lambda c: db.zeros(by_rank(c, (8, 8), (8, 9)), c), r"shape.*\(8, 8\) on rank 0.*\(8, 9\) on rank {last}"),
    "number of axes": (lambda c: db.zeros(by_rank(c, (8, 8), 8), c), r"shape.*\(8, 8\) on rank 0.*\(8,\) on rank {last}"),
    "shape of full": (lambda c: db.full(by_rank(c, 8, 9), 1.0, c), r"\(8,\) on rank 0.*\(9,\) on rank {last}"),
    "shape of from_function": (
        lambda c: db.from_function(lambda i: i, by_rank(c, 8, 9), c), r"\(8,\) on rank 0.*\(9,\) on rank {last}"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", DIFFERENT)
def test_different_on_the_processes(comm, what):
    if comm.size == 1:
        pytest.skip("there is one process")
    call, words = DIFFERENT[what]
    with pytest.raises(db.ArgumentError, match=words.format(last=comm.size - 1)) as error:
        call(comm)
    assert len(set(comm.allgather(str(error.value)))) == 1


def test_a_wrong_keyword_of_one_process(comm):
    """The others do not wait for it, and get the same error."""
    a = array(comm)
    with pytest.raises(TypeError, match="did you mean 'access'") as error:
        a.scalapack(**by_rank(comm, {}, {"acess": "r"}))
    assert isinstance(error.value, db.ArgumentError) and error.value.rank == comm.size - 1

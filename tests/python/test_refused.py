"""Tests the texts of refusals: they name the given value, the allowed ones, and the right call, the same on every process.

A row has the call, the exception, and parts of its text with "|" between them."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse
from maps import check, ramp, same_error

import dapbridge as db

ARGUMENT, UNSUPPORTED = db.ArgumentError, db.UnsupportedError


class Burning:
    def __distarray__(self):
        raise OSError("disk on fire")


class Device:
    """A tensor in the memory of a device, with the interface of its library."""

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
    """A tensor in the memory of a device, of a library without DLPack."""

    __cuda_array_interface__ = {"shape": (2, 4), "typestr": "<f8", "data": (0, False), "version": 3}


def destroyed_plan(a):
    plan = db.Plan(a, db.like(a))
    plan.destroy()
    return plan


def of_view(a, refuse):
    with a.scalapack() as m:
        refuse(m)


def with_part(a, call):
    """Makes the usual mistake: passes each process's own rows of the right-hand side."""
    n = 3 * a.comm.size + 1
    square = db.from_function(lambda i, j: 1.0 * (i == j), (n, n), a.comm)
    return call(square, np.ones(len(square.local) + (a.comm.size == 1)))


def part_is_whole(a):
    return db.zeros((a.comm.size, 4), a.comm) + np.ones((1, 4))


MASKED = np.ma.masked_array([1.0, 2.0], [False, True])
PARTIAL = ["local", "partial"]

MAKERS = {
    "None": (lambda c: db.array(None, c), ARGUMENT, "local|None|np.empty"),
    "str": (lambda c: db.array("part.npy", c), ARGUMENT, "local|'part.npy'|str|np.load"),
    "bytes": (lambda c: db.array(b"x", c), ARGUMENT, "local|b'x'|bytes"),
    "str to from_global": (lambda c: db.from_global("x", c), ARGUMENT, "a is|'x'|str"),
    "None to from_global": (lambda c: db.from_global(None, c), ARGUMENT, "0 (root)|None"),
    "sparse": (lambda c: db.array(scipy.sparse.eye(3), c), ARGUMENT, "sparse dia_|dense|toarray()|petsc4py"),
    "sparse to from_global": (lambda c: db.from_global(scipy.sparse.eye(3), c), ARGUMENT, "sparse"),
    "tensor of a device": (lambda c: db.array(Device(), c), ARGUMENT, "Device|CUDA 1|host|cpu()"),
    "tensor of a device without DLPack": (lambda c: db.array(OldDevice(), c), ARGUMENT, "CUDA|host|cpu()"),
    "tensor of a device to from_dlpack": (lambda c: db.from_dlpack(Device(7), c), ARGUMENT, "Vulkan 1|host|cpu()"),
    "no tensor": (lambda c: db.from_dlpack([1.0], c), ARGUMENT, "list|dapbridge.array()"),
    "masked": (lambda c: db.array(MASKED, c), ARGUMENT, "mask|.filled(x)"),
    "masked to from_global": (lambda c: db.from_global(MASKED, c), ARGUMENT, "masked"),
    "masked values": (lambda c: db.from_function(lambda i: np.ma.masked_less(i, 1), 3, c), ARGUMENT, "masked"),
    "no producer": (lambda c: db.from_dap(np.zeros(3), c), db.Error, "dapbridge.array()|numpy"),
    "a producer that raises": (lambda c: db.from_dap(Burning(), c), db.LibraryError, "Burning|OSError|disk on fire"),
    "numpy to from_mpi4py_fft": (lambda c: db.from_mpi4py_fft(np.ones(3), c), ARGUMENT, "ndarray|DistArray|dapbridge.array("),
    "None to from_mpi4py_fft": (lambda c: db.from_mpi4py_fft(None, c), ARGUMENT, "NoneType"),
    "a producer to from_mpi4py_fft": (lambda c: db.from_mpi4py_fft(db.zeros(3, c), c), ARGUMENT, "from_dap(obj, comm)"),
    "no memory of such a type": (lambda c: db.zeros(3, c, dtype="U3"), db.ArrayBufferError, "float16|float64|longdouble"),
    "dates": (lambda c: db.zeros(4, c, dtype="datetime64[s]"), db.ArrayBufferError, ".view('i8')"),
    "time spans": (lambda c: db.zeros(4, c, dtype="timedelta64[ms]"), db.ArrayBufferError, ".view('i8')"),
    "type as dist": (lambda c: db.zeros((12, 12), c, np.float32), ARGUMENT, "dtype=np.float32"),
    "dtype as dist": (lambda c: db.zeros((12, 12), c, np.dtype("c8")), ARGUMENT, "dtype=np.complex64"),
    "name of a type as dist": (lambda c: db.zeros((12, 12), c, "float32"), ARGUMENT, "'float32'|dtype=np.float32"),
    "type in a list of dist": (lambda c: db.zeros((12, 12), c, ["block", int]), ARGUMENT, "dtype=np.int64"),
    "number as dist": (lambda c: db.zeros((12, 12), c, 2), ARGUMENT, "dist|2|['block', 'cyclic']"),
    "padded without a width": (lambda c: db.zeros(3, c, "padded"), ARGUMENT, "dapbridge.padded(1)"),
    "unstructured without lists": (lambda c: db.zeros(3, c, ["unstructured"]), ARGUMENT, "unstructured(indices)"),
    "one number as grid": (lambda c: db.zeros((12, 12), c, grid=4), ARGUMENT, "grid|4|(4, 1)"),
    "fractions as grid": (lambda c: db.zeros((12, 12), c, grid=(1.5, 1)), ARGUMENT, "grid|(1.5, 1)|integers"),
    "grid of an axis that is whole": (lambda c: db.zeros((3, 3), c, grid=(c.size, 2)), ARGUMENT, "axis 0"),
    "whole float as shape": (lambda c: db.zeros(1e3, c), ARGUMENT, "shape|1000.0|float|write 1000"),
    "float in a shape": (lambda c: db.zeros((12.7, 12), c), ARGUMENT, "shape|(12.7, 12)|12.7|float|integer"),
    "float of numpy in a shape": (lambda c: db.zeros((np.float64(12), 12), c), ARGUMENT, "float64|write 12"),
    "str as shape": (lambda c: db.zeros("12", c), ARGUMENT, "shape|'12'"),
    "float to layout()": (lambda c: db.layout((12.0, 3), 2), ARGUMENT, "write 12"),
    "a dtype that is none": (lambda c: db.zeros(4, c, dtype="zz"), db.Error, "zz"),
    "a grid of too many": (lambda c: db.zeros((8, 8), c, grid=[c.size + 1, 1]), ARGUMENT, "x 1"),
    "a dist that is none": (lambda c: db.zeros(8, c, ["blocky"]), ARGUMENT, "blocky|did you mean 'block'?"),
    "a root that is none": (lambda c: db.from_global(np.ones(3), c, root=c.size), ARGUMENT, "root"),
    "objects": (lambda c: db.from_global(np.array([None]), c), db.Error, "object"),
}  # fmt: skip

#: Calls with an array of 11 x 6 elements.
ARRAYS = {
    "truth": (lambda a: bool(a == a), TypeError, "(a == b).all()"),
    "in a list": (lambda a: db.like(a) in [a], TypeError, "(a == b).all()"),
    "number": (lambda a: float(a[0, 0]), TypeError, "float(a[0, 0].gather())"),
    "elements of a lazy view": (lambda a: a.T.local, AttributeError, "copy()|redistribute()"),
    "slice of a lazy view": (lambda a: a.T[0], TypeError, "slice the array"),
    "list of a lazy view": (lambda a: list(a.T), TypeError, "iterable|copy"),
    "list": (lambda a: list(a), TypeError, "iterable|.local|.owned"),
    "another layout as dist": (lambda a: a.redistribute("cyclic", "block"), ARGUMENT, "out|second|list"),
    "no target": (lambda a: a.redistribute(), ARGUMENT, "neither"),
    "no target of a lazy view": (lambda a: a.T.redistribute(), ARGUMENT, ""),
    "target of another shape": (lambda a: a.T.redistribute(a), ARGUMENT, "shape"),
    "axes twice": (lambda a: a.transpose(0, 0), ARGUMENT, ""),
    "root of gather": (lambda a: a.gather(-2), ARGUMENT, "root"),
    "an ended plan runs": (lambda a: destroyed_plan(a)(), ARGUMENT, "new one"),
    "an ended plan describes": (lambda a: destroyed_plan(a).describe(), ARGUMENT, "new one"),
    "a view is copied": (lambda a: of_view(a, copy.copy), TypeError, "copy or gather"),
    "a view is pickled": (lambda a: of_view(a, pickle.dumps), TypeError, "copy or gather"),
    "complex into real": (
        lambda a: a.astype("c16").copy().redistribute(out=a), ARGUMENT, "float64|complex128|astype('float64')|lossy=True",
    ),
    "conjugate into real": (lambda a: a.astype("c8").copy().conj().redistribute(out=a.astype("f4").copy()), ARGUMENT,
                            "float32|complex64"),
    "lossy": (lambda a: a.redistribute(out=db.like(a, "i4")), db.Error, "lossy=True"),
    "padding that is none": (
        lambda a: db.zeros(3, a.comm).halo_update() if a.comm.size == 1 else a.halo_update(), ARGUMENT, "allow_empty=True"
    ),
    # dapbridge.linalg
    "sparse to linalg": (lambda a: db.linalg.solve(a, scipy.sparse.eye(3)), ARGUMENT, "linalg.solve()|sparse|toarray"),
    "None to linalg": (lambda a: db.linalg.solve(a, None), ARGUMENT, "linalg.solve()|None"),
    "masked to linalg": (lambda a: db.linalg.solve(a, MASKED), ARGUMENT, "masked|filled"),
    "tensor of a device to linalg": (lambda a: db.linalg.solve(a, Device(10)), ARGUMENT, "linalg.solve()|ROCm 1|host"),
    "part of a right-hand side": (lambda a: with_part(a, db.linalg.solve), ARGUMENT,
                                  "linalg.solve()|B|rows|whole|every process|dapbridge.array("),
    "part of a vector": (lambda a: with_part(a, lambda x, y: x @ y), ARGUMENT, "linalg.matmul()|B|rows|dapbridge.array("),
    "partial to norm": (lambda a: db.linalg.norm(db.array(np.ones(4), a.comm, "partial")), ARGUMENT,
                        "linalg.norm()|partial|redistribute('block')"),
    # keywords
    "keyword of redistribute": (lambda a: a.redistribute("block", fil_halos=True), TypeError, "'fil_halos'|'fill_halos'"),
    "keyword of a lazy view": (lambda a: a.T.redistribute("block", beta_=1), TypeError, "redistribute()|'beta'"),
    "keyword of scalapack": (lambda a: a.scalapack(acess="r"), TypeError, "scalapack()|'acess'|'access'"),
    "keyword of petsc_field": (lambda a: a.petsc_field(widht=1), TypeError, "petsc_field()|'widht'|'width'"),
    "keyword of petsc_vector": (lambda a: a.petsc_vector(natur=1), TypeError, "'natural'"),
    "keyword of petsc_matrix": (lambda a: a.petsc_matrix(from_="any"), TypeError, "'form'"),
    "keyword of Plan.halo": (lambda a: db.Plan.halo(a, foo=3), TypeError, "halo()|'foo'|arrays|allow_empty|memory_bytes"),
    "keyword of Plan.halo_reverse": (lambda a: db.Plan.halo_reverse(a, paddings="keep"), TypeError, "'padding'"),
    # ufuncs
    "another layout": (lambda a: a + a.redistribute("cyclic"), ValueError, "b.redistribute(a)"),
    "another layout of out": (lambda a: np.sin(a, out=a.redistribute("cyclic")), ValueError, "laid out"),
    "another layout of a transposed copy": (lambda a: a @ a.T + (a @ a.T).T.copy(), ValueError, "laid out"),
    "another layout, as it is on another process": (lambda a: a[0] + a[-1], ValueError, "laid out"),
    "a part is not the whole": (part_is_whole, ARGUMENT, ".local|broadcast_to"),
    "other shapes": (lambda a: a + a[:2], ValueError, "broadcast"),
    "out of another shape": (lambda a: np.add(a, 1, out=a[:1]), ValueError, ""),
    "an operand is None": (lambda a: a == None, ValueError, "array|number"),  # noqa: E711
    "an operand is a text": (lambda a: a + "1", ValueError, "array|number"),
    "an operand is masked": (lambda a: a + np.ma.masked_array(np.ones(6), [1] + [0] * 5), ValueError, ".filled(x)"),
    "an operand is partial": (lambda a: 1 + db.zeros((4, 4), a.comm, PARTIAL), UNSUPPORTED, "redistribute()"),
    "an operand is an object": (lambda a: a + 10**30, (ValueError, UNSUPPORTED), "object"),
    "numpy out": (lambda a: np.sin(a, out=np.zeros(a.shape)), ValueError, "ndarray"),
    "order": (lambda a: np.sin(a, order="F"), ValueError, "order="),
    "lossy out": (lambda a: np.add(a, 1j, out=a), ValueError, "complex128"),
    "where of numbers": (lambda a: np.sin(a, where=a), ValueError, "bool"),
    "outer": (lambda a: np.add.outer(a, a), TypeError, "distributed|.local"),
    "accumulate": (lambda a: np.add.accumulate(a), TypeError, "numpy.add.accumulate|.local"),
    "reduceat": (lambda a: np.add.reduceat(a, [0]), TypeError, "distributed|.local"),
    "at": (lambda a: np.add.at(a, [0], 1), TypeError, "distributed|.local"),
    "reduce of what is no reduction": (lambda a: np.subtract.reduce(a), TypeError, "distributed|.local"),
    # reductions
    "axis too large": (lambda a: a.sum(2), ValueError, "axis 2|2 axes"),
    "axis twice": (lambda a: a.sum((0, 0)), ValueError, "twice"),
    "axis a text": (lambda a: a.max("x"), ValueError, "str"),
    "min of nothing": (lambda a: a[:0].min(), ValueError, "no identity"),
    "argmax of nothing": (lambda a: a[:0].argmax(0), ValueError, "empty"),
    "sum of partial sums": (lambda a: db.zeros((4, 4), a.comm, PARTIAL).sum(), UNSUPPORTED, "redistribute()"),
    "out of a sum": (lambda a: np.sum(a, 0, out=np.zeros(6)), TypeError, "numpy.sum|out"),
    "where of a sum": (lambda a: np.sum(a, 0, where=a > 0), TypeError, "numpy.sum|where"),
    "initial of a sum": (lambda a: np.sum(a, 0, initial=1), TypeError, "numpy.sum|initial"),
    # Functions of numpy.
    **{f"numpy.{name}": (lambda a, name=name: getattr(np, name)(a), TypeError, f"numpy.{name}|distributed")
       for name in ("median", "sort", "cumsum", "unique", "nonzero", "where")},
    **{f"numpy.{name}": (lambda a, name=name: getattr(np, name)([a, a]), TypeError, f"numpy.{name}|distributed")
       for name in ("vstack", "concatenate")},
    **{f"numpy.{name}": (lambda a, name=name: getattr(np, name)(a, 1), TypeError, f"numpy.{name}|distributed")
       for name in ("reshape", "roll", "pad", "tile", "shares_memory")},
    "numpy.einsum": (lambda a: np.einsum("ij->i", a), TypeError, "numpy.einsum|distributed"),
    "numpy.fft": (lambda a: np.fft.fft(a), TypeError, "numpy.fft|fft|distributed"),
    "numpy.savetxt": (lambda a: np.savetxt("x", a), TypeError, "numpy.savetxt|distributed"),
    "numpy.savez": (lambda a: np.savez("x", a), TypeError, "numpy.savez|distributed"),
    "numpy.copyto": (lambda a: np.copyto(np.zeros(a.shape), a), TypeError, "numpy.copyto|distributed"),
    "numpy.linalg": (lambda a: np.linalg.tensorinv(a), TypeError, "numpy.linalg.tensorinv|distributed"),
    "zeros_like of another shape": (lambda a: np.zeros_like(a, shape=3), TypeError, "numpy.zeros_like|distributed|shape"),
    # keys
    "two lists": (lambda a: a[[0, 1], [1, 2]], UNSUPPORTED, "a[rows][:, columns]"),
    "a list and an integer": (lambda a: a[[0, 1], 2], UNSUPPORTED, "a[rows][:, 0]"),
    "a mask of all axes": (lambda a: a[np.ones(a.shape, bool)], UNSUPPORTED, "np.where(mask, a, x)"),
    "a distributed mask": (lambda a: a[a > 3], IndexError, "np.where(mask, a, x)"),
    "distributed indices": (lambda a: a[a[:, 0]], IndexError, "a[i.gather()]"),
    "out of bounds": (lambda a: a[[0, 11]], IndexError, "index 11|axis 0|size 11"),
    "out of bounds below": (lambda a: a[:, [-7]], IndexError, "index -7|axis 1|size 6"),
    "an integer out of bounds": (lambda a: a[99], IndexError, "99"),
    "a short mask": (lambda a: a[[True, False]], IndexError, "2 elements|axis 0|11"),
    "floats": (lambda a: a[[0.0, 1.0]], IndexError, "float64"),
    "a float": (lambda a: a[1.5], IndexError, "float"),
    "a bool": (lambda a: a[True], IndexError, ""),
    "two ellipses": (lambda a: a[..., ...], IndexError, ""),
    "a step of 0": (lambda a: a[::0], IndexError, "step|zero"),
    "too many steps": (lambda a: a[::2, ::2, ::2], IndexError, "too many"),
    "too many integers": (lambda a: a[0, 0, 0], IndexError, "too many"),
    "a step of a view's part": (lambda a: a.scalapack(part=np.s_[::2]), UNSUPPORTED, "step 1"),
    "assignment to a slice": (lambda a: a.__setitem__(0, 5), TypeError, ".local or .owned"),
    "assignment of another slice": (lambda a: a.__setitem__(slice(0, 1), a[1:2]), ARGUMENT, ""),
}  # fmt: skip
#: Calls that are right on one process.
ON_SEVERAL = ("another layout", "padding that is none", "a part is not")


@pytest.mark.parametrize("what", MAKERS)
def test_makers(comm, what):
    call, kind, words = MAKERS[what]
    error = same_error(comm, kind, lambda: call(comm), words)
    if not isinstance(error, db.LibraryError):
        assert error.__cause__ is None and (error.__suppress_context__ or error.__context__ is None)


@pytest.mark.parametrize("what", ARRAYS)
def test_arrays(comm, what):
    if comm.size == 1 and what.startswith(ON_SEVERAL):
        pytest.skip("right on one process")
    call, kind, words = ARRAYS[what]
    a = db.from_global(ramp((11, 6)), comm)
    same_error(comm, kind, lambda: call(a), words)
    check(a, ramp((11, 6)))


@pytest.mark.parametrize("wrong", (None, 5, "world"))
def test_what_is_no_communicator(comm, wrong):
    for call in (lambda: db.zeros(5, wrong), lambda: db.wait_limit(wrong, 1), lambda: db.from_dap({}, wrong)):
        same_error(comm, TypeError, call, f"comm|{type(wrong).__name__}|communicator|mpi4py")
    whole = db.from_global(ramp((11, 6)), comm)
    with pytest.raises(TypeError, match="'access'"):  # also if a process has nothing of the array
        whole[0].scalapack(acess="r")


def test_arrays_are_keys(comm):
    a, b = db.zeros(3, comm), db.zeros(3, comm)
    assert {a: 1, b: 2}[a] == 1 and a in [a] and hash(a) != hash(b)


#: Wrong words: the call, and the nearest right word; None if no right word is near.
NEAREST = {
    "dist": (lambda a: db.zeros(8, a.comm, ["blocky"]), "block"),
    "dist that takes an argument": (lambda a: db.zeros(8, a.comm, "paded"), "padded"),
    "no dist is near": (lambda a: db.zeros(8, a.comm, "xyz"), None),
    "format": (lambda a: a.save("a.npy", format="hdf"), "hdf5"),
    "format in capitals": (lambda a: a.save("a.npy", format="NPY"), "npy"),
    "no format is near": (lambda a: a.save("a.npy", format="zip"), None),
    "keyword of a method": (lambda a: a.redistribute("block", fil_halos=True), "fill_halos"),
    "no keyword of a method is near": (lambda a: a.redistribute("block", foo=3), None),
    "keyword of a function": (lambda a: db.zeros(8, a.comm, dtyp=int), "dtype"),
    "no keyword of a function is near": (lambda a: db.zeros(8, a.comm, foo=3), None),
    "keyword of a view": (lambda a: a.scalapack(acess="r"), "access"),
    "no keyword of a view is near": (lambda a: a.scalapack(foo=3), None),
    "keyword of linalg": (lambda a: db.linalg.svd(a, full_matrises=False), "full_matrices"),
    "no keyword of linalg is near": (lambda a: db.linalg.svd(a, foo=3), None),
}  # fmt: skip


@pytest.mark.parametrize("what", NEAREST)
def test_nearest_words(comm, what):
    call, word = NEAREST[what]
    a = db.from_global(ramp((11, 6)), comm)
    error = same_error(comm, ARGUMENT, lambda: call(a), f"did you mean '{word}'?" if word else "")
    assert error.rule == 0 and (word or "did you mean" not in str(error))
    assert isinstance(error, TypeError) == ("keyword" in what)


SAID_BY_C = {
    "int32; options.lossy allows it": "int32; lossy=True allows it",
    "which needs options.allow_empty: 2 processes": "which needs allow_empty=True: 2 processes",
    "options.part can fix others, options.dof_axes make": "part can fix others, dof_axes make",
    "DAP_WRITE to a read-only buffer": 'access "w" to a read-only buffer',
    "was not got with DAP_READ": 'was not got with access "r"',
    "options.colour of someone else": "options.colour of someone else",
}


@pytest.mark.parametrize("text", SAID_BY_C)
def test_options_have_their_names_in_python(text):
    with pytest.raises(ARGUMENT) as caught:
        db._core.fail(db._core.STATUSES.index("ARG"), text)
    assert str(caught.value) == SAID_BY_C[text]


def test_errors_can_be_pickled():
    error = pickle.loads(pickle.dumps(db.DimError("axis 0: no", 3, 10)))
    assert (str(error), error.rank, error.rule) == ("axis 0: no", 3, 10)
    assert isinstance(error, ValueError)

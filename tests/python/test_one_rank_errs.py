"""Tests collective calls with a wrong argument on one process only. All must raise the same error, and none may
wait."""

import re

import numpy as np
import pytest
from maps import same_error

import dapbridge

SHAPE = (8, 6)


def array(comm):
    return dapbridge.from_global(np.arange(48.0).reshape(SHAPE), comm, dapbridge.padded(1))


def redistribute(a, target="cyclic", **options):
    return a.redistribute(target, **options)


#: By name: the call, its right arguments, and wrong ones, of which one is passed at a time.
CALLS = {
    "zeros": (
        lambda a, **k: dapbridge.zeros(comm=a.comm, **k),
        dict(shape=SHAPE, dist=["block"]),
        dict(shape=["x", 8.5, None], dist=[5, "up", ["block"] * 3], dtype=["zz", "U3", object, 5], grid=[3.5, (9, 9)],
             order=["X", None, []]),
    ),
    "zeros, not shared": (
        lambda a, **k: dapbridge.zeros(comm=a.comm, shared=False, **k),
        dict(shape=SHAPE),
        dict(shape=[(2, "x")], dtype=["zz", "U3"], order=["X", None]),
    ),
    "full": (
        lambda a, **k: dapbridge.full(comm=a.comm, **k),
        dict(shape=SHAPE, fill_value=2.0),
        dict(shape=[None], fill_value=["x", None, [[1], [2, 3]], np.ones(5), {}], dtype=["zz"], order=["X"]),
    ),
    "like": (dapbridge.like, {}, dict(dtype=["zz", "U3"], order=["X"])),
    "like, not shared": (lambda a, **k: dapbridge.like(a, shared=False, **k), {}, dict(dtype=["zz"], order=["X"])),
    "sum": (lambda a, **k: a.sum(**k), {}, dict(axis=["x", 5, (0, 0)], dtype=["zz"])),
    "argmax": (lambda a, **k: np.argmax(a, **k), {}, dict(axis=["x", 5])),
    "zeros_like": (lambda a, **k: np.zeros_like(a, **k), {}, dict(dtype=["zz", "U3"])),
    "vdot": (
        lambda a, **k: np.vdot(a, **k), dict(b=np.ones(SHAPE)),
        dict(b=[np.ones(3), np.ones(SHAPE[::-1]), 5, "x", None, [[1], [2, 3]], np.ones((1, *SHAPE))]),
    ),
    "inner": (lambda a, **k: np.inner(a, **k), dict(b=2.0), dict(b=[np.ones(6), [[1], [2, 3]]])),
    "dot": (lambda a, **k: np.dot(a, **k), dict(b=np.ones(6)), dict(b=[np.ones(7), None, [[1], [2, 3]]])),
    "outer": (
        lambda a, **k: np.outer(dapbridge.from_global(np.ones(5), a.comm), **k), dict(b=np.ones(4)),
        dict(b=[np.ones((2, 2)), 5, None, "x", [[1], [2, 3]]]),
    ),
    "array_equal": (lambda a, **k: np.array_equal(a, **k), dict(a2=np.ones(SHAPE)), dict(a2=[[[1], [2, 3]]])),
    "array_equiv": (lambda a, **k: np.array_equiv(a, **k), dict(a2=np.ones(6)), dict(a2=[[[1], [2, 3]]])),
    "transpose": (
        lambda a, **k: np.transpose(a, **k), dict(axes=(1, 0)), dict(axes=[(0, 0), (1, 0, 2), "x", 5, (0, 1.5), (2, 1)])
    ),
    "matrix_power": (
        lambda a, **k: np.linalg.matrix_power(dapbridge.from_global(np.eye(6), a.comm), **k), dict(n=2),
        dict(n=["x", 1.5, None]),
    ),
    "eye": (lambda a, **k: dapbridge.eye(comm=a.comm, **k), dict(n=3), dict(n=["x", 1.5], m=["x"], k=["x", 0.5], dtype=["zz"])),
    "nan_to_num": (lambda a, **k: np.nan_to_num(a, **k), {}, dict(copy=[False])),
    "numpy's svd": (lambda a, **k: np.linalg.svd(a, **k), dict(full_matrices=False), dict(full_matrices=[True])),
    "an option of numpy's sum": (lambda a, **k: np.sum(a, **k), {}, dict(where=[True], initial=[1], out=[np.ones(6)])),
    "an option of numpy's zeros_like": (lambda a, **k: np.zeros_like(a, **k), {}, dict(shape=[3])),
    "an option of numpy's matmul": (lambda a, **k: np.matmul(a, np.ones(6), **k), {}, dict(out=[np.ones(8)])),
    "an option of numpy's reduce": (lambda a, **k: np.add.reduce(a, **k), {}, dict(initial=[1])),
    "trace": (lambda a, **k: a.trace(**k), {}, dict(offset=["x", None])),
    "array": (
        lambda a, **k: dapbridge.array(comm=a.comm, **k),
        dict(local=np.ones((2, 3)), dist=None),
        dict(local=[None, "x", [[1], [2, 3]]], dist=[5], grid=[3.5]),
    ),
    "from_global": (
        lambda a, **k: dapbridge.from_global(np.ones(5), a.comm, **k),
        dict(root=0),
        dict(root=[99, "x", None, 1.5, -1], dist=[5], dtype=["zz"], grid=[(9,)]),
    ),
    "from_function": (
        lambda a, **k: dapbridge.from_function(comm=a.comm, **k),
        dict(function=lambda i, j: i + j, shape=SHAPE),
        dict(function=[None, lambda i: i, lambda i, j: "x"], shape=["x"], dtype=["zz"]),
    ),
    "from_dap": (lambda a, **k: dapbridge.from_dap(comm=a.comm, **k), "dap", dict(obj=[None, {}], rules=[5, "9"])),
    "Plan": (
        lambda a, **k: dapbridge.Plan(**k),
        "ends",
        dict(source=[None, 5, "x", (1, 2)], target=[5, np.ones(3)], comm=[5], alpha=["x"], beta=[[]], combine=["prod", []],
             memory_bytes=[1.5], transports=["pigeons", 5, [[]]], arrays=["x", -1]),
    ),
    "Plan.halo": (
        dapbridge.Plan.halo, {}, dict(arrays=["x"], transports=["pigeons", 5], alpha=["x"], combine=[[]])
    ),
    "Plan.halo_reverse": (
        dapbridge.Plan.halo_reverse, {},
        dict(arrays=["x"], transports=["pigeons"], combine=["prod", []], padding=["x", {}]),
    ),
    "halo_reverse": (lambda a, **k: a.halo_reverse(**k), {}, dict(combine=["prod", [], 5], padding=["x", {}])),
    "gather": (lambda a, **k: a.gather(**k), dict(root=0), dict(root=[99, -1, "x", 1.5, []])),
    "gather all": (lambda a, **k: a.T.gather(**k), {}, dict(root=[99, "x", []])),
    "slice": (
        lambda a, key: a[key], dict(key=np.s_[2:5]),
        dict(key=[99, 1.5, "x", (0, 0, 0), (..., ...), [99], [1.5], [True], [[1], [2, 3]], ([1], 0), np.s_["x":], np.s_[::"x"],
                  np.s_[::0], True, np.s_[1.5:2], np.ones(SHAPE, bool)]),
    ),
    "copy": (lambda a, **k: a.copy(**k), {}, dict(dtype=["zz", "U3", object])),
    "redistribute": (
        redistribute, {},
        dict(target=[None, 5, "up", ["block"] * 3, "other shape"], grid=[(9, 9), 5], dtype=["zz", "U3"], out=["both"],
             padding=["clear"], alpha=["x"], transports=["pigeons"], comm=[5]),
    ),
    "redistribute out": (
        lambda a, out, **k: a.redistribute(out=out, **k), "out",
        dict(out=[None, 5, np.ones(3), "other shape"], dtype=["zz"]),
    ),
    "redistribute lazy": (
        lambda a, **k: a.T.redistribute("cyclic", **k), {}, dict(grid=[(9, 9)], dtype=["zz"])
    ),
}  # fmt: skip

#: Functions that numpy does not have: an unknown keyword is an error on all processes.
OF_THE_PACKAGE = [
    "zeros", "full", "like", "sum", "trace", "array", "from_global", "from_function", "from_dap", "Plan", "Plan.halo",
    "Plan.halo_reverse", "gather", "gather all", "copy", "redistribute", "redistribute out", "redistribute lazy",
]  # fmt: skip

VIEWS = {
    "scalapack": dict(
        routine=["nonsense", 5, []], access=["x", 5], share=["x", [], 5], op=["X", 5], part=[5.5, (0, 0, 0), np.s_[::2]],
        block_size=["x", -3, (1, 2, 3)], grid=[(9, 9), 5], aligned_with=[5], context=["x"], nonsense=[3], least_size=["x"],
    ),
    "petsc_field": dict(
        width=["x", -5], access=["x", 5], share=["x", [], 5], vectors=["x", [], 5], order=["X", 5], dof_axes=["x", 9],
        boundary=["x", 5], dm=[5], part=[5.5, (0, 0, 0)],
    ),
    "petsc_vector": dict(
        access=["x", 5], share=["x", []], order=["X", 5], block_size=["x", -1], part=[5.5, np.s_[::2]]
    ),
    "petsc_matrix": dict(access=["x", 5], share=["x", []], form=["x", 5], block_size=["x"], part=[5.5, 3]),
}  # fmt: skip

#: Functions of dapbridge.linalg, with right arguments "a" (square) and "b".
LINALG = {
    "solve": (("a", "b"), dict(assume_a=["x", [], 5], report=[5])),
    "lstsq": (("a", "b"), dict(report=[5], rcond=["x", []])),
    "inv": (("a",), dict(report=[5])),
    "slogdet": (("a",), dict(report=[5])),
    "cond": (("a",), dict(p=["x", [], {}, 7], report=[5])),
    "matmul": (("a", "b"), dict(report=[5])),
    "norm": (("a",), dict(ord=["x", [], {}, 7], axis=["x", (0, 1)], report=[5])),
    "norm ": (("v",), dict(ord=["nuc", [], "fro"], axis=["x", []])),
    "schur": (("a",), dict(output=["x", 5], report=[5])),
    "qr": (("a",), dict(mode=["x", [], 5], report=[5], rcond=["x", 1e-9])),
    "multiply_triangular": (("a", "b"), dict(trans=["x", [], 5], side=["x", 5, []], alpha=["x", []], report=[5])),
    "rank_k": (("a",), dict(alpha=["x", []], beta=["x", []], c=[5, "x", np.ones((2, 2))], report=[5])),
    "eigh": (("a",), dict(
        UPLO=["x", 5, None], report=[5], driver=["x", "evx", 5], subset_by_index=[(0, 99), (0, 1, 2), 5, ("x", 0)],
        subset_by_value=[(1, 1), ("x", 0), 5],
    )),
    "eigvalsh": (("a",), dict(UPLO=["x", 5], driver=["gvx"])),
    "svd": (("a",), dict(lapack_driver=["x", 5, []], report=[5])),
    "svd ": (("b",), dict(full_matrices=[True])),
    "pinv": (("a",), dict(rcond=["x", [1, 2, 3]], rtol=["x"], report=[5])),
    "matrix_rank": (("a",), dict(tol=["x", [1, 2]], rtol=["x", []], report=[5])),
    "lu_factor": (("a",), dict(report=[5])),
    "cho_factor": (("a",), dict(report=[5])),
    "cholesky": (("a",), dict(report=[5])),
    "lu": (("a",), dict(report=[5])),
    "expm": (("a",), dict(report=[5])),
    "solve_triangular": (("a", "b"), dict(trans=["x", [], 5], report=[5])),
    "solve_refined": (("a", "b"), dict(trans=["x", [], 5], report=[5])),
}


def given(a, right):
    """Returns right arguments, some of which are arrays."""
    if right == "dap":
        return dict(obj=dapbridge.from_global(np.arange(48.0), a.comm))
    if right == "ends":
        return dict(source=a, target=dapbridge.like(a))
    return dict(out=dapbridge.like(a)) if right == "out" else right


def wrong_value(a, value):
    """Returns wrong values that are arrays. One process cannot make these, so all make them."""
    if isinstance(value, str) and value in ("other shape", "both"):
        return dapbridge.zeros((3, 3), a.comm) if value == "other shape" else dapbridge.like(a)
    return value


def refused(comm, call, right, name, value):
    """Passes a wrong argument `name` on the last process. All must raise, and so must this process by itself."""
    arguments = dict(right)
    if comm.rank == comm.size - 1:
        arguments[name] = value
    error = same_error(comm, dapbridge.Error, lambda: call(**arguments))
    assert f"rank {comm.size - 1}" in str(error)
    assert "this process is in" not in str(error)
    return str(error)


def usable(comm, a):
    a.halo_update()
    np.testing.assert_array_equal(a.gather(), np.arange(48.0).reshape(SHAPE))


def cases(calls):
    return [pytest.param(n, w, id=f"{n} {w}") for n in calls for w in calls[n][-1]]


@pytest.mark.parametrize("name, argument", cases(CALLS))
def test_calls(comm, name, argument):
    a = array(comm)
    function, right, wrong = CALLS[name]
    right = given(a, right)
    for value in wrong[argument]:
        refused(comm, lambda **k: function(a, **k), right, argument, wrong_value(a, value))
    if name in OF_THE_PACKAGE:
        refused(comm, lambda **k: function(a, **k), right, "spead", 3)
    function(a, **right)
    usable(comm, array(comm) if name == "halo_reverse" else a)


def test_halo_reverse_again(comm):
    """Tests it also if a plan is already kept."""
    a = array(comm)
    for _ in range(2):
        a.halo_reverse()
        refused(comm, a.halo_reverse, {}, "combine", "prod")


@pytest.mark.parametrize("name, argument", [pytest.param(n, w, id=f"{n} {w}") for n in VIEWS for w in VIEWS[n]])
def test_views(comm, name, argument):
    if not supported(name):
        pytest.skip("not built")
    a = array(comm)
    for value in VIEWS[name][argument]:
        refused(comm, getattr(a, name), {}, argument, value)
    getattr(a, name)().restore()
    usable(comm, a)


def test_petsc_views_halo_reverse(comm):
    if not supported("petsc_field"):
        pytest.skip("not built")
    a = array(comm)
    for get in (a.petsc_field, a.petsc_vector):
        with get() as view:
            for argument, values in dict(combine=["x", 5, []], padding=["x", 5]).items():
                for value in values:
                    refused(comm, view.halo_reverse, {}, argument, value)
    usable(comm, a)


def supported(name):
    try:
        if name.startswith("petsc"):
            import dapbridge.petsc
            from petsc4py import PETSc  # noqa: F401
        else:
            import dapbridge.linalg  # noqa: F401
    except ImportError:
        return False
    return True


@pytest.mark.parametrize("name", LINALG)
def test_linalg(comm, name):
    linalg = pytest.importorskip("dapbridge.linalg")
    square = np.eye(6) + 0.01 * np.ones((6, 6))
    operands = {"a": square, "b": np.ones((6, 2)), "v": np.ones(6)}
    operands = {n: dapbridge.from_global(v, comm) for n, v in operands.items()}
    positions, wrong = LINALG[name]
    function = getattr(linalg, name.strip())
    args = [operands[n] for n in positions]
    for argument, values in wrong.items():
        for value in values:
            text = refused(comm, lambda **k: function(*args, **k), {}, argument, value)
            assert re.search(rf"\b{argument}\b", text) or argument == "c", text
    if len(args) == 2:
        for value in (5, "x", None, {}, np.ones((2, 2, 2)), np.ones(7)):
            refused(comm, lambda b: function(args[0], b), dict(b=args[1]), "b", value)
            refused(comm, lambda a: function(a, args[1]), dict(a=args[0]), "a", value)
    refused(comm, lambda **k: function(*args, **k), {}, "spead", 3)
    if len(args) == 1:  # a lazy view is copied first
        refused(comm, lambda **k: function(args[0].conj(), **k), {}, "spead", 3)
    same_error(comm, TypeError, lambda: function(*args, *[0] * (19 if comm.rank == comm.size - 1 else 0)))
    function(*args)


def test_keywords_of_factors(comm):
    linalg = pytest.importorskip("dapbridge.linalg")
    factors = linalg.lu_factor(dapbridge.from_global(np.eye(6), comm))
    for call in (lambda **k: factors.solve(np.ones(6), **k), lambda **k: linalg.lu_solve(factors, np.ones(6), **k)):
        refused(comm, call, {}, "spead", 3)
        np.testing.assert_array_equal(call(), np.ones(6))


def test_from_scalapack(comm):
    if not supported("scalapack"):
        pytest.skip("not built")
    a = dapbridge.from_global(np.eye(6), comm, ["cyclic", "cyclic"])
    with a.scalapack(share="never") as m:
        right = dict(desc=m.desc, local=m.data.copy("F"), op="N")
        for name, values in dict(desc=[5, (1, 2), "x", m.desc[:8] + ("x",)], local=[5, "x"], op=["X", 5, "NT"]).items():
            for value in values:
                refused(comm, lambda **k: dapbridge.from_scalapack(comm=comm, **k), right, name, value)
        dapbridge.from_scalapack(comm=comm, **right)


def test_from_petsc(comm):
    if not supported("petsc"):
        pytest.skip("not built")
    from petsc4py import PETSc

    vector = PETSc.Vec().createMPI(4 * comm.size, comm=comm)
    da = PETSc.DMDA().create([8], comm=comm)
    for obj in (vector, da):
        for value in (5, "x"):
            refused(comm, lambda **k: dapbridge.from_petsc(obj, **k), dict(comm=comm), "comm", value)
        assert dapbridge.from_petsc(obj, comm).comm == comm


def test_arrays_of_which_one_is_on_one_process(comm):
    """A plan between an array of all processes and one of a single process is refused in either order."""
    from mpi4py import MPI

    a, b = array(comm), array(comm)
    alone = dapbridge.zeros(SHAPE, MPI.COMM_SELF)
    if comm.size > 1:
        for right, name in ((dict(source=a, target=b), "source"), (dict(source=a, target=b), "target")):
            arguments = dict(right)
            if comm.rank == comm.size - 1:
                arguments[name] = alone
            same_error(comm, dapbridge.Error, lambda: dapbridge.Plan(**arguments))
    usable(comm, a)

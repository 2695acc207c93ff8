"""Tests the output of the package in editors, notebooks and help()."""

import inspect
import math
import pydoc
import re

import numpy as np
import pytest
from programs import succeed

import dapbridge as db

#: Distributions, as users type them.
TYPED = [
    "block()",
    "block([3, 0, 5])",
    "cyclic()",
    "cyclic(64)",
    "cyclic(2, first_owner=1)",
    "cyclic(1, first_owner=1)",
    "padded(1)",
    "padded(2, boundary=(1, 0))",
    "padded(0, boundary=(1, 1))",
    "padded(1, periodic=True, wraps=False)",
    "padded(1, wraps=True)",
    "padded(1, lengths=[3, 4])",
    "local()",
    "replicated()",
    "partial()",
    "unstructured([0, 2, 4])",
    "unstructured([[0, 2], [1]])",
    "unstructured([])",
    "unstructured([[0, 2], []])",
    "unstructured([[0, 2], [1, 2]], owned=[2, 1])",
    "unstructured([3, 1], one_to_one=True)",
    "unstructured([3, 1], owned=[True, False])",
]


@pytest.mark.parametrize("text", TYPED)
def test_distributions_are_shown_as_they_are_typed(text):
    found = eval(text, vars(db))
    assert repr(found) == text
    again = eval(repr(found), vars(db))
    assert again == found
    for mine, other in ((found.indices, again.indices), (found.owned, again.owned)):
        np.testing.assert_equal(mine, other)


def test_long_lists_are_cut():
    assert repr(db.unstructured(range(1000))) == "unstructured([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...])"
    assert len(repr(db.unstructured([np.arange(1000)] * 1000))) < 1000


def test_names_of_d2o():
    assert repr(db.dists.as_dists("fftw", 1)[0]) == "'ceil'"


def test_dir_has_what_is_public():
    names = [name for name in dir(db) if not name.startswith("_")]
    assert names == sorted([*db.__all__, "draw", "linalg", "petsc"])
    for name in names:
        assert getattr(db, name).__doc__ or name == "patience"
    assert [name for name in dir(db.linalg) if not name.startswith("_")] == sorted(db.linalg.__all__)


@pytest.mark.parametrize("name", ("", "linalg", "petsc", "draw", "dists", "Array", "Lazy", "Plan", "ScalapackMatrix", "PetscField"))
def test_help_has_no_addresses(name):
    thing = getattr(db, name) if name else db
    text = pydoc.plain(pydoc.render_doc(thing))
    assert not re.findall(r".*0x[0-9a-f]{6,}.*", text)


METHODS = {
    "scalapack": (db.ScalapackMatrix, "share"),
    "petsc_field": (db.PetscField, "width"),
    "petsc_vector": (db.PetscVector, "natural"),
    "petsc_matrix": (db.PetscMatrix, "form"),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_have_the_parameters_of_their_views(name):
    kind, keyword = METHODS[name]
    mine, other = list(inspect.signature(getattr(db.Array, name)).parameters), list(inspect.signature(kind).parameters)
    assert mine == ["self", *other[1:]] and keyword in mine
    assert f"{keyword}:" in pydoc.plain(pydoc.render_doc(getattr(db.Array, name)))


def test_no_function_takes_any_keyword():
    for module in (db, db.linalg, db.petsc, db.draw):
        for name in module.__all__ if hasattr(module, "__all__") else ():
            thing = getattr(module, name)
            members = [thing] + [m for n, m in inspect.getmembers(thing) if not n.startswith("_")] * inspect.isclass(thing)
            for member in members:
                if inspect.isfunction(member) or inspect.ismethod(member):
                    kinds = {p.kind for p in inspect.signature(member).parameters.values()}
                    assert inspect.Parameter.VAR_KEYWORD not in kinds, (name, member)


def things(comm):
    """Returns objects of a notebook, in all states in which they can still have a name."""
    a = db.zeros((comm.size, 4), comm)
    plan = db.Plan(a, db.like(a))
    yield from (a, a.T, a[0], a[:, 1], a.layout, plan, a.component_axes, db.padded(1))
    plan.destroy()
    yield plan
    if comm.size > 1:  # the elements that a process owns are not a slice
        mine = 3 * comm.rank + np.array([0, 3, 1, 2])
        mine[1] %= 3 * comm.size
        yield db.array(np.ones(4), comm, db.unstructured(mine, owned=[True, False, True, True]))
    with a.scalapack() as view:
        yield view
    yield view
    with db.linalg.lu_factor(db.from_function(lambda i, j: 1.0 * (i == j), (4, 4), comm)) as factors:
        yield factors
    yield factors


def test_attributes_do_not_raise(comm):
    """Only AttributeError is allowed. hasattr(), inspect.getmembers() and completion take it for a missing
    attribute."""
    for thing in things(comm):
        for name in dir(thing):
            try:
                getattr(thing, name)
            except AttributeError:
                pass
        inspect.getmembers(thing)
        assert isinstance(repr(thing), str)


def test_tensors_of_numpy(comm):
    part = np.arange(6.0).reshape(2, 3) + 10 * comm.rank
    a = db.from_dlpack(part, comm)
    assert a.shape == (2 * comm.size, 3) and np.shares_memory(a.local, part)
    a.local[1, 2] = -1
    assert part[1, 2] == -1
    np.testing.assert_array_equal(np.from_dlpack(a.owned), part)
    turned = db.from_dlpack(part.T, comm, ["local", "block"])
    assert turned.shape == (3, 2 * comm.size) and np.shares_memory(turned.local, part)


class Tensor:
    """An object of another library, in memory that the host sees."""

    def __init__(self, part, kind=1):
        self.part, self.kind = part, kind

    def __dlpack_device__(self):
        return self.kind, 0

    def __dlpack__(self, **options):
        return self.part.__dlpack__()


@pytest.mark.parametrize("kind, dtype", ((1, "f4"), (1, "c16"), (3, "f8"), (1, "i8")))
def test_tensors(comm, kind, dtype):
    part = np.arange(3 + comm.rank).astype(dtype)
    a = db.from_dlpack(Tensor(part, kind), comm)
    sizes = [3 + r for r in range(comm.size)]
    np.testing.assert_array_equal(a.gather(), np.concatenate([np.arange(n) for n in sizes]).astype(dtype))
    a.local[0] = 5
    assert part[0] == 5
    del part
    assert a.local[0] == 5


def test_arrays_are_no_tensors(comm):
    """Arrays must not pretend to be tensors, because no process has all elements."""
    a = db.zeros((2 * comm.size, 3), comm)
    for name in ("__dlpack__", "__dlpack_device__", "__array_namespace__", "__array_interface__"):
        assert not hasattr(a, name) and not hasattr(a.T, name)
    assert math.prod(np.from_dlpack(a.owned).shape) == 6


# ---- the package's build --------------------------------------------------------------------------------------


def test_is_printed_and_returned(comm, capsys):
    config = db.show_config("dicts")
    assert db.show_config() is None
    printed = capsys.readouterr().out
    assert printed == "".join(f"{key}: {value}\n" for key, value in config.items())
    assert config["version"] == db.__version__
    assert config["python"] != "no"
    assert {"compiler", "mpi", "scalapack", "petsc", "kernels"} <= set(config)
    assert len(set(comm.allgather(config["compiler"]))) == 1


def test_modules_are_there_after_import(comm):
    """Modules are loaded when they are first needed. Runs a separate program, because other tests import them."""
    if comm.rank == 0:
        said = succeed(
            """
            import dapbridge

            print("draw" in dir(dapbridge), "petsc" in dir(dapbridge))
            print(dapbridge.draw.svg.__name__, dapbridge.petsc.PetscField is dapbridge.PetscField)
            """
        )
        assert said.split() == ["True", "True", "svg", "True"]


@pytest.mark.parametrize("mode", ["", "dict", None, 1])
def test_other_modes_are_refused(mode):
    with pytest.raises(db.ArgumentError, match="stdout"):
        db.show_config(mode)

"""Tests that editors and help() can show what each public name is, and what each parameter is."""

import inspect
import re

import numpy as np
import pytest
from mpi4py import MPI

import dapbridge as db

#: Variables, which comments describe.
VARIABLES = {"check_operands", "patience"}
MODULES = [db, db.petsc] + ([db.linalg] if db.show_config("dicts")["scalapack"] != "no" else [])


def public():
    """Returns the public things by their names: functions, classes, and their methods and attributes."""
    found = {}
    for module in MODULES:
        for name in set(module.__all__) - VARIABLES:
            thing = getattr(module, name)
            found[f"{module.__name__}.{name}"] = thing
            for kind in reversed(thing.__mro__) if inspect.isclass(thing) and not issubclass(thing, tuple) else ():
                for member, own in vars(kind).items() if kind.__module__.startswith("dapbridge") else ():
                    own = getattr(own, "__func__", own)  # of a class method
                    if not member.startswith("_") and (inspect.isroutine(own) or inspect.isdatadescriptor(own)):
                        found[f"{module.__name__}.{name}.{member}"] = own
    return found


PUBLIC = public()


def documented(text):
    """Returns the names that lines of a section such as Parameters begin with."""
    lines = re.findall(r"^([*\w]+(?:, [*\w]+)*)(?: : .*)?$", text, re.M)
    return {name.strip("*") for line in lines for name in line.split(", ")}


def parameters(text):
    """Returns the section Parameters without the line of the array, however its lines are broken."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n\w+\n-|\Z)", text, re.M | re.S)[1]
    return re.sub(r"^(?:array : Array|a)\n.*?\n(?=\w)", "", section, flags=re.M | re.S).split()


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_each_public_name_is_described(name):
    text = inspect.getdoc(PUBLIC[name])
    assert text and text.split("\n\n")[0].endswith("."), text


@pytest.mark.parametrize("name", sorted(name for name, thing in PUBLIC.items() if callable(thing)))
def test_each_parameter_is_described(name):
    thing = PUBLIC[name]
    text = inspect.getdoc(thing)
    if inspect.isclass(thing) and "\nParameters\n" not in text:  # a class of which functions make the objects
        return
    try:
        given = set(inspect.signature(thing).parameters) - {"self", "cls"}
    except (TypeError, ValueError):  # a compiled function
        return
    assert given <= documented(text), given - documented(text)


@pytest.mark.parametrize("name", sorted(name for name, thing in PUBLIC.items() if inspect.isfunction(thing)))
def test_several_results_are_described(name):
    """The first sentence describes a single result. Several named results have a section."""
    kind = str(inspect.signature(PUBLIC[name]).return_annotation)
    assert not re.search(r"Result\b", kind) or "\nReturns\n" in inspect.getdoc(PUBLIC[name]), kind


LINALG = sorted(name for name in PUBLIC if re.fullmatch(r"dapbridge\.linalg\.[a-z_0-9]+", name))


#: Functions whose results contain NaN if an operand contains NaN. All others must raise an error.
PROPAGATING = {"cho_solve", "lu_solve", "matmul", "multiply_triangular", "norm", "rank_k"}
#: Required arguments that are not matrices with NaN, and options with which a function fails.
GIVEN = {
    "cho_solve": lambda: {"factors": db.linalg.cho_factor(db.identity(3, MPI.COMM_SELF))},
    "lu_solve": lambda: {"factors": db.linalg.lu_factor(db.identity(3, MPI.COMM_SELF))},
    "matrix_power": lambda: {"n": -1},
    "qr": lambda: {"pivoting": True},
    "solve_banded": lambda: {"l_and_u": (1, 1)},
}


@pytest.mark.parametrize("name", LINALG)
def test_numeric_errors_are_described(name):
    """A function that fails for a matrix with NaN must say so. A new function must fail, or be in PROPAGATING."""
    function, short = PUBLIC[name], name.split(".")[-1]
    required = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    given = {p: db.from_global(np.full((3, 3), np.nan), MPI.COMM_SELF) for p in required}
    given.update(GIVEN.get(short, dict)())
    if short in PROPAGATING:
        result = function(**given)
        assert np.isnan(result.gather() if isinstance(result, db.Array) else result).any()
    else:
        with pytest.raises(np.linalg.LinAlgError):
            function(**given)
        assert "\nRaises\n------\nLinAlgError\n" in inspect.getdoc(function)


@pytest.mark.parametrize(
    "copy, original",
    [
        (db.Array.scalapack, db.ScalapackMatrix),
        (db.Array.petsc_field, db.PetscField),
        (db.Array.petsc_vector, db.PetscVector),
        (db.Array.petsc_matrix, db.PetscMatrix),
        (db.Array.save, db.save),
        (db.from_petsc, db.petsc.from_petsc),
    ],
)
def test_copies_of_descriptions_agree(copy, original):
    mine, other = inspect.getdoc(copy), inspect.getdoc(original)
    assert parameters(mine) == parameters(other)

"""What the package has: its modules, and what it was built with, as the C library says."""

import pytest
from programs import succeed

import dapbridge


def test_is_printed_and_returned(comm, capsys):
    config = dapbridge.show_config("dicts")
    assert dapbridge.show_config() is None
    printed = capsys.readouterr().out
    assert printed == "".join(f"{key}: {value}\n" for key, value in config.items())
    assert config["version"] == dapbridge.__version__
    assert config["python"] != "no"
    assert {"compiler", "mpi", "scalapack", "petsc", "kernels"} <= set(config)
    assert len(set(comm.allgather(config["compiler"]))) == 1


def test_modules_are_there_after_import(comm):
    """They are loaded when they are first needed: in a program of its own, as other tests import them."""
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
    with pytest.raises(dapbridge.ArgumentError, match="stdout"):
        dapbridge.show_config(mode)

"""Defines the names that examples in docstrings start from, for pytest --doctest-modules."""
import numpy as np
import pytest
from mpi4py import MPI

import dapbridge


@pytest.fixture(autouse=True, scope="session")
def _names(doctest_namespace: dict[str, object]) -> None:
    doctest_namespace.update(dapbridge=dapbridge, np=np, MPI=MPI)

"""For pytest --doctest-modules: the name that examples in docstrings start from."""
import pytest

import dapbridge


@pytest.fixture(autouse=True, scope="session")
def _names(doctest_namespace: dict[str, object]) -> None:
    doctest_namespace["dapbridge"] = dapbridge

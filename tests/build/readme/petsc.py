"""Checks the array of bridge/docs/petsc.md: the solution of 2 x = 6, scaled by 2 as a vector."""
import numpy as np


def check(page):
    assert np.allclose(page["a"].owned, 6)

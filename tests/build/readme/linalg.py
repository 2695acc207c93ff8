"""Checks that the solution in bridge/docs/linalg.md is right."""
import numpy as np


def check(page):
    assert np.allclose(page["x"].local, 1)

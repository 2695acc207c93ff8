"""The README's solution is right."""


def check(page):
    assert page["error"] < 1e-9, page["error"]

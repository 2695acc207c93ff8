"""The switch of mutants in the Python package, as mutant.h is in C."""
import os
import pathlib

on = int(os.environ.get("DAP_MUTANT", "0"))
notes = os.environ.get("DAP_MUTANT_NOTES")


def mutant(number, expression, changed):
    """The value of an expression, or of the changed one. Both are given as functions without arguments."""
    if notes:
        value = expression()
        try:
            differs = bool(value != changed())
        except Exception:
            differs = True
        if differs:
            pathlib.Path(f"{notes}-{number}").touch()
        return value
    return changed() if on == number else expression()

"""Runs the Python code of a page, piece after piece in one namespace, as one of several processes under MPI.

page.py <page.md> [condition]: which must hold in the end."""
import re
import sys

page, *conditions = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    text = file.read()
names = {"__name__": "__main__"}
for found in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S):
    line = text.count("\n", 0, found.start(1))
    exec(compile("\n" * line + found[1], page, "exec"), names)  # lines of errors are those of the page
for condition in conditions:
    if not eval(condition, names):
        sys.exit(f"{page}: after its code this does not hold: {condition}")

"""Runs the Python code of a page, piece by piece in one namespace, as one of several processes under MPI.

page.py <page.md> [<file.py>]: the file defines names that the page uses, and check(), which is called at the end."""
import pathlib
import re
import runpy
import sys

page, *files = sys.argv[1:]
text = pathlib.Path(page).read_text(encoding="utf-8")
names = {"__name__": "__main__"}
for file in files:
    names.update(runpy.run_path(file))
for found in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S):
    line = text.count("\n", 0, found.start(1))
    exec(compile("\n" * line + found[1], page, "exec"), names)  # lines of errors are those of the page
if "check" in names:
    names["check"](names)

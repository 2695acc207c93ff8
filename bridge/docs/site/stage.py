"""Lays out the input of Sphinx in a folder of the build: links to the pages, and pages made of examples, headers,
Fortran modules and manual pages.

stage.py <repository> <folder> leaves files alone that have not changed."""
import pathlib
import sys

import cheaders
import examples
import fortran
import manual
import notebook
import places


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or not path.exists() or path.read_text(encoding="utf-8") != text:
        path.unlink(missing_ok=True)
        path.write_text(text, encoding="utf-8")


def link(path, to):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_symlink() or path.readlink() != to:
        path.unlink(missing_ok=True)
        path.symlink_to(to)


def stage(repository, folder):
    staged = set()
    for page, origin in places.pages(repository).items():
        link(folder / page, repository / origin)
        staged.add(folder / page)
    xml = folder.parent / "xml"
    made = examples.pages(repository) | notebook.pages(repository) | cheaders.pages(repository, xml)
    made |= fortran.pages(repository) | manual.pages(repository)
    for page, text in made.items():
        write(folder / page, text)
        staged.add(folder / page)
    for old in folder.rglob("*"):
        if not old.is_dir() and old not in staged:
            old.unlink()


if __name__ == "__main__":
    stage(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]))

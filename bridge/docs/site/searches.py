"""Fails if the site's search does not show the right page first. The command is searches.py <folder of HTML>. It asks
the index for titles, words and names as Sphinx's searchtools.js does, with the places that scorer.js gives. It leaves
out index entries, and names in queries of several words: these are on reference pages, which come last. If
Node.js is installed, searches.js also runs each query in the site's own JavaScript."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import places
from sphinx.search import js_index
from sphinx.search.en import SearchEnglish

FIRST = {  # what readers search for, and the page or section that they want
    "halo": "halos",
    "halo update": "halos",
    "why moved": "sharing",
    "why copied": "sharing",
    "PETSc array": "petsc",
    "PETSc on my array": "petsc",
    "GPU": "limits",
    "troubleshooting": "errors",
    "error": "errors",
    "install": "building",
    "installation": "building",
    "solve": "linalg",
    "ghosts": "ghosts",
    "redistribute": "moving",
    "HDF5": "files",
    "petsc4py": "coming/petsc4py",
    "PyScalapack": "coming/scalapack-python",
    "dap_plan_create_halo": "reference/c/halo",
    "how do I install it": "building",
    "pip install": "building",
    "scalapack solve": "linalg",
    "linear system": "linalg",
    "update halo padded array": "halos",
    "update halos own array": "halos",
    "shared": "sharing",
    "halo exchange": "halos",
    "give array to PETSc": "petsc",
    "PETSc Vec": "petsc",
    "source buffer is NULL": "errors",
    "data is NULL": "errors",
    "not enough slots available": "errors",
    "rule 7": "errors",
    "DAP_ERR_SHARE": "errors",
    "DAP_ERR_LIBRARY": "errors",
    "only 1 process": "errors",
    "PMI_SIZE": "errors",
    "without root": "building",
    "no root": "building",
    "sudo": "building",
    "padded block C": "halos",
    "PETSc own buffer": "petsc",
    "axis 0: blocks differ in size": "sharing",
    "axis 0: blocks differ in size: process 0 owns 251, process 1 owns 250 and is not the last": "sharing",
    "to keep its values": "sharing",
    "a copy was asked for": "sharing",
    "LU factors": "linalg",
    "cannot open shared object file": "errors",
    "error while loading shared libraries": "errors",
    "ModuleNotFoundError": "errors",
    "ModuleNotFoundError: No module named 'dapbridge'": "errors",
    "undefined reference": "errors",
    "U(1, 1) is zero in the LU factors": "errors",
    "axis 1: the part of rank 2 has 499 elements": "errors",
    "rank 0 has waited for 10 s in Array.gather(): rank 2 has not come": "errors",
    "deadlock": "errors",
    "hang": "errors",
    "timeout": "errors",
    "block size": "linalg",
    "checkpoin": "files",
    "write checkpoin": "files",
    "deadl": "errors",
    "ModuleNotFound": "errors",
    "2D halo C program": "halos",
    "2d halo C": "halos",
    "halos MPI_Cart": "halos",
    "exchange MPI_Cart": "halos",
    "halo numpy": "halos",
    "halo program": "halos",
    "ghost layers": "halos",
    "padded 2-D grid": "halos",
    "refuses root": "errors",
    "allow-run-as-root": "errors",
    "mpiexec root": "errors",
    "mpirun as root": "errors",
    "run as root": "errors",
    "slow": "errors",
    "sharing required error": "errors",
    "avoid copy": "sharing",
    "copy moved": "sharing",
    "performance copy moved": "performance",
    "performance": "performance",
    "MPI halo": "halos",
    "halo update MPI": "halos",
    "create halo": "halos",
    "halo python": "halos",
    "halo fortran": "halos",
    "2d halo": "halos",
    "3D halo": "halos",
    "find out why program is slow DAPBRIDGE_LOG": "errors",
    "slow program": "errors#the-program-is-slow",
}

scorer = (pathlib.Path(__file__).parent / "scorer.js").read_text(encoding="utf-8")
table = places.searched(scorer)
points = {name: int(value) for name, value in re.findall(r"\b(objNameMatch|objPartialMatch|title|term|partialTerm|[012]): (-?\d+)", scorer)}
language = SearchEnglish({})
html = pathlib.Path(sys.argv[1])
stops = re.search(r"var stopwords = (\[.*?\]);", (html / "_static/language_data.js").read_text(encoding="utf-8"), re.S)
stopwords = json.loads(stops[1].replace("'", '"'))


def as_list(found):
    return found if isinstance(found, list) else [found]


class Index:
    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        self.__dict__.update(js_index.loads(text))

    def by_titles(self, query):
        for title, found in self.alltitles.items():
            if query in title.lower() and len(query) >= len(title) / 2:
                for page, section in (entry[:2] for entry in found):
                    whole = title if title == self.titles[page] else f"{self.titles[page]} > {title}"
                    yield page, whole, None, round(100 * len(query) / len(title))

    def by_words(self, words):
        """Pages that have all words of three letters or more, if there are any: see requireLongWords() in scorer.js. If no
        text has a word, longer words that contain it count."""
        words = [word for word in words if len(word) > 2] or words
        scores = {}
        for word in words:
            found = [(points["term"], self.terms.get(word, [])), (points["title"], self.titleterms.get(word, []))]
            if len(word) > 2 and word not in self.terms:
                found += [(points["partialTerm"], pages) for term, pages in self.terms.items() if word in term]
            for score, pages in found:
                for page in as_list(pages):
                    scores.setdefault(page, {})[word] = score
        for page, found in scores.items():
            if len(found) == len(words):
                yield page, self.titles[page], None, max(found.values())

    def by_objects(self, query):
        for prefix, entries in self.objects.items():
            for page, kind, priority, anchor, name in entries:
                whole = f"{prefix}.{name}" if prefix else name
                last = whole.lower().split(".")[-1]
                if query in whole.lower():
                    score = points["objNameMatch"] if last == query else points["objPartialMatch"] if query in last else 0
                    yield page, whole, self.objnames[str(kind)][2], score + points[str(priority)]

    def placed(self, query, page, title, kind, score):
        """As Scorer.score() does."""
        if kind:
            is_named = title.lower().split(".")[-1] == query and "_" in query and not query.startswith("dap_err_")
            return score + 2000 if is_named else score
        place, more = next(found[1:] for found in table if self.docnames[page].startswith(found[0]))
        heading = title.lower().split(" > ")[0]
        names = {language.stem(word) for word in more}
        named = all(word in heading or language.stem(word) in heading or language.stem(word) in names
                    for word in words_of(query) if len(word) > 2)
        return score + place + (1000 if place and named else 0)

    def first(self, query):
        query = query.lower()
        stems = list(dict.fromkeys(language.stem(word) for word in words_of(query)))
        found = [*self.by_titles(query), *self.by_objects(query), *self.by_words(stems)]
        ranked = sorted((-self.placed(query, *result), result[1].lower(), self.docnames[result[0]]) for result in found)
        return ranked[0][2] if ranked else "none"


def words_of(query):
    """The words that the search uses: neither stop words nor numbers."""
    return [word for word in re.findall(r"\w+", query) if word not in stopwords and not re.fullmatch("[0-9]+", word)]


index = Index(html / "searchindex.js")
wrong = [(query, found, page) for query, wanted in FIRST.items()
         if (found := index.first(query)) != (page := wanted.split("#")[0])]
node = shutil.which("node")
if node:
    script = pathlib.Path(__file__).parent / "searches.js"
    asked = subprocess.run([node, script, html], input=json.dumps([*FIRST]), stdout=subprocess.PIPE, text=True)
    if asked.returncode:
        sys.exit("searches.py: the site's JavaScript cannot be run")
    for (query, wanted), link in zip(FIRST.items(), json.loads(asked.stdout), strict=True):
        found = (link or "none").replace(".html", "")
        if "#" not in wanted:
            found = found.split("#")[0]
        if found != wanted:
            wrong.append((query, f"{found} in JavaScript", wanted))
else:
    print("searches.py: without Node.js, the site's JavaScript is not run")
for query, found, wanted in wrong:
    print(f"searches.py: {query!r} finds {found} first, not {wanted}", file=sys.stderr)
sys.exit(len(wrong) > 0)
